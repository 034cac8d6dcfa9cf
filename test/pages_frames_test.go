package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// On a page of a rule on traffic a fence of frames is a session, a frame a line: "> " before one that the client sends, "< " before
// one of the server, "! " before an event of the guard, with its name and what it is about. A finding stands at its line, with what is
// done in front of its message. A fence "text forwarded" has what reaches the other side: a frame that is changed, or "> 1" for the
// first line as it is.
func judgeFrames(t *testing.T, r *rule.Rule, files []fence) (all []finding.Finding) {
	t.Helper()
	for _, f := range files {
		if f.lang != "frames" {
			continue
		}
		s := guard.NewSession(guard.Options{Rules: []*rule.Rule{r}})
		var forwarded []string
		for i, line := range strings.Split(strings.TrimSuffix(f.text, "\n"), "\n") {
			mark, raw, _ := strings.Cut(line, " ")
			from := guard.Client
			var res guard.Result
			switch mark {
			case "!":
				event, detail, _ := strings.Cut(raw, " ")
				res.Action, res.Findings = s.Event(guard.Server, traffic.Event(event), detail)
			case "<":
				from = guard.Server
				fallthrough
			case ">":
				res = s.Frame(from, []byte(raw))
				checkResult(t, from, raw, res)
			default:
				t.Fatalf("%q is no frame", line)
			}
			switch {
			case string(res.Forward) == raw:
				forwarded = append(forwarded, fmt.Sprint(mark, " ", i+1))
			case res.Forward != nil:
				forwarded = append(forwarded, mark+" "+string(res.Forward))
			}
			for _, one := range res.Findings {
				one.Location.Line = i + 1
				one.Message = one.Action + ": " + one.Message
				one.Fingerprint = "a frame has none"
				all = append(all, one)
			}
		}
		for _, want := range files {
			if want.path == "forwarded" && strings.TrimSuffix(want.text, "\n") != strings.Join(forwarded, "\n") {
				t.Errorf("forwarded\n%s\nwant\n%s", strings.Join(forwarded, "\n"), want.text)
			}
		}
	}
	return all
}

// checkResult holds what is true of every frame: what is forwarded is what came or JSON, and no request is left without an answer.
func checkResult(t *testing.T, from guard.Side, raw string, r guard.Result) {
	t.Helper()
	if r.Forward != nil && string(r.Forward) != raw && !json.Valid(r.Forward) || r.Reply != nil && !json.Valid(r.Reply) {
		t.Errorf("%s becomes %s, and the answer is %s", raw, r.Forward, r.Reply)
	}
	if (r.Action < guard.Redact) != (string(r.Forward) == raw) {
		t.Errorf("%s: %s, and %s is forwarded", raw, r.Action, r.Forward)
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal([]byte(raw), &m) == nil && m.Method != "" && m.ID != nil && r.Forward == nil && r.Reply == nil {
		t.Errorf("the %s waits in vain for an answer to %s", from, raw)
	}
	if len(r.Forward) > limits.Default.GuardedFrame+limits.KiB {
		t.Errorf("%d bytes are forwarded", len(r.Forward))
	}
}
