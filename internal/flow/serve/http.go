package serve

import (
	"bytes"
	"context"
	"crypto/subtle"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Front is who may ask over HTTP.
type Front struct {
	// Loopback says that we listen on this machine alone: then a Host that is not this machine is a trick (DNS rebinding).
	Loopback bool
	// Public is the origin that we are published under, behind a proxy, "" for none.
	Public string
	// Token must be sent as a bearer token, "" for none.
	Token string
}

// Paths of the endpoint. Both are the same.
const (
	pathMCP  = "/mcp"
	pathLint = "/mcp/lint"
)

// Admit refuses a request by its header, before the body is read; nil lets it in.
func (s *Server) Admit(r *wire.Asked) *wire.Answer {
	return s.opt.Front.Admit(r, open(r.Path))
}

// Admit refuses a request whose Host or Origin is not one that may ask, or that lacks the token where one is wanted; free says that
// what it asks for is had without one. nil lets it in.
func (f *Front) Admit(r *wire.Asked, free bool) *wire.Answer {
	refuse := func(status int, why string) *wire.Answer {
		return wire.JSON(status, failure(noID, faulty(wire.CodeInvalidRequest, why))...)
	}
	host := r.Header.Get("host")
	if !f.knows(host) {
		return refuse(403, "this server has another name than the header Host says")
	}
	for _, origin := range r.Header["origin"] {
		if !f.trusts(origin, host) {
			return refuse(403, "pages of that origin may not ask this server")
		}
	}
	if f.Token != "" && !free {
		given, ok := strings.CutPrefix(r.Header.Get("authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(f.Token)) != 1 {
			a := refuse(401, "this server wants a bearer token")
			a.Header = append(a.Header, [2]string{"www-authenticate", `Bearer realm="mcpassay"`})
			return a
		}
	}
	return nil
}

// open says that a path holds what a client reads before it has a token.
func open(path string) bool {
	return path == "/" || strings.Contains(path, "/.well-known/") || slices.Contains([]string{"/mcp.json", "/llms.txt", "/changes.json",
		pathMCP + cardSuffix, pathLint + cardSuffix, "/a2a/example.json"}, path)
}

// knows says that a Host field names us.
func (f *Front) knows(host string) bool {
	if _, public, _ := strings.Cut(f.Public, "://"); public != "" && strings.EqualFold(host, public) {
		return true
	}
	return host != "" && (!f.Loopback || here(host))
}

// trusts says that pages of an origin may ask: our own, and on a loopback address those of this machine.
func (f *Front) trusts(origin, host string) bool {
	if f.Public != "" && strings.EqualFold(origin, f.Public) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false
	}
	return strings.EqualFold(u.Host, host) || f.Loopback && here(u.Host)
}

// here says that a host, with or without a port, is this machine.
func here(host string) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host {
		return false
	}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && a.IsLoopback()
}

// Handle answers a request that was let in. It is a wire.Handler.
func (s *Server) Handle(ctx context.Context, r *wire.Asked) *wire.Answer {
	if r.Cut {
		return s.refuse(413, faulty(wire.CodeInvalidRequest, "the body is too large"))
	}
	for prefix, mount := range s.opt.Mounts {
		if strings.HasPrefix(r.Path, prefix) {
			return mount(ctx, r)
		}
	}
	if r.Path != pathMCP && r.Path != pathLint {
		return s.document(r)
	}
	if f, status := acceptable(r); f != nil {
		return s.refuse(status, f)
	}
	c := Caller{Lane: MCP, Address: r.From, Agent: r.Header.Get("user-agent"), Base: r.Base}
	messages, batch := read(r.Body, s.lim)
	if batch {
		return s.batch(ctx, c, messages, r.Header)
	}
	a := s.answer(ctx, c, &messages[0], r.Header)
	if a.parts == nil {
		return &wire.Answer{Status: 202}
	}
	return framed(r, statusOf(&a), &a)
}

