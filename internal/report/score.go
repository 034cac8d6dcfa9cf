package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/text"
)

// barWidth is how many columns the bar of a section has.
const barWidth = 20

// score writes the score card: the grade first, then a line for each section and one for each row that is not as it
// should be, with what a client sees and how to fix it where no finding says so. What the rules found in the tools stands
// among the findings.
func (t *textWriter) score() {
	c := t.rep.ScoreCard
	t.block()
	switch {
	case c.Gated:
		t.line(t.paint(yellow, "gated"), "  ", t.paint(bold, leading(c.Target, 0)), "  it wants credentials: no grade")
	case c.Grade == "":
		t.line(t.paint(red, "no grade"), "  ", t.paint(bold, leading(c.Target, 0)))
	default:
		t.line(t.paint(gradeHue(c.Grade), "grade "+c.Grade), "  ", t.paint(bold, strconv.Itoa(c.Total)+" of 100"), "  ", leading(c.Target, 0))
	}
	if c.Capped != "" {
		t.paragraph("", yellow, "capped at "+c.Grade+":", plain(c.Capped, 0))
	}
	if unmet(c) { // why stands among what could not be checked
		return
	}
	for i := range c.Lanes {
		l := &c.Lanes[i]
		head := l.Era + " era"
		if l.Revision != "" {
			head += ", revision " + plain(l.Revision, 0)
		}
		if len(c.Lanes) > 1 && l.Grade != "" {
			head += fmt.Sprintf(": %s %d", l.Grade, l.Total)
		}
		if len(c.Lanes) == 1 {
			head += ", " + text.Count(c.Requests, "request")
		}
		t.line(t.paint(dim, head))
		t.line()
		for _, s := range l.Sections.All() {
			t.section(s)
		}
		if i < len(c.Lanes)-1 || !t.pretty && len(t.rep.Findings) > 0 {
			t.line()
		}
	}
}

// unmet says that no word of the endpoint ever came: there is nothing to say of its sections.
func unmet(c *score.Card) bool {
	if c.Grade != "" || c.Gated {
		return false
	}
	for i := range c.Lanes {
		for _, s := range c.Lanes[i].Sections.All() {
			if slices.ContainsFunc(s.Rows, func(r score.Row) bool { return r.HTTPStatus != 0 || r.Code != 0 || r.Points > 0 }) {
				return false
			}
		}
	}
	return true
}

// WriteScore writes the score card alone, as the text format does: the grade and a line for each section.
func WriteScore(w io.Writer, c *score.Card, colour bool, width int) error {
	b := bufio.NewWriter(w)
	t := &textWriter{Writer: b, rep: &Report{ScoreCard: c}, env: Env{Color: colour, Width: width}, pretty: colour || width > 0, brief: true}
	t.score()
	return b.Flush()
}

func gradeHue(grade string) colour {
	switch grade {
	case "A", "B":
		return green
	case "C":
		return yellow
	}
	return red
}

func (t *textWriter) section(s score.Named) {
	head := "  " + pad(s.Name, len("handshake"))
	if !s.Applies {
		why := "does not apply"
		if slices.ContainsFunc(s.Rows, func(r score.Row) bool { return r.Verdict == "skipped" || r.Verdict == "gated" }) {
			why = "not checked"
		}
		t.line(head, "  ", t.paint(dim, why))
	} else {
		points := number(s.Score) + " of " + number(s.Max)
		c := green
		switch {
		case s.Score < s.Max/2:
			c = red
		case s.Score < s.Max*0.9:
			c = yellow
		}
		if t.pretty {
			full := int(math.Round(barWidth * s.Score / s.Max))
			t.line(head, "  ", t.paint(c, strings.Repeat("█", full)), t.paint(dim, strings.Repeat("░", barWidth-full)), "  ", points)
		} else {
			t.line(head, "  ", points)
		}
	}
	if t.brief {
		return
	}
	skipped := 0
	for i := range s.Rows {
		switch r := &s.Rows[i]; {
		case r.Verdict == "skipped" && r.HTTPStatus == 0 && !s.Applies, r.Effect == untried:
			skipped++
		case t.rep.shows(r):
			t.row(s.Name, r)
		}
	}
	if skipped > 0 && s.Applies {
		t.line("    ", t.paint(dim, text.Count(skipped, "check")+" not tried"))
	}
}

// untried is what package grade says of a check that nothing was sent for.
const untried = "it was not tried"

// shows says that a row has something to say: a document that is not there has not, nor has a fault of a tool that a finding
// tells. One that costs points and that no rule of the profile looks for, or that is silenced, is shown.
func (rep *Report) shows(r *score.Row) bool {
	switch r.Verdict {
	case "ok", "missing", "served":
		return r.Cost() > 0
	}
	return !strings.HasPrefix(r.Check, "card/") || !slices.ContainsFunc(rep.Findings, func(f finding.Finding) bool {
		return f.Rule == r.Check && f.Status == finding.Active
	})
}

