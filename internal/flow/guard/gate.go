package guard

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/schema"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Ruling is what a gate says of a message. Reason and Hint are safe to show, and quote nothing that is stopped.
type Ruling struct {
	Action Action
	Rule   string
	Reason string
	Hint   string
}

// Pins keeps what was seen of a server on first use. Commit returns once it is kept, with what is kept of the server now (another
// session may have seen more), or says why it can not be.
type Pins interface {
	Commit(*lock.Server) (*lock.Server, error)
	// Refused keeps what a server that is held to its first state shows in place of it, for a person to look at.
	Refused(*lock.Server)
}

// Gate holds the messages of a session against what is known of its server: its entry in a lock, to which nothing is added, or
// what was seen of it before (trust on first use), to which what is new is added before the client sees it. It may be used by
// both directions at once.
type Gate struct {
	mu      sync.Mutex
	held    *lock.Server
	pins    Pins
	lim     limits.Set
	known   bool // it is known who the server is
	listed  [4]bool
	stale   [4]bool           // the server said that a list is another now, and it was not seen since
	at      [4]map[string]int // where an item stands among the held
	schemas map[string]*schema.Schema
	empty   source.Node
}

// Locked is the gate of a server that a lock holds.
func Locked(s *lock.Server, lim limits.Set) *Gate {
	g := newGate(s, lim)
	g.known = true
	for k := range g.listed {
		g.listed[k] = true
	}
	return g
}

// FirstUse is the gate of a server of which seen was seen before, nil for nothing.
func FirstUse(name string, launch lock.Launch, seen *lock.Server, pins Pins, lim limits.Set) *Gate {
	g := newGate(seen, lim)
	if g.pins = pins; seen == nil {
		g.held = &lock.Server{Name: name, Launch: launch}
	}
	g.known = g.held.Protocol.Era != ""
	for k := range g.listed {
		g.listed[k] = len(g.held.Items[k]) > 0
	}
	return g
}

func newGate(s *lock.Server, lim limits.Set) *Gate {
	doc, err := source.Parse("", []byte("{}"), source.JSON, lim)
	if err != nil {
		panic(err)
	}
	g := &Gate{lim: lim, schemas: map[string]*schema.Schema{}, empty: doc.Root()}
	g.hold(s)
	return g
}

// hold is what the session is held to from now on.
func (g *Gate) hold(s *lock.Server) {
	g.held = s
	for k := range g.at {
		g.at[k] = map[string]int{}
		for i := 0; s != nil && i < len(s.Items[k]); i++ {
			g.at[k][s.Items[k][i].Name] = i
		}
	}
}

// Request judges a request of the client.
func (g *Gate) Request(method string, params source.Node) []Ruling {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch method {
	case "tools/call":
		return g.call(params)
	case "prompts/get":
		if name := params.Get("name").Text(); g.listed[wire.Prompts] && g.item(wire.Prompts, name) == nil {
			return []Ruling{{Block, "traffic/unapproved-tool", "the prompt is not among those that were " + g.how(), g.next()}}
		}
	}
	return nil
}

func (g *Gate) call(params source.Node) []Ruling {
	name := params.Get("name").Text()
	item := g.item(wire.Tools, name)
	switch {
	case item == nil && g.listed[wire.Tools]:
		return []Ruling{{Block, "traffic/unapproved-tool", "the tool is not among those that were " + g.how(), g.next()}}
	case item == nil: // nothing was listed yet: there is nothing to hold it against
		return []Ruling{{Note, "traffic/unapproved-tool", "a tool is called before the server has listed its tools", ""}}
	}
	s := g.schemas[name]
	if s == nil {
		doc, err := source.Parse("", item.JSON, source.JSON, g.lim)
		if err != nil {
			return []Ruling{{Block, "traffic/invalid-arguments", "the schema of the tool can not be read", g.next()}}
		}
		s = schema.New(doc.Root().Get("inputSchema"), schema.NewOptions(g.lim))
		g.schemas[name] = s
	}
	args := params.Get("arguments")
	if !args.Valid() || args.Kind() == source.Null {
		args = g.empty
	}
	var all []Ruling
	if g.stale[wire.Tools] { // said once
		g.stale[wire.Tools] = false
		all = append(all, Ruling{Note, "traffic/unapproved-tool", "the server said that its tools have changed, and they were not listed since: the call is held to what was " + g.how(), ""})
	}
	switch out := s.Validate(args); out.Verdict {
	case schema.Invalid:
		at := ""
		if len(out.Violations) > 0 {
			at = " at " + text.Line(out.Violations[0].Schema.Pointer(), g.lim.ShownRunes)
		}
		return []Ruling{{Block, "traffic/invalid-arguments", "the arguments do not fit the schema of the tool that was " + g.how() + at, "send arguments that fit it"}}
	case schema.Incomplete:
		all = append(all, Ruling{Note, "traffic/invalid-arguments", "whether the arguments fit the schema could not be told: " + out.Why, ""})
	}
	return all
}

