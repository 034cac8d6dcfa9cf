package probe

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// ask is one trial that is about to be made.
type ask struct {
	trial  wire.Trial
	detail string
	raw    talk.Raw
	// shown are the names of the header fields that the trial is about.
	shown []string
}

// answer is what came of one.
type answer struct {
	tried wire.Tried
	ex    *wire.Exchange
	// failure is why there is no response; nil where there is one.
	failure *wire.Failure
}

// take reserves requests of the lane's budget.
func (l *lane) take(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sent+n > l.most {
		return false
	}
	l.sent += n
	return true
}

func (l *lane) spare() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.most - l.sent
}

// send makes one trial and notes it in the transcript.
func (l *lane) send(a ask) answer { return l.sendAll([]ask{a})[0] }

// sendAll makes trials whose order does not matter, a few at the same time, and notes them in the order of the table. What
// the budget does not hold is left out and is a gap.
func (l *lane) sendAll(asks []ask) []answer {
	out := make([]answer, len(asks))
	atOnce := l.lim.ProbeAtOnce
	if l.transport != wire.HTTP { // one line, and one stream, for all
		atOnce = 1
	}
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, a := range asks {
		slots <- struct{}{}
		wg.Go(func() {
			out[i] = l.one(a)
			<-slots
		})
	}
	wg.Wait()
	for i := range out {
		l.note(&out[i])
	}
	return out
}

// note adds an answer to the transcript.
func (l *lane) note(a *answer) {
	if a.ex == nil { // it was not sent
		l.gap(partOf(a.tried.Trial), a.failure)
		return
	}
	if len(l.s.Trials) == l.lim.Trials || !l.room(len(a.tried.Reply)+len(a.tried.Body), wire.Weight(a.tried.Reply)) {
		a.tried.Reply, a.tried.Body, a.tried.Failure, a.tried.Cause = nil, "", "more than is kept", wire.CauseTruncated
		l.gap(partOf(a.tried.Trial), &wire.Failure{Cause: wire.CauseTruncated, Detail: string(a.tried.Trial) + ": more than is kept"})
	}
	if a.tried.Trial == wire.ToolsList && a.result().Get(wire.Tools.String()).Kind() == source.Array {
		a.tried.Reply = nil // it is a page of the surface
	}
	if len(l.s.Trials) < l.lim.Trials {
		l.s.Trials = append(l.s.Trials, a.tried)
	}
	if id := a.ex.Session; id != "" && slices.Contains(sessionGivers, a.tried.Trial) {
		l.sessions = append(l.sessions, id)
	}
	for _, f := range a.ex.Faults {
		if grave(f.Kind) || begins(a.tried.Trial) {
			l.s.Faults.Add("", l.lim, f)
		}
	}
	if a.ex.Certificate != "" {
		l.s.Certificate = a.ex.Certificate
	}
	if gap := unchecked(a); gap != nil {
		l.gap(partOf(a.tried.Trial), gap)
	}
}

// sessionGivers are the trials that begin a session of their own.
var sessionGivers = []wire.Trial{wire.Initialize, wire.InitializeAgain, wire.InitializeUnpublished, wire.InitializeVersion}

// gap notes what could not be tried, once for all trials of a part that share the reason.
func (l *lane) gap(part string, why *wire.Failure) {
	for _, g := range l.s.Gaps {
		if g.Part == part && g.Cause == why.Cause {
			return
		}
	}
	l.s.Gap(part, why, l.lim)
}

// room takes space in the surface.
func (l *lane) room(bytes, nodes int) bool {
	if l.bytes+bytes > l.lim.SurfaceBytes || l.nodes+nodes > l.lim.SurfaceValues {
		return false
	}
	l.bytes, l.nodes = l.bytes+bytes, l.nodes+nodes
	return true
}

// begins says that a trial is one that every client makes: what goes wrong there is a fault of the surface.
func begins(t wire.Trial) bool {
	return t == wire.Initialize || t == wire.Initialized || t == wire.Discover || t == wire.ToolsList
}

// unchecked says why a trial tells nothing of the server: it did not get so far.
func unchecked(a *answer) *wire.Failure {
	if a.failure == nil || begins(a.tried.Trial) { // which have gaps of their own
		return nil
	}
	switch a.failure.Cause {
	case wire.CauseRefused, wire.CauseUnresolved, wire.CauseUnreachable, wire.CauseTLS, wire.CauseCanceled, wire.CauseEncoded:
	case wire.CauseTimeout, wire.CauseTooLarge:
		if !a.tried.Trial.Discovery() { // silence is an answer to a message, not to the question whether a document exists
			return nil
		}
	default:
		if !busy(a.ex.Status) {
			return nil
		}
	}
	return &wire.Failure{Cause: a.failure.Cause, Status: a.failure.Status, Detail: string(a.tried.Trial) + ": " + a.failure.Detail}
}

// partOf is the part of the surface that a trial belongs to.
func partOf(t wire.Trial) string {
	switch {
	case t.Discovery():
		return wire.PartDiscovery
	case t == wire.ToolsList, t == wire.ToolsAgain:
		return wire.Tools.String()
	}
	return wire.PartErrors
}

// busy says that an HTTP status says nothing but to ask again later.
func busy(status int) bool { return status == 429 || status == 503 }

