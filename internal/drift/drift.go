// Package drift says in words what changed between two surfaces of a server: every part of every change, none hidden behind
// another. It judges nothing: whether a change stops a run is its caller's to say.
package drift

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Class is what kind of thing changed.
type Class string

// The classes.
const (
	Capability Class = "capability" // what a server or a tool says it does: capabilities, hints
	Schema     Class = "schema"     // what a tool takes and gives
	Text       Class = "text"       // what a model or a person reads
	Identity   Class = "identity"   // who the server says it is, and the protocol it speaks
	Launch     Class = "launch"     // how it is started or reached
	Added      Class = "added"
	Removed    Class = "removed"
	Renamed    Class = "renamed" // nothing but the name changed
	Reordered  Class = "reordered"
)

// The directions. A change that is neither, or both, has none.
const (
	Wider    = "wider"    // more can be done, asked for or sent than before
	Narrower = "narrower" // less
)

// Change is one change of one item in one respect.
type Change struct {
	Server string `json:"server"`
	// Item is what changed: "tool order", "instructions", "launch".
	Item      string   `json:"item"`
	Class     Class    `json:"class"`
	Direction string   `json:"direction,omitempty"`
	Severity  string   `json:"severity,omitempty"` // filled in by who judges
	Pointers  Pointers `json:"pointers"`
	// Before and After are the lines that changed, each with its pointer, none left out.
	Before []string `json:"before"`
	After  []string `json:"after"`

	// Cues are the rules that find something in a text which they did not find in it before; filled in by who judges.
	Cues []string `json:"cues,omitempty"`

	// Old and New are the item on both sides, nil where it is not there.
	Old, New *lock.Item `json:"-"`
	// At is where what changed stands in the document of the state before.
	At source.Node `json:"-"`
}

// Pointers are RFC 6901 pointers into the item. Truncated says that there are more.
type Pointers struct {
	Added     []string `json:"added"`
	Removed   []string `json:"removed"`
	Changed   []string `json:"changed"`
	Truncated bool     `json:"truncated"`
}

// comparer gathers changes of one server.
type comparer struct {
	before *lock.Server
	server string
	lim    limits.Set
	all    []Change
}

// Compare lists what changed from one state of a server to another: launch and surface.
func Compare(before, after *lock.Server, lim limits.Set) []Change {
	c := &comparer{before: before, server: after.Name, lim: lim}
	if !before.Launch.Equal(after.Launch) {
		c.values("launch", form(before.Launch), form(after.Launch), func(string) Class { return Launch }, nil, nil)
	}
	if !before.Confinement.Same(after.Confinement) {
		c.values("confinement", form(before.Confinement), form(after.Confinement), func(string) Class { return Launch }, nil, nil)
	}
	return append(c.all, Surfaces(before, after, lim)...)
}

// Server is the change that a whole server is: one that is Added, or Removed. Its items are the lines.
func Server(s *lock.Server, class Class) Change {
	c := &comparer{before: s}
	ch := Change{Item: "server", Class: class, Direction: Wider, Pointers: Pointers{Added: []string{""}}}
	lines := []string{"launch: " + string(form(s.Launch))}
	if s.Confinement != nil {
		lines = append(lines, "confinement: "+string(form(s.Confinement)))
	}
	for _, k := range wire.Lists() {
		for _, i := range s.Items[k] {
			lines = append(lines, kinds[k]+" "+i.Name)
		}
	}
	ch.After = lines
	if class == Removed {
		ch.Direction, ch.Pointers, ch.Before, ch.After = Narrower, Pointers{Removed: []string{""}}, lines, nil
	}
	c.server = s.Name
	c.add(ch)
	return c.all[0]
}

