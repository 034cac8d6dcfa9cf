package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/score"
)

// probeReport is what these tests read of a report.
type probeReport struct {
	Exit       int               `json:"exit"`
	ScoreCard  score.Card        `json:"scoreCard"`
	Incomplete []json.RawMessage `json:"incomplete"`
}

// graded runs the program in a folder of its own and gives its report.
func graded(t *testing.T, dir string, args ...string) (rep probeReport, printed string) {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{"probe", "--json"}, args...)...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), errs.String())
	}
	return rep, out.String() + errs.String()
}

// What the reference server was measured to get wrong over HTTP and on a stream: a code of its own where a tool's name is
// missing, one for another mistake where "jsonrpc" is, and that a web page can reach it.
func TestProbeGradesARealServer(t *testing.T) {
	for mode, c := range map[string]struct {
		path         string
		total, least int
	}{"streamableHttp": {"/mcp", 96, 96}, "sse": {"/sse", 93, 87}} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			rep, printed := graded(t, dir, everything(t, mode)+c.path, "--save", "probe.json")
			card := rep.ScoreCard
			if len(rep.Incomplete) > 0 || card.Total < c.least || card.Total > c.total || len(card.Lanes) != 1 || card.Lanes[0].Revision != "2025-11-25" {
				t.Errorf("%d %s\n%s", card.Total, card.Grade, printed)
			}
			for _, r := range card.Lanes[0].Sections.Errors.Rows {
				if r.Check == "call-without-name" && r.Code != -32603 {
					t.Errorf("%+v", r)
				}
			}
			if mode == "streamableHttp" && (card.Capped == "" || card.Grade != "B") {
				t.Errorf("%s, capped %q", card.Grade, card.Capped)
			}
			again, printed := graded(t, dir, "--replay", filepath.Join(dir, "probe.json"))
			if again.ScoreCard.Total != card.Total || again.ScoreCard.Grade != card.Grade {
				t.Errorf("again it is %d %s\n%s", again.ScoreCard.Total, again.ScoreCard.Grade, printed)
			}
		})
	}
}

func TestProbeGradesARealLocalServer(t *testing.T) {
	rep, printed := graded(t, t.TempDir(), "--executor", "host", "--", "node", npmServer(t, "server-everything"))
	card := rep.ScoreCard
	if len(rep.Incomplete) > 0 || card.Grade != "A" || len(card.Lanes) != 1 || card.Lanes[0].Sections.Discovery.Applies || card.Lanes[0].Sections.Errors.Score != 21 {
		t.Errorf("%d %s\n%s", card.Total, card.Grade, printed)
	}
}
