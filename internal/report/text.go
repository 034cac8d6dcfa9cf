package report

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// The rules of the text format:
//
//   - In a pipe each finding is one line that starts with path:line:col, so that editors and grep follow it.
//     On a terminal findings stand under their file, aligned, wrapped, and coloured by severity alone.
//   - What could not be checked is listed, always, and the last line never calls such a run clean.
//   - The same words in both, and no symbols: colour helps, it never carries meaning.

// plain makes a stranger's text part of a line of ours, of at most max runes (0: no cap).
func plain(s string, max int) string { return text.Line(s, max) }

// leading is plain for text that a line may start with.
func leading(s string, max int) string { return text.Leading(s, max) }

// tally is "1 error, 2 warnings, 3 info", or "" for none.
func tally(errors, warnings, infos int) string {
	var parts []string
	if errors > 0 {
		parts = append(parts, text.Count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, text.Count(warnings, "warning"))
	}
	if infos > 0 {
		parts = append(parts, strconv.Itoa(infos)+" info")
	}
	return strings.Join(parts, ", ")
}

// sentence says in words what was checked, what was found, and what was not checked.
func (rep *Report) sentence() string {
	s := &rep.Summary
	unchecked := s.Skipped + s.Incomplete
	var b strings.Builder
	switch {
	case rep.Compared != nil:
		b.WriteString(rep.compared())
	case rep.Run.Verb == "diff":
		b.WriteString(text.Count(len(rep.Drift), "change"))
	case s.Files+s.Servers+s.Tools > 0:
		b.WriteString(text.Count(s.Servers, "server"))
		if s.Tools > 0 {
			b.WriteString(" with " + text.Count(s.Tools, "tool"))
		}
		if s.Files > 0 {
			b.WriteString(" in " + text.Count(s.Files, "file"))
		}
	case rep.Posture != nil && unchecked == 0:
		b.WriteString("no MCP configs found: 0 files read")
	default:
		b.WriteString("0 files read")
	}
	found := ""
	if rep.Compared == nil {
		found = tally(s.Error, s.Warning, s.Info)
	}
	if found == "" && s.Files+s.Servers+s.Tools > 0 && rep.Run.Verb != "diff" {
		found = "no findings"
	}
	if found != "" {
		b.WriteString(": " + found)
	}
	if rep.Trust != nil {
		b.WriteString(concluded(rep.Trust))
	}
	if s.Suppressed > 0 {
		b.WriteString(", " + strconv.Itoa(s.Suppressed) + " suppressed")
	}
	noun := "file"
	if rep.Run.Verb != "lint" && rep.Run.Verb != "doctor" {
		noun = "item"
	}
	if s.Excluded > 0 {
		b.WriteString(" (" + text.Count(s.Excluded, noun) + " excluded)")
	}
	var not []string
	if s.Incomplete > 0 {
		not = append(not, text.Count(s.Incomplete, noun)+" could not be checked")
	}
	if s.Skipped > 0 {
		not = append(not, text.Count(s.Skipped, noun)+" skipped")
	}
	if len(not) > 0 {
		b.WriteString(". " + strings.Join(not, ", "))
	}
	return b.String()
}

// colour is an ANSI SGR code.
type colour string

const (
	bold   colour = "1"
	dim    colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
)

func hue(s finding.Severity) colour {
	switch s {
	case finding.Error:
		return red
	case finding.Warning:
		return yellow
	}
	return cyan
}

type textWriter struct {
	*bufio.Writer
	rep    *Report
	env    Env
	pretty bool // for a terminal: files as headings, aligned columns
	brief  bool // the score card without its rows
	locked bool // doctor found a lock that holds a server
	blocks int
}

func writeText(w *bufio.Writer, rep *Report, env Env) {
	t := &textWriter{Writer: w, rep: rep, env: env, pretty: env.Color || env.Width > 0}
	if rep.ScoreCard != nil {
		t.score()
	}
	t.findings()
	most := limits.Default.ShownFaults
	if env.Verbose {
		most = 0
	}
	t.changes(most)
	t.compared()
	t.unchecked()
	if rep.Posture != nil {
		t.posture()
	}
	if rep.Trust != nil {
		t.trust()
		t.guards()
	}
	t.block()
	t.afterScore()
	t.fixable()
	if p := rep.shaped(); p != "" {
		line, _ := text.Wrap(plain(p, 0), 0, 0, env.Width)
		t.line(t.paint(dim, line))
	}
	ending := green
	switch s := rep.Summary; {
	case s.Error > 0 || s.Incomplete > 0:
		ending = red
	case s.Warning > 0 || s.Skipped > 0 || rep.Exit != 0:
		ending = yellow
	}
	sentence, _ := text.Wrap(rep.sentence(), 0, 0, env.Width)
	t.line(t.paint(ending, sentence))
}

