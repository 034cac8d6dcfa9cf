package guard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exchange is a line of the captured traffic: over HTTP a request and its answer, over stdio a request and the lines that followed.
type exchange struct {
	Req    json.RawMessage `json:"req"`
	Res    struct{ Body string }
	Frames []string
}

// TestCapturedTrafficOfHonestServersPasses holds every rule against what official servers and SDKs really sent. What the capture sent
// on purpose to be refused is not looked at, but for the answers to it.
func TestCapturedTrafficOfHonestServersPasses(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared(t, "corpus/wire"), "*.jsonl"))
	judged := 0
	for _, name := range files {
		if filepath.Base(name) == "frames.jsonl" {
			continue
		}
		lines, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(lines)) {
			var e exchange
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				continue // a line of another shape
			}
			s := NewSession(Options{})
			if s.Frame(Client, []byte(sent(e.Req))).Action == Block {
				continue
			}
			frames := e.Frames
			for part := range strings.SplitSeq(e.Res.Body, "\n") {
				frames = append(frames, strings.TrimPrefix(part, "data: "))
			}
			for _, f := range frames {
				f = strings.TrimSpace(f)
				if !strings.HasPrefix(f, `{"`) && !strings.HasPrefix(f, `[{"`) || !strings.Contains(f, `"jsonrpc"`) {
					continue
				}
				judged++
				r := s.Frame(Server, []byte(f))
				if r.Action > Note || string(r.Forward) != f {
					t.Errorf("%s: %s: %s\n%.300s", filepath.Base(name), r.Action, said(r), f)
				} else if r.Action == Note {
					t.Logf("%s: noted: %s", filepath.Base(name), said(r))
				}
			}
		}
	}
	if judged < 100 {
		t.Errorf("%d frames were judged", judged)
	}
	t.Logf("%d frames", judged)
}

// sent is the frame of a captured request: over HTTP it is the body.
func sent(req json.RawMessage) string {
	var text string
	if json.Unmarshal(req, &text) == nil {
		return text
	}
	var http struct{ Body string }
	if json.Unmarshal(req, &http) == nil {
		return http.Body
	}
	return ""
}

// TestListsOfHonestToolsAreNotBlocked holds the rules on lists against the labelled cards of public servers, a list of each.
func TestListsOfHonestToolsAreNotBlocked(t *testing.T) {
	lines, err := os.ReadFile(filepath.Join(shared(t, "corpus/cards"), "benign_real.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	servers := map[string][]string{}
	for line := range strings.Lines(string(lines)) {
		var c struct {
			Server string
			Tool   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		servers[c.Server] = append(servers[c.Server], string(c.Tool))
	}
	noted := 0
	for name, tools := range servers {
		r := NewSession(Options{}).Frame(Server, []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`+strings.Join(tools, ",")+`]}}`))
		if r.Action > Note {
			t.Errorf("%s: %s", name, said(r))
		} else if r.Action == Note {
			noted++
		}
	}
	if len(servers) < 100 || noted*20 > len(servers) {
		t.Errorf("of %d lists %d are noted", len(servers), noted)
	}
	t.Logf("of %d lists %d are noted", len(servers), noted)
}
