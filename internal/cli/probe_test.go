package cli

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/score"
)

func TestALineOfAWatchSaysWhatIsNewAndWhatIsGone(t *testing.T) {
	round := func(c score.Card, messages ...string) *engine.Result {
		res := &engine.Result{Score: &c}
		for _, m := range messages {
			res.Findings = append(res.Findings, finding.Finding{Rule: "endpoint/x", Message: m, Status: finding.Active})
		}
		return res
	}
	line, state := watchLine(round(score.Card{Grade: "A", Total: 96}, "slow", "slow"), "")
	if line != "A 96  1 finding" {
		t.Error(line)
	}
	line, same := watchLine(round(score.Card{Grade: "A", Total: 96}, "slow"), state)
	if line != "A 96  no change" {
		t.Error(line)
	}
	line, state = watchLine(round(score.Card{Grade: "F", Total: 9}, "broken\x1b[2J\nagain"), same)
	if !strings.HasPrefix(line, "F 9  gone: endpoint/x: slow; new: endpoint/x: broken") || strings.ContainsAny(line, "\x1b\n") {
		t.Errorf("%q", line)
	}
	down := round(score.Card{})
	down.Incomplete = []finding.Incomplete{{Detail: "handshake: connection refused"}}
	if line, kept := watchLine(down, state); line != "no grade  not checked: handshake: connection refused" || kept != state {
		t.Errorf("an outage: %q, %q", line, kept)
	}
	res := round(score.Card{Gated: true})
	res.Incomplete = []finding.Incomplete{{Detail: "handshake: HTTP 401"}}
	if line, _ = watchLine(res, state); !strings.HasPrefix(line, "gated  gone: ") || !strings.Contains(line, "new: not checked: handshake: HTTP 401") {
		t.Errorf("%q", line)
	}
}
