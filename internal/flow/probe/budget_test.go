package probe

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// The budget holds whatever a server has: documents everywhere, sessions, many pages.
func TestAProbeMakesNoMoreThanNineteenRequestsInEachEra(t *testing.T) {
	docs := map[string]string{}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/mcp.json"} {
		docs[path] = "{}"
	}
	for _, p := range []*peer{{legacy: true, sessions: true}, {legacy: true, sessions: true, pages: 9, docs: docs}, {modern: true, pages: 9, docs: docs}, {modern: true, legacy: true, pages: 9, docs: docs}} {
		for _, era := range []string{"", EraBoth} {
			p.asked, p.got = nil, nil
			p.most.Store(0)
			o := options()
			o.Era = era
			all := probed(t, p.serve(t), o)
			most := limits.Default.ProbeRequests * len(all)
			asked := grades(t, all).card.Requests
			if era == EraBoth && len(all) == 1 && p.modern { // it was asked for the other one
				asked, most = asked+1, most+1
			}
			if n := p.requests(); n > most || n != asked {
				t.Errorf("%d requests of %d, the card says %d", n, most, grades(t, all).card.Requests)
			}
			if n := p.most.Load(); n > int32(limits.Default.ProbeAtOnce) {
				t.Errorf("%d at the same time", n)
			}
			for _, r := range p.asked {
				if r.Header.Get("User-Agent") != "mcpassay/0" {
					t.Errorf("it calls itself %q", r.Header.Get("User-Agent"))
				}
			}
			for _, m := range p.got {
				if m.Method == "tools/call" && m.Params.Name != nil && *m.Params.Name != nobody {
					t.Errorf("it calls the tool %s", *m.Params.Name)
				}
			}
		}
	}
}

func TestADeepProbeKeepsItsOwnBudgetAndCallsNoTool(t *testing.T) {
	for _, p := range []*peer{{legacy: true, sessions: true, pages: 200}, {modern: true, pages: 200}} {
		o := options()
		o.Deep = true
		g := grades(t, probed(t, p.serve(t), o))
		if n := p.requests(); n > limits.Default.ProbeDeepRequests || len(g.incomplete) == 0 {
			t.Errorf("%d requests, %v", n, g.incomplete)
		}
		for _, m := range p.got {
			if m.Method == "tools/call" && m.Params.Name != nil && *m.Params.Name != nobody {
				t.Errorf("it calls the tool %s", *m.Params.Name)
			}
		}
	}
}

func TestPagesAreReadAsFarAsTheBudgetGoes(t *testing.T) {
	for _, c := range []struct {
		pages, want int
		deep        bool
	}{{2, 2, false}, {9, 2, false}, {9, 9, true}} {
		o := options()
		o.Deep = c.deep
		all := probed(t, (&peer{legacy: true, pages: c.pages}).serve(t), o)
		g := grades(t, all)
		whole := c.pages == c.want
		if len(all[0].Pages[wire.Tools]) != c.want || whole != (len(g.incomplete) == 0) || !whole && !strings.Contains(g.incomplete[0].Detail, "--deep") {
			t.Errorf("%+v: %d pages, %v", c, len(all[0].Pages[wire.Tools]), g.incomplete)
		}
	}
}

func TestABusyServerIsAskedAgainWhenItSays(t *testing.T) {
	refused := 0
	p := &peer{legacy: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method != "no/such" || refused > 0 {
			return false
		}
		refused++
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(429)
		return true
	}
	all := probed(t, p.serve(t), options())
	i := slices.IndexFunc(all[0].Trials, func(t wire.Tried) bool { return t.Trial == wire.UnknownMethod })
	if g := grades(t, all); g.card.Total != 100 || all[0].Trials[i].Tries != 2 || g.card.Requests != p.requests() {
		t.Errorf("%d, %+v", g.card.Total, all[0].Trials[i])
	}
	for _, after := range []string{"", "86400", "Fri, 01 Jan 2100 00:00:00 GMT"} { // more than anybody waits
		p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
			if m.Method == "no/such" {
				w.Header().Set("Retry-After", after)
				w.WriteHeader(503)
			}
			return m.Method == "no/such"
		}
		g := grades(t, probed(t, p.serve(t), options()))
		if len(g.incomplete) == 0 || rowNamed(g.card, "unknown-method").Verdict != "skipped" {
			t.Errorf("after %q: %v", after, g.incomplete)
		}
	}
}

func TestASavedTranscriptIsTheSameBytesAndTheSameScore(t *testing.T) {
	o := options()
	o.Deep, o.Era = true, EraBoth
	all := probed(t, (&peer{modern: true, legacy: true, sessions: true}).serve(t), o)
	first := grades(t, all)
	var again []*wire.Surface
	for _, s := range all {
		raw := s.Encode()
		read, err := wire.ReadSurface("saved", raw, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if string(read.Encode()) != string(raw) {
			t.Error("it is written otherwise than it was read")
		}
		again = append(again, read)
	}
	said := func(g graded) string {
		text, err := json.Marshal([]any{g.card, g.findings, g.incomplete})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if said(grades(t, again)) != said(first) || string(scan.Document(again)) != string(scan.Document(all)) {
		t.Error("a saved transcript is graded otherwise")
	}
}

func TestTheDemoHasAFaultForEachCheckAndGetsAD(t *testing.T) {
	o := options()
	g := grades(t, Demo(t.Context(), o))
	if g.card.Grade != "D" || g.card.Requests > limits.Default.ProbeRequests || len(g.incomplete) > 0 || g.server.File.Doc.Root().Get("tools").At(0).Get("tools").Len() != 6 {
		t.Errorf("%+v", g.card)
	}
	wrong := 0
	for _, r := range g.card.Lanes[0].Sections.Errors.Rows {
		if r.Verdict != "ok" {
			wrong++
		}
	}
	if wrong != 2 {
		t.Errorf("%d of five mistakes are answered wrongly", wrong)
	}
	if one, two := scan.Document(Demo(t.Context(), o)), scan.Document(Demo(t.Context(), o)); string(one) != string(two) {
		t.Error("it is not the same every time")
	}
}
