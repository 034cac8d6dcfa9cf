// Package serve is what `mcpassay serve` offers to other programs: a table of skills, and the Model Context Protocol over it,
// in both eras, as a pure function of messages. The lanes (MCP here, A2A in package a2a) are made of that one table, so that a
// skill has the same name, the same schema and the same answer whichever way it is asked. Nothing here opens a socket: over
// HTTP it is a wire.Handler, on stdio a loop over a reader and a writer. Nothing is kept between two messages but who called
// what, for an hour.
package serve

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Options is what a server is made of.
type Options struct {
	Version string
	Skills  []Skill
	// Resources are read under their address.
	Resources []Resource
	Front     Front
	// Mounts are handlers for paths that begin with a prefix ("/a2a/"). They are asked once Origin, Host and token are
	// found good.
	Mounts map[string]wire.Handler
	// Agents are what one of them offers beside this server.
	Agents  []Agent
	Callers *Callers
	// Fixtures answers the official conformance suite beside.
	Fixtures bool
	Limits   limits.Set
}

// Agent is an agent of the other lane, A2A: where it is asked, the skills that it alone has, what stands behind its path for
// its card, and the path of the document with a body for each skill.
type Agent struct {
	Path, Description string
	Skills            []string
	Card, Bodies      string
}

// Server answers messages. It may be used concurrently.
type Server struct {
	opt     Options
	lim     limits.Set
	skills  map[string]*Skill
	offered *offered
	fixed   *fixtures
}

// New makes a server. Skills that look at this machine are offered where local is true, on stdio.
func New(opt Options, local bool) (*Server, error) {
	s := &Server{opt: opt, lim: opt.Limits, skills: map[string]*Skill{}}
	if local {
		opt.Agents = nil
	} else {
		opt.Skills = slices.DeleteFunc(slices.Clone(opt.Skills), func(k Skill) bool { return k.Local })
	}
	for i := range opt.Skills {
		s.skills[opt.Skills[i].Name] = &opt.Skills[i]
	}
	var err error
	o := offer(opt.Version, instructions+stocked(opt.Skills)+spoken(opt.Agents), opt.Skills, opt.Resources, opt.Limits)
	if opt.Fixtures {
		s.fixed = readFixtures()
		o.Fixtures, o.Tools = true, append(o.Tools, s.fixed.offered()...)
	}
	s.offered, err = o.shapes()
	return s, err
}

// answer is what one message gets: parts of a JSON-RPC response, none for a message that wants none. fault is why it is an
// error, nil for a result.
type answer struct {
	parts [][]byte
	// notices precede the response in a stream of events.
	notices [][]byte
	era     era
	fault   *fault
}

// answer judges and answers one message. header is nil on stdio.
func (s *Server) answer(ctx context.Context, c Caller, m *message, header wire.Header) answer {
	if m.fault != nil {
		e, _ := eraOf(m, header, s.lim)
		return answer{parts: failure(m.id, m.fault), era: e, fault: m.fault}
	}
	e, f := eraOf(m, header, s.lim)
	if m.kind == wire.Response { // we never ask
		f = faulty(wire.CodeInvalidRequest, "a response, and nothing was asked")
		return answer{parts: failure(noID, f), era: e, fault: f}
	}
	if m.kind == wire.Notification {
		if f != nil {
			return answer{parts: failure(noID, f), era: e, fault: f}
		}
		return answer{era: e}
	}
	method := methods()[m.method]
	if f == nil {
		fixed, wrong, ok := s.fixture(m, e)
		if f = wrong; ok && f == nil {
			return fixed
		}
	}
	if f == nil && (method.run == nil || e.modern && !method.modern || !e.modern && !method.legacy) {
		f = faulty(wire.CodeMethodNotFound, "unknown method: "+shown(m.method, s.lim))
	}
	if f == nil && m.params.Valid() && m.params.Kind() != source.Object {
		f = faulty(wire.CodeInvalidParams, "params is "+m.params.Kind().String()+", not an object")
	}
	if f == nil {
		var a answer
		if a, f = method.run(s, ctx, c, m, e); f == nil {
			a.era = e
			return a
		}
	}
	return answer{parts: failure(m.id, f), era: e, fault: f}
}

// method is one method of the protocol and the eras that have it.
type method struct {
	legacy, modern bool
	run            func(s *Server, ctx context.Context, c Caller, m *message, e era) (answer, *fault)
}

// methods are all that we answer.
var methods = sync.OnceValue(func() map[string]method {
	return map[string]method{
		"initialize":               {legacy: true, run: (*Server).initialize},
		"ping":                     {legacy: true, run: (*Server).ping},
		"server/discover":          {modern: true, run: (*Server).discover},
		"subscriptions/listen":     {modern: true, run: (*Server).listen},
		"tools/list":               {legacy: true, modern: true, run: list(func(l *offeredLists) []byte { return l.Tools })},
		"tools/call":               {legacy: true, modern: true, run: (*Server).call},
		"resources/list":           {legacy: true, modern: true, run: list(func(l *offeredLists) []byte { return l.Resources })},
		"resources/templates/list": {legacy: true, modern: true, run: list(func(l *offeredLists) []byte { return l.Templates })},
		"resources/read":           {legacy: true, modern: true, run: (*Server).read},
	}
})

