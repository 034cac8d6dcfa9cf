package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/score"
)

// probeReport is what these tests read of a report.
type probeReport struct {
	Exit       int               `json:"exit"`
	ScoreCard  score.Card        `json:"scoreCard"`
	Incomplete []json.RawMessage `json:"incomplete"`
	Findings   []struct {
		Rule, Section, Message string
		Fix                    *struct{ Title string }
	} `json:"findings"`
}

// faults are the rules of endpoints that found something, without their category.
func (rep *probeReport) faults() string {
	var names []string
	for _, f := range rep.Findings {
		if name, ok := strings.CutPrefix(f.Rule, "endpoint/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
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
// missing, one for another mistake where "jsonrpc" is, dead sessions that are no 404, batches that are carried out, cursors
// that are not read, and that a web page can reach it. That, and nothing else, each with its part of the score and a fix.
func TestProbeGradesARealServer(t *testing.T) {
	for mode, c := range map[string]struct {
		path         string
		total, least int
		faults       string
	}{
		"streamableHttp": {"/mcp", 96, 96, "accepted-junk batch-body dead-session foreign-host foreign-origin ignored-cursor open-cors refused-accept wrong-error-code"},
		"sse":            {"/sse", 93, 87, "ignored-cursor plain-error wrong-error-code"},
	} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			rep, printed := graded(t, dir, everything(t, mode)+c.path, "--save", "probe.json")
			card := rep.ScoreCard
			if len(rep.Incomplete) > 0 || card.Total < c.least || card.Total > c.total || len(card.Lanes) != 1 || card.Lanes[0].Revision != "2025-11-25" {
				t.Errorf("%d %s\n%s", card.Total, card.Grade, printed)
			}
			if found := rep.faults(); found != c.faults {
				t.Errorf("%s\nwant %s", found, c.faults)
			}
			for _, f := range rep.Findings {
				if f.Section == "" || f.Fix == nil || f.Fix.Title == "" {
					t.Errorf("%s says not where it belongs, or how to fix it: %+v", f.Rule, f)
				}
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

// A gated endpoint has no grade until it is given its token, which is kept nowhere.
func TestProbeIsLetInByAToken(t *testing.T) {
	const token = "fake-token-0123456789abcdef"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://example.com/"`)
			w.WriteHeader(401)
		case json.Unmarshal(body, &m) != nil:
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON, %s"}}`, r.Header.Get("Authorization"))
		case m.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}`, m.ID)
		case m.Method == "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, m.ID)
		case len(m.ID) == 0:
			w.WriteHeader(202)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		}
	}))
	defer s.Close()
	dir := t.TempDir()
	rep, printed := graded(t, dir, s.URL+"/mcp")
	if !rep.ScoreCard.Gated || rep.ScoreCard.Grade != "" || rep.Exit != 2 {
		t.Errorf("%+v\n%s", rep.ScoreCard, printed)
	}
	t.Setenv("PROBE_TEST_TOKEN", token)
	rep, printed = graded(t, dir, s.URL+"/mcp", "--bearer-token-env", "PROBE_TEST_TOKEN", "--save", "probe.json")
	if rep.ScoreCard.Gated || rep.ScoreCard.Grade == "" {
		t.Errorf("%+v\n%s", rep.ScoreCard, printed)
	}
	saved, err := os.ReadFile(filepath.Join(dir, "probe.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(saved)+printed, token) || !strings.Contains(string(saved), "no JSON, Bearer ****") {
		t.Errorf("%s\n%s", printed, saved)
	}
}

func TestProbeGradesARealLocalServer(t *testing.T) {
	rep, printed := graded(t, t.TempDir(), "--executor", "host", "--", "node", npmServer(t, "server-everything"))
	card := rep.ScoreCard
	if len(rep.Incomplete) > 0 || card.Grade != "A" || len(card.Lanes) != 1 || card.Lanes[0].Sections.Discovery.Applies || card.Lanes[0].Sections.Errors.Score != 21 {
		t.Errorf("%d %s\n%s", card.Total, card.Grade, printed)
	}
	if found := rep.faults(); found != "ignored-cursor wrong-error-code" {
		t.Errorf("%s", found)
	}
}

// Our own server passes its own checks in both eras, over HTTP and on standard input and output.
func TestOurOwnServerHasGradeA(t *testing.T) {
	t.Parallel()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0")
	defer interrupt()
	for name, target := range map[string][]string{"http": {endpoint}, "http, its second path": {endpoint + "/lint"}, "stdio": {"--executor", "host", "--", bin, "serve"}} {
		rep, printed := graded(t, t.TempDir(), append([]string{"--era", "both", "--deep"}, target...)...)
		if rep.Exit != 0 || len(rep.Findings) > 0 || len(rep.ScoreCard.Lanes) != 2 {
			t.Errorf("%s: %s", name, printed)
		}
		for _, l := range rep.ScoreCard.Lanes {
			if l.Grade != "A" || l.Total != 100 {
				t.Errorf("%s, %s: %s %d\n%s", name, l.Era, l.Grade, l.Total, printed)
			}
		}
	}
}
