package speech

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
)

// labelled is a line of the labelled cards.
type labelled struct {
	ID, Class, Source, Server, Kind string
	Expect                          any
	Tool                            json.RawMessage
}

func load(t testing.TB, kind string) []labelled {
	root := os.Getenv("MCPASSAY_SHARED")
	if root == "" {
		root = "../../../../shared"
	}
	f, err := os.Open(root + "/corpus/cards/" + kind + ".jsonl")
	if err != nil {
		t.Skipf("the labelled cards are not here: they lie beside the repository, or in the folder that MCPASSAY_SHARED names (%v)", err)
	}
	defer f.Close()
	var out []labelled
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		var l labelled
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

func judgeTool(t testing.TB, tool []byte) *Verdict {
	doc, err := source.Parse("tools.json", []byte(`{"tools":[`+string(tool)+`]}`), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	f := card.Read(doc)
	for _, v := range Verdicts(f.Servers[0], &limits.Default) {
		return v
	}
	return nil
}

var ideaNames = [...]string{"hidden", "override", "policy", "conceal", "exfil", "command", "tamper", "coerce", "redirect", "latent", "prefer", "caller", "sleeper", "offensive", "odd", "encoded", "split", "unicode", "deceptive", "escape"}

func show(v *Verdict) string {
	var out []string
	for _, e := range v.List {
		x := e.Node.Text()
		if e.Start >= 0 && e.End <= len(x) && e.Start < e.End {
			x = x[e.Start:e.End]
		} else if len(x) > 50 {
			x = x[:50]
		}
		out = append(out, fmt.Sprintf("%s%d %q", ideaNames[e.Idea], e.Level, x))
	}
	return strings.Join(out, " | ")
}

// TestCorpus holds the rules against the labelled cards, where those are present, and logs a table. SHOW names kinds whose
// hits (+), misses (-) or unblocked cards (n) are listed.
func TestCorpus(t *testing.T) {
	want := os.Getenv("SHOW")
	for _, c := range []struct {
		kind         string
		least, block float64 // shares that must be found, and blocked
		most         float64 // the share that may be found among the honest
	}{
		{"poisoned", 0.95, 0.5, 1}, {"template", 0.95, 0.5, 1}, {"overt", 0.9, 0, 1}, {"subtle", 0.4, 0, 1}, {"crafted", 0.75, 0.4, 1},
		{"benign_real", 0, 0, 0.005}, {"benign_hard", 0, 0, 0.05}, {"code_only", 0, 0, 0.05}, {"vulnerable", 0, 0, 0.05},
	} {
		n, warn, grave, block := 0, 0, 0, 0
		per, missed := map[string]int{}, map[string]int{}
		servers, hit := map[string]bool{}, map[string]bool{}
		for _, l := range load(t, c.kind) {
			if c.kind == "crafted" && l.Kind == "benign" {
				if v := judgeTool(t, l.Tool); v != nil && len(v.List) > 0 {
					t.Errorf("the harmless card %s: %s", l.ID, show(v))
				}
				continue
			}
			n++
			servers[l.Server] = true
			v := judgeTool(t, l.Tool)
			top := 0
			if v != nil {
				for i, level := range v.Level {
					if level > 0 {
						per[ideaNames[i]]++
						if Idea(i) != OffensiveTool || c.kind == "overt" {
							top = max(top, level)
						}
					}
				}
			}
			if top == 0 {
				missed[l.Class]++
				if strings.Contains(want, c.kind+"-") {
					t.Logf("missed: %s %s %.900s", l.ID, l.Class, l.Tool)
				}
				continue
			}
			warn++
			hit[l.Server] = true
			if top >= Errors || v.Blocks {
				grave++
			}
			if v.Blocks {
				block++
			}
			if strings.Contains(want, c.kind+"+") || strings.Contains(want, c.kind+"n") && !v.Blocks {
				t.Logf("found: %s %s %v %s", l.ID, l.Class, v.Blocks, show(v))
			}
		}
		t.Logf("%-12s n %d, warning %d (%.1f %%), error %d, block %d (%.0f %%), servers %d/%d %v, missed %v", c.kind, n, warn, 100*float64(warn)/float64(n),
			grave, block, 100*float64(block)/float64(n), len(hit), len(servers), per, missed)
		share := float64(warn) / float64(n)
		if share < c.least || share > c.most || float64(block)/float64(n) < c.block {
			t.Errorf("%s: %.3f found and %d blocked of %d", c.kind, share, block, n)
		}
		if c.most < 1 && block > 0 {
			t.Errorf("%s: %d honest cards are blocked", c.kind, block)
		}
	}
}

type fixture struct {
	Class string
	Tool  json.RawMessage
}

func fixtures(t testing.TB, name string) []fixture {
	raw, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cards []fixture }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all.Cards
}

// TestFixtures holds what our own cards give: those of the first files are hostile, all written before the rules that
// find them, those of the third are honest and look alike.
func TestFixtures(t *testing.T) {
	for _, c := range []struct {
		name        string
		found, most int // how many must be found, or may be at most
		blocked     int // the same for those that are blocked
	}{{"hostile", 81, 84, 38}, {"hostile_second", 43, 47, 10}, {"hostile_third", 37, 43, 11}, {"hostile_fourth", 26, 33, 8}, {"hostile_fifth", 53, 55, 12}, {"hostile_sixth", 44, 51, 9}, {"lookalike_fourth", 0, 4, 0}, {"lookalike_third", 0, 2, 0}, {"lookalike_second", 0, 2, 0}, {"lookalike", 0, 2, 0}} {
		found, blocked := 0, 0
		all := fixtures(t, c.name)
		for _, f := range all {
			v := judgeTool(t, f.Tool)
			if v == nil || len(v.List) == 0 {
				if c.found > 0 && testing.Verbose() {
					t.Logf("missed: %s %s", f.Class, strings.ReplaceAll(string(f.Tool), "\n", ""))
				}
				continue
			}
			if found++; c.found == 0 && testing.Verbose() {
				t.Logf("false: %s", show(v))
			}
			if v.Blocks {
				blocked++
			}
		}
		t.Logf("%s: %d of %d, %d blocked", c.name, found, len(all), blocked)
		if found < c.found || found > c.most || blocked < c.blocked || c.found == 0 && blocked > 0 {
			t.Errorf("%s: %d found and %d blocked of %d, want %d to %d, and %d blocked", c.name, found, blocked, len(all), c.found, c.most, c.blocked)
		}
	}
}
