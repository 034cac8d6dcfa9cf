package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// missed says which versions a changed contract should have stepped and did not.
func missed(old, is *contract) (all []string) {
	lost := func(what string, was, now []string, version, before int) {
		for _, w := range was {
			if !slices.Contains(now, w) && version <= before {
				all = append(all, fmt.Sprintf("%s lost %s: it is another version", what, w))
			}
		}
	}
	lost("the report", old.ReportMembers, is.ReportMembers, is.Schemas.Report, old.Schemas.Report)
	major := func(v string) int { var n int; fmt.Sscanf(v, "%d.", &n); return n }
	lost("the list of formats", old.Formats, is.Formats, major(is.Tool), major(old.Tool))
	lost("the list of profiles", old.Profiles, is.Profiles, major(is.Tool), major(old.Tool))
	lost("the list of protocols", old.Protocols, is.Protocols, major(is.Tool), major(old.Tool))
	for code, text := range old.Exit {
		switch now, ok := is.Exit[code]; {
		case !ok && major(is.Tool) <= major(old.Tool):
			all = append(all, "exit code "+code+" is gone: it is a major step of the program")
		case now != text && stepped(old.Tool, is.Tool) == 0:
			all = append(all, "exit code "+code+" is said to mean something else: it is another version of the program")
		}
	}
	for what, v := range map[string][2]int{"report": {old.Schemas.Report, is.Schemas.Report}, "lock": {old.Schemas.Lock, is.Schemas.Lock},
		"log": {old.Schemas.Log, is.Schemas.Log}, "surface": {old.Schemas.Surface, is.Schemas.Surface}} {
		if v[1] < v[0] {
			all = append(all, "the version of the "+what+" went back")
		}
	}
	if old.Statement != is.Statement && major(is.Tool) <= major(old.Tool) {
		all = append(all, "signatures are over another statement: it is a major step of the program")
	}
	need, why := 0, "" // 1 patch, 2 minor, 3 major
	step := func(n int, format string, args ...any) {
		if n > need {
			need, why = n, fmt.Sprintf(format, args...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(old.Catalog.Rules)) {
		now, ok := is.Catalog.Rules[id]
		switch {
		case !ok:
			step(3, "the rule %s is gone", id)
		case now != old.Catalog.Rules[id]:
			step(3, "the severity of %s is another", id)
		}
	}
	for id := range is.Catalog.Rules {
		if _, ok := old.Catalog.Rules[id]; !ok {
			step(2, "the rule %s is new", id)
		}
	}
	for _, id := range old.Catalog.Clients {
		if !slices.Contains(is.Catalog.Clients, id) {
			step(3, "the client %s is gone", id)
		}
	}
	if len(is.Catalog.Clients) > len(old.Catalog.Clients) {
		step(2, "a client is new")
	}
	if old.Catalog.Text != is.Catalog.Text {
		step(1, "what is said about the rules is another")
	}
	if made := stepped(old.Catalog.Version, is.Catalog.Version); made < need {
		all = append(all, fmt.Sprintf("%s: the version of the catalog goes on from %s by a %s step, and it is %s", why, old.Catalog.Version,
			[]string{"", "patch", "minor", "major"}[need], is.Catalog.Version))
	}
	return all
}

// stepped is how large the step from one version to another is: 0 for none or back, 1 patch, 2 minor, 3 major.
func stepped(old, is string) int {
	var a, b [3]int
	fmt.Sscanf(old, "%d.%d.%d", &a[0], &a[1], &a[2])
	fmt.Sscanf(is, "%d.%d.%d", &b[0], &b[1], &b[2])
	for i := range a {
		if a[i] != b[i] {
			if b[i] < a[i] {
				return 0
			}
			return 3 - i
		}
	}
	return 0
}

// released is the contract of the last release. Whoever releases copies docs/contract.json there.
const released = "../../docs/contract.released.json"

func TestTheContractOfTheLastReleaseHolds(t *testing.T) {
	raw, err := os.ReadFile(released)
	if errors.Is(err, fs.ErrNotExist) {
		if Version != "0.1.0" {
			t.Fatalf("%s went out after 0.1.0, and %s is missing: it is docs/contract.json of the last release", Version, released)
		}
		return // nothing was released that could be broken
	}
	if err != nil {
		t.Fatal(err)
	}
	old := &contract{}
	if err := json.Unmarshal(raw, old); err != nil {
		t.Fatal(err)
	}
	for _, what := range missed(old, currentContract()) {
		t.Error(what)
	}
}

func TestAContractDoesNotChangeWithoutItsVersion(t *testing.T) {
	const rule = "mcp-schema/invalid-json"
	for what, c := range map[string]struct {
		change func(*contract)
		want   string // a part of what is said, "" for nothing
	}{
		"nothing":                          {func(*contract) {}, ""},
		"a member of the report is new":    {func(c *contract) { c.ReportMembers = append(c.ReportMembers, "/properties/new") }, ""},
		"a member of the report is gone":   {func(c *contract) { c.ReportMembers = c.ReportMembers[1:] }, "the report lost"},
		"the same in another version":      {func(c *contract) { c.ReportMembers = c.ReportMembers[1:]; c.Schemas.Report++ }, ""},
		"the lock goes back":               {func(c *contract) { c.Schemas.Lock-- }, "went back"},
		"a format is gone":                 {func(c *contract) { c.Formats = c.Formats[1:] }, "formats lost"},
		"a revision is new":                {func(c *contract) { c.Protocols = append(c.Protocols, "2027-01-01") }, ""},
		"an exit code has another meaning": {func(c *contract) { c.Exit["1"] = "well" }, "exit code 1"},
		"the same in a later version":      {func(c *contract) { c.Exit["1"] = "well"; c.Tool = "0.1.1" }, ""},
		"an exit code is gone":             {func(c *contract) { delete(c.Exit, "1"); c.Tool = "0.2.0" }, "a major step"},
		"a statement of another type":      {func(c *contract) { c.Statement.Predicate += "2" }, "signatures"},
		"a rule is gone":                   {func(c *contract) { delete(c.Catalog.Rules, rule); c.Catalog.Version = "0.2.0" }, "a major step"},
		"a rule is gone in a major step":   {func(c *contract) { delete(c.Catalog.Rules, rule); c.Catalog.Version = "1.0.0" }, ""},
		"a rule is as grave as never":      {func(c *contract) { c.Catalog.Rules[rule] = finding.Info }, "the severity of " + rule},
		"a rule is new":                    {func(c *contract) { c.Catalog.Rules["config/new"] = finding.Info; c.Catalog.Version = "0.1.1" }, "a minor step"},
		"a rule is new in a minor step":    {func(c *contract) { c.Catalog.Rules["config/new"] = finding.Info; c.Catalog.Version = "0.2.0" }, ""},
		"a client is new":                  {func(c *contract) { c.Catalog.Clients = append(c.Catalog.Clients, "zz") }, "a client is new"},
		"a client is gone":                 {func(c *contract) { c.Catalog.Clients = c.Catalog.Clients[1:] }, "a major step"},
		"another text":                     {func(c *contract) { c.Catalog.Text = "" }, "a patch step"},
		"another text and a patch":         {func(c *contract) { c.Catalog.Text = ""; c.Catalog.Version = "0.1.1" }, ""},
		"another text and an earlier one":  {func(c *contract) { c.Catalog.Text = ""; c.Catalog.Version = "0.0.9" }, "a patch step"},
	} {
		old, is := currentContract(), currentContract()
		old.Tool, old.Catalog.Version = "0.1.0", "0.1.0"
		is.Tool, is.Catalog.Version = "0.1.0", "0.1.0"
		c.change(is)
		if got := strings.Join(missed(old, is), "\n"); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", what, got)
		}
	}
}