// initialize agrees on the revision that was asked for, or on the newest of its era. It keeps nothing, so a second one is
// answered like the first.
func (s *Server) initialize(_ context.Context, _ Caller, m *message, _ era) (answer, *fault) {
	want, ok := m.params.Get("protocolVersion").Str()
	if !ok {
		return answer{}, faulty(wire.CodeInvalidParams, "params lacks protocolVersion")
	}
	result := s.offered.Initialize[want]
	if result == nil {
		result = s.offered.Initialize[wire.LegacyBest]
	}
	return answer{parts: response(m.id, result)}, nil
}

func (s *Server) ping(_ context.Context, _ Caller, m *message, _ era) (answer, *fault) {
	return answer{parts: response(m.id, []byte(`{}`))}, nil
}

func (s *Server) discover(_ context.Context, _ Caller, m *message, _ era) (answer, *fault) {
	return answer{parts: response(m.id, s.offered.Discover)}, nil
}

// listen acknowledges that nothing will be told, as nothing here changes, and ends the subscription.
func (s *Server) listen(_ context.Context, _ Caller, m *message, _ era) (answer, *fault) {
	if m.params.Get("notifications").Kind() != source.Object {
		return answer{}, faulty(wire.CodeInvalidParams, "params lacks notifications")
	}
	meta := `"_meta":{"` + wire.MetaSubscription + `":` + m.id + `}`
	return answer{
		notices: [][]byte{[]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + meta + `,"notifications":{}}}`)},
		parts:   response(m.id, []byte(`{"resultType":"complete",`+meta+`}`)),
	}, nil
}

// list answers with a list that has one page: a cursor is none of ours.
func list(of func(*offeredLists) []byte) func(*Server, context.Context, Caller, *message, era) (answer, *fault) {
	return func(s *Server, _ context.Context, _ Caller, m *message, e era) (answer, *fault) {
		if m.params.Get("cursor").Valid() {
			return answer{}, faulty(wire.CodeInvalidParams, "unknown cursor: the list has one page")
		}
		lists := &s.offered.Legacy
		if e.modern {
			lists = &s.offered.Modern
		}
		return answer{parts: response(m.id, of(lists))}, nil
	}
}

// call runs a tool. That it failed is a result: the model can act on it.
func (s *Server) call(ctx context.Context, c Caller, m *message, e era) (answer, *fault) {
	name, ok := m.params.Get("name").Str()
	if !ok {
		return answer{}, faulty(wire.CodeInvalidParams, "params lacks the name of the tool")
	}
	skill := s.skills[name]
	if skill == nil {
		return answer{}, faulty(wire.CodeInvalidParams, "unknown tool: "+shown(name, s.lim))
	}
	arguments := []byte(`{}`)
	if given := m.params.Get("arguments"); given.Valid() {
		if given.Kind() != source.Object {
			return answer{}, faulty(wire.CodeInvalidParams, "arguments is "+given.Kind().String()+", not an object")
		}
		arguments = given.Raw()
	}
	result, err := skill.Do(ctx, c, arguments)
	s.opt.Callers.Saw(c, name)
	said := result.members
	if err != nil {
		said = func() []byte { return failed(err) }
	}
	return answer{parts: response(m.id, s.head(e), said())}, nil
}

// head is how a result of a call begins: the modern era says more.
func (s *Server) head(e era) []byte {
	if !e.modern {
		return []byte(`{`)
	}
	return slices.Concat([]byte(`{"resultType":"complete","_meta":{"`+wire.MetaServer+`":`), s.offered.Server, []byte(`},`))
}

// read reads a resource.
func (s *Server) read(_ context.Context, c Caller, m *message, e era) (answer, *fault) {
	uri, ok := m.params.Get("uri").Str()
	if !ok {
		return answer{}, faulty(wire.CodeInvalidParams, "params lacks uri")
	}
	for i := range s.opt.Resources {
		content, ok := s.opt.Resources[i].read(uri, c)
		if !ok {
			continue
		}
		head := s.head(e)
		if e.modern {
			head = append(head, ttl(s.lim)...)
		}
		body := slices.Concat([]byte(`"contents":[{"uri":`), quote(uri), []byte(`,"mimeType":`), quote(s.opt.Resources[i].Type), []byte(`,"text":`),
			quote(content), []byte(`}]}`))
		return answer{parts: response(m.id, head, body)}, nil
	}
	f := faulty(codeNoResource, "unknown resource: "+shown(uri, s.lim))
	if e.modern {
		f.code = wire.CodeInvalidParams
	}
	f.data = `{"uri":` + string(quote(shown(uri, s.lim))) + `}`
	return answer{}, f
}

// codeNoResource is the error for an unknown resource before 2026-07-28.
const codeNoResource = -32002

// flat is a response in one piece.
func (a *answer) flat() []byte { return bytes.Join(a.parts, nil) }

// ttl are the members that say how long a result may be kept.
func ttl(lim limits.Set) string {
	return `"ttlMs":` + strconv.Itoa(int(lim.ServeTTL/time.Millisecond)) + `,"cacheScope":"public",`
}
