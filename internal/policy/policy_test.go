package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

func ids(rules []*rule.Rule) string {
	var all []string
	for _, r := range rules {
		all = append(all, r.ID)
	}
	return strings.Join(all, " ")
}

func TestTheDefaultRunsEveryRuleButThoseOnHabits(t *testing.T) {
	p := Default()
	all := slices.DeleteFunc(slices.Clone(catalog.All()), func(r *rule.Rule) bool { return slices.Contains(habits, r.ID) })
	if p.Profile.Name != "production" || p.FailOn != 0 || p.Source != "built-in" || ids(p.Rules()) != ids(all) {
		t.Errorf("%+v runs %s", p, ids(p.Rules()))
	}
	for _, id := range habits {
		r, ok := catalog.ByID(id)
		if !ok || !slices.Equal(ProfilesOf(r), []string{"strict"}) {
			t.Errorf("%s runs under %v", id, r)
		}
	}
	p.Select = habits[:1] // who asks for one gets it
	if got := ids(p.Rules()); got != habits[0] {
		t.Errorf("select runs %s", got)
	}
}

func TestOnlyTwoProfilesJudgeForClientsThatNobodyNamed(t *testing.T) {
	for _, name := range ProfileNames() {
		p, _ := ProfileByName(name)
		if want := name == "strict" || name == "compatibility"; p.EveryClient != want {
			t.Errorf("%s: %v", name, p.EveryClient)
		}
	}
}

func TestSelectReplacesTheProfilesRulesAndIgnoreWins(t *testing.T) {
	p := Default()
	p.Profile, _ = ProfileByName("security") // does not run wrong-root-key
	if strings.Contains(ids(p.Rules()), "wrong-root-key") {
		t.Fatal("the security profile runs a schema rule")
	}
	p.Select = []string{"WRONG-ROOT-KEY", "policy/*", "policy/unused-suppression"}
	if got := ids(p.Rules()); got != "mcp-schema/wrong-root-key policy/expired-suppression policy/malformed-suppression policy/unused-suppression" {
		t.Errorf("select runs %s", got)
	}
	p.Ignore = []string{"policy/un*", "policy/expired-suppression"}
	if got := ids(p.Rules()); got != "mcp-schema/wrong-root-key policy/malformed-suppression" {
		t.Errorf("with ignore, select runs %s", got)
	}
}

func TestRulesOnThePolicyBelongToEveryProfile(t *testing.T) {
	r, _ := catalog.ByID("policy/malformed-suppression")
	if got := ProfilesOf(r); !slices.Equal(got, ProfileNames()) {
		t.Errorf("%v", got)
	}
	r, _ = catalog.ByID("mcp-schema/wrong-root-key")
	if got := strings.Join(ProfilesOf(r), " "); got != "production strict spec compatibility" {
		t.Errorf("%v", got)
	}
}

func TestARuleOfTheProfileStrictRunsThereAloneOrWhereItIsNamed(t *testing.T) {
	for _, id := range habits {
		r, ok := catalog.ByID(id)
		if !ok {
			t.Errorf("the list names %s, which is no rule", id)
			continue
		}
		if got := strings.Join(ProfilesOf(r), " "); got != "strict" {
			t.Errorf("%s runs in %s", id, got)
		}
		p := Default()
		if err := p.Merge(Flags{Select: []string{id}}); err != nil || ids(p.Rules()) != id {
			t.Errorf("--select %s runs %s, %v", id, ids(p.Rules()), err)
		}
	}
}

func TestTheCommandLineComesOnTop(t *testing.T) {
	file := `
profile = "strict"
select = ["mcp-schema/*", "policy/*"]
ignore = ["policy/unused-suppression"]
fail-on = "info"`
	for _, c := range []struct {
		name    string
		flags   Flags
		profile string
		failOn  finding.Severity
		rules   string
	}{
		{"no flag", Flags{}, "strict", finding.Info, ""},
		{"ignore adds", Flags{Select: []string{"wrong-root-key", "policy/*"}, Ignore: []string{"expired-suppression"}}, "strict", finding.Info, "mcp-schema/wrong-root-key policy/malformed-suppression"},
		{"select replaces", Flags{Select: []string{"wrong-root-key", "unused-suppression"}}, "strict", finding.Info, "mcp-schema/wrong-root-key"},
		{"the threshold replaces", Flags{FailOn: "high"}, "strict", finding.Error, ""},
		{"a profile with a threshold brings it", Flags{Profile: "strict"}, "strict", finding.Warning, ""},
		{"a profile without one leaves the file's", Flags{Profile: "spec"}, "spec", finding.Info, ""},
		{"never", Flags{FailOn: "never"}, "strict", finding.Never, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustRead(t, "policy.toml", file)
			if err := p.Merge(c.flags); err != nil {
				t.Fatal(err)
			}
			if p.Profile.Name != c.profile || p.FailOn != c.failOn {
				t.Errorf("profile %s, threshold %s", p.Profile.Name, p.FailOn)
			}
			if c.rules != "" && ids(p.Rules()) != c.rules {
				t.Errorf("runs %s", ids(p.Rules()))
			}
		})
	}
}

func TestAProfileOnTheCommandLineReplacesTheFilesRules(t *testing.T) {
	p := mustRead(t, "policy.toml", `select = ["wrong-root-key"]`)
	if err := p.Merge(Flags{Profile: "production", Ignore: []string{"policy/unused-suppression"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := len(p.Rules()), len(catalog.All())-len(habits)-1; got != want {
		t.Errorf("%d rules run, want %d: %s", got, want, ids(p.Rules()))
	}
}

func TestAProfileThatGivesWayTakesItsThresholdAlong(t *testing.T) {
	p := mustRead(t, "policy.toml", `profile = "strict"`)
	if p.FailOn != finding.Warning {
		t.Errorf("strict fails on %s", p.FailOn)
	}
	if err := p.Merge(Flags{Profile: "production"}); err != nil || p.FailOn != 0 {
		t.Errorf("%v, threshold %s", err, p.FailOn)
	}
}

// A typo in a filter must not turn a gate off.
func TestFlagsThatMeanNothingAreErrorsWithTheNextStep(t *testing.T) {
	err := Default().Merge(Flags{Profile: "strickt", Select: []string{"wrong-rot-key", "*"}, Ignore: []string{"mcp-scema/*", "TOOL_NO_SUCH_*\x1b"}, FailOn: "eror"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`--profile: unknown profile "strickt": did you mean "strict"?`,
		`--select: "wrong-rot-key" matches no rule: did you mean "wrong-root-key"?`,
		`--ignore: "mcp-scema/*" matches no rule: did you mean "mcp-schema/*"?`,
		"--ignore: \"TOOL_NO_SUCH_*\uFFFD\" matches no rule: mcpassay rules lists them",
		`--fail-on: unknown severity "eror": use error, warning, info or never`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

func TestARunWithoutRulesIsRefused(t *testing.T) {
	for _, f := range []Flags{
		{Ignore: []string{"*"}},
		{Select: []string{"wrong-root-key"}, Ignore: []string{"mcp-schema/*"}},
		{Select: []string{"policy/*"}},
	} {
		if err := Default().Merge(f); err == nil || !strings.Contains(err.Error(), "leave no rule to run") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
