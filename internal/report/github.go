package report

import (
	"bufio"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// writeGitHub writes workflow commands, one annotation a line, the worst first: GitHub shows ten of each
// level. What could not be checked is an error annotation. The last line is the summary.
//
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
func writeGitHub(w *bufio.Writer, rep *Report, env Env) {
	files := newPlacer(rep, env)
	sorted := make([]*finding.Finding, 0, len(rep.Findings))
	for i := range rep.Findings {
		if rep.Findings[i].Status != finding.Suppressed {
			sorted = append(sorted, &rep.Findings[i])
		}
	}
	slices.SortStableFunc(sorted, func(a, b *finding.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	for _, f := range sorted {
		level := map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning"}[f.Severity]
		annotation{level: cmp.Or(level, "notice"), location: f.File(), title: f.Rule, message: f.Message}.write(w, files)
	}
	for _, x := range rep.notChecked() {
		title := "could not be checked: "
		if x.skipped {
			title = "skipped: "
		}
		annotation{"error", finding.Location{Path: x.path}, title + x.why, cmp.Or(x.detail, x.why)}.write(w, files)
	}
	if p := rep.shaped(); p != "" {
		annotation{level: "notice", title: toolName, message: p}.write(w, files)
	}
	w.WriteString(rep.sentence() + "\n")
}

type annotation struct {
	level    string
	location finding.Location
	title    string
	message  string
}

func (a annotation) write(w *bufio.Writer, files *placer) {
	w.WriteString("::" + a.level + " ")
	l := a.location
	if file, inside := files.relative(l.Path); inside {
		w.WriteString("file=" + githubProperty(file) + ",")
		if l.Line > 0 {
			w.WriteString("line=" + strconv.Itoa(l.Line) + ",col=" + strconv.Itoa(max(1, l.Column)) + ",")
			if l.EndLine > 0 {
				w.WriteString("endLine=" + strconv.Itoa(l.EndLine) + ",")
			}
		}
	} else if l.Path != "" { // outside the repository: the place has to be said in words
		a.message = l.Path + ": " + a.message
	}
	w.WriteString("title=" + githubProperty(a.title) + "::" + githubData(a.message) + "\n")
}

// The runner undoes exactly these. plain leaves no line break; they are named for the rule's sake.
var (
	dataEscapes     = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A") })
	propertyEscapes = sync.OnceValue(func() *strings.Replacer {
		return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	})
)

// githubData escapes the message of a workflow command.
func githubData(s string) string { return dataEscapes().Replace(plain(s, 0)) }

// githubProperty escapes the value of a property, which also ends at ":" and ",".
func githubProperty(s string) string { return propertyEscapes().Replace(plain(s, 0)) }
