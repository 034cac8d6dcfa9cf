package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/text"
)

// audited are items of one server: several clients may have it.
type audited struct {
	trust.Item
	clients []string
}

// audited joins the items that differ in nothing but their client.
func (rep *Report) audited() (all []audited) {
	for _, i := range rep.Trust.Items {
		who := i.Client
		if who == "" {
			who = i.Path
		}
		at := slices.IndexFunc(all, func(o audited) bool {
			return o.Name == i.Name && o.Scope == i.Scope && o.TrustScore == i.TrustScore && slices.Equal(o.Checks, i.Checks) && o.URL == i.URL
		})
		if at < 0 {
			all = append(all, audited{i, []string{who}})
			continue
		}
		if !slices.Contains(all[at].clients, who) {
			all[at].clients = append(all[at].clients, who)
		}
	}
	return all
}

// who are the clients that have it, and in which of their files.
func (a *audited) who() string {
	who := strings.Join(a.clients, ", ")
	if a.Scope != "" {
		who += " (" + a.Scope + ")"
	}
	return who
}

// verdict is what an item comes to, in words.
func (a *audited) verdict() string {
	if a.Error != nil {
		return "not assessed"
	}
	s := a.TrustScore
	return fmt.Sprintf("%s, %d of %d; %d%% of what the checks that ran can reach (%s at most)", s.Level, s.Score, s.MaxPossible, s.Percent, s.Highest)
}

// trust writes a block for each server: what it comes to, and of its checks those that failed or could not be run. All of them
// are listed with -v.
func (t *textWriter) trust() {
	m := t.rep.Trust
	if len(m.Items) == 0 {
		if !m.Inventory.Complete {
			return // what could not be read is said
		}
		t.block()
		t.line("no servers are configured: nothing to audit")
		return
	}
	for _, a := range t.rep.audited() {
		t.block()
		t.auditedBy(&a)
		quiet := 0
		for _, c := range a.Checks {
			if !t.env.Verbose && c.State != trust.Fail && (a.Error == nil || c.Detail != *a.Error) {
				quiet++
				continue
			}
			detail, _ := text.Wrap(plain(c.Detail, 0), 30, 30, t.env.Width)
			t.line("  ", t.paint(stateHue(c.State), pad(c.State, 7)), "  ", pad(c.Check, 17), "  ", detail)
		}
		if quiet > 0 {
			passed := 0
			for _, c := range a.Checks {
				if c.State == trust.Pass {
					passed++
				}
			}
			t.line("  ", t.paint(dim, fmt.Sprintf("%d passed, %d not run (-v lists them)", passed, notRun(a.Checks))))
		}
	}
}

// auditedBy is the head of a block: the server, who has it, what it comes to; on lines of their own where one is too narrow.
func (t *textWriter) auditedBy(a *audited) {
	const gap, indent = 2, 4
	name, who, verdict := leading(a.Name, limits.Default.ShownRunes), plain(a.who(), 0), a.verdict()
	if w := t.env.Width; w <= 0 || text.Width(name)+text.Width(who)+text.Width(verdict)+2*gap <= w {
		t.line(t.paint(bold, name), "  ", t.paint(dim, who), "  ", t.paint(levelHue(a), verdict))
		return
	}
	who, _ = text.Wrap(who, indent, text.Width(name)+gap, t.env.Width)
	verdict, _ = text.Wrap(verdict, indent, gap, t.env.Width)
	t.line(t.paint(bold, name), "  ", t.paint(dim, who))
	t.line("  ", t.paint(levelHue(a), verdict))
}

func notRun(all []trust.Evidence) (n int) {
	for _, c := range all {
		if c.State == trust.NotRun {
			n++
		}
	}
	return n
}

func levelHue(a *audited) colour {
	switch {
	case a.Error != nil || a.TrustScore.Level == trust.Risky:
		return red
	case a.TrustScore.Level == trust.Caution:
		return yellow
	}
	return green
}

func stateHue(state string) colour {
	switch state {
	case trust.Fail:
		return red
	case trust.Pass:
		return green
	}
	return dim
}

// concluded is the sentence of an audit.
func concluded(m *trust.Model) string {
	if len(m.Items) == 0 {
		return ""
	}
	s := ", overall " + m.Level
	if n := m.Assessment.Failed; n > 0 {
		s += ", " + text.Count(n, "server") + " not assessed"
	}
	return s
}

// markdownTrust writes the table of servers, in so many bytes.
func markdownTrust(w *bufio.Writer, rep *Report, room int) (used int) {
	if rep.Trust == nil {
		return 0
	}
	var rows []string
	for _, a := range rep.audited() {
		var failed []string
		for _, c := range a.Checks {
			if c.State == trust.Fail {
				failed = append(failed, c.Check)
			}
		}
		what := markdown(a.verdict())
		if a.Error != nil {
			what += ": " + markdown(*a.Error)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %d |\n", markdown(a.Name), markdown(strings.Join(a.clients, ", ")), what, markdown(strings.Join(failed, ", ")), notRun(a.Checks)))
	}
	return table(w, "| server | clients | trust | failed | not run |\n| --- | --- | --- | --- | --- |\n", rows, room)
}
