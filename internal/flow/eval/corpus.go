package eval

import (
	"bytes"
	_ "embed" // the corpus
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

//go:embed corpus.jsonl
var embedded []byte

// Embedded is the labelled corpus that is part of the program. Its cards were written for it, by people who had not
// seen the words that rules look for.
func Embedded(lim limits.Set) (*Corpus, error) { return Read("embedded", embedded, lim) }

// Corpus is one file of labelled cases.
type Corpus struct {
	// Path is what reports show.
	Path string
	// Digest is that of the file's bytes.
	Digest string
	Cases  []Case
}

// Case is one labelled card, or the cards that belong together in an attack.
type Case struct {
	ID    string
	Label Label
	Class string
	// Server is the name of the server, "" where the case does not say. Benign cards of one server of a file are judged
	// together.
	Server string
	// Line counts from 1.
	Line int

	any  bool        // a finding of any rule counts
	what string      // the member that holds what is judged
	node source.Node // its value
}

// Faults are what is wrong with a corpus, a line each: "FILE:LINE: fault".
type Faults []string

func (f Faults) Error() string { return strings.Join(f, "\n") }

// whats are the members of a case of which each has exactly one, and the list of a server's surface that a card of it
// belongs to; "" for those that are no single card.
func whats() map[string]string {
	return map[string]string{"tool": "tools", "prompt": "prompts", "resource": "resources", "template": "resourceTemplates", "surface": "", "servers": ""}
}

// notes are further members that a case may have. Nothing reads them.
func notes() []string { return []string{"source", "source_path", "license", "note", "twin", "peers"} }

// Read reads a corpus: JSON lines, each an object
//
//	{"id": …, "label": "hostile" | "benign", "class": …, "server": …, "tool": {…}}
//
// where instead of "tool" may stand "prompt", "resource" or "template" (a resource template), "surface" for all that one
// server exposes ({"tools": […], "prompts": […], "instructions": …}), or "servers" for several of them by name. A case
// with "kind": "attack" | "benign" instead of a label is one whose fault any rule may find; "expect" is its class.
//
// The error is Faults: a corpus with a fault is not read, since its figures would mean something else.
func Read(path string, raw []byte, lim limits.Set) (*Corpus, error) {
	c := &Corpus{Path: path, Digest: canon.Digest(raw)}
	if len(raw) > lim.EvalBytes {
		return nil, Faults{fmt.Sprintf("%s: larger than %d bytes", path, lim.EvalBytes)}
	}
	var faults Faults
	seen := map[string]int{}
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		if number > lim.EvalCases {
			faults = append(faults, fmt.Sprintf("%s:%d: more than %d cases", path, number, lim.EvalCases))
			break
		}
		one, err := readCase(bytes.TrimRight(line, "\r\n"), lim)
		if before := seen[one.ID]; err == nil && before > 0 {
			err = fmt.Errorf("id %q is that of line %d", one.ID, before)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %s", path, number, text.Safe(err.Error(), lim.ShownRunes)))
			continue
		}
		one.Line, seen[one.ID] = number, number
		c.Cases = append(c.Cases, one)
	}
	if number == 0 {
		faults = Faults{path + ": holds no case"}
	}
	if faults != nil {
		return nil, faults
	}
	return c, nil
}

func readCase(line []byte, lim limits.Set) (c Case, err error) {
	if len(line) > lim.EvalLineBytes {
		return c, fmt.Errorf("the line is longer than %d bytes", lim.EvalLineBytes)
	}
	lim.Depth-- // in the document that is judged it stands in a list
	doc, err := source.Parse("", line, source.JSON, lim)
	if err != nil {
		return c, err
	}
	root := doc.Root()
	switch {
	case root.Kind() != source.Object || !doc.Strict || doc.BOM:
		return c, fmt.Errorf("a line holds one JSON object")
	case root.Repeats():
		return c, fmt.Errorf("a member stands there twice")
	}
	fields := map[string]*string{"id": &c.ID, "class": &c.Class, "server": &c.Server}
	for _, key := range []string{"label", "kind", "expect"} {
		fields[key] = new(string)
	}
	for n := range root.Children() {
		key := n.Key()
		if _, ok := whats()[key]; ok {
			if c.what != "" {
				return c, fmt.Errorf("holds both %q and %q", c.what, key)
			}
			c.what, c.node = key, n
			continue
		}
		to := fields[key]
		value, isText := n.Str()
		switch {
		case to == nil && !slices.Contains(notes(), key):
			return c, fmt.Errorf("unknown member %q", key)
		case to != nil && !isText:
			return c, fmt.Errorf("%q must be a string", key)
		case to != nil:
			*to = value
		}
	}
	if kind := *fields["kind"]; kind != "" {
		c.any = true
		c.Label = map[string]Label{"attack": Hostile, "benign": Benign}[kind]
		c.Class = "crafted_" + strings.ReplaceAll(*fields["expect"], "-", "_")
		if c.Label == Benign {
			c.Class = "crafted"
		}
	} else {
		c.Label = labels()[*fields["label"]]
	}
	switch {
	case c.ID == "":
		return c, fmt.Errorf("has no \"id\"")
	case c.Label == 0:
		return c, fmt.Errorf("the label must be hostile or benign")
	case c.Class == "":
		return c, fmt.Errorf("has no \"class\"")
	case c.what == "":
		return c, fmt.Errorf("has none of tool, prompt, resource, template, surface, servers")
	case c.node.Kind() != source.Object:
		return c, fmt.Errorf("%q must be an object", c.what)
	}
	return c, c.check(lim)
}

// check refuses a case that holds nothing to judge: it would count as one in which nothing was found.
func (c *Case) check(lim limits.Set) error {
	if whats()[c.what] != "" {
		return nil
	}
	raw, _ := surface([]*Case{c})
	doc, err := source.Parse("", raw, source.JSON, lim)
	if err != nil {
		return err
	}
	file := card.Read(doc)
	if file == nil {
		return fmt.Errorf("%q holds no server", c.what)
	}
	for _, s := range file.Servers {
		if len(s.Cards) == 0 && !s.Instructions.Valid() {
			return fmt.Errorf("%q holds a server without cards and instructions", c.what)
		}
		if len(s.Strays) > 0 {
			return fmt.Errorf("%q holds a list with an item that is no object", c.what)
		}
	}
	if c.what == "servers" && len(file.Servers) != c.node.Len() {
		return fmt.Errorf("\"servers\" holds one without cards")
	}
	return nil
}
