package test

import (
	"os"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/stash"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// A secret that is moved out of a real file is gone from where it stood, and the file has the lines that it had.
func TestSecretsLeaveEveryPublicConfigAndNothingElseDoes(t *testing.T) {
	_, all := corpus(t)
	moved, left := 0, 0
	for _, c := range all {
		raw, err := os.ReadFile(c.abs)
		if err != nil {
			t.Fatal(err)
		}
		f := client.Identify(client.Where{Path: c.path, Abs: c.abs, Env: client.Env{OS: "linux", Home: pageHome, Getenv: pageEnv("linux")}})
		f.Load(raw, limits.Default)
		if f.Doc == nil {
			continue
		}
		got := stash.Plan(f, func(string) (string, bool) { return "", false }, limits.Default)
		after := string(got.After.Doc.Raw)
		left += len(got.Left)
		moved += len(got.Moved)
		if len(got.Moved) == 0 && after != string(raw) || strings.Count(after, "\n") != strings.Count(string(raw), "\n") {
			t.Errorf("%s: more than secrets changed", c.file)
		}
		changed := map[string]bool{}
		before, now := strings.Split(string(raw), "\n"), strings.Split(after, "\n")
		for i := range min(len(before), len(now)) {
			if before[i] != now[i] {
				changed[before[i]] = true
			}
		}
		for _, m := range got.Moved {
			held := false
			for line := range changed {
				held = held || strings.Contains(line, m.Value)
			}
			if !held {
				t.Errorf("%s: %s was moved, and no line that held it changed", c.file, m.Variable)
			}
		}
		if len(changed) > len(got.Moved) {
			t.Errorf("%s: %d lines changed for %d secrets", c.file, len(changed), len(got.Moved))
		}
	}
	if t.Logf("%d moved, %d left", moved, left); moved == 0 {
		t.Error("no secret was moved")
	}
}
