// Package talk speaks the Model Context Protocol with one server and takes down what it exposes, in both eras of the
// protocol and on every transport. It trusts nothing: every answer is bounded, waited for only so long, and kept as the
// bytes it came in; what breaks the protocol is a fault of the surface, what could not be had is a gap in it. It never
// calls a tool, reads a resource or gets a prompt.
//
// Sources: the Model Context Protocol, revisions 2024-11-05 to 2026-07-28.
package talk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Options is how to talk.
type Options struct {
	// Label is the server's name in the surface.
	Label string
	// Era is wire.EraModern or wire.EraLegacy to try that one alone, "" for both.
	Era string
	// Version is the revision that initialize asks for, "" for the newest that has one.
	Version string
	// Client and ClientVersion are what we call ourselves.
	Client, ClientVersion string
	// Refresh is how long to wait for the server to say that a list changed, to ask for all lists once more. With 0 they are
	// asked for again only where it says so while they are read.
	Refresh time.Duration
	// Noise lets a stdio server write lines that are no JSON to its output.
	Noise bool
	// Secrets are what the server was given and may not repeat (wire.Spellings). An answer is kept without them.
	Secrets [][]byte
	Limits  limits.Set
	// Note gets every exchange where it is not nil, one at a time.
	Note func(*wire.Exchange)
}

// Surface talks to a server and takes down what it exposes. There is always a surface; what it lacks is among its gaps.
func Surface(ctx context.Context, server Server, o Options) *wire.Surface {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Limits.RunTime,
		&wire.Failure{Cause: wire.CauseTimeout, Detail: "the server took more than " + o.Limits.RunTime.String() + " in all"})
	defer cancel()
	t := &talk{ctx: ctx, server: server, o: o, lim: o.Limits}
	lanes := t.lanes()
	// A server that does not want to end takes its time: what is not needed ends while the rest goes on.
	var ending sync.WaitGroup
	defer func() {
		for _, l := range lanes {
			ending.Go(l.close)
		}
		ending.Wait()
	}()
	best := lanes[0] // the modern lane, where both were tried
	for _, l := range slices.Backward(lanes) {
		if l.failure == nil {
			best = l
		}
	}
	s := &wire.Surface{Label: o.Label, Transport: best.transport, Protocol: wire.Protocol{Requested: best.requested}}
	t.surface = s
	for _, l := range lanes {
		if l.failure == nil {
			s.Protocol.Eras = append(s.Protocol.Eras, l.era)
		}
	}
	if best.failure != nil {
		last := lanes[len(lanes)-1]
		s.Transport, s.Protocol.Requested = last.transport, last.requested
		for _, l := range lanes {
			for _, f := range l.faults {
				again := l != last && slices.ContainsFunc(last.faults, func(o wire.Fault) bool { return o.Kind == f.Kind && o.Status == f.Status })
				if !again { // the same page, or redirect, for each era
					s.Faults.Add("", t.lim, f)
				}
			}
		}
		s.Gap(wire.PartHandshake, worst(lanes), t.lim)
		return s
	}
	for _, l := range lanes {
		if l != best {
			ending.Go(l.close)
		}
	}
	s.Hello = best.hello.Raw()
	s.Protocol.Negotiated, s.Protocol.Era, s.Protocol.Supported = best.version, best.era, best.supported
	t.lists(best)
	if o.Refresh > 0 || len(best.changed) > 0 { // what it took back is not what it exposes
		t.refresh(best)
	}
	t.unannounced(best)
	for _, l := range lanes {
		for _, f := range l.faults {
			// What a server does to the lane of an era that it need not know is no fault. What it does to the client is.
			if l == best || f.Kind == wire.Redirect || f.Kind == wire.CredentialEchoed || f.Kind == wire.CertificateChanged || f.Kind == wire.AddressesChanged {
				s.Faults.Add("", t.lim, f)
			}
		}
	}
	s.Certificate = best.certificate
	return s
}

// worst picks the failure that tells most: the last lane's, unless the first knew the protocol.
func worst(lanes []*lane) *wire.Failure {
	first, last := lanes[0].failure, lanes[len(lanes)-1].failure
	if first.Cause == wire.CauseVersion {
		return first
	}
	return last
}

