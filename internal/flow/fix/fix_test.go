package fix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// A word is a fault in these tests: each "bad" in the file is one, and its fix replaces it.
type words struct {
	with string            // what the fix of "bad" writes
	also map[string]string // other words that are faults, and the rule that finds them
}

func (w words) judge(f *client.File) (found []finding.Finding) {
	text := string(f.Doc.Raw)
	find := func(word, rule string, fix *finding.Fix) {
		for at, n := 0, 0; ; n++ {
			i := strings.Index(text[at:], word)
			if i < 0 {
				return
			}
			one := finding.Finding{Rule: rule, Message: word, Severity: finding.Error, Status: finding.Active, Shape: "/" + word,
				Fingerprint: fmt.Sprint(rule, word, n)}
			if fix != nil {
				one.Fix = &finding.Fix{Safety: finding.Safe, Edits: []finding.Edit{{Offset: at + i, Length: len(word), Text: w.with}}}
			}
			found = append(found, one)
			at += i + len(word)
		}
	}
	find("bad", "x/bad", &finding.Fix{})
	for word, rule := range w.also {
		find(word, rule, nil)
	}
	return found
}

func file(t *testing.T, text string) *client.File {
	t.Helper()
	f := client.Identify(client.Where{Path: ".mcp.json", Root: "/p"})
	f.Load([]byte(text), limits.Default)
	if f.Doc == nil {
		t.Fatal(f.Err)
	}
	return f
}

func plan(t *testing.T, text string, w words) *Change {
	t.Helper()
	return Plan(file(t, text), w.judge, func(finding.Finding) bool { return true }, limits.Default)
}

func TestEveryFixIsMadeAndOtherBytesStay(t *testing.T) {
	c := plan(t, "{ \"a\":\t\"bad\",\r\n \"b\" : \"bad bad\" }\n", words{with: "good"})
	if got, want := string(c.Bytes()), "{ \"a\":\t\"good\",\r\n \"b\" : \"good good\" }\n"; got != want || len(c.Applied) != 3 || len(c.Left) != 0 {
		t.Fatalf("%q, %d made, %v left", got, len(c.Applied), c.Left)
	}
}

func TestAFixThatLeavesItsFindingIsNotMade(t *testing.T) {
	c := plan(t, `{"a": "bad"}`, words{with: "so bad"})
	if len(c.Applied) != 0 || len(c.Left) != 1 || !strings.Contains(c.Left[0].Why, "still be found") || string(c.Bytes()) != `{"a": "bad"}` {
		t.Fatalf("%+v %q", c.Left, c.Bytes())
	}
}

func TestAFixThatCausesAnErrorIsNotMade(t *testing.T) {
	c := plan(t, `{"a": "bad"}`, words{with: "worse", also: map[string]string{"worse": "x/worse"}})
	if len(c.Applied) != 0 || len(c.Left) != 1 || !strings.Contains(c.Left[0].Why, "x/worse") {
		t.Fatalf("%+v %q", c.Left, c.Bytes())
	}
}

func TestAFixThatBreaksTheFileIsNotMade(t *testing.T) {
	c := plan(t, `{"a": "bad"}`, words{with: `"`})
	if len(c.Applied) != 0 || len(c.Left) != 1 || !strings.Contains(c.Left[0].Why, "could not be read") {
		t.Fatalf("%+v %q", c.Left, c.Bytes())
	}
}

