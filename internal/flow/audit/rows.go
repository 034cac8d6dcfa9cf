package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// tags are those of the rules by which an audit judges: whether a server can be trusted, not whether a client starts it well.
var tags = []string{rule.Secret, rule.Launch, rule.Auth, rule.Behaviour, rule.Poisoning, rule.Unicode, rule.Supply, rule.Drift, rule.Block}

// starting begins the ids of rules on whether a client can start a server.
const starting = "mcp-commands/"

// Rules are those of a policy's rules that an audit runs.
func Rules(all []*rule.Rule) (some []*rule.Rule) {
	for _, r := range all {
		if r.Machine == nil && r.Lock == nil && !strings.HasPrefix(r.ID, starting) && slices.ContainsFunc(r.Tags, func(t string) bool { return slices.Contains(tags, t) }) {
			some = append(some, r)
		}
	}
	return some
}

// Surface is what a server exposes: Card is nil where it could not be asked, and Gap says why then.
type Surface struct {
	Card *card.Server
	Gap  string
}

// Cards finds what the rules say of the cards of an item: those that it answered with, else those that a lock holds. It notes
// the checks, and gives the findings at the entry of the config.
func (a *Auditor) Cards(i *Item, live *Surface, rules []*rule.Rule, facts rule.Facts) (found []finding.Finding, incomplete []finding.Incomplete) {
	const check, health = "cards", "health"
	var s *card.Server
	from := ""
	switch e := i.cover.Entry; {
	case live != nil && live.Card == nil:
		i.say(health, trust.Fail, live.Gap, false)
		i.say(check, trust.NotRun, "it could not be asked: "+live.Gap, true)
		return nil, nil
	case live != nil:
		i.say(health, trust.Pass, "it answered with all that it exposes", false)
		s, from = live.Card, "it answered"
	case e != nil && e.Partial == nil && !e.Unpinned:
		i.say(health, trust.NotRun, "nobody was asked: --live asks", false)
		s, from = card.ServerAt(e.Node), i.cover.Lock.Path+" holds"
	default:
		i.say(health, trust.NotRun, "nobody was asked: --live asks", false)
		i.say(check, trust.NotRun, "no lock holds what it exposes: mcpassay pin writes it down, and --live asks", false)
		return nil, nil
	}
	if s == nil {
		i.say(check, trust.NotRun, "what "+from+" is no surface", true)
		return nil, nil
	}
	found, incomplete = engine.Judge(engine.Input{Cards: []*card.File{s.File}, Rules: rules, Facts: facts, Limits: a.Limits})
	n := 0
	for k := range found {
		f := &found[k]
		f.Location, f.Related, f.Fix, f.Nowhere = i.Entry.Node.Doc().Locate(i.Entry.Node.KeySpan(), i.Entry.Node.Pointer()), nil, nil, false
		f.Subject, f.Server = i.Entry.Subject(), i.Entry.Name
		if f.Severity > finding.Info {
			n++
		}
	}
	if n > 0 {
		i.say(check, trust.Fail, text.Count(n, "finding")+" in what "+from, false)
	} else {
		i.say(check, trust.Pass, "nothing grave in what "+from, false)
	}
	return found, incomplete
}

// Model makes the rows. Found are the findings after policy; files is how many were read, and unread what could not be.
func (a *Auditor) Model(items []*Item, found []finding.Finding, res *engine.Result) *trust.Model {
	m := &trust.Model{Items: []trust.Item{}, Inventory: trust.Inventory{Complete: true, Files: res.Files, Servers: len(items), Unread: []trust.Unread{}}}
	for _, s := range res.Skipped {
		m.Inventory.Unread = append(m.Inventory.Unread, trust.Unread{Path: s.Path, Cause: s.Reason, Detail: s.Detail})
	}
	for _, s := range res.Incomplete {
		m.Inventory.Unread = append(m.Inventory.Unread, trust.Unread{Path: s.Path, Cause: s.Cause, Detail: s.Detail})
	}
	m.Inventory.Complete = len(m.Inventory.Unread) == 0
	for _, i := range items {
		m.Items = append(m.Items, a.row(i, found))
	}
	m.Conclude()
	return m
}

// order is that of the checks of a row.
var order = []string{"config", "pinning", "registry-status", "release-age", "package-status", "package-integrity", "provenance", "install-scripts", "vulnerabilities", "lookalike", "texts", "cards", "health"}

