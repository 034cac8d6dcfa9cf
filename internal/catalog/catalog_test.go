package catalog

import (
	"os"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/tool/rulelist"
)

func TestTheListOfRulesIsGenerated(t *testing.T) {
	want, err := rulelist.Generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("all_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("internal/catalog/all_gen.go is stale: run go generate ./internal/catalog")
	}
}

func TestIDsAndAliasesAreUsable(t *testing.T) {
	tags := " schema portability secret launch auth behaviour poisoning unicode protocol discovery drift supply-chain traffic hygiene block "
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.ID] {
			t.Errorf("%s stands twice", r.ID)
		}
		seen[r.ID] = true
		n := 0
		// File may stand beside one of the others: what is of the file, and what is of each server.
		for _, has := range []bool{r.File != nil && r.Server == nil && r.Each == nil, r.Server != nil, r.Each != nil, r.Project != nil,
			r.Card != nil, r.Surface != nil, r.Cards != nil, r.Lock != nil, r.Manifest != nil, r.Machine != nil, r.Trust != nil, r.Traffic != nil} {
			if has {
				n++
			}
		}
		want := 1
		if strings.HasPrefix(r.ID, "policy/") { // internal/policy reports these itself
			want = 0
		}
		if n != want || r.Title == "" || r.Trigger == "" || r.Message == "" || r.Severity == 0 || r.Since == "" || len(r.Tags) == 0 {
			t.Errorf("%s is not described: %d functions", r.ID, n)
		}
		if (r.Traffic != nil) != (r.Action != "") || r.Traffic != nil && r.OWASP == "" {
			t.Errorf("%s is on traffic, and does not say what is done about it, or names no OWASP MCP Top 10 entry", r.ID)
		}
		for _, tag := range r.Tags {
			if !strings.Contains(tags, " "+tag+" ") {
				t.Errorf("%s has the unknown tag %q", r.ID, tag)
			}
			if (tag == "secret" || tag == "launch" || tag == "auth" || tag == "supply-chain") && r.OWASP == "" {
				t.Errorf("%s is about security and names no OWASP MCP Top 10 entry", r.ID)
			}
		}
		if got := Match(r.ID); len(got) != 1 || got[0] != r {
			t.Errorf("%s does not find itself", r.ID)
		}
	}
}
