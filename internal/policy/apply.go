package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	rules "github.com/mcpassay/mcpassay/internal/rules/policy"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Option is what Apply should know of a run beyond its documents.
type Option func(*application)

// WithoutComments leaves suppression comments alone, as doctor and guard do: what a cloned repository says of itself
// is no answer there.
func WithoutComments() Option { return func(a *application) { a.comments = false } }

// OnlyPart says that the run looked at a part of what the policy is about. What its suppressions hide elsewhere is
// unknown, so none of them is called unused; a comment still is, since its document was judged.
func OnlyPart() Option { return func(a *application) { a.part = true } }

// Ran says which rules the run put to work, where the verb runs fewer than the policy asks for. Only their suppressions
// are reviewed.
func Ran(rules []*rule.Rule) Option { return func(a *application) { a.ran = rules } }

// Files tells which clients read each file, and how its path reads from dir, the absolute folder of the policy file.
// Without it paths are those of the report, and a suppression for one client matches nothing.
func Files(files []*client.File, dir string) Option {
	return func(a *application) { a.files, a.dir = files, dir }
}

// Apply gives findings the severities of the policy, marks those that somebody answers for as suppressed, and adds
// what is wrong with the suppressions themselves, which no suppression hides. Docs are the judged documents. The last
// day of a suppression counts until it is over in UTC. The findings stay in the order of their places.
func (p *Policy) Apply(found []finding.Finding, docs []*source.Doc, today time.Time, options ...Option) []finding.Finding {
	a := &application{policy: p, today: today, comments: true, ran: p.Rules(),
		byRule: map[string][]*silence{}, byLine: map[line][]*silence{}, docs: map[string]*source.Doc{}, matched: map[string][]*rule.Rule{}}
	for _, o := range options {
		o(a)
	}
	a.fromPolicy()
	if a.comments {
		for _, d := range docs {
			a.fromComments(d)
		}
	}
	for i := range found {
		a.judge(&found[i])
	}
	a.review()
	if len(a.own) > 0 {
		found = append(found, engine.Settle(catalog.All(), a.own)...)
		slices.SortStableFunc(found, finding.ByPlace)
	}
	return found
}

type application struct {
	policy         *Policy
	today          time.Time
	comments, part bool
	ran            []*rule.Rule
	files          []*client.File
	dir            string
	places         map[string]place // by the path of the report; made when one is asked for

	silences []*silence
	byRule   map[string][]*silence // those of the policy file
	byLine   map[line][]*silence   // those of comments
	docs     map[string]*source.Doc
	matched  map[string][]*rule.Rule // by pattern

	own []finding.Finding
}

// place is what a suppression sees of the file at a path of the report.
func (a *application) place(path string) (where place, known bool) {
	if a.places == nil {
		a.places = make(map[string]place, len(a.files))
		for _, f := range a.files {
			where := place{path: f.Path}
			if rel, err := filepath.Rel(a.dir, f.Abs); err == nil && filepath.IsLocal(rel) {
				where.path = filepath.ToSlash(rel)
			}
			if f.Client != nil {
				where.clients = append(where.clients, f.Client.ID)
			}
			for _, c := range f.Readers {
				where.clients = append(where.clients, c.ID)
			}
			a.places[f.Path] = where
		}
	}
	where, known = a.places[path]
	return where, known
}

// line is one line of a document, counted from 1.
type line struct {
	doc    *source.Doc
	number int
}

// silence is a suppression of either kind at work.
type silence struct {
	grant   finding.Suppression
	scope   *Suppression // nil for a comment
	at      rule.Place
	rules   []pattern
	expired bool
}

type pattern struct {
	name string
	ids  map[string]bool
	used bool
}

func (p pattern) any(ids map[string]bool) bool {
	for id := range p.ids {
		if ids[id] {
			return true
		}
	}
	return false
}

func (a *application) silence(kind, reason, owner, expires string, at rule.Place, names ...string) *silence {
	// The words are a stranger's: what a report shows of them drives nothing.
	shown := func(s string) string {
		return text.Safe(strings.Join(strings.Fields(s), " "), limits.Default.ShownRunes)
	}
	s := &silence{grant: finding.Suppression{Kind: kind, Reason: shown(reason), Owner: shown(owner), Expires: expires},
		at: at, expired: day(a.today) > expires}
	for _, name := range names {
		if _, ok := a.matched[name]; !ok {
			a.matched[name] = catalog.Match(name)
		}
		p := pattern{name: name, ids: map[string]bool{}}
		for _, r := range a.matched[name] {
			p.ids[r.ID] = true
		}
		s.rules = append(s.rules, p)
	}
	a.silences = append(a.silences, s)
	return s
}

func (a *application) fromPolicy() {
	for i := range a.policy.Suppressions {
		scope := &a.policy.Suppressions[i]
		at := rule.Where(finding.Location{Path: a.policy.Source})
		if scope.node.Valid() {
			at = rule.At(scope.node)
		}
		s := a.silence("policy", scope.Reason, scope.Owner, scope.Expires, at, scope.Rule)
		s.scope = scope
		for id := range s.rules[0].ids {
			a.byRule[id] = append(a.byRule[id], s)
		}
	}
}

