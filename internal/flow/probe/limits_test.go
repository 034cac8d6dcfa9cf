package probe

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// trialOf is a trial of a surface, nil for none.
func trialOf(s *wire.Surface, name wire.Trial) *wire.Tried {
	i := slices.IndexFunc(s.Trials, func(t wire.Tried) bool { return t.Trial == name })
	if i < 0 {
		return nil
	}
	return &s.Trials[i]
}

// Each limit is crossed, and what it leaves out is said.
func TestADocumentThatIsTooLargeIsNotChecked(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", limits.Default.DocumentBytes) + `"}`
	whole := `{"a":"` + strings.Repeat("x", limits.Default.DocumentBytes-100) + `"}`
	all := probed(t, (&peer{legacy: true, docs: map[string]string{"/mcp.json": large, "/.well-known/mcp.json": whole}}).serve(t), options())
	g := grades(t, all)
	if r := rowNamed(g.card, "mcp-json"); r.Verdict != "skipped" || len(g.incomplete) != 1 || len(trialOf(all[0], wire.RootJSON).Body) > limits.Default.TrialBody {
		t.Errorf("%+v %v", r, g.incomplete)
	}
	if r := rowNamed(g.card, "well-known-mcp-json"); r.Verdict != "served" {
		t.Errorf("%+v", r)
	}
}

func TestOfALongAnswerTheBeginningIsKept(t *testing.T) {
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.bad {
			w.WriteHeader(400)
			io.WriteString(w, strings.Repeat("no ", 10_000))
		}
		return m.bad
	}
	if got := trialOf(probed(t, p.serve(t), options())[0], wire.NotJSONBody); len(got.Body) != limits.Default.TrialBody {
		t.Errorf("%d bytes are kept", len(got.Body))
	}
}

func TestAnAnswerThatIsTooLargeIsNotKept(t *testing.T) {
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method != "no/such" {
			return false
		}
		w.Header().Set("Content-Type", wire.MediaJSON)
		io.WriteString(w, m.err(-32601, `,"data":"`+strings.Repeat("x", limits.Default.HandshakeBytes)+`"`))
		return true
	}
	all := probed(t, p.serve(t), options())
	if got := trialOf(all[0], wire.UnknownMethod); got.Cause != wire.CauseTooLarge || got.Answered() || grades(t, all).card.Total == 100 {
		t.Errorf("%+v", got)
	}
}

func TestPagesAndToolsOfADeepProbeAreBounded(t *testing.T) {
	o := options()
	o.Deep = true
	all := probed(t, (&peer{legacy: true, pages: 200}).serve(t), o)
	if n := len(all[0].Pages[wire.Tools]); n != o.Limits.ProbePages || len(grades(t, all).incomplete) == 0 {
		t.Errorf("%d pages", n)
	}
	o.Limits.ProbeTools = 2
	all = probed(t, (&peer{legacy: true, pages: 200}).serve(t), o)
	if n := len(all[0].Pages[wire.Tools]); n != 3 || len(grades(t, all).incomplete) == 0 {
		t.Errorf("%d pages of a tool each", n)
	}
}

func TestTrialsBeyondTheLimitAreAGap(t *testing.T) {
	o := options()
	o.Deep, o.Limits.Trials = true, 10
	all := probed(t, (&peer{legacy: true}).serve(t), o)
	if n := len(all[0].Trials); n != 10 || len(grades(t, all).incomplete) == 0 {
		t.Errorf("%d trials, %v", n, all[0].Gaps)
	}
}

// A stream of news says nothing as a rule: it is listened to for a moment.
func TestAStreamOfNewsIsNotWaitedForLong(t *testing.T) {
	p := &peer{modern: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method != "subscriptions/listen" {
			return false
		}
		w.Header().Set("Content-Type", wire.MediaEvents)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	o := options()
	o.Deep = true
	begun := time.Now()
	got := trialOf(probed(t, p.serve(t), o)[0], wire.Listen)
	if got.Cause != wire.CauseTimeout || time.Since(begun) > 5*time.Second {
		t.Errorf("%+v after %v", got, time.Since(begun))
	}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method != "subscriptions/listen" {
			return false
		}
		w.Header().Set("Content-Type", wire.MediaEvents)
		fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"subscriptionId\":\"1\"}}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	if got := trialOf(probed(t, p.serve(t), o)[0], wire.Listen); got.Cause != "" || !strings.Contains(got.Body, "acknowledged") {
		t.Errorf("%+v", got)
	}
}

func TestAProbeAsAWholeIsBoundedInTime(t *testing.T) {
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		time.Sleep(100 * time.Millisecond)
		return false
	}
	o := options()
	o.Deep, o.Limits.RunTime = true, time.Second
	begun := time.Now()
	g := grades(t, probed(t, p.serve(t), o))
	if took := time.Since(begun); took > 10*time.Second || len(g.incomplete) == 0 || !strings.Contains(fmt.Sprint(g.incomplete), "1s in all") {
		t.Errorf("%v, %v", took, g.incomplete)
	}
}