// one makes one trial, and once more where the server is busy and says for how long, or does not.
func (l *lane) one(a ask) answer {
	out := answer{tried: wire.Tried{Trial: a.trial, Detail: a.detail, Verb: a.raw.HTTP.Verb, Sent: wire.Excerpt(a.raw.HTTP.Body, l.lim)}}
	pause := l.lim.RetryWait
	for tries := 1; ; tries++ {
		if !l.take(1) {
			if out.ex != nil { // the answer that it had no time has to do
				break
			}
			out.failure = &wire.Failure{Cause: wire.CauseTruncated, Detail: string(a.trial) + " was not sent: no request is left of " + strconv.Itoa(l.most) + ", --deep sends more"}
			return out
		}
		if tries > 1 {
			out.tried.Tries = tries
		}
		begun := time.Now()
		ex, err := l.via.Raw(l.ctx, a.raw)
		out.ex, out.tried.ElapsedMS = ex, time.Since(begun).Milliseconds()
		out.failure = nil
		if err != nil {
			out.failure = asFailure(l.ctx, err)
		}
		if tries > l.lim.ListRetries || !busy(ex.Status) {
			break
		}
		if asked := talk.RetryAfter(ex.Header); asked > l.lim.RetryAfter {
			break
		} else if asked > 0 {
			pause = asked
		}
		if !sleep(l.ctx, pause) {
			break
		}
		pause *= 2
	}
	l.fill(&out, a)
	out.ex.Frames, out.ex.Text, out.ex.Request = nil, nil, nil
	if !begins(a.trial) { // a hostile server may send a lot each time
		out.ex.Reply = nil
	}
	return out
}

// fill takes down what came.
func (l *lane) fill(out *answer, a ask) {
	t, ex := &out.tried, out.ex
	for _, name := range a.shown {
		for _, h := range a.raw.HTTP.Header {
			if strings.EqualFold(h[0], name) {
				if t.SentHeader == nil {
					t.SentHeader = wire.Header{}
				}
				t.SentHeader[strings.ToLower(name)] = append(t.SentHeader[strings.ToLower(name)], h[1])
			}
		}
	}
	if a.raw.HTTP.Host != "" {
		if t.SentHeader == nil {
			t.SentHeader = wire.Header{}
		}
		t.SentHeader["host"] = []string{a.raw.HTTP.Host}
	}
	if a.trial == wire.InitializeFixed && ex.Session == chosen {
		ex.Faults.Add("initialize", l.lim, wire.Fault{Kind: wire.SessionFixed})
	}
	t.Status, t.Faults, t.Session = ex.Status, ex.Faults, ex.Session != ""
	t.Header = kept(ex.Header, l.lim.TrialBody)
	private := append([][]byte{}, l.o.Secrets...)
	for _, id := range []string{l.session, ex.Session} {
		private = append(private, wire.Spellings(id)...)
	}
	most := l.lim.HandshakeBytes
	if t.Trial == wire.ToolsList || t.Trial == wire.ToolsAgain || t.Trial == wire.CursorUnknown { // which may be a page
		most = l.lim.EventBytes
	}
	switch {
	case ex.Reply != nil && len(ex.Reply.Raw) > most:
		t.Cause, t.Failure = wire.CauseTooLarge, "an answer of "+strconv.Itoa(len(ex.Reply.Raw))+" bytes"
	case ex.Reply != nil:
		t.Reply = bytes.Clone(ex.Reply.Raw)
		wire.Hide(t.Reply, private)
	default:
		text := ex.Text
		if a.raw.Expect == talk.First && len(ex.Frames) > 0 {
			text = ex.Frames[0].Raw
		}
		if cut := l.lim.TrialBody; len(text) > cut && (!a.trial.Discovery() || out.failure != nil) {
			text = text[:cut]
		}
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
		wire.Hide(text, private)
		t.Body = string(text)
	}
	if f := out.failure; f != nil {
		said := []byte(f.Detail)
		wire.Hide(said, private)
		t.Cause, t.Failure = f.Cause, wire.Excerpt(said, l.lim)
	}
}

// kept is a header as the transcript holds it: valid text, each value within a limit; nil for none.
func kept(h wire.Header, most int) wire.Header {
	var out wire.Header
	for name, values := range h {
		for _, v := range values {
			if out == nil {
				out = wire.Header{}
			}
			out[name] = append(out[name], strings.ToValidUTF8(v[:min(len(v), most)], "\uFFFD"))
		}
	}
	return out
}

// failureOf is the failure of a trial in the transcript.
func failureOf(t *wire.Tried) *wire.Failure {
	return &wire.Failure{Cause: t.Cause, Detail: t.Failure, Status: t.Status}
}

// asFailure names an error. Where the probe is over, that is the reason.
func asFailure(ctx context.Context, err error) *wire.Failure {
	var f *wire.Failure
	if cause := context.Cause(ctx); cause != nil {
		if errors.As(cause, &f) {
			return &wire.Failure{Cause: wire.CauseCanceled, Detail: f.Detail}
		}
		return &wire.Failure{Cause: wire.CauseCanceled, Detail: "interrupted"}
	}
	if errors.As(err, &f) {
		return f
	}
	return &wire.Failure{Cause: wire.CauseBroken, Detail: err.Error()}
}

func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// result is the result of a response, not Valid for an error or for none.
func (a *answer) result() source.Node {
	if a.failure != nil || a.ex == nil {
		return source.Node{}
	}
	return a.ex.Reply.Result()
}

// why is why an answer holds no result that a client could go on with.
func (a *answer) why() *wire.Failure {
	if a.failure != nil {
		return a.failure
	}
	e, ok := a.ex.Reply.Error()
	if !ok {
		return nil
	}
	f := &wire.Failure{Cause: wire.CauseError, Status: a.ex.Status, Detail: "error " + strconv.Itoa(e.Code) + ": " + e.Message}
	if a.ex.Status == 401 || a.ex.Status == 403 {
		f.Cause = wire.CauseAuth
	}
	return f
}
