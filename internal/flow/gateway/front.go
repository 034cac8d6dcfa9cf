package gateway

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// shown is a stranger's word in a message of ours.
func shown(s string, lim limits.Set) string { return text.Safe(s, lim.ShownRunes) }

// ask is one request of a client.
type ask struct {
	g *Gateway
	m *serve.Message
	// reply takes the answer; code is that of an error, 0 for a result. It is called at most once.
	reply func(answer []byte, code int)
	// notices precede the answer over HTTP.
	notices [][]byte
	// peer is the client on stdio, nil over HTTP. forget is called once before the answer, which frees its id, and over behind it.
	peer         *peer
	forget, over func()
	done         atomic.Bool

	mu   sync.Mutex
	conn *conn // that it was passed on to
	id   int64 // by this id
}

// gone says that nobody waits for an answer any more.
func (a *ask) gone() bool { return a.done.Load() }

func (a *ask) answer(raw []byte, code int) {
	if !a.done.Swap(true) {
		a.forget()
		a.reply(raw, code)
		a.over()
	}
}

func (a *ask) refuse(code int, why string) { a.answer(serve.Failure(a.m.ID, code, why, ""), code) }

// fail says that a server gave no answer.
func (a *ask) fail(why error) { a.refuse(wire.CodeInternal, "mcpassay: "+shown(why.Error(), a.g.lim)) }

func (a *ask) result(raw string) {
	a.answer([]byte(`{"jsonrpc":"2.0","id":`+a.m.ID+`,"result":`+raw+`}`), 0)
}

// at notes where it was passed on to. false says that it was taken back.
func (a *ask) at(c *conn, id int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.conn, a.id = c, id
	return !a.gone()
}

// cancel takes it back. No answer follows.
func (a *ask) cancel(reason source.Node) {
	if a.done.Swap(true) {
		return
	}
	a.forget()
	a.over()
	a.mu.Lock()
	c, id := a.conn, a.id
	a.mu.Unlock()
	if c != nil {
		c.cancel(id, reason)
	}
}

// respond passes the answer of a server on: its id is the client's again, URIs say whose they are, and nothing else is changed.
func (a *ask) respond(s *server, f *wire.Frame) {
	var edits []finding.Edit
	if id := f.Node.Get("id"); id.Valid() {
		edits = append(edits, id.Replace(a.m.ID))
	}
	code := 0
	if e, failed := f.Error(); failed {
		if code = e.Code; code == 0 {
			code = wire.CodeInternal
		}
	} else {
		result := f.Result()
		edits = append(edits, s.links(a.m.Method, result)...)
		if a.m.Modern && result.Kind() == source.Object && !result.Get("resultType").Valid() { // of a server that has no such thing
			value := `"complete"`
			if a.m.Method == "resources/read" {
				value += "," + strings.TrimSuffix(kept, ",")
			}
			edits = append(edits, result.Insert("resultType", value))
		}
	}
	raw, err := source.Apply(f.Node.Doc().Raw, edits)
	if err != nil {
		a.fail(err)
		return
	}
	a.answer(raw, code)
}

// method is one method of the protocol, and the eras that have it.
type method struct {
	legacy, modern bool
	do             func(g *Gateway, a *ask)
}

// methods are all that we answer.
var methods = sync.OnceValue(func() map[string]method {
	return map[string]method{
		"initialize":               {true, false, (*Gateway).initialize},
		"ping":                     {true, false, func(_ *Gateway, a *ask) { a.result(`{}`) }},
		"logging/setLevel":         {true, false, (*Gateway).setLevel},
		"server/discover":          {false, true, (*Gateway).discover},
		"subscriptions/listen":     {false, true, (*Gateway).listen},
		"tools/list":               {true, true, lists(wire.Tools)},
		"prompts/list":             {true, true, lists(wire.Prompts)},
		"resources/list":           {true, true, lists(wire.Resources)},
		"resources/templates/list": {true, true, lists(wire.Templates)},
		"tools/call":               {true, true, byName("the tool")},
		"prompts/get":              {true, true, byName("the prompt")},
		"resources/read":           {true, true, byURI},
		"resources/subscribe":      {true, false, byURI},
		"resources/unsubscribe":    {true, false, byURI},
		"completion/complete":      {true, true, complete},
	}
})

// take answers one request, now or later.
func (g *Gateway) take(a *ask) {
	method, ok := methods()[a.m.Method]
	switch {
	case a.m.Refusal != nil:
		a.answer(a.m.Refusal, a.m.Code)
	case !ok, a.m.Modern && !method.modern, !a.m.Modern && !method.legacy:
		a.refuse(wire.CodeMethodNotFound, "unknown method: "+shown(a.m.Method, g.lim))
	default:
		method.do(g, a)
	}
}