// fixable says how to apply the fixes that lint can apply.
func (t *textWriter) fixable() {
	if t.rep.Run.Verb != "lint" {
		return
	}
	n := map[finding.Safety]int{}
	for i := range t.rep.Findings {
		if f := &t.rep.Findings[i]; f.Fix != nil && f.Status != finding.Suppressed {
			n[f.Fix.Safety]++
		}
	}
	var with []string
	if n[finding.Safe] > 0 {
		with = append(with, strconv.Itoa(n[finding.Safe])+" with --fix")
	}
	if n[finding.Unsafe] > 0 {
		with = append(with, strconv.Itoa(n[finding.Unsafe])+" with --fix=unsafe")
	}
	if len(with) > 0 {
		t.line(t.paint(dim, "fixable: "+strings.Join(with, ", ")+" (--diff shows them)"))
	}
}

func (t *textWriter) paint(c colour, s string) string {
	if !t.env.Color || s == "" {
		return s
	}
	return "\x1b[" + string(c) + "m" + s + "\x1b[0m"
}

func (t *textWriter) line(parts ...string) {
	for _, p := range parts {
		t.WriteString(p)
	}
	t.WriteByte('\n')
}

// block separates two blocks of the report by an empty line.
func (t *textWriter) block() {
	if t.blocks > 0 {
		t.WriteByte('\n')
	}
	t.blocks++
}

// findings lists the findings file by file, and then the info findings that were folded.
func (t *textWriter) findings() {
	all := t.rep.Findings
	infos := map[string]int{}
	for i := range all {
		if t.foldable(&all[i]) {
			infos[all[i].Rule]++
		}
	}
	folded := map[string]map[string]bool{} // rule -> files
	for start := 0; start < len(all); {
		end := start
		var shown []*finding.Finding
		for ; end < len(all) && all[end].Location.Path == all[start].Location.Path; end++ {
			f := &all[end]
			switch {
			case f.Status == finding.Suppressed && !t.env.Verbose && t.rep.Compared == nil:
			case t.foldable(f) && infos[f.Rule] > 1:
				if folded[f.Rule] == nil {
					folded[f.Rule] = map[string]bool{}
				}
				folded[f.Rule][f.Location.Path] = true
			default:
				shown = append(shown, f)
			}
		}
		t.file(shown)
		start = end
	}
	if len(folded) == 0 {
		return
	}
	t.block()
	for _, rule := range slices.Sorted(maps.Keys(folded)) {
		in := ""
		if s := &t.rep.Summary; s.Files > 0 {
			in = " in " + text.Count(len(folded[rule]), "file")
		}
		t.line(t.paint(cyan, "info"), "  ", plain(rule, 0), ": ", text.Count(infos[rule], "finding"), in, t.paint(dim, " (-v lists them)"))
	}
}

// foldable says that a finding may be counted instead of shown. What a probe finds in the endpoint itself is not: it explains
// the score.
func (t *textWriter) foldable(f *finding.Finding) bool {
	return f.Severity == finding.Info && f.Status != finding.Suppressed && !t.env.Verbose && (f.Section == "" || f.Tool != "") && t.rep.Compared == nil
}

// file lists findings that share a path.
func (t *textWriter) file(shown []*finding.Finding) {
	if len(shown) == 0 {
		return
	}
	path := leading(shown[0].Location.Path, 0)
	switch {
	case t.pretty:
		t.block()
		t.line(t.paint(bold, path))
	case t.blocks == 0:
		t.blocks++ // in a pipe all files are one block
	}
	places := make([]string, len(shown))
	wide, word := 0, 0
	for i, f := range shown {
		places[i] = where(f)
		if n := text.Width(places[i]); !t.apart(n) {
			wide = max(wide, n)
		}
		word = max(word, len(t.severity(f)))
	}
	for i, f := range shown {
		sev := t.severity(f)
		c := hue(f.Severity)
		if f.Status == finding.Suppressed {
			c = dim
		}
		if !t.pretty {
			at := path
			if places[i] != "" {
				at += ":" + places[i]
			}
			end := "]"
			if f.Section != "" {
				end += "  " + plain(f.Section, 0)
			}
			t.line(at, "  ", sev, "  ", plain(f.Message, 0), "  [", plain(f.Rule, 0), end)
			t.details(f, "    ")
			continue
		}
		indent := 2 + wide + 2 + word + 2
		at := places[i]
		if at == "" && i > 0 && places[i-1] != "" { // or it would seem to be said of the tool above
			t.line("  ", t.paint(dim, "(server)"))
		}
		if t.apart(text.Width(at)) {
			t.line("  ", t.paint(dim, at))
			at = ""
		}
		t.WriteString("  " + t.paint(dim, at) + strings.Repeat(" ", wide-text.Width(at)+2) +
			t.paint(c, sev) + strings.Repeat(" ", word-len(sev)+2))
		message, last := text.Wrap(plain(f.Message, 0), indent, indent, t.env.Width)
		t.WriteString(message)
		rule := plain(f.Rule, 0)
		if f.Section != "" {
			rule = plain(f.Section, 0) + "  " + rule
		}
		if t.env.Width > 0 && last+2+text.Width(rule) > t.env.Width {
			t.line("\n", strings.Repeat(" ", indent), t.paint(dim, rule))
		} else {
			t.line("  ", t.paint(dim, rule))
		}
		t.details(f, strings.Repeat(" ", indent))
	}
}

