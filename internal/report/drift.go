package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Changes are the changes of a run as they may be shown: without the secrets whose form is known. It copies them.
func Changes(all []drift.Change) []drift.Change {
	if all == nil {
		return nil
	}
	out := make([]drift.Change, len(all))
	for i, c := range all {
		c.Server, c.Item = secret.Mask(c.Server), secret.Mask(c.Item)
		c.Pointers = drift.Pointers{Added: each(c.Pointers.Added, cleanPointer), Removed: each(c.Pointers.Removed, cleanPointer),
			Changed: each(c.Pointers.Changed, cleanPointer), Truncated: c.Pointers.Truncated}
		c.Before, c.After = each(c.Before, secret.Mask), each(c.After, secret.Mask)
		out[i] = c
	}
	return out
}

func each(all []string, do func(string) string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = do(s)
	}
	return out
}

// heading says of a change what it is about: "shop: tool order: schema, wider".
func heading(c *drift.Change) string {
	s := c.Item + ": " + string(c.Class)
	if c.Server != "" { // a bare answer to tools/list names none
		s = c.Server + ": " + s
	}
	if c.Direction != "" {
		s += ", " + c.Direction
	}
	if len(c.Cues) > 0 {
		s += ", new in it: " + strings.Join(c.Cues, ", ")
	}
	return s
}

// sides are the lines of a change, each behind its sign, and how many are left out.
// None is left out, and none is cut, where most is 0.
func sides(c *drift.Change, most int) (lines []string, more int) {
	wide := limits.Default.ShownURLRunes
	if most == 0 {
		wide = 0
	}
	for _, side := range []struct {
		sign      string
		of, other []string
	}{{"- ", c.Before, c.After}, {"+ ", c.After, c.Before}} {
		for i, l := range side.of {
			if i == most && most > 0 {
				more += len(side.of) - i
				break
			}
			lines = append(lines, side.sign+excerpt(l, side.other, wide))
		}
	}
	return lines, more
}

// excerpt is a line of so many runes at most, 0 for all of it: of a longer one the part from where it differs from the line of
// the other side that is most like it. What changed far behind in a long text would else be cut off, and two equal lines shown.
func excerpt(l string, other []string, wide int) string {
	if wide == 0 || utf8.RuneCountInString(l) <= wide {
		return text.Line(l, 0)
	}
	same := 0
	for _, o := range other {
		n := 0
		for n < len(l) && n < len(o) && l[n] == o[n] {
			n++
		}
		same = max(same, n)
	}
	lead := limits.Default.ExcerptLead
	if from := same - lead; from > lead {
		for !utf8.RuneStart(l[from]) {
			from--
		}
		pointer := ""
		if at, _, ok := strings.Cut(l, ": "); ok && len(at) < lead {
			pointer = at + ": "
		}
		l = pointer + "…" + l[from:]
	}
	more := utf8.RuneCountInString(l) - wide
	l = text.Line(l, wide)
	if more > 0 {
		l += fmt.Sprintf(" (%s more)", text.Count(more, "character"))
	}
	return l
}

// WriteChanges prints changes as the text report does, every line of them in full: who approves them must see all.
func WriteChanges(w io.Writer, all []drift.Change, color bool) error {
	b := bufio.NewWriter(w)
	t := &textWriter{Writer: b, rep: &Report{Drift: Changes(all)}, env: Env{Color: color}}
	t.changes(0)
	return b.Flush()
}

// changes lists what is another than it was, line by line, so many lines of each side of a change.
func (t *textWriter) changes(most int) {
	for i := range t.rep.Drift {
		c := &t.rep.Drift[i]
		if i == 0 || t.pretty {
			t.block()
		}
		hue := red
		switch c.Severity {
		case finding.Info.String():
			hue = cyan
		case "":
			hue = bold
		}
		head, _ := text.Wrap(leading(heading(c), 0), 4, 0, t.env.Width)
		t.line(t.paint(hue, head))
		lines, more := sides(c, most)
		for _, l := range lines {
			hue := green
			if strings.HasPrefix(l, "-") {
				hue = red
			}
			l, _ = text.Wrap(l, 4, 2, t.env.Width)
			t.line("  ", t.paint(hue, l))
		}
		if more > 0 {
			t.line("  ", t.paint(dim, fmt.Sprintf("and %s more", text.Count(more, "line"))))
		}
	}
}

// markdownChanges shows each change as a diff, until the room is used up.
func markdownChanges(w *bufio.Writer, all []drift.Change, room int) (used int) {
	all = slices.Clone(all) // what stops first: the room may end before what does not
	slices.SortStableFunc(all, func(a, b drift.Change) int { return cmp.Compare(lesser(&a), lesser(&b)) })
	for i := range all {
		lines, more := sides(&all[i], limits.Default.ShownFaults)
		if more > 0 {
			lines = append(lines, "  and "+text.Count(more, "line")+" more")
		}
		body := strings.Join(lines, "\n")
		fence := "```"
		for strings.Contains(body, fence) {
			fence += "`"
		}
		one := "\n" + changeWord(&all[i]) + "**" + markdown(heading(&all[i])) + "**\n"
		if body != "" {
			one += "\n" + fence + "diff\n" + body + "\n" + fence + "\n"
		}
		if used+len(one) > room {
			n, _ := fmt.Fprintf(w, "\n%s more changes: see the full report.\n", strconv.Itoa(len(all)-i))
			return used + n
		}
		n, _ := w.WriteString(one)
		used += n
	}
	return used
}

// lesser says whether a change is one that does not stop.
func lesser(c *drift.Change) int {
	if c.Severity == finding.Info.String() {
		return 1
	}
	return 0
}

func changeWord(c *drift.Change) string {
	if c.Severity == "" {
		return ""
	}
	return c.Severity + " "
}
