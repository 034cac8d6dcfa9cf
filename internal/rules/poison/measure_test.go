package poison

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

type labelled struct {
	ID, Class, Source, Server, Kind string
	Expect                          any
	Tool                            json.RawMessage
}

func load(t testing.TB, kind string) []labelled {
	f, err := os.Open(os.Getenv("MCPASSAY_SHARED") + "/corpus/cards/" + kind + ".jsonl")
	if err != nil {
		t.Skip(err)
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

func judgeTool(t testing.TB, tool []byte) *verdict {
	doc, err := source.Parse("tools.json", []byte(`{"tools":[`+string(tool)+`]}`), source.JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	f := card.Read(doc)
	for _, v := range verdicts(&rule.Pass{Limits: limits.Default}, f.Servers[0]) {
		return v
	}
	return nil
}

var ideaNames = [...]string{"hidden", "override", "policy", "conceal", "exfil", "command", "tamper", "coerce", "redirect", "latent", "prefer", "caller", "sleeper", "offensive", "odd", "encoded", "split", "unicode", "deceptive", "escape"}

func show(v *verdict) string {
	var out []string
	for _, e := range v.list {
		x := e.node.Text()
		if e.start >= 0 && e.end <= len(x) && e.start < e.end {
			x = x[e.start:e.end]
		} else if len(x) > 50 {
			x = x[:50]
		}
		out = append(out, fmt.Sprintf("%s%d %q", ideaNames[e.idea], e.level, x))
	}
	return strings.Join(out, " | ")
}

func TestMeasure(t *testing.T) {
	want := os.Getenv("SHOW")
	for _, kind := range []string{"poisoned", "template", "overt", "subtle", "crafted", "benign_real", "benign_hard", "code_only", "vulnerable"} {
		all := load(t, kind)
		warn, err, block := 0, 0, 0
		per := map[string]int{}
		servers := map[string]bool{}
		hit := map[string]bool{}
		missed := map[string]int{}
		for _, l := range all {
			servers[l.Server] = true
			if kind == "crafted" && l.Kind == "benign" {
				if v := judgeTool(t, l.Tool); v != nil {
					fmt.Println("CRAFTED BENIGN", l.ID, show(v))
				}
				continue
			}
			v := judgeTool(t, l.Tool)
			poison, top := false, 0
			if v != nil {
				for i, n := range v.level {
					if n > 0 {
						per[fmt.Sprint(ideaNames[i])]++
						if idea(i) != offensiveTool || kind == "overt" {
							poison = true
							top = max(top, n)
						}
					}
				}
			}
			if poison {
				warn++
				hit[l.Server] = true
				if top >= 2 || v.blocks {
					err++
				}
				if v.blocks {
					block++
				}
			} else {
				missed[l.Class]++
			}
			if v != nil && strings.Contains(want, kind+"+") || v != nil && strings.Contains(want, kind+"b") && v.blocks || v != nil && strings.Contains(want, kind+"e") && (v.blocks || top >= 2) {
				fmt.Println("HIT ", kind, l.ID, l.Server, v.card.Name, v.blocks, show(v))
			}
			if !poison && strings.Contains(want, kind+"-") {
				s := string(l.Tool)
				if len(s) > 900 {
					s = s[:900]
				}
				fmt.Println("MISS", kind, l.ID, l.Class, s)
			}
			if v != nil && !v.blocks && strings.Contains(want, kind+"n") {
				fmt.Println("NOBL", kind, l.ID, l.Class, show(v))
			}
		}
		keys := []string{}
		for k, n := range per {
			keys = append(keys, fmt.Sprintf("%s %d", k, n))
		}
		sort.Strings(keys)
		fmt.Printf("%-12s n %d warn %d (%.1f%%) error %d block %d (%.0f%%) servers %d/%d %v missed %v\n", kind, len(all), warn, 100*float64(warn)/float64(len(all)), err, block, 100*float64(block)/float64(len(all)), len(hit), len(servers), keys, missed)
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

func TestOwn(t *testing.T) {
	all := fixtures(t, "hostile")
	n, b := 0, 0
	for _, f := range all {
		v := judgeTool(t, f.Tool)
		if v == nil {
			fmt.Println("MISS", f.Class, string(f.Tool))
			continue
		}
		n++
		if v.blocks {
			b++
		}
		if os.Getenv("SHOW") == "own" {
			fmt.Println("HIT", v.blocks, f.Class, show(v))
		}
	}
	fmt.Println("own", len(all), "warn", n, "block", b)
}

func TestOwn2(t *testing.T) {
	for _, name := range []string{"hostile", "hostile2", "lookalike"} {
		all := fixtures(t, name)
		n, b, e := 0, 0, 0
		for _, f := range all {
			v := judgeTool(t, f.Tool)
			if v == nil {
				if name != "lookalike" {
					fmt.Println("MISS", f.Class, strings.ReplaceAll(string(f.Tool), "\n", ""))
				}
				continue
			}
			n++
			if v.blocks {
				b++
			}
			for _, l := range v.level {
				if l > 1 {
					e++
					break
				}
			}
			if name == "lookalike" {
				fmt.Println("FALSE", v.blocks, v.card.Name, show(v))
			}
		}
		fmt.Println(name, len(all), "warn", n, "error", e, "block", b)
	}
}