// Surfaces lists what changed from one surface of a server to another, whatever starts it.
func Surfaces(before, after *lock.Server, lim limits.Set) []Change {
	c := &comparer{before: before, server: after.Name, lim: lim}
	if before.Protocol != after.Protocol {
		c.values("protocol", form(before.Protocol), form(after.Protocol), func(string) Class { return Identity }, nil, nil)
	}
	c.values("server", before.Identity, after.Identity, func(string) Class { return Identity }, nil, nil)
	c.values("capabilities", before.Capabilities, after.Capabilities, func(string) Class { return Capability }, nil, nil)
	c.values("instructions", text(before.Instructions), text(after.Instructions), func(string) Class { return Text }, nil, nil)
	for _, k := range wire.Lists() {
		c.list(kinds[k], before.Items[k], after.Items[k])
	}
	return c.all
}

// kinds are the words for an item of each list.
var kinds = [...]string{wire.Tools: "tool", wire.Prompts: "prompt", wire.Resources: "resource", wire.Templates: "template"}

// parts are the members of a lock's server in which each of the things that change stands.
var parts = map[string]string{"launch": "launch", "confinement": "confinement", "protocol": "protocol", "server": "identity", "capabilities": "capabilities",
	"instructions": "instructions", "tool": "tools", "tools": "tools", "prompt": "prompts", "prompts": "prompts",
	"resource": "resources", "resources": "resources", "template": "resourceTemplates", "templates": "resourceTemplates"}

func form(v any) []byte {
	raw, _ := json.Marshal(v) // strings and lists of them
	return raw
}

func text(s *string) []byte {
	if s == nil {
		return nil
	}
	return form(*s)
}

// list compares two lists: items of one name are pairs, in order.
func (c *comparer) list(kind string, before, after []lock.Item) {
	left := map[string][]*lock.Item{}
	for i := range before {
		left[before[i].Name] = append(left[before[i].Name], &before[i])
	}
	var fresh []*lock.Item
	var order, was []string // of those on both sides
	paired := map[*lock.Item]bool{}
	for i := range after {
		is := &after[i]
		olds := left[is.Name]
		if len(olds) == 0 {
			fresh = append(fresh, is)
			continue
		}
		left[is.Name] = olds[1:]
		paired[olds[0]] = true
		order = append(order, is.Name)
		if !bytes.Equal(olds[0].JSON, is.JSON) {
			c.values(kind+" "+is.Name, olds[0].JSON, is.JSON, classOf, olds[0], is)
		}
	}
	var gone []*lock.Item
	for i := range before {
		if paired[&before[i]] {
			was = append(was, before[i].Name)
		} else {
			gone = append(gone, &before[i])
		}
	}
	for _, is := range fresh {
		key := "/" + keyOf(kind)
		if i := slices.IndexFunc(gone, func(old *lock.Item) bool { return body(kind, old) == body(kind, is) }); i >= 0 {
			c.add(Change{Item: kind + " " + is.Name, Class: Renamed, Old: gone[i], New: is, Before: []string{key + ": " + gone[i].Name}, After: []string{key + ": " + is.Name},
				Pointers: Pointers{Changed: []string{key}}})
			gone = slices.Delete(gone, i, i+1)
			continue
		}
		c.add(Change{Item: kind + " " + is.Name, Class: Added, Direction: Wider, New: is, After: c.lines(is.JSON), Pointers: Pointers{Added: []string{""}}})
	}
	for _, old := range gone {
		c.add(Change{Item: kind + " " + old.Name, Class: Removed, Direction: Narrower, Old: old, Before: c.lines(old.JSON), Pointers: Pointers{Removed: []string{""}}})
	}
	if !slices.Equal(was, order) {
		moved := 0
		for moved < len(was) && was[moved] == order[moved] {
			moved++
		}
		end := min(len(was), moved+c.lim.ShownFaults)
		c.add(Change{Item: kind + "s", Class: Reordered, Before: slices.Clone(was[moved:end]), After: slices.Clone(order[moved:end])})
	}
}

// keyOf is the member that names an item of that kind.
func keyOf(kind string) string {
	switch kind {
	case kinds[wire.Resources]:
		return "uri"
	case kinds[wire.Templates]:
		return "uriTemplate"
	}
	return "name"
}

// body is the digest of an item without what names it.
func body(kind string, i *lock.Item) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(i.JSON, &members) != nil {
		return canon.Digest(i.JSON)
	}
	delete(members, keyOf(kind))
	raw, _ := json.Marshal(members)
	return canon.Digest(raw)
}

