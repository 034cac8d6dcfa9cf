package guard

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/source"
)

func node(t *testing.T, in string) source.Node {
	t.Helper()
	doc, err := source.Parse("", []byte(in), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}

// pinned are pins in memory.
type pinned struct {
	was     []*lock.Server
	refused *lock.Server
	err     error
}

func (k *pinned) Refused(s *lock.Server) { k.refused = s }

func (k *pinned) Commit(s *lock.Server) (*lock.Server, error) {
	now := *s
	k.was = append(k.was, &now)
	return &now, k.err
}

const (
	add     = `{"name":"add","description":"Adds two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]},"annotations":{"readOnlyHint":true}}`
	addWord = `{"name":"add","description":"Adds up two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]},"annotations":{"readOnlyHint":true}}`
	addMore = `{"name":"add","description":"Adds two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"note":{"type":"string"}},"required":["a"]},"annotations":{"readOnlyHint":true}}`
	addHint = `{"name":"add","description":"Adds two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]},"annotations":{"readOnlyHint":false}}`
	sub     = `{"name":"sub","inputSchema":{"type":"object"}}`
	hello   = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sums","version":"1"},"instructions":"Add well."}`
)

func worst(all []Ruling) (a Action, rules []string) {
	for _, r := range all {
		a = max(a, r.Action)
		rules = append(rules, r.Rule)
	}
	slices.Sort(rules)
	return a, slices.Compact(rules)
}

func expect(t *testing.T, what string, got []Ruling, action Action, rules ...string) {
	t.Helper()
	a, names := worst(got)
	if a != action || !slices.Equal(names, rules) {
		t.Errorf("%s: %s by %v, want %s by %v", what, a, names, action, rules)
	}
	for _, r := range got {
		if r.Action == Block && (r.Reason == "" || r.Hint == "") {
			t.Errorf("%s: a block without a reason or a next step: %+v", what, r)
		}
	}
}

// The flip is stopped in the first session ever: what was seen first is pinned before anybody sees it.
func TestWhatWasSeenFirstHolds(t *testing.T) {
	t.Parallel()
	pins := &pinned{}
	g := FirstUse("sums", lock.Launch{Transport: "stdio", Command: "sums"}, nil, pins, limits.Default)
	expect(t, "a call before any list", g.Request("tools/call", node(t, `{"name":"add","arguments":{}}`)), Note, "traffic/unapproved-tool")
	expect(t, "the first handshake", g.Answer("initialize", node(t, hello)), Pass)
	expect(t, "the first list", g.Answer("tools/list", node(t, `{"tools":[`+add+`]}`)), Pass)
	if len(pins.was) != 2 {
		t.Fatalf("%d commits", len(pins.was))
	}
	expect(t, "the same again", g.Answer("tools/list", node(t, `{"tools":[`+add+`]}`)), Pass)
	expect(t, "other words", g.Answer("tools/list", node(t, `{"tools":[`+addWord+`]}`)), Note, "drift/reworded")
	expect(t, "another parameter", g.Answer("tools/list", node(t, `{"tools":[`+addMore+`]}`)), Block, "drift/schema-changed")
	expect(t, "another hint", g.Answer("tools/list", node(t, `{"tools":[`+addHint+`]}`)), Block, "drift/capability-changed")
	expect(t, "a flip beside a new tool", g.Answer("tools/list", node(t, `{"tools":[`+sub+`,`+addMore+`]}`)), Block, "drift/item-added", "drift/schema-changed")
	if r := pins.refused; r == nil || len(r.Items[0]) != 2 || string(r.Items[0][0].JSON) != must(t, addMore) {
		t.Errorf("what was refused is not kept: %+v", r)
	}
	expect(t, "the new tool of the list that was stopped", g.Request("tools/call", node(t, `{"name":"sub"}`)), Block, "traffic/unapproved-tool")
	expect(t, "a new tool alone", g.Answer("tools/list", node(t, `{"tools":[`+add+`,`+sub+`]}`)), Note, "drift/item-added")
	expect(t, "a call of it", g.Request("tools/call", node(t, `{"name":"sub"}`)), Pass)

	next := FirstUse("sums", lock.Launch{}, pins.was[len(pins.was)-1], pins, limits.Default)
	expect(t, "another session", next.Answer("tools/list", node(t, `{"tools":[`+addHint+`]}`)), Block, "drift/capability-changed")
	expect(t, "another name", next.Answer("initialize", node(t, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sums2","version":"1"},"instructions":"Add well."}`)), Note, "drift/identity-changed")
	expect(t, "other instructions", next.Answer("initialize", node(t, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sums","version":"1"},"instructions":"Add better."}`)), Note, "drift/reworded")
}

// A frame's bytes are written over by the next one.
func TestNothingOfAFrameIsKept(t *testing.T) {
	t.Parallel()
	g := FirstUse("sums", lock.Launch{}, nil, &pinned{}, limits.Default)
	for _, in := range []string{hello, `{"tools":[` + add + `]}`} {
		raw := []byte(in)
		doc, err := source.Parse("", raw, source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"initialize", "tools/list"} {
			g.Answer(method, doc.Root())
		}
		for i := range raw {
			raw[i] = '!'
		}
	}
	expect(t, "a call", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":1}}`)), Pass)
	if *g.held.Instructions != "Add well." || g.held.Protocol.Revision != "2025-11-25" || !strings.Contains(string(g.held.Identity), "sums") {
		t.Errorf("%+v", g.held)
	}
}

func TestWhatCanNotBeKeptIsNotSeen(t *testing.T) {
	t.Parallel()
	g := FirstUse("sums", lock.Launch{}, nil, &pinned{err: errors.New("the disk is full")}, limits.Default)
	expect(t, "the first list", g.Answer("tools/list", node(t, `{"tools":[`+add+`]}`)), Block, "traffic/inspection-failed")
}

func TestALockLetsNothingElseThrough(t *testing.T) {
	t.Parallel()
	instructions := "Add well."
	g := Locked(&lock.Server{Name: "sums", Protocol: lock.Protocol{Era: "legacy", Revision: "2025-11-25"}, Instructions: &instructions,
		Identity: []byte(`{"name":"sums","version":"1"}`), Capabilities: []byte(`{"tools":{}}`),
		Items: [4][]lock.Item{{{Name: "add", JSON: []byte(must(t, add))}}}}, limits.Default)
	expect(t, "its handshake", g.Answer("initialize", node(t, hello)), Pass)
	expect(t, "its list", g.Answer("tools/list", node(t, `{"tools":[`+add+`]}`)), Pass)
	expect(t, "an empty list", g.Answer("tools/list", node(t, `{"tools":[]}`)), Pass)
	expect(t, "a tool more", g.Answer("tools/list", node(t, `{"tools":[`+add+`,`+sub+`]}`)), Block, "drift/item-added")
	expect(t, "no tool at all", g.Answer("tools/list", node(t, `{"tools":["x"]}`)), Block, "drift/schema-changed")
	expect(t, "two meanings", g.Answer("tools/list", node(t, `{"tools":[{"name":"add","name":"sub"}]}`)), Block, "drift/schema-changed")
	expect(t, "a prompt", g.Answer("prompts/list", node(t, `{"prompts":[{"name":"p"}]}`)), Block, "drift/item-added")
	expect(t, "a resource, which is data", g.Answer("resources/list", node(t, `{"resources":[{"uri":"file:///a","name":"a"}]}`)), Note, "drift/item-added")
	expect(t, "another version", g.Answer("initialize", node(t, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sums","version":"2"},"instructions":"Add well."}`)), Block, "drift/identity-changed")
	expect(t, "a call", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":1}}`)), Pass)
	expect(t, "a call without what it must have", g.Request("tools/call", node(t, `{"name":"add"}`)), Block, "traffic/invalid-arguments")
	expect(t, "a call with another type", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":"1; rm"}}`)), Block, "traffic/invalid-arguments")
	expect(t, "a call of another tool", g.Request("tools/call", node(t, `{"name":"sub","arguments":{}}`)), Block, "traffic/unapproved-tool")
	expect(t, "a prompt that is not there", g.Request("prompts/get", node(t, `{"name":"p"}`)), Block, "traffic/unapproved-tool")
	expect(t, "anything else", g.Request("ping", node(t, `{}`)), Pass)
}

func must(t *testing.T, in string) string {
	t.Helper()
	raw, err := form(node(t, in))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Official clients take "2" for the answer to 2, and a client may use an id twice: a list that comes so is compared all the same.
func TestAListThatAnswersNoKnownRequestIsComparedByWhatItHolds(t *testing.T) {
	for name, asked := range map[string][]string{
		"an id of another type": {`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
		"an id used twice":      {`{"jsonrpc":"2.0","id":"2","method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`, `{"jsonrpc":"2.0","id":"2","method":"tools/list"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSession(Options{Gate: Locked(&lock.Server{Name: "sums", Items: [4][]lock.Item{{{Name: "add", JSON: []byte(must(t, add))}}}}, limits.Default)})
			for _, frame := range asked {
				s.Frame(Client, []byte(frame))
			}
			if r := s.Frame(Server, []byte(`{"jsonrpc":"2.0","id":"2","result":{"tools":[`+addMore+`]}}`)); r.Action != Block || strings.Contains(string(r.Forward), "note") {
				t.Errorf("%s: %s", r.Action, r.Forward)
			}
			if r := s.Frame(Server, []byte(`{"jsonrpc":"2.0","id":"2","result":{"tools":[`+add+`]}}`)); r.Action != Pass {
				t.Errorf("the approved list: %s: %s", r.Action, r.Forward)
			}
		})
	}
}

// Between list_changed and the next list that was compared, a call is held to the list before.
func TestAChangedListHoldsNothingUntilItWasCompared(t *testing.T) {
	p := &pinned{}
	g := FirstUse("sums", lock.Launch{}, nil, p, limits.Default)
	expect(t, "the first list", g.Answer("tools/list", node(t, `{"tools":[`+add+`]}`)), Pass)
	g.Changed("notifications/tools/list_changed")
	expect(t, "a tool that is new", g.Request("tools/call", node(t, `{"name":"sub","arguments":{}}`)), Block, "traffic/unapproved-tool")
	expect(t, "arguments of the new schema", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":"x"}}`)), Block, "traffic/invalid-arguments")
	g.Changed("notifications/tools/list_changed")
	expect(t, "a tool that was there", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":1}}`)), Note, "traffic/unapproved-tool")
	expect(t, "the same once more", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":1}}`)), Pass)
	g.Changed("notifications/tools/list_changed")
	expect(t, "the list as another", g.Answer("tools/list", node(t, `{"tools":[`+addMore+`]}`)), Block, "drift/schema-changed")
	expect(t, "a call after that", g.Request("tools/call", node(t, `{"name":"add","arguments":{"a":1}}`)), Note, "traffic/unapproved-tool")
	expect(t, "the honest list", g.Answer("tools/list", node(t, `{"tools":[`+add+`,`+sub+`]}`)), Note, "drift/item-added")
	expect(t, "a tool of it", g.Request("tools/call", node(t, `{"name":"sub","arguments":{}}`)), Pass)
	g.Changed("notifications/resources/list_changed")
	expect(t, "resources are no tools", g.Request("tools/call", node(t, `{"name":"sub","arguments":{}}`)), Pass)
}

// What could not be kept was not seen: asking again shows it no more than the first time.
func TestAListThatCouldNotBeKeptIsStoppedEachTime(t *testing.T) {
	p := &pinned{err: errors.New("the disk is full")}
	g := FirstUse("sums", lock.Launch{}, nil, p, limits.Default)
	for range 2 {
		expect(t, "who it is", g.Answer("initialize", node(t, hello)), Block, "traffic/inspection-failed")
		expect(t, "a list", g.Answer("tools/list", node(t, `{"tools":[`+add+`]}`)), Block, "traffic/inspection-failed")
	}
	p.err = nil
	expect(t, "who it is, once it can be", g.Answer("initialize", node(t, hello)), Pass)
	expect(t, "a list, once it can be", g.Answer("tools/list", node(t, `{"tools":[`+addMore+`]}`)), Pass)
}