// acceptable refuses a request that the transport does not know, by its header.
func acceptable(r *wire.Asked) (*fault, int) {
	if r.Verb != "POST" {
		return faulty(wire.CodeInvalidRequest, "the endpoint answers POST: it keeps no stream and no session"), 405
	}
	if r.Header.MediaType() != wire.MediaJSON {
		return faulty(wire.CodeInvalidRequest, "the body must be application/json"), 415
	}
	if !accepts(r, wire.MediaJSON) && !accepts(r, wire.MediaEvents) {
		return faulty(wire.CodeInvalidRequest, "Accept admits neither application/json nor text/event-stream"), 406
	}
	return nil, 0
}

// accepts says whether a client takes a type. One that says nothing takes all.
func accepts(r *wire.Asked, media string) bool {
	fields := r.Header["accept"]
	if len(fields) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for _, field := range fields {
		for part := range strings.SplitSeq(field, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name != media && name != kind+"/*" && name != "*/*" {
				continue
			}
			if q := strings.ReplaceAll(parameters, " ", ""); q != "q=0" && q != "q=0.0" {
				return true
			}
		}
	}
	return false
}

// refuse is an error about no message in particular.
func (s *Server) refuse(status int, f *fault) *wire.Answer {
	a := wire.JSON(status, failure(noID, f)...)
	if status == 405 {
		a.Header = append(a.Header, [2]string{"allow", "POST"})
	}
	return a
}

// statusOf is the status that an answer has over HTTP. The modern era gives each error one; before that only what could not
// be read, or must not be sent so, has one of its own.
func statusOf(a *answer) int {
	switch {
	case a.fault == nil:
		return 200
	case a.era.modern && a.fault.code == wire.CodeMethodNotFound:
		return 404
	case a.era.modern:
		return 400
	}
	switch a.fault.code {
	case wire.CodeParse, wire.CodeInvalidRequest, wire.CodeUnsupportedVersion, wire.CodeHeaderMismatch:
		return 400
	}
	return 200
}

// framed is an answer in the form that the client takes: JSON, or a stream of events that ends with it.
func framed(r *wire.Asked, status int, a *answer) *wire.Answer {
	if a.notices == nil && accepts(r, wire.MediaJSON) {
		return wire.JSON(status, a.parts...)
	}
	var body [][]byte
	for _, n := range a.notices {
		body = append(body, event, n, eventEnd)
	}
	body = append(append(append(body, event), a.parts...), eventEnd)
	return &wire.Answer{Status: status, Body: body, Header: [][2]string{{"content-type", wire.MediaEvents}, {"cache-control", "no-cache"}, {"x-accel-buffering", "no"}}}
}

var event, eventEnd = []byte("event: message\ndata: "), []byte("\n\n")

// batch answers a batch, which only clients before 2025-06-18 may send.
func (s *Server) batch(ctx context.Context, c Caller, messages []message, header wire.Header) *wire.Answer {
	if f := batchable(header.Get("mcp-protocol-version")); f != nil {
		return s.refuse(400, f)
	}
	all := s.several(ctx, c, messages, header)
	if all == nil {
		return &wire.Answer{Status: 202}
	}
	return wire.JSON(200, all)
}

// batchable refuses a batch under a revision without them. "" is 2025-03-26 over HTTP, and not yet agreed on stdio.
func batchable(revision string) *fault {
	if revision >= wire.V20250618 {
		return faulty(wire.CodeInvalidRequest, "batches are gone since 2025-06-18: send one message at a time")
	}
	return nil
}

// several answers the messages of a batch in one array, nil where none wants an answer.
func (s *Server) several(ctx context.Context, c Caller, messages []message, header wire.Header) []byte {
	var all [][]byte
	for i := range messages {
		if messages[i].method == "initialize" { // 2025-03-26, lifecycle: MUST NOT be part of a batch
			messages[i].fault = faulty(wire.CodeInvalidRequest, "initialize stands in no batch")
		}
		if a := s.answer(ctx, c, &messages[i], header); a.parts != nil {
			all = append(all, a.flat())
		}
	}
	if all == nil {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(all, []byte{','})...), ']')
}
