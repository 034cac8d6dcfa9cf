package test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type lintReport struct {
	Summary  struct{ Error, Warning, Info, Skipped, Incomplete, Files int }
	Findings []struct {
		Rule     string
		Location struct{ Path string }
	}
}

func lintExample(t *testing.T, name string, flags ...string) (int, lintReport) {
	t.Helper()
	code, out := program(copyOfExamples(t), append([]string{"lint", "examples/" + name, "--json", "--today", "2026-11-30"}, flags...)...)
	var r lintReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return code, r
}

func TestTheCleanExampleIsCleanOnEverySystem(t *testing.T) {
	for _, platform := range []string{"linux", "darwin", "windows"} {
		code, r := lintExample(t, "clean", "--platform", platform)
		if code != 0 || len(r.Findings) > 0 || r.Summary.Files != 3 {
			t.Errorf("on %s: exit %d, %+v", platform, code, r)
		}
	}
}

// The page's table names each hostile file and exactly the rules that it breaks.
func TestTheHostileExampleBreaksTheRulesItsPageNames(t *testing.T) {
	code, r := lintExample(t, "hostile")
	if code != 1 || r.Summary.Incomplete+r.Summary.Skipped > 0 {
		t.Errorf("exit %d, %+v", code, r.Summary)
	}
	found := map[string][]string{}
	for _, f := range r.Findings {
		if f.Rule != "mcp-consistency/missing-from-client" { // every file has its own servers here
			found[f.Location.Path] = append(found[f.Location.Path], f.Rule)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\S+)` \\|.*\\| (.*) \\|$").FindAllStringSubmatch(readRepository(t, "examples/README.md"), -1)
	if len(rows) != len(found) {
		t.Errorf("the page names %d files, findings are in %d", len(rows), len(found))
	}
	for _, row := range rows {
		want := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1)
		var named []string
		for _, w := range want {
			named = append(named, w[1])
		}
		got := found[row[1]]
		slices.Sort(named)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, named) {
			t.Errorf("%s breaks\n  %s\nthe page says\n  %s", row[1], strings.Join(got, "\n  "), strings.Join(named, "\n  "))
		}
	}
}

func TestTheExamplesPolicyIsInForce(t *testing.T) {
	_, out := program(filepath.Join(copyOfExamples(t), "examples", "clean"), "config", "show")
	if !strings.Contains(out, "strict") || !strings.Contains(out, "mcpassay.yaml") {
		t.Error(out)
	}
}