func (a *application) fromComments(d *source.Doc) {
	if len(d.Comments) == 0 {
		return
	}
	all, more := notes(d, a.today)
	for _, n := range all {
		at := rule.Where(d.Locate(n.span, ""))
		if n.problem != "" {
			a.report(rules.MalformedSuppression, at, "", rule.Args{"problem": n.problem})
			continue
		}
		s := a.silence("inline", n.reason, n.owner, n.until, at, n.rules...)
		if n.target >= 0 {
			number, _ := d.Position(n.target)
			a.byLine[line{d, number}] = append(a.byLine[line{d, number}], s)
			a.docs[d.Path] = d
		}
	}
	if more.Len() > 0 {
		a.report(rules.MalformedSuppression, rule.Where(d.Locate(more, "")), "", rule.Args{"problem": "the file holds too many of them, this and later ones are not read"})
	}
}

// judge gives one finding what the policy and the comments say of it.
func (a *application) judge(f *finding.Finding) {
	if severity, ok := a.policy.Severity[f.Rule]; ok {
		f.Severity = severity
	}
	if all := a.byRule[f.Rule]; len(all) > 0 {
		where, known := a.place(f.Location.Path)
		if !known {
			where.path = f.Location.Path
		}
		for _, s := range all {
			if s.scope.covers(f, where) {
				s.hide(f)
			}
		}
	}
	d := a.docs[f.Location.Path]
	if d == nil {
		return
	}
	at := []finding.Location{f.Location}
	if f.Server == "" {
		for _, r := range f.Related {
			if r.Location != nil && r.Location.Path == f.Location.Path {
				at = append(at, *r.Location)
			}
		}
	}
	// One comment at the first place does not speak for the others, least of all for an entry that is added later.
	var all []*silence
	for _, l := range at {
		here := a.above(d, l)
		if !slices.ContainsFunc(here, func(s *silence) bool { return s.speaksOf(f.Rule) }) {
			return
		}
		all = append(all, here...)
	}
	for _, s := range all {
		s.hide(f)
	}
}

// above are the comments that cover a place.
func (a *application) above(d *source.Doc, l finding.Location) (all []*silence) {
	for _, number := range heads(d, l) {
		all = append(all, a.byLine[line{d, number}]...)
	}
	return all
}

// speaksOf says that the suppression is about the rule, and in force.
func (s *silence) speaksOf(rule string) bool {
	return !s.expired && slices.ContainsFunc(s.rules, func(p pattern) bool { return p.ids[rule] })
}

// hide suppresses a finding, unless the suppression is over or about other rules. The first suppression is the one
// that a report shows; all that match are in use.
func (s *silence) hide(f *finding.Finding) {
	for i := range s.rules {
		if !s.rules[i].ids[f.Rule] || s.expired {
			continue
		}
		s.rules[i].used = true
		if f.Suppression == nil {
			grant := s.grant
			f.Status, f.Suppression = finding.Suppressed, &grant
		}
	}
}

// review reports the suppressions that are over or hide nothing, of rules that ran.
func (a *application) review() {
	ran := map[string]bool{}
	for _, r := range a.ran {
		ran[r.ID] = true
	}
	for _, s := range a.silences {
		var live, unused []string
		for _, p := range s.rules {
			if !p.any(ran) {
				continue
			}
			live = append(live, p.name)
			if !p.used {
				unused = append(unused, p.name)
			}
		}
		switch {
		case len(live) == 0:
		case s.expired:
			a.report(rules.ExpiredSuppression, s.at, s.key(live), rule.Args{"rule": strings.Join(live, ", "), "date": s.grant.Expires, "owner": s.grant.Owner})
		case len(unused) > 0 && !(a.part && s.scope != nil):
			a.report(rules.UnusedSuppression, s.at, s.key(unused), rule.Args{"rule": strings.Join(unused, ", ")})
		}
	}
}

// key tells suppressions of one file apart in fingerprints, wherever they stand.
func (s *silence) key(names []string) string {
	key := strings.Join(names, ",")
	if s.scope != nil {
		key = strings.Join([]string{key, s.scope.Server, s.scope.Tool, s.scope.Path, s.scope.Client}, "\x00")
	}
	return key
}

// report makes a finding of a rule on the policy itself, unless the policy ignores that rule.
func (a *application) report(r *rule.Rule, at rule.Place, kind string, args rule.Args) {
	if slices.Contains(matches(a.policy.Ignore), r) {
		return
	}
	pass := &rule.Pass{Rule: r, Scene: &rule.Scene{}, Limits: &limits.Default, Emit: func(f finding.Finding) {
		if severity, ok := a.policy.Severity[f.Rule]; ok {
			f.Severity = severity
		}
		a.own = append(a.own, f)
	}}
	pass.Report(at, args, rule.WithKind(kind))
}
