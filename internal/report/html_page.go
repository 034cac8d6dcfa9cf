package report

import (
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// page is what page.html shows. Each list holds limits.ShownItems at most, and beside it stands how many more there are.
type page struct {
	CSP   string
	Style template.CSS
	Home  string

	Verb, Headline string
	Good           bool // the headline is good news
	Sentence       string
	Shaped         string // what a policy changed
	Counts         []tallied
	Facts          []fact
	Unchecked      []uncheckedItem
	MoreUnchecked  int
	Score          *scoreView
	Tools          *matrix
	Posture        *postureView
	Trust          *trustView
	Groups         []*group
	MoreGroups     int
	Parts          []part
}

// fact is a thing to know of the run, and tallied a number with its word.
type (
	fact    struct{ Name, Value string }
	tallied struct {
		N          int
		Kind, Word string
	}
)

type uncheckedItem struct{ Word, Path, Why, Detail, Hint string }

// parts are the lists of findings, in their order, and whether each is unfolded.
var parts = [...]struct {
	word, title string
	open        bool
}{
	{"error", "Errors", true}, {"warning", "Warnings", true}, {"info", "Info", false}, {finding.Suppressed, "Suppressed", false},
}

const suppressedPart = len(parts) - 1

// partOf is the place in parts of the list that f is in.
func partOf(f *finding.Finding) int {
	switch {
	case f.Status == finding.Suppressed:
		return suppressedPart
	case f.Severity == finding.Error:
		return 0
	case f.Severity == finding.Warning:
		return 1
	}
	return 2
}

// group is a server, or a file, with what was found on it.
type group struct {
	Name, Path string
	Cells      [len(parts)]cell
}

// cell is a count that leads to a list, or nowhere when the list ends before it.
type cell struct {
	Word string
	N    int
	ID   string
}

// part is the findings of one severity, or those that are suppressed.
type part struct {
	Word, Title string
	Open        bool
	N, More     int
	Groups      []partGroup
}

type partGroup struct {
	*group
	ID       string
	Findings []shownFinding
}

type shownFinding struct {
	*finding.Finding
	ID        string
	Info      RuleInfo
	Tool      string
	Position  string
	See       []finding.Related
	MoreSee   int
	Edits     []shownEdit
	MoreEdits int
}

// shownEdit is an edit as a diff has it. What it takes away is bytes that no report holds.
type shownEdit struct {
	Offset, Length int
	Lines          []string
	More           int
}

func newPage(rep *Report, env Env) *page {
	s := &rep.Summary
	p := &page{CSP: security(), Style: template.CSS(pageStyle), Home: home, Verb: rep.Run.Verb, Sentence: rep.sentence(),
		Shaped: rep.shaped(), Facts: rep.facts()}
	p.Headline, p.Good = rep.headline()
	p.Counts = []tallied{{s.Error, "error", "errors"}, {s.Warning, "warning", "warnings"}, {s.Info, "info", "info"},
		{s.Suppressed, "suppressed", "suppressed"}, {s.Incomplete, "incomplete", "not checked"}, {s.Skipped, "skipped", "skipped"}}
	for _, x := range rep.notChecked() {
		p.Unchecked = append(p.Unchecked, uncheckedItem{x.word(), x.path, x.why, x.detail, x.hint})
	}
	p.Unchecked, p.MoreUnchecked = cut(p.Unchecked, limits.Default.ShownItems)
	groups := rep.groups()
	p.Score, p.Tools, p.Posture = newScore(rep.ScoreCard), newMatrix(rep, groups), newPosture(rep)
	p.Trust = newTrust(rep)
	p.list(rep, groups, env)
	return p
}

// headline says in a few words how the run went, and whether that is good news.
func (rep *Report) headline() (words string, fine bool) {
	s, c := &rep.Summary, rep.ScoreCard
	switch {
	case s.Skipped+s.Incomplete > 0 && s.Error+s.Warning == 0:
		return "Not all of it was checked", false
	case rep.Exit != 0 || s.Skipped+s.Incomplete > 0:
		return "Needs attention", false
	case c != nil && c.Gated:
		return "Wants credentials", false
	case c != nil && c.Grade != "":
		return "Grade " + c.Grade, gradeTone(c.Grade) == good
	case s.Files+s.Servers+s.Tools == 0:
		return "Nothing to check", false
	case s.Error+s.Warning+s.Info > 0:
		return "Passed, with findings", true
	}
	return "Clean", true
}

// cut is the first most of a list, and how many more there are.
func cut[T any](list []T, most int) (shown []T, more int) {
	if len(list) <= most {
		return list, 0
	}
	return list[:most], len(list) - most
}

// facts are what one must know to run the same again.
func (rep *Report) facts() []fact {
	p := &rep.Policy
	facts := []fact{
		{"Version", rep.Tool.Name + " " + rep.Tool.Version}, {"Command", rep.Run.Verb}, {"Started", rep.Run.StartedAt},
		{"Platform", rep.Run.Platform}, {"Environment", rep.Run.Env}, {"Policy", p.Source}, {"Profile", p.Profile},
		{"Fails on", p.FailOn.String()}, {"Exit status", strconv.Itoa(rep.Exit)},
	}
	var severities []string
	for _, rule := range slices.Sorted(maps.Keys(p.Severity)) {
		severities = append(severities, rule+": "+p.Severity[rule])
	}
	for _, f := range []fact{{"Only rules", strings.Join(p.Select, ", ")}, {"Ignored rules", strings.Join(p.Ignore, ", ")},
		{"Severities", strings.Join(severities, ", ")}} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	if p.Left > 0 {
		facts = append(facts, fact{"Left out", text.Count(p.Left, "rule")})
	}
	return append(facts, fact{"Run", rep.Run.ID})
}

// list sorts the findings into parts, each by server, and counts them by both.
func (p *page) list(rep *Report, groups *grouping, env Env) {
	names := rep.names()
	var lists [len(parts)][]*finding.Finding
	for i := range rep.Findings {
		f := &rep.Findings[i]
		g, part := groups.of(f), partOf(f)
		if g.Cells == [len(parts)]cell{} {
			p.Groups = append(p.Groups, g)
			for at := range parts {
				g.Cells[at].Word = parts[at].word
			}
		}
		g.Cells[part].N++
		lists[part] = append(lists[part], f)
	}
	room, ids := limits.Default.ShownItems, 0
	for at, all := range lists {
		if len(all) == 0 {
			continue
		}
		one := part{Word: parts[at].word, Title: parts[at].title, Open: parts[at].open, N: len(all)}
		if at == suppressedPart {
			room = limits.Default.ShownItems // a list of its own
		}
		all, one.More = cut(all, room)
		room -= len(all)
		place := map[*group]int{}
		for _, f := range all {
			g := groups.of(f)
			i, ok := place[g]
			if !ok {
				i = len(one.Groups)
				place[g] = i
				g.Cells[at].ID = one.Word + "-" + strconv.Itoa(i+1)
				one.Groups = append(one.Groups, partGroup{group: g, ID: g.Cells[at].ID})
			}
			ids++
			one.Groups[i].Findings = append(one.Groups[i].Findings, shown(f, ids, names[f.Subject].tool, env))
		}
		p.Parts = append(p.Parts, one)
	}
	p.Groups, p.MoreGroups = cut(p.Groups, limits.Default.ShownItems)
}

func shown(f *finding.Finding, id int, tool string, env Env) shownFinding {
	one := shownFinding{Finding: f, ID: "f" + strconv.Itoa(id), Tool: tool, Position: position(f.Location)}
	if env.Rules != nil {
		one.Info, _ = env.Rules(f.Rule)
	}
	for _, r := range f.Related {
		if r.Location != nil || r.Message != "" {
			one.See = append(one.See, r)
		}
	}
	one.See, one.MoreSee = cut(one.See, limits.Default.RelatedPlaces)
	if f.Fix == nil {
		return one
	}
	edits, more := cut(f.Fix.Edits, limits.Default.ShownLines)
	one.MoreEdits = more
	for _, e := range edits {
		edit := shownEdit{Offset: e.Offset, Length: e.Length}
		if e.Text != "" {
			edit.Lines, edit.More = cut(strings.Split(e.Text, "\n"), limits.Default.ShownLines)
		}
		one.Edits = append(one.Edits, edit)
	}
	return one
}

// grouping finds the group of a finding: by its subject's server, else by its file.
type grouping struct {
	subjects map[string]*group
	files    map[string]*group
}

func (rep *Report) groups() *grouping {
	all := &grouping{map[string]*group{}, map[string]*group{}}
	paths := map[string]string{}
	for i := range rep.Subjects { // a parent stands before its children
		s := &rep.Subjects[i]
		switch parent := all.subjects[s.Parent]; {
		case s.Kind == "server":
			all.subjects[s.ID] = &group{Name: s.Name, Path: paths[s.Parent]}
		case parent != nil:
			all.subjects[s.ID] = parent
		case s.Path != "":
			paths[s.ID] = s.Path
		}
	}
	return all
}

func (all *grouping) of(f *finding.Finding) *group {
	if g := all.subjects[f.Subject]; g != nil {
		return g
	}
	g := all.files[f.Location.Path]
	if g == nil {
		g = &group{Path: f.Location.Path}
		all.files[f.Location.Path] = g
	}
	return g
}