func (a *Auditor) row(i *Item, all []finding.Finding) trust.Item {
	s := i.Entry
	row := trust.Item{Name: a.safe(s.Display()), Scope: s.Scope(), Path: s.File.Path, Kind: i.Kind(), Packages: []trust.PackageRow{}}
	if s.File.Client != nil {
		row.Client = s.File.Client.ID
	}
	if i.Address != "" {
		row.URL = text.Line(secret.Mask(secret.MaskURL(i.Address)), a.Limits.ShownURLRunes)
	}
	for _, p := range i.Packages {
		one := trust.PackageRow{Type: cmp.Or(string(p.Type), p.Ecosystem), Name: a.safe(p.Name), Wanted: a.safe(p.Want), Resolved: a.safe(p.Version), Pinned: p.Pin.String(), Digests: []string{}}
		for _, d := range p.Digests {
			one.Digests = append(one.Digests, a.safe(d))
		}
		row.Packages = append(row.Packages, one)
	}
	if r := i.Record; r != nil {
		row.Record = &trust.RecordRow{Name: a.safe(r.Name), Version: a.safe(r.Version), Status: a.safe(string(r.Status)), Others: []string{}}
		for _, o := range r.Others {
			row.Record.Others = append(row.Record.Others, a.safe(o))
		}
	}
	row.Assessment = trust.Assessment{Checks: map[string]string{}, Findings: []trust.Finding{}}
	config := 0
	for k := range all {
		f := &all[k]
		if f.Status == finding.Suppressed || !about(f, s) {
			continue
		}
		one := trust.Finding{Severity: i.severity(f), Type: f.Rule, Message: f.Message, Location: a.safe(f.Location.Pointer), Source: f.Location.Path}
		if f.Tool != "" {
			one.Source += " (" + a.safe(f.Tool) + ")"
		}
		row.Assessment.Findings = append(row.Assessment.Findings, one)
		if r, ok := catalog.ByID(f.Rule); ok && r.Trust == nil && f.Tool == "" && f.Severity > finding.Info {
			config++
		}
	}
	if config > 0 {
		i.say("config", trust.Fail, text.Count(config, "finding")+" in how it is configured", false)
	} else {
		i.say("config", trust.Pass, "nothing grave in how it is configured", false)
	}
	states := map[string]string{}
	for _, check := range order {
		e, failed, ok := i.merged(check)
		if !ok {
			e = trust.Evidence{Check: check, State: trust.NotRun, Detail: i.without()}
			if len(i.Packages) > 0 {
				e.Detail = "nothing is known of its package"
			}
		}
		e.Detail = a.safe(e.Detail)
		states[check] = e.State
		row.Checks = append(row.Checks, e)
		if failed && row.Error == nil {
			row.Error = &e.Detail
		}
	}
	score, _ := trust.Rate(trust.Checked{Findings: row.Assessment.Findings, Health: states["health"], Active: i.active, Aged: i.aged})
	row.Assessment.MaxAchievableScore = score.Reachable
	// The words of the document (mcpm-contracts, assessment.checks).
	for word, check := range map[string]string{"staticScan": "config", "healthCheck": "health", "releaseCooldown": "release-age", "packageIntegrity": "package-integrity", "provenance": "provenance"} {
		row.Assessment.Checks[word] = "not_run"
		if states[check] != trust.NotRun {
			row.Assessment.Checks[word] = "completed"
		}
	}
	row.Assessment.Checks["externalScan"] = "not_run"
	if row.TrustScore = score; row.Error != nil {
		row.TrustScore = trust.Unknown()
	}
	return row
}

// merged is the answer to one check where several packages have one each: the worst.
func (i *Item) merged(check string) (e trust.Evidence, failed, ok bool) {
	rank := func(n note) int {
		switch {
		case n.State == trust.Fail:
			return 3
		case n.State == trust.NotRun && n.failed:
			return 2
		case n.State == trust.NotRun:
			return 1
		}
		return 0
	}
	var all []note
	for _, n := range i.notes {
		if n.Check == check {
			all = append(all, n)
			failed = failed || n.failed
		}
	}
	if len(all) == 0 {
		return e, false, false
	}
	slices.SortStableFunc(all, func(a, b note) int { return rank(b) - rank(a) })
	e = all[0].Evidence
	for _, n := range all[1:] {
		if !strings.Contains(e.Detail, n.Detail) {
			e.Detail += "; " + n.Detail
		}
	}
	return e, failed, true
}

// about says whether a finding is about an entry: as its subject, or by a place of it that it names.
func about(f *finding.Finding, s *client.Server) bool {
	if f.Subject != "" && f.Subject == s.Subject() {
		return true
	}
	if f.Server != "" && f.Server != s.Name || s.File.Doc == nil {
		return false
	}
	in := s.Node.Span()
	within := func(l *finding.Location) bool {
		return l != nil && l.Path == s.File.Path && l.Length > 0 && l.Offset >= in.Start && l.Offset+l.Length <= in.End
	}
	return within(&f.Location) || slices.ContainsFunc(f.Related, func(r finding.Related) bool { return within(r.Location) })
}

// severity is a finding's in the words of the seed.
func (i *Item) severity(f *finding.Finding) string {
	if r, ok := catalog.ByID(f.Rule); ok && slices.Contains(r.Tags, rule.Block) {
		return trust.Critical
	}
	for _, p := range i.Packages {
		for _, a := range p.Advisories {
			if f.Rule == "registry/known-vulnerability" && f.Kind == a.ID {
				return a.Level
			}
		}
	}
	return map[finding.Severity]string{finding.Error: trust.High, finding.Warning: trust.Medium, finding.Info: trust.Low}[f.Severity]
}

// safe is a stranger's text for an output.
func (a *Auditor) safe(s string) string { return text.Line(secret.Mask(s), a.Limits.ShownRunes) }

// Removable says why an entry that is risky can not be taken out, "" where it can.
func Removable(row *trust.Item, s *client.Server) string {
	switch {
	case row.Error != nil:
		return "it could not be assessed, and what is not known is no reason to take it out"
	case s.Project != "":
		return "it is a definition for one project, which its client keeps in a file of its own"
	case s.File.Scope != client.ScopeUser && s.File.Scope != client.ScopeProject:
		return "the file is not the user's to change (" + s.File.Scope + ")"
	}
	return ""
}