// talk is one conversation.
type talk struct {
	ctx     context.Context
	server  Server
	o       Options
	lim     limits.Set
	surface *wire.Surface
	// bytes and values are what the pages of the surface hold.
	bytes, values int

	mu sync.Mutex // of Note
}

// lane is one era's way to the server. The eras do not mix: a server that answered one may refuse the other.
type lane struct {
	t                *talk
	conn             Conn
	era, transport   string
	requested        string // the revision
	version          string // the revision that was agreed on
	supported        []string
	hello            source.Node
	certificate      string
	faults           wire.Faults
	changed          []wire.ListKind
	begun, recovered bool
	closing          sync.Once
	failure          *wire.Failure
	status           int  // of the handshake's answer
	answered         bool // it was a JSON-RPC message
}

// lanes opens the lanes that are asked for, the modern one first.
func (t *talk) lanes() []*lane {
	if t.server.Legacy {
		return []*lane{t.legacy(t.ctx)}
	}
	switch t.o.Era {
	case wire.EraModern:
		return []*lane{t.modern(t.ctx)}
	case wire.EraLegacy:
		return []*lane{t.legacy(t.ctx)}
	}
	if !t.server.Apart {
		m := t.modern(t.ctx)
		if m.failure != nil && final(m.failure.Cause) {
			return []*lane{m}
		}
		return []*lane{m, t.legacy(t.ctx)}
	}
	return t.apart()
}

// apart opens both lanes where each dial starts a server, which takes as long as all the rest. A server that refuses
// server/discover has not begun anything: it is asked for the other handshake in the same process, and only one that
// refuses that too gets another. Where the first lane is silent the other starts beside it.
func (t *talk) apart() []*lane {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	late := &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer in this era of the protocol"}
	var m, l *lane
	modern := make(chan *lane, 1)
	go func() { modern <- t.modern(ctx) }()
	silent := time.NewTimer(t.lim.EraTime)
	defer silent.Stop()
	select {
	case m = <-modern:
		l = t.other(ctx, cancel, m, late)
	case <-silent.C:
		if l = t.legacy(t.ctx); l.failure == nil {
			time.AfterFunc(t.lim.EraTime, func() { cancel(late) })
		}
		m = <-modern
	}
	if m.failure != nil && l.failure != nil {
		// Two at a time may be one too many: a server can lock its files or its port.
		m.close()
		l.close()
		if m.failure.Cause == wire.CauseEnded {
			m = t.modern(t.ctx)
		}
		if m.failure != nil && l.failure.Cause == wire.CauseEnded {
			m.close()
			l = t.legacy(t.ctx)
		}
	}
	return []*lane{m, l}
}

// other is the legacy lane behind a modern one that has ended in an answer or in a failure.
func (t *talk) other(ctx context.Context, cancel context.CancelCauseFunc, m *lane, late *wire.Failure) *lane {
	if m.failure == nil {
		timer := time.AfterFunc(t.lim.EraTime, func() { cancel(late) })
		defer timer.Stop()
		return t.legacy(ctx)
	}
	if m.conn != nil && m.failure.Cause == wire.CauseError {
		l := t.lane(t.server.Transport)
		l.conn, m.conn = m.conn, nil
		if l.failure = l.initialize(ctx); l.failure == nil {
			return l
		}
		l.close()
	}
	m.close()
	return t.legacy(t.ctx)
}

// final says that another lane would fail in the same way.
func final(c wire.Cause) bool {
	return slices.Contains([]wire.Cause{wire.CauseRefused, wire.CauseUnresolved, wire.CauseUnreachable, wire.CauseTLS, wire.CauseCanceled}, c)
}

func (l *lane) close() {
	l.closing.Do(func() {
		if l.conn != nil {
			l.conn.Close()
		}
	})
}

// dial opens the lane's connection, which lasts as long as the conversation may.
func (l *lane) dial(dial Dial) bool {
	conn, err := dial(l.t.ctx)
	if err != nil {
		l.failure = failureOf(l.t.ctx, err)
		if l.failure.Cause == wire.CauseRefused && l.failure.Target != "" {
			l.faults.Add("", l.t.lim, wire.Fault{Kind: wire.ForeignEndpoint, Target: l.failure.Target})
		}
		return false
	}
	l.conn = conn
	return true
}

