// Package card reads what servers expose to a model: tools, prompts, resources, resource templates and the server's
// instructions. A card is a node of the document that it came in, so whatever is said of it points at bytes, whether
// the document was a file or the answer of a live server.
//
// Shapes: MCP specification, "Server Features", revisions 2024-11-05 to 2026-07-28.
package card

import (
	"iter"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Kind is what a card stands for.
type Kind uint8

// The kinds, in the order in which a server lists them.
const (
	Tool Kind = iota
	Prompt
	Resource
	Template
)

func (k Kind) String() string { return [...]string{"tool", "prompt", "resource", "template"}[k] }

// lists are the members of a result that hold cards of each kind.
var lists = [...]string{Tool: "tools", Prompt: "prompts", Resource: "resources", Template: "resourceTemplates"}

// File is one document and the servers in it. Servers of one file are compared with each other, those of two never.
type File struct {
	// Subject is the id of the file's report subject.
	Subject string
	// Path is what reports show, Abs where the bytes came from, "" for standard input and for a live server.
	Path, Abs string
	// Unsaved says that the document is what servers just answered, and stands in no file.
	Unsaved bool
	// Client is the client that the cards are judged for, nil for none in particular.
	Client  *client.Client
	Doc     *source.Doc
	Servers []*Server
	// Unread are the entries among several servers in which there is nothing to judge, and those beyond
	// limits.SurfaceServers.
	Unread []source.Node
}

// Server is one server and all that it exposes.
type Server struct {
	File *File
	// Subject is the id of the server's report subject.
	Subject string
	// Name is what the file, or the person who scanned it, calls the server; else what it calls itself, else "".
	Name string
	// Node is the object that stands for the server in the document.
	Node source.Node
	// Revision is the negotiated protocol revision ("2025-11-25"), "" where the document does not say.
	Revision string
	// Capabilities and Info are those of the initialize or discover result. They may be not Valid.
	Capabilities, Info source.Node
	// Saved says that the server was asked, and this is what it answered: Transport is how it was reached, Protocol what was
	// agreed on, Faults are its breaches of the protocol and Gaps what could not be had (model/wire: Fault, Gap).
	Saved                  bool
	Transport              string
	Protocol, Faults, Gaps source.Node
	// Lane says that it is a server before it once more, tried in another era of the protocol.
	Lane bool
	// Trials are what a probe tried on the server (model/wire: Tried), not Valid where nobody probed.
	Trials source.Node
	// Origin is the config entry that named the server, nil for none.
	Origin *finding.Location
	// Instructions is the text that the server gives every model.
	Instructions source.Node
	// Plugin is the name of the client's plugin that brings the server, "" for none: some clients put it before the names
	// of its tools.
	Plugin string
	// Pages are the results that hold the lists, in the order of the document.
	Pages []source.Node
	// Cards are all cards in the order of the document; Strays are items of a list that are no object.
	Cards  []*Card
	Strays []source.Node

	notes []note
}

// Distinct are the servers without those that are another lane of one.
func (f *File) Distinct() []*Server {
	if !slices.ContainsFunc(f.Servers, func(s *Server) bool { return s.Lane }) {
		return f.Servers
	}
	return slices.DeleteFunc(slices.Clone(f.Servers), func(s *Server) bool { return s.Lane })
}

// note is something that rules worked out together about a server.
type note struct{ key, value any }

// Noted is what the first of the rules that ask under one key worked out, made once a server. It should be small: what is
// said of cards without a fault is best not kept.
func (s *Server) Noted(key any, work func() any) any {
	for _, n := range s.notes {
		if n.key == key {
			return n.value
		}
	}
	value := work()
	s.notes = append(s.notes, note{key, value})
	return value
}

// Card is one tool, prompt, resource or template. Fields that the document does not have are not Valid; one that has
// another type than the specification's is as it is written.
type Card struct {
	Server *Server
	// Subject is the id of the card's report subject.
	Subject string
	Kind    Kind
	Node    source.Node
	// Name is the text of the name, "" where there is none or it is no string. A resource's is its URI.
	Name string

	NameNode, Title, Description, Input, Output, Annotations source.Node

	does *Capabilities // made once: rules ask, and so does who decides
}

// Label is the card's name for people: its kind where it has none.
func (c *Card) Label() string {
	if strings.TrimSpace(c.Name) == "" {
		return "a " + c.Kind.String() + " without a name"
	}
	return c.Name
}

// Hint is a boolean of the annotations (readOnlyHint, destructiveHint, idempotentHint, openWorldHint). set is false
// where the card does not say.
func (c *Card) Hint(name string) (value, set bool) { return c.Annotations.Get(name).Bool() }

// Of are the cards of one kind.
func (s *Server) Of(k Kind) iter.Seq[*Card] {
	return func(yield func(*Card) bool) {
		for _, c := range s.Cards {
			if c.Kind == k && !yield(c) {
				return
			}
		}
	}
}

// Introduced says that the document tells who serves: it holds an answer to initialize or discover. One that does not is
// a list of cards, perhaps a part of one.
func (s *Server) Introduced() bool { return s.Revision != "" || s.Info.Valid() }

// Since says whether a part of the protocol that came with a revision concerns the server: one that does not say which
// it speaks may speak any.
func (s *Server) Since(revision string) bool { return s.Revision == "" || s.Revision >= revision }

// Unfinished are the lists whose last page names a next one, which the document does not hold. A saved surface has them
// among its Gaps.
func (s *Server) Unfinished() (all []string) {
	if s.Saved {
		return nil
	}
	for _, key := range lists {
		for _, page := range slices.Backward(s.Pages) {
			if page.Get(key).Valid() {
				if next := page.Get("nextCursor").Kind(); next != source.Invalid && next != source.Null {
					all = append(all, key)
				}
				break
			}
		}
	}
	return all
}

// Parameters are the properties at the root of a tool's input schema.
func (c *Card) Parameters() iter.Seq[source.Node] { return c.Input.Get("properties").Children() }

func (s *Server) add(k Kind, n source.Node) {
	if n.Kind() != source.Object {
		s.Strays = append(s.Strays, n)
		return
	}
	c := &Card{Server: s, Kind: k, Node: n, NameNode: n.Get("name"), Title: n.Get("title"), Description: n.Get("description"),
		Input: n.Get("inputSchema"), Output: n.Get("outputSchema"), Annotations: n.Get("annotations")}
	switch k {
	case Resource:
		c.NameNode = n.Get("uri")
	case Template:
		c.NameNode = n.Get("uriTemplate")
	}
	c.Name = c.NameNode.Text()
	s.Cards = append(s.Cards, c)
}
