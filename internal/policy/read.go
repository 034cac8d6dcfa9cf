package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Problem is one fault of a policy file: what, where (lines and columns from 1), and the next step.
type Problem struct {
	Path         string
	Line, Column int
	Msg, Hint    string
}

func (p *Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", text.Safe(p.Path, 0), p.Line, p.Column, p.Msg, p.Hint)
}

// The keys of a policy. A threshold is spelled fail-on in TOML, failOn elsewhere, and both are read in either.
const (
	keyFailOn = "failOn"
	kebabFail = "fail-on"
)

// The tables of a pyproject.toml that hold a policy; the second is the tool card linter's.
const (
	ownTable  = "mcpassay"
	seedTable = "mcp-tool-card-linter"
)

// Read makes a policy of a document: a project file with `version: "1"` and a `policy` mapping, or, in TOML, the keys
// of a policy alone, in [mcp-tool-card-linter], or in [tool.mcpassay] or [tool.mcp-tool-card-linter] of a
// pyproject.toml. Its servers, what may be installed and what a guard is told are read by internal/model/project. The error joins
// every *Problem of the file, in its order. Today decides how far away a suppression may end.
func Read(doc *source.Doc, today time.Time) (*Policy, error) {
	r := &reader{doc: doc, today: today, policy: Default(), failOn: keyFailOn}
	r.policy.Source = doc.Path
	if doc.Format == source.TOML {
		r.failOn = kebabFail
		r.toml()
	} else {
		r.project()
	}
	r.policy.settle()
	if len(r.problems) == 0 && !r.policy.judges() {
		r.fail(doc.Root(), "ignore wins over select, name fewer rules", "select and ignore leave no rule to run")
	}
	if len(r.problems) == 0 {
		return r.policy, nil
	}
	slices.SortStableFunc(r.problems, func(a, b error) int {
		x, y := a.(*Problem), b.(*Problem)
		if x.Line != y.Line {
			return x.Line - y.Line
		}
		return x.Column - y.Column
	})
	return nil, errors.Join(r.problems...)
}

type reader struct {
	doc      *source.Doc
	today    time.Time
	policy   *Policy
	failOn   string // how this format spells the key of the threshold
	problems []error
}

// fail notes a problem with a value; without one it is about the file.
func (r *reader) fail(n source.Node, hint, format string, args ...any) {
	r.failAt(n.Span(), hint, format, args...)
}

