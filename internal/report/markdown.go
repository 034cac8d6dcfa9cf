package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// writeMarkdown writes a comment for a pull request: the summary, what could not be checked, then the
// findings worst first, cut where a comment would grow too long.
func writeMarkdown(w *bufio.Writer, rep *Report, env Env) {
	left := limits.Default.MarkdownBytes
	fmt.Fprintf(w, "### %s %s\n\n**%s**\n", toolName, markdown(rep.Run.Verb), markdown(rep.sentence()))
	if p := rep.shaped(); p != "" {
		n, _ := fmt.Fprintf(w, "\n%s\n", markdown(p))
		left -= n
	}
	left -= scoreTable(w, rep, left/2)
	left -= markdownTrust(w, rep, left/2)
	// half of the room at most goes to what was not checked, so that findings always show
	var unchecked []string
	for _, x := range rep.notChecked() {
		unchecked = append(unchecked, uncheckedRow(&x))
	}
	left -= table(w, "| not checked | where | why |\n| --- | --- | --- |\n", unchecked, left/2)

	var rows []string
	names := rep.names()
	for _, severity := range [...]finding.Severity{finding.Error, finding.Warning, finding.Info} {
		for i := range rep.Findings {
			if f := &rep.Findings[i]; f.Severity == severity && (f.Status != finding.Suppressed || rep.Compared != nil) {
				rows = append(rows, findingRow(f, severityWord(f), names[f.Subject].label(), env))
			}
		}
	}
	left -= markdownChanges(w, rep.Drift, left/2)
	head, parts := "severity", 1
	if rep.Compared != nil {
		head, parts = "new", 2
		left -= markdownNotes(w, rep.Compared.Notes)
	}
	left -= table(w, "| "+head+" | where | finding | rule |\n| --- | --- | --- | --- |\n", rows, left/parts)
	if rep.Compared != nil {
		markdownCompared(w, rep, names, env, left)
	}
}

// table writes rows until room bytes are used, says how many it left out, and gives the bytes it took.
func table(w *bufio.Writer, head string, rows []string, room int) (used int) {
	if len(rows) == 0 {
		return 0
	}
	used, _ = w.WriteString("\n" + head)
	for i, row := range rows {
		if used+len(row) > room {
			n, _ := fmt.Fprintf(w, "\n%s more: see the full report.\n", strconv.Itoa(len(rows)-i))
			return used + n
		}
		n, _ := w.WriteString(row)
		used += n
	}
	return used
}

func uncheckedRow(x *notChecked) string {
	why := markdown(x.why)
	if x.detail != "" {
		why += ": " + markdown(x.detail)
	}
	if x.hint != "" {
		why += "<br>hint: " + markdown(x.hint)
	}
	return "| " + x.word() + " | <code>" + markdown(x.path) + "</code> | " + why + " |\n"
}

func findingRow(f *finding.Finding, word, server string, env Env) string {
	at := "<code>" + markdown(f.Location.Path)
	if p := position(f.Location); p != "" {
		at += "&#58;" + strings.Replace(p, ":", "&#58;", 1)
	}
	at += "</code>"
	if server != "" {
		at += "<br>" + markdown(server)
	}
	what := markdown(f.Message)
	if f.Fix != nil {
		what += "<br>fix (" + markdown(string(f.Fix.Safety)) + "): " + markdown(f.Fix.Title)
	}
	rule := "<code>" + markdown(f.Rule) + "</code>"
	if env.Rules != nil {
		if info, ok := env.Rules(f.Rule); ok && info.URL != "" {
			rule = "[" + rule + "](" + info.URL + ")"
		}
	}
	return "| " + word + " | " + at + " | " + what + " | " + rule + " |\n"
}

// markdown makes a stranger's text part of a table cell, where it stays text.
//
// Every character that Markdown or HTML could read is a numeric reference, which Markdown takes as text and
// never as structure. GitHub looks for mentions, issues, emoji and addresses after that, in the finished
// page, so those are broken by a zero-width space, itself written as a reference.
func markdown(s string) string {
	s = text.Safe(s, limits.Default.ShownURLRunes)
	const special = "\\`*_{}[]<>&|~#@$:!"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if strings.IndexByte(special, c) >= 0 {
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
		} else {
			b.WriteByte(c)
		}
		last := i+1 == len(s) || s[i+1] == ' '
		if !last && (c == '@' || c == '#' || c == ':' || c == '.' && endsIn(s[:i], "www") || c == '-' && endsIn(s[:i], "gh")) {
			b.WriteString("&#8203;")
		}
	}
	return b.String()
}

func endsIn(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[len(s)-len(word):], word)
}
