// Package eval scores rules on labelled cards: how many hostile ones they find, and how often they cry wolf. The figures
// are a regression score. They compare two versions of the rules on one corpus, and say nothing about how common attacks
// are, nor how the rules do on the next author's.
package eval

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Judge runs the rules over every case and scores them. Only rules on cards are run. A finding counts where its rule is
// about security: tagged poisoning, unicode, secret or block, and for classes that are about what a tool does, behaviour.
func Judge(corpora []*Corpus, rules []*rule.Rule, facts rule.Facts, lim limits.Set) (*Result, error) {
	j := judge{rules: map[string]*rule.Rule{}, limits: lim}
	for _, r := range rules {
		if r.Card != nil || r.Surface != nil || r.Cards != nil {
			j.rules[r.ID] = r
			j.run = append(j.run, r)
		}
	}
	j.group(corpora)
	if err := j.judge(facts); err != nil {
		return nil, err
	}
	return j.score(corpora), nil
}

type judge struct {
	rules  map[string]*rule.Rule
	run    []*rule.Rule
	limits limits.Set

	cases      []*judged
	groups     []*group
	incomplete []finding.Incomplete
}

// judged is a case and what was found in it.
type judged struct {
	*Case
	path   string
	hits   hits
	warned bool // by any rule
	rules  []string
}

// group is the cases that are judged as one server (or, where a case has several, as those).
type group struct {
	name   string
	cases  []*judged
	spans  []finding.Span // of the cases' values in the document
	hits   hits
	failed bool // by any rule, at error
	// loose are the rules with a finding that counts and is about no case in particular.
	loose []string
	tier  hits // of those
}

// group makes a server of each case, but one of the benign cards that come from one.
func (j *judge) group(corpora []*Corpus) {
	for _, c := range corpora {
		servers := map[string]*group{}
		for i := range c.Cases {
			one := &judged{Case: &c.Cases[i], path: c.Path}
			j.cases = append(j.cases, one)
			joins := one.Label == Benign && one.Server != "" && whats()[one.what] != ""
			if g := servers[one.Server]; joins && g != nil {
				g.cases = append(g.cases, one)
				continue
			}
			g := &group{name: one.Server, cases: []*judged{one}}
			j.groups = append(j.groups, g)
			if joins {
				servers[one.Server] = g
			}
		}
	}
}

// surface writes the document of cases that are one server's, and says where in it the value of each stands. A case that
// is no card must be the only one.
func surface(cases []*Case) (raw []byte, spans []finding.Span) {
	spans = make([]finding.Span, len(cases))
	put := func(i int) {
		start := len(raw)
		raw = append(raw, cases[i].node.Raw()...)
		spans[i] = finding.Span{Start: start, End: len(raw)}
	}
	switch cases[0].what {
	case "servers":
		raw = append(raw, `{"servers":`...)
		put(0)
		return append(raw, '}'), spans
	case "surface":
		put(0)
		if n := cases[0].node; n.Get("tools").Kind() == source.Invalid { // instructions alone are a server, too
			head := []byte(`{"tools":[]`)
			if n.Len() > 0 {
				head = append(head, ',')
			}
			raw = append(head, bytes.TrimPrefix(raw, []byte("{"))...)
			spans[0] = finding.Span{Start: 0, End: len(raw)}
		}
		return raw, spans
	}
	raw = append(raw, '{')
	for _, what := range []string{"tool", "prompt", "resource", "template"} {
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(raw, source.Quote(whats()[what])+":["...)
		first := true
		for i, c := range cases {
			if c.what != what {
				continue
			}
			if !first {
				raw = append(raw, ',')
			}
			first = false
			put(i)
		}
		raw = append(raw, ']')
	}
	return append(raw, '}'), spans
}

func (j *judge) judge(facts rule.Facts) error {
	var files []*card.File
	for i, g := range j.groups {
		plain := make([]*Case, len(g.cases))
		for k, c := range g.cases {
			plain[k] = c.Case
			c.hits[Ten] = onFloor(c.node)
			g.hits[Ten] = g.hits[Ten] || c.hits[Ten]
		}
		raw, spans := surface(plain)
		g.spans = spans
		doc, err := source.Parse(strconv.Itoa(i), raw, source.JSON, j.limits)
		if err != nil {
			return err
		}
		files = append(files, card.Read(doc))
	}
	found, incomplete := engine.Judge(engine.Input{Cards: files, Rules: j.run, Facts: facts, Limits: j.limits, All: true})
	for _, f := range found {
		j.take(f)
	}
	for _, i := range incomplete {
		if n, err := strconv.Atoi(i.Path); err == nil && n < len(j.groups) {
			i.Path = j.groups[n].cases[0].ID
		}
		j.incomplete = append(j.incomplete, i)
	}
	return nil
}

