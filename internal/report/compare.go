package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Compare holds two reports against each other, finding by finding. The findings of the result are those that only the later
// report has. What either run could not check is in it too: what is gone may not have been looked for.
func Compare(before, after *Report) *engine.Result {
	c := &finding.Comparison{Gone: []finding.Finding{}, Changed: []finding.Turn{}, Notes: ways(before, after)}
	res := &engine.Result{Compared: c, Files: after.Summary.Files, Servers: after.Summary.Servers, Tools: after.Summary.Tools,
		Findings: []finding.Finding{}, Incomplete: slices.Clone(after.Incomplete), Skipped: slices.Clone(after.Skipped)}
	for _, x := range before.notChecked() {
		res.Incomplete = append(res.Incomplete, finding.Incomplete{Path: x.path, Cause: x.why, Detail: strings.TrimSuffix("of the first report: "+x.detail, ": ")})
	}
	// Those that are alike find each other first: of several findings with one fingerprint none is taken for another.
	type likeness struct {
		print, status string
		severity      finding.Severity
	}
	alike := func(f *finding.Finding) likeness { return likeness{f.Fingerprint, f.Status, f.Severity} }
	left := map[likeness]int{}
	for i := range before.Findings {
		left[alike(&before.Findings[i])]++
	}
	var others []*finding.Finding
	met := map[likeness]int{}
	for i := range after.Findings {
		f := &after.Findings[i]
		if left[alike(f)] == 0 {
			others = append(others, f)
			continue
		}
		left[alike(f)]--
		met[alike(f)]++
		c.Same++
	}
	olds := map[string][]*finding.Finding{} // by fingerprint
	for i := range before.Findings {
		f := &before.Findings[i]
		if met[alike(f)] > 0 {
			met[alike(f)]--
			continue
		}
		olds[f.Fingerprint] = append(olds[f.Fingerprint], f)
	}
	used := map[string]bool{}
	for _, f := range others {
		used[f.Subject] = true
		was := olds[f.Fingerprint]
		if len(was) == 0 {
			res.Findings = append(res.Findings, *f)
			continue
		}
		turn := finding.Turn{Finding: *f}
		turn.Was.Severity, turn.Was.Status = was[0].Severity, was[0].Status
		olds[f.Fingerprint] = was[1:]
		c.Changed = append(c.Changed, turn)
	}
	for i := range before.Findings {
		f := &before.Findings[i]
		if was := olds[f.Fingerprint]; len(was) > 0 && was[0] == f {
			olds[f.Fingerprint] = was[1:]
			gone := *f
			gone.Subject, gone.Fix = "", nil
			c.Gone = append(c.Gone, gone)
		}
	}
	res.Subjects = subjectsOf(after, used)
	return res
}

// subjectsOf are the subjects with these ids, and what they belong to.
func subjectsOf(rep *Report, used map[string]bool) []finding.Subject {
	var all []finding.Subject
	for _, s := range slices.Backward(rep.Subjects) { // a parent stands before its children
		if used[s.ID] {
			used[s.Parent] = true
			all = append(all, s)
		}
	}
	slices.Reverse(all)
	return all
}

// ways says in what two runs differ.
func ways(before, after *Report) []string {
	notes := []string{}
	for _, w := range []struct{ what, was, is string }{
		{"verb", before.Run.Verb, after.Run.Verb},
		{"version", before.Tool.Version, after.Tool.Version},
		{"platform", before.Run.Platform, after.Run.Platform},
		{"environment", before.Run.Env, after.Run.Env},
		{"profile", before.Policy.Profile, after.Policy.Profile},
		{"policy", before.Policy.Source, after.Policy.Source},
		{"selected rules", strings.Join(before.Policy.Select, ", "), strings.Join(after.Policy.Select, ", ")},
		{"ignored rules", strings.Join(before.Policy.Ignore, ", "), strings.Join(after.Policy.Ignore, ", ")},
	} {
		if w.was != w.is {
			notes = append(notes, fmt.Sprintf("the %s was %q and is %q", w.what, w.was, w.is))
		}
	}
	return notes
}

// compared says in words how the findings of two reports differ.
func (rep *Report) compared() string {
	c := rep.Compared
	s := text.Count(len(rep.Findings), "new finding")
	if found := tally(rep.Summary.Error, rep.Summary.Warning, rep.Summary.Info); found != "" {
		s += " (" + found + ")"
	}
	return fmt.Sprintf("%s, %d gone, %d changed, %d as before", s, len(c.Gone), len(c.Changed), c.Same)
}

// turned says what a finding is, and what it was.
func turned(t *finding.Turn) string {
	was := finding.Finding{Severity: t.Was.Severity, Status: t.Was.Status}
	return severityWord(&t.Finding) + ", was " + severityWord(&was)
}

// compared lists what is another in the later of two reports, beside its new findings.
func (t *textWriter) compared() {
	c := t.rep.Compared
	if c == nil {
		return
	}
	one := func(f *finding.Finding, colour colour, word string) {
		at := leading(f.Location.Path, 0)
		if p := where(f); p != "" {
			at += ":" + p
		}
		line, _ := text.Wrap(at+"  "+t.paint(colour, word)+"  "+plain(f.Message, 0)+"  ["+plain(f.Rule, 0)+"]", 0, 2, t.env.Width)
		t.line(line)
	}
	if len(c.Changed)+len(c.Gone) > 0 {
		t.block()
	}
	for i := range c.Changed {
		one(&c.Changed[i].Finding, hue(c.Changed[i].Finding.Severity), turned(&c.Changed[i]))
	}
	for i := range c.Gone {
		one(&c.Gone[i], green, "gone "+severityWord(&c.Gone[i]))
	}
	if len(c.Notes) > 0 {
		t.block()
	}
	for _, n := range c.Notes {
		t.line(t.paint(dim, "note: "+plain(n, 0)))
	}
}

// markdownNotes says in what two runs differ.
func markdownNotes(w *bufio.Writer, notes []string) (used int) {
	for _, n := range notes {
		k, _ := fmt.Fprintf(w, "\n%s\n", markdown(n))
		used += k
	}
	return used
}

// markdownCompared lists what is another in the later of two reports, beside its new findings.
func markdownCompared(w *bufio.Writer, rep *Report, names map[string]named, env Env, room int) {
	c := rep.Compared
	var changed, gone []string
	for i := range c.Changed {
		f := &c.Changed[i].Finding
		changed = append(changed, findingRow(f, turned(&c.Changed[i]), names[f.Subject].label(), env))
	}
	for i := range c.Gone {
		gone = append(gone, findingRow(&c.Gone[i], severityWord(&c.Gone[i]), "", env))
	}
	room -= table(w, "| changed | where | finding | rule |\n| --- | --- | --- | --- |\n", changed, room/2)
	table(w, "| gone | where | finding | rule |\n| --- | --- | --- | --- |\n", gone, room)
}
