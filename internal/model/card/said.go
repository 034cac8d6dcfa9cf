package card

import (
	"iter"
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Role is the part that a string plays in a card.
type Role uint8

// The roles. Prose is where people look for an explanation; every other role is a place where few do.
const (
	Naming       Role = iota // the name of the card, a URI
	Titling                  // a title
	Describing               // the description of the card
	Explaining               // the description of a parameter or of any other part
	Instructing              // the instructions of a server
	Enumerating              // a value of an enum, or a const
	Defaulting               // a default
	Exemplifying             // an example
	Commenting               // a $comment
	Keying                   // a member's name that reads like a sentence
	Unknown                  // any other member
)

func (r Role) String() string {
	return [...]string{"name", "title", "description", "parameter description", "instructions", "listed value", "default", "example",
		"comment", "member name", "member"}[r]
}

// Prose says whether the role is one that people read.
func (r Role) Prose() bool { return r >= Describing && r <= Instructing }

// Said is one string that a model sees.
type Said struct {
	// Node is the string, or with Role Keying the value whose name it is.
	Node source.Node
	Role Role
	Text string
}

// Said are all strings of a card, at any depth, in the order of the document. Words of JSON Schema that no model reads as
// text (type, format, $ref …) are left out as long as they are one word.
func (c *Card) Said() iter.Seq[Said] { return said(c.Node, c.Kind) }

// Said are the strings that a server says of itself: its instructions and its info.
func (s *Server) Said() iter.Seq[Said] {
	return func(yield func(Said) bool) {
		if text := s.Instructions.Text(); text != "" && !yield(Said{s.Instructions, Instructing, text}) {
			return
		}
		for one := range said(s.Info, Tool) {
			if !yield(one) {
				return
			}
		}
	}
}

func said(root source.Node, kind Kind) iter.Seq[Said] {
	return func(yield func(Said) bool) {
		w := walker{yield: yield, kind: kind}
		w.members(root, Unknown, true)
	}
}

// walker goes through a card. Its recursion is as deep as the document, which limits.Depth bounds.
type walker struct {
	yield func(Said) bool
	kind  Kind
	done  bool
}

// members walks the children of n. in is the role of strings in an array or of values below a member with a role of its own.
func (w *walker) members(n source.Node, in Role, root bool) {
	for c := range n.Children() {
		role := in
		if c.IsMember() {
			key := c.Key()
			if sentence(key) {
				w.say(Said{c, Keying, key})
			}
			if role = w.role(key, in, root); role == Keying {
				if text := c.Text(); strings.Count(text, " ") < 3 {
					continue // one word of JSON Schema
				}
				role = Unknown
			}
		}
		switch c.Kind() {
		case source.String:
			w.say(Said{c, role, c.Text()})
		case source.Object, source.Array:
			w.members(c, role, false)
		}
		if w.done {
			return
		}
	}
}

func (w *walker) say(s Said) {
	if !w.done && s.Text != "" {
		w.done = !w.yield(s)
	}
}

// role is what a member's string is. Keying stands for a word of JSON Schema.
func (w *walker) role(key string, in Role, root bool) Role {
	switch key {
	case "name", "uri", "uriTemplate":
		if root {
			return Naming
		}
	case "title":
		return Titling
	case "description":
		if root {
			return Describing
		}
		return Explaining
	case "enum", "const":
		return Enumerating
	case "default":
		return Defaulting
	case "examples", "example":
		return Exemplifying
	case "$comment":
		return Commenting
	case "type", "format", "pattern", "$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "contentEncoding",
		"contentMediaType", "mimeType", "required":
		return Keying
	}
	return in
}

// sentence says whether a member's name is worth reading as text: names that code uses have no blanks and no signs, and
// those of five words or more may say something.
func sentence(key string) bool {
	const shortest, breaks, long = 16, 4, 40
	n := 0
	for i := range len(key) {
		switch c := key[i]; {
		case c == '_' || c == '-' || c == '.':
			n++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '/' || c == ':' || c == '$' || c == '@':
		default:
			return true
		}
	}
	return len(key) >= shortest && n >= breaks || len(key) >= long
}
