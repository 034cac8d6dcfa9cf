// Package publish says whether a server.json may be published: it holds the manifest against its schema and the checks of the
// registry, against the packages that lie beside it, and looks at what its texts tell a model. It asks nobody.
package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Report is the answer, schema version 1. Strings of the manifest in it are masked, made safe and cut.
type Report struct {
	SchemaVersion int    `json:"schemaVersion"`
	Path          string `json:"path"`
	Name          string `json:"name"`
	Version       string `json:"version"`
	// Schema is the date of the schema that the manifest was held against, Current that of the newest one.
	Schema  string `json:"schema"`
	Current string `json:"currentSchema"`
	// OK says that nothing blocks: what was not run did not pass.
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
	Checks   []Check   `json:"checks"`
	// Incomplete are files that say something of the manifest and could not be read.
	Incomplete []string `json:"incomplete"`
}

// Finding is one fault. Severity is critical, high, medium or low; critical and high block.
type Finding struct {
	Severity string `json:"severity"`
	Type     string `json:"type"` // the id of a rule, or credential
	Message  string `json:"message"`
	Location string `json:"location"` // path:line:column
	Pointer  string `json:"pointer"`
	Blocks   bool   `json:"blocks"`
}

// Check is one question: State is pass, fail or not-run.
type Check struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

// Checker judges manifests.
type Checker struct {
	Rules  []*rule.Rule
	Facts  rule.Facts
	Limits limits.Set
}

// groups are the rules that answer one question together, in the order in which they are shown.
var groups = []struct {
	check, good string
	rules       []string
}{
	{"schema", "it is what the schema of its date says", []string{"loose-json", "missing-schema", "unknown-schema", "old-schema", "missing-field", "wrong-type", "too-long", "wrong-value", "unknown-field", "oversized-meta"}},
	{"name", "a reverse domain name", []string{"invalid-name"}},
	{"version", "one version", []string{"floating-version"}},
	{"packages", "types, hosts and members that the registry takes", []string{"unknown-package-type", "foreign-host", "missing-package-field", "stray-package-field", "invalid-argument", "repeated-entry", "nothing-to-run"}},
	{"transports", "others reach it, and every variable is defined", []string{"wrong-transport", "unreachable-remote", "undefined-variable"}},
	{"links", "addresses that the registry takes", []string{"invalid-url"}},
	{"secrets", "none is published, and those that users give are marked", []string{"published-secret", "unmarked-secret"}},
}

// Check judges the manifest of a set.
func (c *Checker) Check(set *load.Set, m *manifest.File) *Report {
	root := m.Root()
	out := &Report{SchemaVersion: 1, Path: c.words(m.Path), Name: c.words(root.Get("name").Text()), Version: c.words(root.Get("version").Text()),
		Schema: m.Judged().String(), Current: manifest.Current.String(), Findings: []Finding{}, Incomplete: []string{}}
	found, incomplete := engine.Judge(engine.Input{Manifests: []*manifest.File{m}, Rules: c.Rules, Facts: c.Facts, Limits: c.Limits})
	for _, f := range found {
		out.add(Finding{Severity: severity(f.Severity), Type: f.Rule, Message: f.Message, Location: place(f.Location), Pointer: c.words(f.Location.Pointer)})
	}
	for _, i := range slices.Concat(set.Incomplete, incomplete) {
		out.Incomplete = append(out.Incomplete, c.words(i.Path+": "+i.Cause+": "+i.Detail))
	}
	for _, s := range set.Skipped {
		out.Incomplete = append(out.Incomplete, c.words(s.Path+": "+s.Reason+": "+s.Detail))
	}
	for _, g := range groups {
		bad := 0
		for _, f := range out.Findings {
			if slices.Contains(g.rules, strings.TrimPrefix(f.Type, "registry/")) && f.Severity != "low" {
				bad++
			}
		}
		out.say(g.check, bad, g.good)
	}
	c.packages(out, m)
	c.texts(out, m)
	slices.SortStableFunc(out.Findings, func(a, b Finding) int { return cmp.Compare(rank(a.Severity), rank(b.Severity)) })
	out.OK = len(out.Incomplete) == 0 && !slices.ContainsFunc(out.Findings, func(f Finding) bool { return f.Blocks })
	return out
}

func (r *Report) add(f Finding) {
	f.Blocks = rank(f.Severity) <= rank("high")
	r.Findings = append(r.Findings, f)
}

// say is the answer to one question by the number of its faults.
func (r *Report) say(check string, bad int, good string) {
	state, detail := "pass", good
	if bad > 0 {
		state, detail = "fail", text.Count(bad, "finding")
	}
	r.Checks = append(r.Checks, Check{check, state, detail})
}