// apart says that a place is so wide that it gets a line of its own: the names of a server and a tool may leave no room for
// what is said of them.
func (t *textWriter) apart(wide int) bool { return t.env.Width > 0 && wide > t.env.Width/4 }

// severity is severityWord, in a diff of two reports that of a new finding.
func (t *textWriter) severity(f *finding.Finding) string {
	if t.rep.Compared != nil {
		return "new " + severityWord(f)
	}
	return severityWord(f)
}

func severityWord(f *finding.Finding) string {
	if f.Status == finding.Suppressed {
		return finding.Suppressed
	}
	return f.Severity.String()
}

// position is line:col, or "" for a finding about a whole file.
func position(l finding.Location) string {
	if l.Line == 0 {
		return ""
	}
	return strconv.Itoa(l.Line) + ":" + strconv.Itoa(max(1, l.Column))
}

// where is the position of a finding in its file; on a server that was asked, of which there is no file to look into, its
// name and the tool's.
func where(f *finding.Finding) string {
	if p := position(f.Location); p != "" {
		return p
	}
	at := f.Server
	if at == f.Location.Path {
		at = ""
	}
	return plain(strings.Trim(at+"/"+f.Tool, "/"), limits.Default.ShownColumns)
}

// details are the lines under a finding: its related places, its fix, and who silenced it.
func (t *textWriter) details(f *finding.Finding, indent string) {
	places := 0
	for _, r := range f.Related {
		if r.Location == nil || position(*r.Location) == "" && position(f.Location) == "" && r.Location.Path == f.Location.Path {
			continue // no place, or none that anyone could look at
		}
		if places++; places > limits.Default.ShownRelated && !t.env.Verbose {
			continue
		}
		at := plain(r.Location.Path, 0)
		if p := position(*r.Location); p != "" {
			at += ":" + p
		}
		t.paragraph(indent, dim, "see "+at, plain(r.Message, 0))
	}
	if more := places - limits.Default.ShownRelated; more > 0 && !t.env.Verbose {
		t.line(indent, t.paint(dim, fmt.Sprintf("and %s more (-v lists them)", text.Count(more, "place"))))
	}
	if s := f.Suppression; s != nil && f.Status == finding.Suppressed {
		t.paragraph(indent, dim, "silenced", "by "+plain(s.Kind, 0)+": "+reason(s))
		return
	}
	if x := f.Fix; x != nil {
		title := "(" + plain(string(x.Safety), 0) + "): " + plain(x.Title, 0)
		if len(x.Exports) > 0 {
			title += ", then set " + plain(strings.Join(x.Exports, ", "), 0)
		}
		t.paragraph(indent, green, "fix", title)
	}
}

func reason(s *finding.Suppression) string {
	return plain(s.Reason, 0) + " (" + plain(s.Owner, 0) + ", until " + plain(s.Expires, 0) + ")"
}

// paragraph writes a line that starts with a painted head and goes on with body.
func (t *textWriter) paragraph(indent string, c colour, head, body string) {
	body, _ = text.Wrap(body, len(indent), len(indent)+text.Width(head)+1, t.env.Width)
	t.line(indent, t.paint(c, head), " ", body)
}

// unchecked lists everything that was skipped or could not be checked, with the way to read it anyway.
func (t *textWriter) unchecked() {
	all := t.rep.notChecked()
	if len(all) == 0 {
		return
	}
	t.block()
	indent := "    "
	if t.pretty {
		t.line(t.paint(bold, "Not checked"))
	}
	for _, x := range all {
		c, word, path, why := red, x.word(), leading(x.path, 0), plain(x.why, 0)
		if x.skipped {
			c = yellow
		}
		if x.detail != "" {
			why += ": " + plain(x.detail, 0)
		}
		if t.pretty {
			t.line("  ", t.paint(c, word), strings.Repeat(" ", len("incomplete")-len(word)+2), path)
			indent = strings.Repeat(" ", 2+len("incomplete")+2)
			t.line(indent, t.paint(dim, why))
		} else {
			t.line(path, "  ", word, "  ", why)
		}
		if x.hint != "" {
			t.line(indent, "hint: ", plain(x.hint, 0))
		}
	}
}

// pad fills s with spaces to n terminal columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-text.Width(s)))
}
