package guard

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shared is a folder of the public traffic that detection is measured on; it lies beside the repository, or where MCPASSAY_SHARED
// says.
func shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("MCPASSAY_SHARED")
	if root == "" {
		root = "../../../../shared"
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the traffic is not here: it lies beside the repository, or in the folder that MCPASSAY_SHARED names (%v)", err)
	}
	return path
}

// word is an action in the words of the corpora: what is forwarded and told of is a warning.
func word(a Action) string {
	return [...]string{Pass: "pass", Note: "warn", Redact: "warn", Block: "block"}[a]
}

// sender guesses who sent a frame that stands alone: requests of a server are known by their methods.
func sender(raw []byte) Side {
	var m struct{ Method string }
	if json.Unmarshal(raw, &m) == nil && m.Method != "" && !strings.HasPrefix(m.Method, "sampling/") && !strings.HasPrefix(m.Method, "elicitation/") && !strings.HasPrefix(m.Method, "roots/") {
		return Client
	}
	return Server
}

func said(r Result) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Action+" "+f.Rule)
	}
	return strings.Join(all, ", ")
}

type expected struct {
	ID      string          `json:"id"`
	Bucket  string          `json:"bucket"`
	Action  string          `json:"expected_action"`
	Sig     string          `json:"expected_signature_id"`
	Message json.RawMessage `json:"message"`
}

func frames(t *testing.T) (all []expected) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(shared(t, "corpus/wire"), "frames.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var e expected
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	root := shared(t, "corpus/wire/guard-corpus")
	for _, bucket := range []string{"attacks", "benign", "warn"} {
		names, _ := filepath.Glob(filepath.Join(root, "mcptox", bucket, "*.json"))
		if len(names) == 0 {
			t.Fatalf("no cases of %s", bucket)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			e := expected{ID: filepath.Base(name), Bucket: bucket}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
	}
	sessions, _ := filepath.Glob(filepath.Join(root, "legitimate-corpus", "*.jsonl"))
	for _, name := range sessions {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if text := lines.Text(); strings.HasPrefix(text, "{") {
				all = append(all, expected{ID: filepath.Base(name), Bucket: "sessions", Action: "pass", Message: json.RawMessage(text)})
			}
		}
		f.Close()
	}
	return all
}

// TestEveryFrameOfTheCorporaIsJudgedAsItIsLabelled holds detection against labelled frames of others: mcpm's fixtures (MIT).
func TestEveryFrameOfTheCorporaIsJudgedAsItIsLabelled(t *testing.T) {
	type tally struct{ right, all int }
	per := map[string]*tally{}
	for _, e := range frames(t) {
		if e.Action == "" {
			if e.Bucket != "benign_traffic" {
				continue // two lists that are to be compared: no frame
			}
			e.Action = "pass"
		}
		s := NewSession(Options{})
		r := s.Frame(sender(e.Message), e.Message)
		k := e.Bucket + "/" + e.Action
		if per[k] == nil {
			per[k] = new(tally)
		}
		per[k].all++
		if got := word(r.Action); got == e.Action {
			per[k].right++
		} else {
			t.Errorf("%s %s: %s, want %s: %s", e.Bucket, e.ID, got, e.Action, said(r))
		}
		if e.Sig != "" && !named(r, e.Sig) {
			t.Errorf("%s: %s is not among %s", e.ID, e.Sig, said(r))
		}
		if r.Action < Redact && string(r.Forward) != string(e.Message) {
			t.Errorf("%s is not forwarded as it is", e.ID)
		}
	}
	for k, n := range per {
		t.Logf("%-24s %d of %d", k, n.right, n.all)
	}
}

// named says whether a finding of a result has an alias.
func named(r Result, alias string) bool {
	for _, f := range r.Findings {
		for _, a := range f.Aliases {
			if a == alias {
				return true
			}
		}
	}
	return false
}
