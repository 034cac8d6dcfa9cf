// Package policy decides what counts: which rules run, how grave their findings are, which of them somebody has
// answered for, and from which severity on a run fails.
//
// A policy is built in, or read from the nearest mcpassay.yaml, or from the file that --policy names: ours, or a
// TOML file of the tool card linter. Files are never merged; only the command line comes on top.
package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// builtIn is the source of a policy that no file shaped.
const builtIn = "built-in"

// Policy is what shapes a report, and a report names it.
type Policy struct {
	Profile Profile
	// FailOn is the threshold of the command line, the file or the profile, the first that has one; 0 is the verb's own.
	FailOn finding.Severity
	// Select are patterns of the rules that run instead of the profile's; empty leaves the profile's.
	Select []string
	// Ignore are patterns of rules that do not run, whatever selects them.
	Ignore []string
	// Severity overrides that of every finding of a rule, by the rule's id.
	Severity     map[string]finding.Severity
	Suppressions []Suppression
	// Servers are those that the project file declares, nil where it has no such key.
	Servers []project.Server
	// Install is what may be installed.
	Install project.Install
	// Guard is what a guard is told, nil where the file says nothing.
	Guard *project.Guard
	// Source is "built-in" or the path that a report shows.
	Source string

	// failOn is the threshold that was written down, 0 where the profile or the verb decides.
	failOn finding.Severity
}

// Default is the policy of a project that has none.
func Default() *Policy {
	p := &Policy{Source: builtIn, Severity: map[string]finding.Severity{}, Install: project.Install{URLServers: true}}
	p.Profile, _ = ProfileByName("")
	return p
}

// Flags are what the command line says of the policy. Empty fields say nothing.
type Flags struct {
	Profile        string
	Select, Ignore []string
	FailOn         string
}

// Merge puts the command line on top of the policy. A profile replaces the file's profile and select, and its
// threshold where the new profile brings one; select replaces the file's; ignore adds to it; the threshold replaces.
func (p *Policy) Merge(flags Flags) error {
	var errs []error
	if flags.Profile != "" {
		profile, ok := ProfileByName(flags.Profile)
		if !ok {
			errs = append(errs, fmt.Errorf("--profile: unknown profile %s: %s", quote(flags.Profile), oneOf(flags.Profile, ProfileNames())))
		}
		p.Profile, p.Select = profile, nil
		if profile.FailOn != 0 {
			p.failOn = 0
		}
	}
	for flag, patterns := range map[string][]string{"--select": flags.Select, "--ignore": flags.Ignore} {
		for _, pattern := range patterns {
			if len(catalog.Match(pattern)) == 0 {
				errs = append(errs, fmt.Errorf("%s: %s matches no rule: %s", flag, quote(pattern), meant(pattern)))
			}
		}
	}
	if len(flags.Select) > 0 {
		p.Select = flags.Select
	}
	p.Ignore = slices.Concat(p.Ignore, flags.Ignore)
	if flags.FailOn != "" {
		severity, err := finding.ParseSeverity(flags.FailOn)
		if err != nil {
			errs = append(errs, fmt.Errorf("--fail-on: %w", err))
		}
		p.failOn = severity
	}
	p.settle()
	if len(errs) == 0 && !p.judges() {
		errs = append(errs, errors.New("--select and --ignore leave no rule to run: ignore wins over select, drop one of them"))
	}
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

func (p *Policy) settle() { p.FailOn = cmp.Or(p.failOn, p.Profile.FailOn) }

// Rules are the rules that run, by id: those that Select names or else the profile's, without those that Ignore
// names.
func (p *Policy) Rules() []*rule.Rule {
	rules := p.Profile.Rules()
	if len(p.Select) > 0 {
		rules = matches(p.Select)
	}
	ignored := matches(p.Ignore)
	return slices.DeleteFunc(rules, func(r *rule.Rule) bool { return slices.Contains(ignored, r) })
}

// judges says whether a rule is left that looks at files, not at the policy alone.
func (p *Policy) judges() bool {
	return slices.ContainsFunc(p.Rules(), func(r *rule.Rule) bool { return !ofPolicy(r) })
}

// ofPolicy says whether a rule is about the policy itself. Those belong to every profile: whoever picks a set of
// rules still wants to hear that a suppression of one of them is void.
func ofPolicy(r *rule.Rule) bool { return strings.HasPrefix(r.ID, "policy/") }

// matches are the rules that any of the patterns names, by id.
func matches(patterns []string) []*rule.Rule {
	var all []*rule.Rule
	for _, pattern := range patterns {
		all = append(all, catalog.Match(pattern)...)
	}
	slices.SortFunc(all, func(a, b *rule.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(all)
}

// meant is the next step after a pattern that matches no rule.
func meant(pattern string) string {
	if near := catalog.Suggest(pattern); len(near) > 0 {
		return didYouMean(near)
	}
	if category, _, ok := strings.Cut(pattern, "/"); ok {
		var known []string
		for _, r := range catalog.All() {
			c, _, _ := strings.Cut(r.ID, "/")
			known = append(known, c)
		}
		if near := text.Nearest(category, known, 1); len(near) > 0 {
			return didYouMean([]string{near[0] + "/*"})
		}
	}
	return "mcpassay rules lists them"
}

// oneOf is the next step after a word that is none of the known ones.
func oneOf(word string, known []string) string {
	if near := text.Nearest(word, known, 1); len(near) > 0 {
		return didYouMean(near)
	}
	return "use " + strings.Join(known, ", ")
}

func didYouMean(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return "did you mean " + strings.Join(quoted, " or ") + "?"
}

// quote shows a stranger's word in an error.
func quote(s string) string { return strconv.Quote(text.Safe(s, limits.Default.ShownRunes)) }