// how says in a word where what is known comes from.
func (g *Gate) how() string {
	if g.pins == nil {
		return "approved"
	}
	return "seen first"
}

func (g *Gate) next() string {
	if g.pins == nil {
		return "mcpassay diff shows what changed; pin and approve it"
	}
	return "mcpassay guard accept shows what changed"
}

func (g *Gate) item(k wire.ListKind, name string) *lock.Item {
	if i, ok := g.at[k][name]; ok {
		return &g.held.Items[k][i]
	}
	return nil
}

// Changed is told of a notification of the server. That a list has changed changes nothing about what the server is held to: until it
// is asked for again, and compared, that is the list as it was.
func (g *Gate) Changed(method string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range wire.Lists() {
		if method == "notifications/"+k.Capability()+"/list_changed" {
			g.stale[k] = true
		}
	}
}

// Answer judges the result of a request of the client. method is "" where it is not known what was asked: official clients take "1"
// for the answer to 1, and what reaches them so is judged by what it holds.
func (g *Gate) Answer(method string, result source.Node) []Ruling {
	g.mu.Lock()
	defer g.mu.Unlock()
	if method != "" {
		return g.answer(method, result)
	}
	var all []Ruling
	for _, k := range wire.Lists() {
		if result.Get(k.String()).Kind() == source.Array {
			all = append(all, g.answer(k.Method(), result)...)
		}
	}
	switch {
	case result.Get("protocolVersion").Valid():
		all = append(all, g.answer("initialize", result)...)
	case result.Get("supportedVersions").Valid():
		all = append(all, g.answer("server/discover", result)...)
	}
	return all
}

func (g *Gate) answer(method string, result source.Node) []Ruling {
	switch method {
	case "initialize", "server/discover":
		return g.hello(method, result)
	}
	for _, k := range wire.Lists() {
		if method == k.Method() {
			return g.list(k, result)
		}
	}
	return nil
}

// hello judges who the server says it is, and what it tells every model.
func (g *Gate) hello(method string, result source.Node) []Ruling {
	now := lock.Server{Name: g.held.Name, Protocol: lock.Protocol{Era: wire.EraLegacy, Revision: strings.Clone(result.Get("protocolVersion").Text())}}
	info := result.Get("serverInfo")
	if method == "server/discover" {
		now.Protocol = lock.Protocol{Era: wire.EraModern, Revision: wire.Modern}
		info = result.Get("_meta").Get(wire.MetaServer)
	}
	var err error
	if now.Identity, err = form(info); err == nil {
		now.Capabilities, err = form(result.Get("capabilities"))
	}
	if err != nil {
		return []Ruling{{Block, "drift/identity-changed", "what the server says of itself has no one meaning", "report it to who makes the server"}}
	}
	if n := result.Get("instructions"); n.Kind() == source.String {
		t := strings.Clone(n.Text())
		now.Instructions = &t
	}
	was := *g.held
	was.Items = [4][]lock.Item{}
	if !g.known {
		g.held.Protocol, g.held.Identity, g.held.Capabilities, g.held.Instructions = now.Protocol, now.Identity, now.Capabilities, now.Instructions
		all := g.commit()
		if g.known = len(all) == 0; !g.known { // what is not kept was not seen
			g.held.Protocol, g.held.Identity, g.held.Capabilities, g.held.Instructions = was.Protocol, was.Identity, was.Capabilities, was.Instructions
		}
		return all
	}
	if was.Protocol.Revision != now.Protocol.Revision { // another client speaks another revision, in which there are other capabilities
		was.Capabilities, now.Capabilities = nil, nil
	}
	was.Protocol = now.Protocol
	var all []Ruling
	for _, c := range drift.Surfaces(&was, &now, g.lim) {
		all = append(all, g.changed(c, c.Class == drift.Text || g.pins != nil))
	}
	return all
}