func (r *reader) failAt(at finding.Span, hint, format string, args ...any) {
	line, column := r.doc.Position(at.Start)
	r.problems = append(r.problems, &Problem{Path: r.doc.Path, Line: line, Column: column, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// toml finds the table with the policy.
func (r *reader) toml() {
	for _, s := range r.doc.Conflicts {
		r.failAt(s, "keep one of the two definitions", "TOML defines this name twice")
	}
	root := r.doc.Root()
	tool := root.Get("tool")
	if !tool.Valid() && path.Base(r.doc.Path) != "pyproject.toml" {
		if seed := root.Get(seedTable); seed.Valid() {
			root = seed
		}
		r.keys(root)
		return
	}
	own, seed := tool.Get(ownTable), tool.Get(seedTable)
	switch {
	case own.Valid() && seed.Valid():
		r.failAt(seed.KeySpan(), "policies are never merged, keep one", "both [tool.%s] and [tool.%s] hold a policy", ownTable, seedTable)
	case own.Valid():
		r.keys(own)
	case seed.Valid():
		r.keys(seed)
	default:
		r.fail(tool, "add the table, or name another file with --policy", "there is no [tool.%s] table", ownTable)
	}
}

// project reads a mcpassay.yaml.
func (r *reader) project() {
	root := r.doc.Root()
	if root.Kind() != source.Object {
		r.fail(root, `start it with version: "1"`, "the project file is %s", orEmpty(root.Kind()))
		return
	}
	keys := []string{"version", "servers", "policy", "install", "guard"}
	r.members(root, keys, func(key string, v source.Node) {
		switch key {
		case "version":
			if v.Text() != "1" {
				r.fail(v, `write version: "1", with its quotes`, "the version of the project file is not \"1\"")
			}
		case "policy":
			r.keys(v)
		case "guard":
			r.guard(v)
		}
	})
	var faults []project.Fault
	r.policy.Servers, r.policy.Install, faults = project.Read(root)
	for _, f := range faults {
		r.failAt(f.At, f.Hint, "%s", f.Msg)
	}
	if !root.Get("version").Valid() {
		r.fail(root, `start it with version: "1"`, "the project file has no version")
	}
}

// guard reads what a guard is told. What is done can be said of rules on traffic alone: no other one sees a frame.
func (r *reader) guard(v source.Node) {
	g, faults := project.ReadGuard(v)
	for _, f := range faults {
		r.failAt(f.At, f.Hint, "%s", f.Msg)
	}
	for _, one := range g.Rules {
		watches := func(x *rule.Rule) bool { return x.Traffic != nil }
		if all := catalog.Match(one.Pattern); !r.matchesRules(one.Node.KeySpan(), one.Pattern) {
			continue
		} else if !slices.ContainsFunc(all, watches) {
			r.failAt(one.Node.KeySpan(), "mcpassay guard list-signatures lists those that do", "%s looks at no traffic", quote(one.Pattern))
		}
	}
	r.policy.Guard = g
}

func orEmpty(k source.Kind) string {
	if k == source.Invalid || k == source.Null {
		return "empty"
	}
	return k.String() + ", not a mapping"
}

// mapping says whether a value has members to read. An empty value has none and is no fault.
func (r *reader) mapping(key string, v source.Node) bool {
	switch v.Kind() {
	case source.Object:
		return true
	case source.Null, source.Invalid:
		return false
	}
	r.fail(v, "write its keys below it", "%s is %s, not a mapping", quote(key), v.Kind())
	return false
}

// members visits the members of a mapping and refuses unknown and repeated names.
func (r *reader) members(n source.Node, known []string, visit func(key string, v source.Node)) {
	seen := map[string]bool{}
	for c := range n.Children() {
		key := c.Key()
		if key == keyFailOn || key == kebabFail {
			key = r.failOn
		}
		switch {
		case !slices.Contains(known, key):
			hint := oneOf(key, known)
			if n == r.doc.Root() && slices.Contains(r.policyKeys(), key) {
				hint = "put it under policy"
			}
			r.failAt(c.KeySpan(), hint, "unknown key %s", quote(c.Key()))
		case seen[key]:
			if len(r.doc.Conflicts) == 0 { // else TOML's own word for it is noted
				r.failAt(c.KeySpan(), "keep one of the two", "the key %s stands twice", quote(c.Key()))
			}
		default:
			seen[key] = true
			visit(key, c)
		}
	}
}

func (r *reader) policyKeys() []string {
	return []string{"profile", "select", "ignore", r.failOn, "rules", "suppressions"}
}

// keys reads the keys of a policy.
func (r *reader) keys(n source.Node) {
	if !r.mapping("policy", n) {
		return
	}
	r.members(n, r.policyKeys(), func(key string, v source.Node) {
		if v.Kind() == source.Null {
			return
		}
		switch key {
		case "profile":
			r.profile(v)
		case "select":
			r.policy.Select = r.patterns(key, v)
		case "ignore":
			r.policy.Ignore = r.patterns(key, v)
		case "rules":
			r.severities(v)
		case "suppressions":
			r.suppressions(v)
		default:
			r.policy.failOn = r.severity(key, v)
		}
	})
}

func (r *reader) profile(v source.Node) {
	name, ok := r.str("profile", v)
	if !ok {
		return
	}
	p, ok := ProfileByName(name)
	if !ok {
		r.fail(v, oneOf(name, ProfileNames()), "unknown profile %s", quote(name))
		return
	}
	r.policy.Profile = p
}

// str is the text of a value that must be a string and say something.
func (r *reader) str(key string, v source.Node) (string, bool) {
	s, ok := v.Str()
	switch {
	case !ok:
		r.fail(v, "write it as a string", "%s is %s", quote(key), v.Kind())
	case strings.TrimSpace(s) == "":
		r.fail(v, "write something, or leave the key out", "%s is empty", quote(key))
		ok = false
	}
	return s, ok
}

func (r *reader) severity(key string, v source.Node) finding.Severity {
	word, ok := r.str(key, v)
	if !ok {
		return 0
	}
	s, err := finding.ParseSeverity(word)
	if err != nil {
		r.fail(v, oneOf(word, []string{"error", "warning", "info", "never"}), "unknown severity %s", quote(word))
	}
	return s
}

// patterns reads a list of rule patterns.
func (r *reader) patterns(key string, v source.Node) []string {
	if v.Kind() != source.Array {
		r.fail(v, `write it as a list, ["mcp-urls/missing-path"]`, "%s is %s, not a list", quote(key), v.Kind())
		return nil
	}
	var all []string
	for c := range v.Children() {
		if s, ok := r.str(key, c); ok && r.matchesRules(c.Span(), s) {
			all = append(all, s)
		}
	}
	return all
}

func (r *reader) matchesRules(at finding.Span, pattern string) bool {
	if len(catalog.Match(pattern)) > 0 {
		return true
	}
	r.failAt(at, meant(pattern), "%s matches no rule", quote(pattern))
	return false
}

// severities reads the overrides: a full name wins over a pattern, and of two patterns the later one.
func (r *reader) severities(v source.Node) {
	if !r.mapping("rules", v) {
		return
	}
	exact := map[string]finding.Severity{}
	for c := range v.Children() {
		pattern := c.Key()
		if c.Overridden() {
			r.failAt(c.KeySpan(), "keep one of the two", "the key %s stands twice", quote(pattern))
			continue
		}
		if !r.matchesRules(c.KeySpan(), pattern) || !r.mapping(pattern, c) {
			continue
		}
		r.members(c, []string{"severity"}, func(key string, v source.Node) {
			severity := r.severity(key, v)
			if severity == finding.Never {
				r.fail(v, "add the rule to ignore", "a rule's severity is error, warning or info")
			}
			into := r.policy.Severity
			if !strings.ContainsAny(pattern, `*?[\`) {
				into = exact
			}
			for _, rule := range catalog.Match(pattern) {
				into[rule.ID] = severity
			}
		})
	}
	for id, severity := range exact {
		r.policy.Severity[id] = severity
	}
}

func (r *reader) suppressions(v source.Node) {
	if v.Kind() != source.Array {
		r.fail(v, "write it as a list", "%s is %s, not a list", quote("suppressions"), v.Kind())
		return
	}
	if n, max := v.Len(), limits.Default.Suppressions; n > max {
		r.fail(v, "drop the ones that nobody needs, or name rules and servers by pattern", "%d suppressions, more than %d", n, max)
		return
	}
	for c := range v.Children() {
		if c.Kind() != source.Object {
			r.fail(c, "write rule, reason, owner and expires", "a suppression is %s, not a mapping", c.Kind())
			continue
		}
		r.suppression(c)
	}
}

func (r *reader) suppression(n source.Node) {
	s := Suppression{node: n}
	before := len(r.problems)
	fields := map[string]*string{"rule": &s.Rule, "server": &s.Server, "tool": &s.Tool, "path": &s.Path, "client": &s.Client,
		"reason": &s.Reason, "owner": &s.Owner, "expires": &s.Expires}
	r.members(n, []string{"rule", "server", "tool", "path", "client", "reason", "owner", "expires"}, func(key string, v source.Node) {
		value, ok := r.str(key, v)
		if !ok {
			return
		}
		*fields[key] = value
		switch key {
		case "rule":
			r.matchesRules(v.Span(), value)
		case "server", "tool", "path":
			if _, err := path.Match(value, ""); err != nil {
				r.fail(v, `escape a bracket that stands for itself: \[`, "%s is no pattern", quote(value))
			}
		case "client":
			c, ok := client.ByID(value)
			if !ok {
				r.fail(v, oneOf(value, client.Names()), "unknown client %s", quote(value))
				return
			}
			s.Client = c.ID
		case "expires":
			if why, hint := lasts(value, r.today); why != "" {
				r.fail(v, hint, "expires: %s", why)
			}
		}
	})
	for _, must := range []struct{ key, hint string }{
		{"rule", "name the rule that it silences"},
		{"reason", "say why the finding is no concern"},
		{"owner", "say who answers for it"},
		{"expires", "say until when, YYYY-MM-DD"},
	} {
		if !n.Get(must.key).Valid() {
			r.fail(n, must.hint, "a suppression has no %s", must.key)
		}
	}
	if s.Rule != "" && !namesRules(s.Rule) && !names(s.Server) && !names(s.Tool) && !names(s.Path) {
		r.fail(n, "name the rule, or a server, tool or path", "a suppression of every rule, everywhere")
	}
	if len(r.problems) == before {
		r.policy.Suppressions = append(r.policy.Suppressions, s)
	}
}