// do makes one request. failure is nil where there is a JSON-RPC response.
func (l *lane) do(ctx context.Context, c Call) (*wire.Exchange, *wire.Failure) {
	begun := time.Now()
	ex, err := l.conn.Do(ctx, c)
	l.note(ex, time.Since(begun))
	if err != nil {
		return ex, failureOf(ctx, err)
	}
	return ex, nil
}

// note keeps what an exchange shows beside its reply.
func (l *lane) note(ex *wire.Exchange, took time.Duration) {
	ex.Elapsed = took
	l.faults.Add(ex.Method, l.t.lim, ex.Faults...)
	if ex.Certificate != "" {
		l.certificate = ex.Certificate
	}
	l.changed = append(l.changed, ex.Changed...)
	slices.Sort(l.changed)
	l.changed = slices.Compact(l.changed)
	if l.t.o.Note != nil {
		l.t.mu.Lock()
		l.t.o.Note(ex)
		l.t.mu.Unlock()
	}
}

// failureOf names an error. Where the conversation is over, that is the reason.
func failureOf(ctx context.Context, err error) *wire.Failure {
	var failure *wire.Failure
	if cause := context.Cause(ctx); cause != nil {
		if errors.As(cause, &failure) {
			return failure
		}
		if errors.Is(cause, context.Canceled) {
			return &wire.Failure{Cause: wire.CauseCanceled, Detail: "interrupted"}
		}
	}
	switch {
	case errors.As(err, &failure):
		return failure
	case errors.Is(err, context.DeadlineExceeded):
		return &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer in time"}
	}
	return &wire.Failure{Cause: wire.CauseBroken, Detail: err.Error()}
}

// modern asks a server for what it is, as revision 2026-07-28 has it. No answer but that one makes a lane: a server that
// lists only older revisions there has none.
func (t *talk) modern(ctx context.Context) *lane {
	l := &lane{t: t, era: wire.EraModern, transport: t.server.Transport, requested: wire.Modern, version: wire.Modern}
	if !l.dial(t.server.Dial) {
		return l
	}
	ex, failure := l.do(ctx, l.call("server/discover", "", wire.Handshake))
	if l.failure = failure; failure == nil {
		l.failure = l.discovered(ex)
	}
	return l
}

func (l *lane) discovered(ex *wire.Exchange) *wire.Failure {
	if e, ok := ex.Reply.Error(); ok {
		if e.Code == wire.CodeUnsupportedVersion {
			return &wire.Failure{Cause: wire.CauseVersion, Detail: "the server supports " + versions(e.Data.Get("supported")), Status: ex.Status}
		}
		return rpcFailure(ex, e)
	}
	result := ex.Reply.Result()
	list := result.Get("supportedVersions")
	if result.Kind() != source.Object || list.Kind() != source.Array {
		return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the result of server/discover lists no supportedVersions", Status: ex.Status}
	}
	if f := tooLarge(result, l.t.lim); f != nil {
		return f
	}
	for v := range list.Children() {
		l.supported = append(l.supported, wire.Excerpt([]byte(v.Text()), l.t.lim))
	}
	if !slices.Contains(l.supported, wire.Modern) {
		return &wire.Failure{Cause: wire.CauseVersion, Detail: "the server supports " + versions(list), Status: ex.Status}
	}
	l.faults.Add(ex.Method, l.t.lim, wire.CheckResult(result)...)
	l.hello, l.begun = result, true
	return nil
}

func tooLarge(result source.Node, lim limits.Set) *wire.Failure {
	if len(result.Raw()) > lim.HandshakeBytes {
		return &wire.Failure{Cause: wire.CauseTooLarge, Detail: "the answer to the handshake is larger than its limit"}
	}
	return nil
}

func versions(list source.Node) string {
	if raw := list.Raw(); len(raw) > 0 {
		return string(raw)
	}
	return "no revision that it names"
}

func rpcFailure(ex *wire.Exchange, e wire.RPCError) *wire.Failure {
	f := &wire.Failure{Cause: wire.CauseError, Status: ex.Status}
	code, _ := json.Marshal(e.Code)
	f.Detail = "error " + string(code) + ": " + e.Message
	if ex.Status == statusUnauthorized || ex.Status == statusForbidden {
		f.Cause = wire.CauseAuth
	}
	return f
}