// list judges a page of a list.
func (g *Gate) list(k wire.ListKind, result source.Node) []Ruling {
	var all []Ruling
	fresh := 0
	for n := range result.Get(k.String()).Children() {
		raw, err := canon.JSON(n.Raw())
		if err != nil || n.Kind() != source.Object {
			return []Ruling{{Block, "drift/schema-changed", "an item of the list has no one meaning", "report it to who makes the server"}}
		}
		name := strings.Clone(n.Get(nameOf(k)).Text()) // the frame is not ours to keep
		old := g.item(k, name)
		data := k == wire.Resources || k == wire.Templates // what a server holds may change from day to day
		switch {
		case old == nil && (g.pins != nil || data):
			if g.pins != nil {
				g.at[k][name] = len(g.held.Items[k])
				g.held.Items[k] = append(g.held.Items[k], lock.Item{Name: name, JSON: raw})
				fresh++
			}
			if g.listed[k] {
				all = append(all, Ruling{Note, "drift/item-added", kind(k) + " is new", ""})
			}
		case old == nil:
			all = append(all, Ruling{Block, "drift/item-added", kind(k) + " is not in the lock", g.next()})
		case !bytes.Equal(old.JSON, raw):
			var was, now lock.Server
			was.Items[k], now.Items[k] = []lock.Item{*old}, []lock.Item{{Name: name, JSON: raw}}
			for _, c := range drift.Surfaces(&was, &now, g.lim) {
				all = append(all, g.changed(c, data || c.Class == drift.Text))
			}
		}
	}
	for _, r := range all {
		if r.Action == Block && g.pins != nil {
			g.pins.Refused(g.shown(k, result))
		}
		if r.Action == Block { // nothing of a list that is stopped is kept
			g.drop(k, fresh)
			return all
		}
	}
	if !result.Get("nextCursor").Valid() {
		g.stale[k] = false
	}
	if g.pins != nil && (fresh > 0 || !g.listed[k]) {
		failed := g.commit()
		if g.listed[k] = g.listed[k] || len(failed) == 0; len(failed) > 0 { // what is not kept was not seen
			g.drop(k, fresh)
		}
		all = append(all, failed...)
	}
	return all
}

// drop forgets the last items of a list.
func (g *Gate) drop(k wire.ListKind, n int) {
	kept := len(g.held.Items[k]) - n
	for _, item := range g.held.Items[k][kept:] {
		delete(g.at[k], item.Name)
	}
	g.held.Items[k] = g.held.Items[k][:kept]
}

// shown is the server with the items of a list as it shows them now.
func (g *Gate) shown(k wire.ListKind, result source.Node) *lock.Server {
	now := *g.held
	now.Items[k] = append([]lock.Item(nil), g.held.Items[k]...)
	for n := range result.Get(k.String()).Children() {
		raw, err := canon.JSON(n.Raw())
		if err != nil {
			continue
		}
		name := strings.Clone(n.Get(nameOf(k)).Text())
		if i, ok := g.at[k][name]; ok {
			now.Items[k][i] = lock.Item{Name: name, JSON: raw}
		} else {
			now.Items[k] = append(now.Items[k], lock.Item{Name: name, JSON: raw})
		}
	}
	return &now
}

// commit keeps what was seen before anybody sees it.
func (g *Gate) commit() []Ruling {
	now, err := g.pins.Commit(g.held)
	if err != nil {
		return []Ruling{{Block, "traffic/inspection-failed", fmt.Sprintf("what was seen of the server can not be kept: %s", text.Line(err.Error(), g.lim.ShownRunes)), "mcpassay guard status"}}
	}
	g.hold(now)
	return nil
}

// changed is the ruling on a change; mild says that it stops nothing by itself.
func (g *Gate) changed(c drift.Change, mild bool) Ruling {
	r := Ruling{Block, rules[c.Class], "it is not what was " + g.how(), g.next()}
	if c.Direction != "" {
		r.Reason += ", and is " + c.Direction
	}
	if mild {
		r.Action, r.Hint = Note, ""
	}
	return r
}

// rules are those that say what a change is.
var rules = map[drift.Class]string{
	drift.Capability: "drift/capability-changed", drift.Schema: "drift/schema-changed", drift.Text: "drift/reworded", drift.Identity: "drift/identity-changed",
	drift.Added: "drift/item-added", drift.Removed: "drift/item-removed", drift.Renamed: "drift/item-renamed", drift.Reordered: "drift/reordered", drift.Launch: "drift/launch-changed",
}

func kind(k wire.ListKind) string {
	return [...]string{wire.Tools: "a tool", wire.Prompts: "a prompt", wire.Resources: "a resource", wire.Templates: "a template"}[k]
}

func nameOf(k wire.ListKind) string {
	return [...]string{wire.Tools: "name", wire.Prompts: "name", wire.Resources: "uri", wire.Templates: "uriTemplate"}[k]
}

func form(n source.Node) ([]byte, error) {
	if !n.Valid() {
		return nil, nil
	}
	return canon.JSON(n.Raw())
}
