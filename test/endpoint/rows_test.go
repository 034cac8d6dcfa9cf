package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/probe"
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// probed is what all rules say of a server that was probed in depth: read from the transcript as it is saved.
func probed(t *testing.T, target probe.Target, lim limits.Set, is func(*rule.Rule) bool) []finding.Finding {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	target.Label = "shop"
	var all []finding.Finding
	var rules []*rule.Rule
	for _, r := range catalog.All() {
		if is(r) {
			rules = append(rules, r)
		}
	}
	for _, s := range probe.Surfaces(ctx, target, probe.Options{Deep: true, Client: "mcpassay", ClientVersion: "0", Nonce: "0", Limits: lim}) {
		doc, err := source.Parse("surface.json", s.Encode(), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if err := wire.CheckSurface(doc.Root(), limits.Default); err != nil {
			t.Fatal(err)
		}
		f := card.Read(doc)
		for i, one := range f.Servers {
			one.Subject = fmt.Sprint("s", i)
		}
		found, incomplete := engine.Judge(engine.Input{Cards: []*card.File{f}, Rules: rules, Limits: limits.Default})
		if len(incomplete) > 0 {
			t.Fatalf("%+v", incomplete)
		}
		all = append(all, found...)
		if testing.Verbose() {
			t.Logf("%s", s.Encode())
		}
	}
	return all
}

// patient are the limits of a probe in these tests: bodies are small, and only a test that fails waits long.
func patient() limits.Set {
	lim := limits.Default
	lim.ProbeLarge, lim.RetryWait = 64<<10, time.Millisecond
	return lim
}

func overHTTP(t *testing.T, s *honest, lim limits.Set) probe.Target {
	t.Helper()
	at := s.serve(t)
	door, err := net.New(net.Options{Named: at, UserAgent: "mcpassay/test", Limits: lim})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(door.Close)
	return probe.Target{URL: at, Door: door}
}

func asProgram(l func() *program) probe.Target {
	return probe.Target{Start: func(context.Context) (talk.Lines, error) {
		one := l()
		one.s = &honest{versions: wire.Legacy(), tools: goodTool}
		one.out, one.end = make(chan string, 100), make(chan struct{})
		return one, nil
	}}
}

func onTheWire(r *rule.Rule) bool { return strings.HasPrefix(r.ID, "endpoint/") }

func TestAnHonestServerIsClean(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]probe.Target{
		"legacy": overHTTP(t, &honest{}, patient()), "2025-03-26": overHTTP(t, &honest{versions: []string{wire.V20250326}, fault: takesBatches}, patient()),
		"modern": overHTTP(t, &honest{modern: true}, patient()), "stdio": asProgram(func() *program { return &program{} }),
	} {
		for _, f := range probed(t, target, patient(), onTheWire) {
			// It speaks one revision alone, which is its right and worth knowing.
			if name != "2025-03-26" || f.Rule != "endpoint/ignored-version" || f.Severity != finding.Info {
				t.Errorf("%s: %s %s", name, f.Rule, f.Message)
			}
		}
	}
}

// takesBatches answers arrays, as 2025-03-26 has it.
func takesBatches(w http.ResponseWriter, r *http.Request, m *asked) bool {
	if !strings.HasPrefix(string(m.raw), "[{") {
		return false
	}
	answer(w, 200, `[{"jsonrpc":"2.0","id":901,"result":{}},{"jsonrpc":"2.0","id":902,"result":{}}]`)
	return true
}

func TestAServerWithOneFaultGivesThatFindingAlone(t *testing.T) {
	t.Parallel()
	for _, c := range faulty {
		t.Run(strings.TrimPrefix(c.row+" "+c.rule, " "), func(t *testing.T) {
			t.Parallel()
			lim := patient()
			if c.hasty {
				lim.RequestTime = 300 * time.Millisecond
			}
			var target probe.Target
			if c.program != nil {
				target = asProgram(c.program)
			} else {
				target = overHTTP(t, c.server(), lim)
			}
			found := probed(t, target, lim, func(r *rule.Rule) bool { return onTheWire(r) || r.ID == c.rule })
			fired := false
			for _, f := range found {
				if fired = fired || f.Rule == c.rule; f.Rule != c.rule && f.Rule != c.with {
					t.Errorf("also %s: %s", f.Rule, f.Message)
				}
			}
			if !fired {
				t.Errorf("%s does not fire", c.rule)
			}
		})
	}
}