// packages says of each package whether what is beside the manifest could be held against it.
func (c *Checker) packages(out *Report, m *manifest.File) {
	type fault struct{ rule, at string }
	failed := map[fault]bool{}
	for _, f := range out.Findings {
		if parts := source.PointerParts(f.Pointer); len(parts) > 1 {
			failed[fault{f.Type, "/" + parts[0] + "/" + parts[1]}] = true
		}
	}
	for i, p := range m.Packages() {
		if i == c.Limits.ShownFaults {
			out.Incomplete = append(out.Incomplete, fmt.Sprintf("%s: %d packages, and only the first %d were held against what is beside", out.Path, len(m.Packages()), i))
			return
		}
		name := c.words(strings.TrimSpace(m.Type(p) + " " + m.Get(p, "identifier").Text()))
		made := m.Made(p)
		say := func(check, state, detail string) {
			out.Checks = append(out.Checks, Check{check, state, name + ": " + c.words(detail)})
		}
		switch {
		case failed[fault{"registry/version-mismatch", p.Pointer()}]:
			say("package-version", "fail", "another one beside")
		case made != nil && made.Version.Text() != "" && m.Get(p, "version").Valid():
			say("package-version", "pass", "the same in "+made.Version.Doc().Path)
		default:
			say("package-version", "not-run", "nothing beside the manifest says which version it is")
		}
		switch proof := c.proof(m, p, made); {
		case failed[fault{"registry/unproven-ownership", p.Pointer()}]:
			say("ownership", "fail", "it does not name the server")
		case proof != "":
			say("ownership", "pass", proof)
		default:
			say("ownership", "not-run", "it is made elsewhere: whether it names the server was not seen")
		}
	}
}

// proof says where a package was seen to name the server, "" for nowhere.
func (c *Checker) proof(m *manifest.File, p source.Node, made *manifest.Made) string {
	kind := manifest.KindOf(m.Type(p))
	name := m.Root().Get("name").Text()
	switch {
	case kind == nil || name == "":
		return ""
	case kind.Proof == manifest.MCPName && made != nil:
		return made.Folder.Package.Path + " names it"
	case kind.Proof == manifest.FileDigest && m.Get(p, "fileSha256").Text() != "":
		return "its digest stands in the manifest"
	}
	for _, b := range m.Beside {
		if kind.Proof == manifest.ReadmeMark && b.Readme != nil && manifest.Proves(b.Readme.Raw, name) {
			return b.Readme.Path + " names it"
		}
		if kind.Proof == manifest.ImageLabel && b.Image != nil {
			if said, _ := manifest.Labelled(b.Image.Raw); said == name {
				return b.Image.Path + " names it"
			}
		}
	}
	return ""
}

// texts runs the static scan over what the manifest says to people and models.
func (c *Checker) texts(out *Report, m *manifest.File) {
	root, err := m.Modern(c.Limits)
	var rec *registry.Record
	if err == nil {
		rec, err = registry.FromManifest(root, c.Limits)
	}
	if err != nil {
		out.Checks = append(out.Checks, Check{"texts", "not-run", c.words(err.Error())})
		out.Incomplete = append(out.Incomplete, c.words(m.Path+": its texts were not judged: "+err.Error()))
		return
	}
	finder := &find.Finder{Facts: c.Facts, Limits: c.Limits}
	bad := 0
	for _, f := range finder.Scan(rec) {
		if f.Type == "credential" && slices.ContainsFunc(out.Findings, func(had Finding) bool { return had.Type == "registry/published-secret" && had.Pointer == f.Location }) {
			continue // the rule has it, at the same place
		}
		bad++
		n := m.Find(f.Location)
		out.add(Finding{Severity: f.Severity, Type: f.Type, Message: f.Message, Location: place(m.Doc.Locate(n.Span(), n.Pointer())), Pointer: c.words(n.Pointer())})
	}
	out.say("texts", bad, "nothing in them is aimed at a model, hidden or secret")
}

func place(l finding.Location) string {
	return fmt.Sprintf("%s:%d:%d", text.Line(l.Path, 0), l.Line, l.Column)
}

func severity(s finding.Severity) string {
	return map[finding.Severity]string{finding.Error: "high", finding.Warning: "medium", finding.Info: "low"}[s]
}

// rank orders severities, the gravest first.
func rank(severity string) int {
	return slices.Index([]string{"critical", "high", "medium", "low"}, severity)
}

func (c *Checker) words(s string) string { return text.Line(secret.Mask(s), c.Limits.ShownRunes) }
