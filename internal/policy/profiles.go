package policy

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Profile is a named set of rules (product.md).
type Profile struct {
	Name string
	// Tags selects the rules that carry one of them; empty selects all.
	Tags []string
	// Without are rules that it leaves out all the same, by id.
	Without []string
	// EveryClient judges cards for every client of the table where the run names none.
	EveryClient bool
	// FailOn is the threshold that the profile brings, 0 for the verb's own.
	FailOn finding.Severity
}

// habits are the rules on what most servers do and nothing breaks of: strict alone runs them.
var habits = []string{"card/free-path", "card/free-query", "card/free-url", "card/generic-name",
	"card/loose-schema", "card/thin-description", "card/undescribed-parameter"}

// profiles are in the order in which people are shown them, the default first.
func profiles() []Profile {
	spec := []string{rule.Schema, rule.Protocol, rule.Discovery}
	security := []string{rule.Secret, rule.Launch, rule.Auth, rule.Behaviour, rule.Poisoning, rule.Unicode, rule.Drift, rule.Supply, rule.Traffic}
	return []Profile{
		{Name: "production", Without: habits},
		{Name: "strict", FailOn: finding.Warning, EveryClient: true},
		{Name: "security", Tags: security, Without: habits},
		{Name: "spec", Tags: spec, Without: habits},
		{Name: "compatibility", Tags: slices.Concat(spec, security, []string{rule.Portability}), Without: habits, EveryClient: true},
	}
}

// Runs says whether the rule belongs to the profile. Rules on the policy itself belong to every one.
func (p Profile) Runs(r *rule.Rule) bool {
	if slices.Contains(p.Without, r.ID) {
		return false
	}
	if len(p.Tags) == 0 || ofPolicy(r) {
		return true
	}
	for _, t := range r.Tags {
		if slices.Contains(p.Tags, t) {
			return true
		}
	}
	return false
}

// Rules are the rules of the profile.
func (p Profile) Rules() []*rule.Rule {
	var in []*rule.Rule
	for _, r := range catalog.All() {
		if p.Runs(r) {
			in = append(in, r)
		}
	}
	return in
}

// ProfileNames are the names of the profiles, the default first.
func ProfileNames() []string {
	var names []string
	for _, p := range profiles() {
		names = append(names, p.Name)
	}
	return names
}

// ProfileByName finds a profile; "" is the default.
func ProfileByName(name string) (Profile, bool) {
	for _, p := range profiles() {
		if p.Name == name || name == "" {
			return p, true
		}
	}
	return Profile{}, false
}

// ProfilesOf are the names of the profiles that run the rule.
func ProfilesOf(r *rule.Rule) []string {
	var names []string
	for _, p := range profiles() {
		if p.Runs(r) {
			names = append(names, p.Name)
		}
	}
	return names
}