// A fix that renames the root key gives every other finding another pointer, and so another fingerprint. They are
// the old ones, and no reason to leave the fix out.
func TestAFixMayMoveOtherFindings(t *testing.T) {
	judge := func(f *client.File) (found []finding.Finding) {
		key := f.Doc.Root().Get("servers")
		if key.Valid() {
			at := key.KeySpan()
			found = append(found, finding.Finding{Rule: "x/key", Severity: finding.Error, Status: finding.Active, Fingerprint: "key",
				Fix: &finding.Fix{Safety: finding.Safe, Edits: []finding.Edit{{Offset: at.Start, Length: at.Len(), Text: `"mcpServers"`}}}})
		}
		for n := range f.Doc.Root().Children() {
			found = append(found, finding.Finding{Rule: "x/other", Message: "stays", Severity: finding.Error, Status: finding.Active,
				Server: "a", Shape: n.Pointer(), Fingerprint: "other" + n.Pointer()})
		}
		return found
	}
	all := func(finding.Finding) bool { return true }
	c := Plan(file(t, `{"servers": {"a": {}}}`), judge, all, limits.Default)
	if len(c.Applied) != 1 || string(c.Bytes()) != `{"mcpServers": {"a": {}}}` {
		t.Fatalf("%+v %q", c.Left, c.Bytes())
	}
	// One more of the same words is a new one.
	c = Plan(file(t, `{"servers": {"a": {}}}`), func(f *client.File) []finding.Finding {
		found := judge(f)
		if len(found) == 1 {
			found = append(found, finding.Finding{Rule: "x/other", Message: "stays", Severity: finding.Error, Status: finding.Active, Server: "a", Fingerprint: "more"})
		}
		return found
	}, all, limits.Default)
	if len(c.Applied) != 0 || len(c.Left) != 1 {
		t.Fatalf("%d made: %q", len(c.Applied), c.Bytes())
	}
}

func TestTwoFixesNeverGiveOneNameTwice(t *testing.T) {
	c := plan(t, `{"a": {"bad": 1, "x": {"bad": 2}, "good": 4}}`, words{with: "good"})
	if got, want := string(c.Bytes()), `{"a": {"bad": 1, "x": {"good": 2}, "good": 4}}`; got != want || len(c.Left) != 1 {
		t.Errorf("%s, left %+v", got, c.Left)
	}
	c = plan(t, `{"bad1": 1, "bad2": 2}`, words{with: "good"})
	if got := string(c.Bytes()); got != `{"good1": 1, "good2": 2}` {
		t.Errorf("%s", got)
	}
}

// Each object may take one of the two names a round; the other objects do not wait for it.
func TestManyObjectsTakeOneNameEach(t *testing.T) {
	const n = 200
	text := strings.TrimSuffix(strings.Repeat(`{"bad": 1, "bad ": 2}, `, n), ", ")
	f := file(t, `{"a": [`+text+`]}`)
	rounds := 0
	judge := func(f *client.File) (found []finding.Finding) {
		rounds++
		for node := range f.Doc.Nodes() {
			if key := node.Key(); strings.HasPrefix(key, "bad") && !node.Parent().Get("good").Valid() {
				found = append(found, finding.Finding{Rule: "x/bad", Message: key, Severity: finding.Warning, Status: finding.Active,
					Location: finding.Location{Pointer: node.Pointer()}, Shape: node.Pointer(), Fingerprint: node.Pointer(),
					Fix: &finding.Fix{Safety: finding.Safe, Edits: []finding.Edit{node.Rename("good")}}})
			}
		}
		return found
	}
	c := Plan(f, judge, func(finding.Finding) bool { return true }, limits.Default)
	if got := strings.Count(string(c.Bytes()), `{"good": 1, "bad ": 2}`); got != n || rounds > 3 {
		t.Errorf("%d of %d in %d rounds: %s", got, n, rounds, c.Bytes()[:60])
	}
}

// Each of them took a parse and a judgement: minutes for a file of 100 kB.
func TestThousandsOfFixesThatDoNotHoldAreGivenUp(t *testing.T) {
	c := plan(t, `["`+strings.Repeat("bad ", 3000)+`"]`, words{with: "worse", also: map[string]string{"worse": "x/worse"}})
	if last := c.Left[len(c.Left)-1]; len(c.Applied) != 0 || len(c.Left) > limits.Default.FixTries || !strings.Contains(last.Why, "more were not tried") {
		t.Errorf("%d applied, %d left, %s", len(c.Applied), len(c.Left), last.Why)
	}
}

func TestNothingToFixIsNil(t *testing.T) {
	if c := plan(t, `{"a": "fine"}`, words{}); c != nil {
		t.Fatalf("%+v", c)
	}
	if c := Plan(file(t, `{"a": "bad"}`), words{with: "good"}.judge, func(finding.Finding) bool { return false }, limits.Default); c != nil {
		t.Fatalf("%+v", c)
	}
}