func (t *textWriter) row(section string, r *score.Row) {
	const indent = "    "
	c := yellow
	switch {
	case r.Verdict == "skipped" || r.Max == 0:
		c = dim
	case r.Points == 0:
		c = red
	}
	word := r.Verdict
	if word == "served" {
		word = "wrong" // where it is
	}
	wide := len(indent) + len("soft-404") + 2
	body, _ := text.Wrap(plain(r.Check, 0)+": "+outcome(r), wide, wide, t.env.Width)
	t.line(indent, t.paint(c, pad(word, len("soft-404"))), "  ", body)
	if !t.env.Verbose && t.explained(section, r.Check) {
		return
	}
	if !strings.Contains(outcome(r), plain(r.Effect, 0)) {
		t.paragraph(strings.Repeat(" ", wide), dim, "then", plain(r.Effect, 0))
	}
	if r.Fix != "" {
		t.paragraph(strings.Repeat(" ", wide), green, "fix", plain(r.Fix, 0))
	}
}

// explained says that a finding is shown that says what a client sees of a row, and how to fix it.
func (t *textWriter) explained(section, check string) bool {
	return slices.ContainsFunc(t.rep.Findings, func(f finding.Finding) bool {
		return f.Check == check && f.Section == section && f.Status == finding.Active && !t.foldable(&f)
	})
}

// outcome is what came, beside what should have come: of a document, where it was looked for.
func outcome(r *score.Row) string {
	came := codes(r)
	switch expected := plain(r.Expected, 0); {
	case strings.HasPrefix(expected, "/"):
		return strings.TrimSpace(came + " at " + expected)
	case came == "" || r.Verdict == "skipped":
		return plain(r.Effect, 0)
	case expected != "":
		return came + ", expected " + expected
	}
	return came
}

// number is a number of points, without a fraction where it has none.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// afterScore is the command to go on with.
func (t *textWriter) afterScore() {
	c := t.rep.ScoreCard
	if c == nil {
		return
	}
	target, remote := plain(c.Target, 0), strings.HasPrefix(c.Target, "http")
	next := ""
	switch {
	case strings.HasPrefix(c.Target, "fixture:"):
		next = "mcpassay probe URL (yours)"
	case c.Gated && remote:
		next = "mcpassay probe " + target + " --bearer-token-env NAME"
	case remote && c.Grade != "":
		next = "mcpassay scan " + target + " (prompts and resources too, and whom they could trick)"
	default:
		return
	}
	line, _ := text.Wrap("next: "+next, 0, len("next: "), t.env.Width)
	t.line(t.paint(dim, line))
}

// scoreTable writes the score card as a table of what is not as it should be, and gives the bytes it took.
func scoreTable(w *bufio.Writer, rep *Report, room int) (used int) {
	c := rep.ScoreCard
	if c == nil {
		return 0
	}
	head := "gated: it wants credentials, and has no grade"
	switch {
	case c.Gated:
	case c.Grade == "":
		head = "no grade"
	default:
		head = fmt.Sprintf("grade %s, %d of 100", c.Grade, c.Total)
	}
	if c.Capped != "" {
		head += " (capped: " + markdown(c.Capped) + ")"
	}
	used, _ = fmt.Fprintf(w, "\n<code>%s</code>: **%s**\n", markdown(c.Target), head)
	if unmet(c) {
		return used
	}
	for i := range c.Lanes {
		l := &c.Lanes[i]
		var parts, rows []string
		for _, s := range l.Sections.All() {
			if s.Applies {
				parts = append(parts, s.Name+" "+number(s.Score)+"/"+number(s.Max))
			}
			for k := range s.Rows {
				if r := &s.Rows[k]; rep.shows(r) {
					what := markdown(r.Effect)
					if r.Fix != "" {
						what += "<br>fix: " + markdown(r.Fix)
					}
					rows = append(rows, "| "+s.Name+" | "+markdown(r.Check)+" | "+markdown(r.Verdict)+" | "+codes(r)+" | "+what+" |\n")
				}
			}
		}
		n, _ := fmt.Fprintf(w, "\n%s era: %s\n", markdown(l.Era), strings.Join(parts, ", "))
		used += n
		used += table(w, "| section | check | verdict | answer | what a client sees |\n| --- | --- | --- | --- | --- |\n", rows, room-used)
	}
	return used
}

// codes are the HTTP status and the error code of a row, side by side.
func codes(r *score.Row) string {
	var parts []string
	if r.HTTPStatus != 0 {
		parts = append(parts, "HTTP "+strconv.Itoa(r.HTTPStatus))
	}
	if r.Code != 0 {
		parts = append(parts, "error "+strconv.Itoa(r.Code))
	}
	return strings.Join(parts, ", ")
}