// take counts one finding for the cases that it is about.
func (j *judge) take(f finding.Finding) {
	n, err := strconv.Atoi(f.Location.Path)
	r := j.rules[f.Rule]
	if err != nil || r == nil {
		return
	}
	g := j.groups[n]
	at := func(offset int) *judged {
		for i, s := range g.spans {
			if s.Start <= offset && offset < s.End {
				return g.cases[i]
			}
		}
		return nil
	}
	about := map[*judged]bool{}
	if len(g.cases) == 1 {
		about[g.cases[0]] = true
	} else if one := at(f.Location.Offset); one != nil {
		about[one] = true
		for _, also := range f.Related { // a finding that lists what several cards share
			if f.Tool == "" && also.Location != nil {
				if one := at(also.Location.Offset); one != nil {
					about[one] = true
				}
			}
		}
	}
	of := tiersOf(f, r)
	g.failed = g.failed || f.Severity == finding.Error
	for c := range about {
		c.warned = c.warned || f.Severity >= finding.Warning
		if counts(c.Case, r) && c.hits.join(of) && !slices.Contains(c.rules, f.Rule) {
			c.rules = append(c.rules, f.Rule)
		}
	}
	if security(r) {
		g.hits.join(of)
		if len(about) == 0 && g.tier.join(of) && !slices.Contains(g.loose, f.Rule) {
			g.loose = append(g.loose, f.Rule)
		}
	}
}

// join adds tiers and says whether there were any.
func (h *hits) join(o hits) (some bool) {
	for t := range h {
		h[t] = h[t] || o[t]
		some = some || o[t]
	}
	return some
}

func tiersOf(f finding.Finding, r *rule.Rule) (h hits) {
	h[Warning] = f.Severity >= finding.Warning
	h[Error] = f.Severity >= finding.Error
	h[Block] = slices.Contains(r.Tags, rule.Block)
	return h
}

func security(r *rule.Rule) bool {
	return slices.ContainsFunc(r.Tags, func(tag string) bool {
		return tag == rule.Poisoning || tag == rule.Unicode || tag == rule.Secret || tag == rule.Block
	})
}

// counts says whether a finding of the rule counts for the case. What any rule says of an honest card is noise, and is
// counted apart; here an alarm is one about security.
func counts(c *Case, r *rule.Rule) bool {
	switch {
	case security(r):
		return true
	case c.Label != Hostile:
		return false
	}
	return c.any || behaviour(c.Class) && slices.Contains(r.Tags, rule.Behaviour)
}

func (j *judge) score(corpora []*Corpus) *Result {
	res := &Result{SchemaVersion: 1, Missed: []Named{}, Alarms: []Named{}, Incomplete: []finding.Incomplete{}}
	res.Incomplete = append(res.Incomplete, j.incomplete...)
	var digests []string
	for _, c := range corpora {
		res.Files = append(res.Files, File{Path: c.Path, Digest: c.Digest, Cases: len(c.Cases)})
		digests = append(digests, c.Digest)
	}
	res.Digest = digests[0]
	if len(digests) > 1 {
		res.Digest = canon.Fingerprint(digests...)
	}
	for _, r := range j.run {
		if security(r) || slices.Contains(r.Tags, rule.Behaviour) {
			res.Rules++
		}
	}
	var found, cards, servers Counts
	rows := map[Row]*Row{}
	for _, c := range j.cases {
		key := Row{Class: c.Class, Label: c.Label}
		if rows[key] == nil {
			rows[key] = &Row{Class: c.Class, Label: c.Label}
		}
		rows[key].Cases++
		rows[key].Found.add(c.hits)
		switch c.Label {
		case Hostile:
			res.Hostile++
			found.add(c.hits)
			if !c.hits[Warning] {
				res.Missed = append(res.Missed, c.named())
			}
		case Benign:
			res.Benign++
			cards.add(c.hits)
			if c.warned {
				res.Warned++
			}
			if c.hits[Warning] || c.hits[Block] {
				one := c.named()
				one.Rules, one.Tier = c.rules, c.hits.gravest()
				res.Alarms = append(res.Alarms, one)
			}
		}
	}
	for _, g := range j.groups {
		if g.cases[0].Label != Benign {
			continue
		}
		res.Servers++
		servers.add(g.hits)
		if g.failed {
			res.Failed++
		}
		if len(g.loose) > 0 {
			one := g.cases[0].named()
			one.ID, one.Class, one.Server, one.Rules, one.Tier = "", "", g.name, g.loose, g.tier.gravest()
			res.Alarms = append(res.Alarms, one)
			cards.add(g.tier) // one more alarm to read
		}
	}
	for t := range tiers {
		r := rates(t, *found.At(t), res.Hostile, *cards.At(t))
		r.Servers = *servers.At(t)
		res.Tiers = append(res.Tiers, r)
	}
	for _, row := range rows {
		row.Recall, row.Precision, row.F1 = share(0, 0), share(0, 0), share(0, 0)
		if row.Label == Hostile {
			r := rates(Warning, row.Found.Warning, row.Cases, cards.Warning)
			row.Recall, row.Precision, row.F1 = r.Recall, r.Precision, r.F1
		}
		res.Rows = append(res.Rows, *row)
	}
	known := Classes()
	order := func(r Row) int {
		if i := slices.IndexFunc(known, func(c Class) bool { return c.Name == r.Class && c.Label == r.Label }); i >= 0 {
			return i
		}
		return len(known)
	}
	slices.SortFunc(res.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(order(a), order(b)), strings.Compare(a.Class, b.Class))
	})
	return res
}

func (c *judged) named() Named { return Named{ID: c.ID, Class: c.Class, Path: c.path, Line: c.Line} }

func (h hits) gravest() *Tier {
	t := Warning
	for _, of := range []Tier{Error, Block} {
		if h[of] {
			t = of
		}
	}
	return &t
}