// legacy shakes hands as the revisions before 2026-07-28 have it. Where an HTTP server does not know that way, it may have
// the transport of 2024-11-05, which begins with a stream.
func (t *talk) legacy(ctx context.Context) *lane {
	l := t.handshake(ctx, t.server.Transport, t.server.Dial)
	if l.failure == nil || t.server.Old == nil || l.answered || !slices.Contains([]int{statusBadRequest, statusNotFound, statusNotAllowed}, l.status) {
		return l
	}
	old := t.handshake(ctx, wire.SSE, t.server.Old)
	if old.conn == nil && len(old.faults) == 0 { // no such stream: the first answer tells more
		return l
	}
	l.close()
	return old
}

func (t *talk) handshake(ctx context.Context, transport string, dial Dial) *lane {
	l := t.lane(transport)
	if l.dial(dial) {
		l.failure = l.initialize(ctx)
	}
	return l
}

// lane is a legacy lane without a connection.
func (t *talk) lane(transport string) *lane {
	return &lane{t: t, era: wire.EraLegacy, transport: transport, requested: cmp.Or(t.o.Version, wire.LegacyBest)}
}

// initialize begins a session, or begins it again.
func (l *lane) initialize(ctx context.Context) *wire.Failure {
	l.version = ""
	ex, failure := l.do(ctx, l.call("initialize", `"protocolVersion":`+quote(l.requested)+`,"capabilities":{},"clientInfo":`+l.client(), wire.Handshake))
	l.status, l.answered = ex.Status, ex.Reply != nil
	if e, ok := ex.Reply.Error(); ok && failure == nil {
		failure = rpcFailure(ex, e)
	}
	if failure != nil {
		if ex.Status >= statusBadRequest && strings.Contains(strings.ToLower(failure.Detail), "session") {
			l.faults.Add(ex.Method, l.t.lim, wire.Fault{Kind: wire.SessionDemanded, Detail: failure.Detail, Status: ex.Status})
		}
		return failure
	}
	result := ex.Reply.Result()
	version := result.Get("protocolVersion")
	switch {
	case result.Kind() != source.Object || version.Kind() != source.String:
		l.faults.Add(ex.Method, l.t.lim, wire.Fault{Kind: wire.BadResult, Detail: "protocolVersion is missing"})
		return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the result of initialize has no protocolVersion", Status: ex.Status}
	case !slices.Contains(wire.Legacy(), version.Text()):
		l.faults.Add(ex.Method, l.t.lim, wire.Fault{Kind: wire.UnknownVersion, Detail: version.Text()})
		return &wire.Failure{Cause: wire.CauseVersion, Detail: "the server answers with version " + version.Text(), Status: ex.Status}
	}
	if f := tooLarge(result, l.t.lim); f != nil {
		return f
	}
	for _, name := range []string{"capabilities", "serverInfo"} {
		if result.Get(name).Kind() != source.Object {
			l.faults.Add(ex.Method, l.t.lim, wire.Fault{Kind: wire.BadResult, Detail: name + " is missing"})
		}
	}
	l.version = version.Text()
	if !l.begun { // a session that begins again does not change what was judged
		l.hello = result
	}
	l.begun = true
	begun := time.Now()
	ex, err := l.conn.Notify(ctx, l.call("notifications/initialized", "", wire.Page))
	l.note(ex, time.Since(begun))
	if err != nil && ex.Status != 0 { // and if it can not be sent, nor can what follows
		l.faults.Add(ex.Method, l.t.lim, wire.Fault{Kind: wire.NotificationAnswered, Detail: failureOf(ctx, err).Error(), Status: ex.Status})
	}
	return nil
}

// call makes a call of the lane's era. members are those of its params, as JSON.
func (l *lane) call(method, members string, want wire.Body) Call {
	c := Call{Method: method, Version: l.version, Modern: l.era == wire.EraModern, Want: want}
	if c.Modern {
		if members != "" {
			members += ","
		}
		members += `"_meta":{"io.modelcontextprotocol/protocolVersion":` + quote(l.version) +
			`,"io.modelcontextprotocol/clientInfo":` + l.client() + `,"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	if members != "" {
		c.Params = []byte("{" + members + "}")
	}
	return c
}

func (l *lane) client() string {
	return `{"name":` + quote(l.t.o.Client) + `,"version":` + quote(l.t.o.ClientVersion) + "}"
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string has a form
	return string(text)
}
