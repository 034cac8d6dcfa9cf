package endpoint

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/flow/probe"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// noted are the rules on what any client meets while it reads the surface. They need no trial, and scan has them too.
var noted = strings.Fields(`changed-identity compressed credential-echoed flood foreign-endpoint missing-cache-hints other-transport
	redirect refused-list repeated-cursor unannounced-list`)

// docs/endpoint-rules.md is kept by hand, and says nothing that is not so: each row of the specification's requirements is
// there once, its rules are rules, its trials are sent, and a server with that fault is tried here.
func TestEveryRequirementHasItsRuleItsTrialAndItsServer(t *testing.T) {
	page, err := os.ReadFile("../../docs/endpoint-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	link, sent := regexp.MustCompile(`\[([a-z]+/[a-z0-9-]+)\]\(rules/([^)]+)\.md\)`), probe.Table()
	rows, said := map[string]int{}, map[string]bool{}
	for _, line := range strings.Split(string(page), "\n") {
		rules := link.FindAllStringSubmatch(line, -1)
		if len(rules) == 0 {
			continue
		}
		cells := strings.Split(line, "|")
		row := strings.TrimSpace(cells[1])
		trials := cells[len(cells)-2]
		if strings.HasPrefix(row, "R") {
			rows[row]++
			trials = cells[5]
		} else {
			row = ""
		}
		for _, word := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(trials, -1) {
			if !strings.Contains(sent, "| `"+word[1]+"` |") {
				t.Errorf("%s: no trial is called %s", line[:20], word[1])
			}
		}
		tried := false
		for _, r := range rules {
			said[r[1]] = true
			if got := catalog.Match(r[1]); r[1] != r[2] || len(got) != 1 || got[0].ID != r[1] {
				t.Errorf("%s: %s is no rule, or linked elsewhere", line[:20], r[1])
			}
			tried = tried || slices.ContainsFunc(faulty, func(c shop) bool { return c.row == row && c.rule == r[1] })
		}
		if !tried {
			t.Errorf("no server has the fault of this row: %s", line)
		}
	}
	for n := range 32 {
		if row := fmt.Sprint("R", n+1); rows[row] != 1 {
			t.Errorf("row %s stands there %d times", row, rows[row])
		}
	}
	for _, c := range faulty {
		if !said[c.rule] {
			t.Errorf("docs/endpoint-rules.md does not name %s", c.rule)
		}
	}
	for _, r := range catalog.All() {
		name, ours := strings.CutPrefix(r.ID, "endpoint/")
		tried := slices.ContainsFunc(faulty, func(c shop) bool { return c.rule == r.ID })
		if ours && tried == slices.Contains(noted, name) {
			t.Errorf("%s: is there a server with that fault, or is it noted without a trial?", r.ID)
		}
		if ours && !slices.Contains(r.Tags, rule.Protocol) && !slices.Contains(r.Tags, rule.Discovery) && r.ID != "endpoint/credential-echoed" {
			t.Errorf("%s has the tags %v", r.ID, r.Tags)
		}
	}
}
