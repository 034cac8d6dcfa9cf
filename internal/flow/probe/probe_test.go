package probe

import (
	"context"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/net"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

func options() Options {
	lim := limits.Default
	lim.ListenTime, lim.RetryWait = 200*time.Millisecond, time.Millisecond
	return Options{Client: "mcpassay", ClientVersion: "0", Limits: lim, Nonce: "nonce"}
}

// impatient are options for servers that do not answer.
func impatient() Options {
	o := options()
	o.Limits.RequestTime, o.Limits.HeaderTime, o.Limits.IdleTime = 400*time.Millisecond, 400*time.Millisecond, 200*time.Millisecond
	o.Limits.StartTime = 400 * time.Millisecond
	return o
}

// probed probes a URL of this test.
func probed(t *testing.T, url string, o Options) []*wire.Surface {
	t.Helper()
	d, err := net.New(net.Options{Named: url, UserAgent: "mcpassay/0", Limits: o.Limits})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return Surfaces(context.Background(), Target{Label: "test", URL: url, Door: d}, o)
}

// graded is what judging gives.
type graded struct {
	card       *score.Card
	server     *card.Server
	findings   []finding.Finding
	incomplete []finding.Incomplete
}

// grades judges surfaces in the form in which they are saved, and again once that is read and written.
func grades(t *testing.T, all []*wire.Surface) graded {
	t.Helper()
	raw := scan.Document(all)
	set := load.NewSet(nil, limits.Default)
	if err := scan.Read(set, "test", "", raw, nil, limits.Default); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	res := Judge(set, catalog.All(), nobodysFacts{})
	if res.Score == nil {
		t.Fatalf("no score of %s", raw)
	}
	return graded{res.Score, set.Cards[0].Servers[0], res.Findings, res.Incomplete}
}

type nobodysFacts struct{}

func (nobodysFacts) Platform() string                        { return "linux" }
func (nobodysFacts) Home() string                            { return "" }
func (nobodysFacts) Exists(string) rule.Tri                  { return rule.Unknown }
func (nobodysFacts) Tracked(*client.File) (rule.Tri, string) { return rule.Unknown, "" }
func (nobodysFacts) Env(string) rule.Tri                     { return rule.Unknown }
func (nobodysFacts) OnPath(string) rule.Tri                  { return rule.Unknown }