// aside does what takes long beside the reading of a client, where there is room.
func (g *Gateway) aside(a *ask, do func()) {
	select {
	case g.slots <- struct{}{}:
		go func() {
			defer func() { <-g.slots }()
			do()
		}()
	default:
		a.refuse(wire.CodeInternal, "mcpassay: too much is asked at once")
	}
}

func lists(k wire.ListKind) func(*Gateway, *ask) {
	return func(g *Gateway, a *ask) { g.aside(a, func() { g.list(a, k) }) }
}

func byName(what string) func(*Gateway, *ask) {
	return func(g *Gateway, a *ask) {
		n := a.m.Params.Get("name")
		name, ok := n.Str()
		if !ok {
			a.refuse(wire.CodeInvalidParams, "params lacks the name of "+what)
			return
		}
		s, own := g.ofName(name)
		if s == nil {
			a.refuse(wire.CodeInvalidParams, what+" is of no server here: "+shown(name, g.lim))
			return
		}
		s.forward(a, n.Replace(source.Quote(own)))
	}
}

func byURI(g *Gateway, a *ask) { g.passURI(a, a.m.Params.Get("uri")) }

func (g *Gateway) passURI(a *ask, n source.Node) {
	uri, ok := n.Str()
	if !ok {
		a.refuse(wire.CodeInvalidParams, "params lacks uri")
		return
	}
	s, own := g.ofURI(uri)
	if s == nil {
		a.refuse(wire.CodeInvalidParams, "the resource is of no server here: "+shown(uri, g.lim))
		return
	}
	s.forward(a, n.Replace(source.Quote(own)))
}

func complete(g *Gateway, a *ask) {
	ref := a.m.Params.Get("ref")
	switch ref.Get("type").Text() {
	case "ref/prompt":
		if s, own := g.ofName(ref.Get("name").Text()); s != nil {
			s.forward(a, ref.Get("name").Replace(source.Quote(own)))
			return
		}
		a.refuse(wire.CodeInvalidParams, "the prompt is of no server here: "+shown(ref.Get("name").Text(), g.lim))
	case "ref/resource":
		g.passURI(a, ref.Get("uri"))
	default:
		a.refuse(wire.CodeInvalidParams, "ref is neither of a prompt nor of a resource")
	}
}

// forward passes a request on to the server, which is started for it.
func (s *server) forward(a *ask, edits ...finding.Edit) {
	if !s.submit(job{start: true, gone: a.gone, fail: a.fail, do: func(c *conn) { c.forward(a, edits) }}) {
		a.fail(down("too much is asked of %s at once", s.Name))
	}
}

// capabilities are what we announce: each server behind us may or may not have it, and is asked when it comes to it.
const capabilities = `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`

func (g *Gateway) initialize(a *ask) {
	want, ok := a.m.Params.Get("protocolVersion").Str()
	if !ok {
		a.refuse(wire.CodeInvalidParams, "params lacks protocolVersion")
		return
	}
	if !slices.Contains(wire.Legacy(), want) {
		want = wire.LegacyBest
	}
	if a.peer != nil {
		a.peer.met(a.m.Params, want)
	}
	a.result(`{"protocolVersion":"` + want + `","capabilities":` + capabilities + `,"serverInfo":` + g.self() + `,"instructions":` + source.Quote(g.instructions()) + `}`)
}

func (g *Gateway) discover(a *ask) {
	a.result(`{` + g.head() + kept + `"supportedVersions":["` + strings.Join(wire.Revisions(), `","`) + `"],"capabilities":` + capabilities +
		`,"instructions":` + source.Quote(g.instructions()) + `}`)
}

// setLevel is told to every server that logs, and to those that are started later.
func (g *Gateway) setLevel(a *ask) {
	level := a.m.Params.Get("level")
	if !slices.Contains([]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, level.Text()) {
		a.refuse(wire.CodeInvalidParams, "params lacks a level")
		return
	}
	raw := source.Quote(level.Text())
	g.mu.Lock()
	if a.peer != nil {
		g.level = raw
	}
	g.mu.Unlock()
	if a.peer != nil { // one caller over HTTP sets nothing for the others
		for _, s := range g.servers {
			s.submit(job{do: func(c *conn) {
				if c != nil && !c.modern && c.can("logging") {
					ctx, cancel := context.WithTimeout(g.ctx, g.lim.RequestTime)
					defer cancel()
					_, _ = c.request(ctx, "logging/setLevel", `"level":`+raw)
				}
			}})
		}
	}
	a.result(`{}`)
}

func (g *Gateway) logging() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.level
}