func (c *comparer) add(ch Change) {
	ch.Server = c.server
	if ch.Old != nil && ch.Old.Node.Valid() {
		ch.At = ch.Old.Node
	} else {
		ch.At = c.before.Part(parts[strings.SplitN(ch.Item, " ", 2)[0]])
	}
	for _, list := range []*[]string{&ch.Pointers.Added, &ch.Pointers.Removed, &ch.Pointers.Changed, &ch.Before, &ch.After} {
		if *list == nil {
			*list = []string{}
		}
	}
	c.all = append(c.all, ch)
}

// values compares two JSON values, nil for none, and makes one change for each class and direction.
func (c *comparer) values(item string, before, after []byte, class func(pointer string) Class, old, is *lock.Item) {
	if bytes.Equal(before, after) {
		return
	}
	d := differ{}
	d.walk("", decode(before), decode(after))
	type key struct {
		class     Class
		direction string
	}
	var order []key
	groups := map[key]*Change{}
	for _, e := range d.edits {
		k := key{class(e.pointer), e.direction}
		if k.class == Text && !(isText(e.before) && isText(e.after)) {
			k.class = Schema // nobody reads an object
		}
		if k.class == Text || k.class == Launch || k.class == Identity {
			k.direction = ""
		}
		ch := groups[k]
		if ch == nil {
			ch = &Change{Item: item, Class: k.class, Direction: k.direction, Old: old, New: is}
			groups[k], order = ch, append(order, k)
		}
		switch {
		case len(ch.Pointers.Added)+len(ch.Pointers.Removed)+len(ch.Pointers.Changed) == c.lim.DriftPointers:
			ch.Pointers.Truncated = true // the lines are all there: who approves a change must see all of it
		case e.before == nil:
			ch.Pointers.Added = append(ch.Pointers.Added, e.pointer)
		case e.after == nil:
			ch.Pointers.Removed = append(ch.Pointers.Removed, e.pointer)
		default:
			ch.Pointers.Changed = append(ch.Pointers.Changed, e.pointer)
		}
		b, a := changedLines(e)
		ch.Before, ch.After = append(ch.Before, b...), append(ch.After, a...)
	}
	for _, k := range order {
		c.add(*groups[k])
	}
}

// isText says whether a value is a text, or nothing.
func isText(v any) bool {
	_, ok := v.(string)
	return ok || v == nil
}

// lines shows a whole item, a line for each of its members.
func (c *comparer) lines(raw []byte) []string {
	d := differ{}
	d.walk("", nil, decode(raw))
	if members, ok := decode(raw).(map[string]any); ok {
		d.edits = d.edits[:0]
		for _, name := range sorted(members, nil) {
			d.edits = append(d.edits, edit{pointer: "/" + escape(name), after: members[name]})
		}
	}
	var out []string
	for _, e := range d.edits {
		_, after := changedLines(e)
		out = append(out, after...)
	}
	return out
}

func decode(raw []byte) any {
	if raw == nil {
		return nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	if v == nil {
		return null{}
	}
	return v
}

// null is JSON's null, which is not the same as nothing.
type null struct{}

// MarshalJSON is part of json.Marshaler.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// changedLines are the lines of a value that changed, with its pointer before each.
func changedLines(e edit) (before, after []string) {
	b, a := shown(e.before), shown(e.after)
	for len(b) > 0 && len(a) > 0 && b[0] == a[0] {
		b, a = b[1:], a[1:]
	}
	for len(b) > 0 && len(a) > 0 && b[len(b)-1] == a[len(a)-1] {
		b, a = b[:len(b)-1], a[:len(a)-1]
	}
	at := e.pointer
	if at != "" {
		at += ": "
	}
	for i := range b {
		b[i] = at + b[i]
	}
	for i := range a {
		a[i] = at + a[i]
	}
	return b, a
}

func shown(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return strings.Split(v, "\n")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was JSON
	return []string{strings.TrimSpace(b.String())}
}
