package policy

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// A suppression comment reads `mcpassay: ignore[rule, rule] owner=NAME until=YYYY-MM-DD why`. It is about what is on
// its line; alone on its line, about what is on the next. Where that is the head of an object, it is about all of it.

// remark is what a suppression comment says.
type remark struct {
	rules                []string
	owner, until, reason string
}

// readComment reads the text of a comment with its delimiters. A comment that is not addressed to us is not ours;
// one that is and says too little has a problem, and no effect.
func readComment(comment string) (m remark, problem string, ours bool) {
	const head = "mcpassay"
	text := strings.TrimLeft(comment, "/*# \t\r\n")
	if len(text) < len(head) || !strings.EqualFold(text[:len(head)], head) {
		return m, "", false
	}
	if strings.HasPrefix(comment, "/*") {
		text = strings.TrimSuffix(text, "*/")
	}
	rest, addressed := strings.CutPrefix(text[len(head):], ":")
	if !addressed && !asksToIgnore(rest) {
		return m, "", false
	}
	list, rest, ok := strings.Cut(strings.TrimSpace(rest), "]")
	list, named := strings.CutPrefix(list, "ignore[")
	if !ok || !named || !addressed || text[:len(head)] != head {
		return m, "write mcpassay: ignore[rule] owner=NAME until=YYYY-MM-DD why", true
	}
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			m.rules = append(m.rules, name)
		}
	}
	var why []string
	for _, word := range strings.Fields(rest) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case key == "owner" && value != "" && m.owner == "":
			m.owner = value
		case key == "until" && value != "" && m.until == "":
			m.until = value
		default:
			why = append(why, word)
		}
	}
	m.reason = strings.Join(why, " ")
	return m, m.missing(), true
}

// asksToIgnore says whether a comment without our colon means to be a suppression: "mcpassay-ignore", not prose.
func asksToIgnore(rest string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimLeft(rest, " -_")), "ignore")
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// missing is what an addressed comment leaves out, "" for nothing.
func (m remark) missing() string {
	switch {
	case len(m.rules) == 0:
		return "it names no rule: write ignore[rule]"
	case m.owner == "":
		return "it has no owner: write owner=NAME, who answers for it"
	case strings.ContainsAny(m.owner, `"'`):
		return "an owner is one word without quotes"
	case m.until == "":
		return "it has no end: write until=YYYY-MM-DD"
	case m.reason == "":
		return "it has no reason: say at its end why the finding is no concern"
	}
	return ""
}

// wrong is what makes a complete comment void, "" for nothing.
func (m remark) wrong(today time.Time) string {
	for _, name := range m.rules {
		if len(catalog.Match(name)) == 0 {
			return fmt.Sprintf("%s matches no rule: %s", quote(name), meant(name))
		}
		if !namesRules(name) {
			return fmt.Sprintf("%s is every rule: name them", quote(name))
		}
	}
	if why, hint := lasts(m.until, today); why != "" {
		return why + ": " + hint
	}
	return ""
}

// note is a suppression comment at its place. Target is the offset of what it is about, -1 for nothing.
type note struct {
	remark
	span    finding.Span
	target  int
	problem string
}

// notes are the suppression comments of a document, at most limits.Set.Suppressions of them. More is the place of the
// first one that is left out.
func notes(d *source.Doc, today time.Time) (all []note, more finding.Span) {
	// Backwards, since a comment above a comment is about what that one is about.
	target, next := -1, -1
	for _, span := range slices.Backward(d.Comments) {
		target, next = aim(d, span, next, target), span.Start
		if m, problem, ours := readComment(string(d.Raw[span.Start:span.End])); ours {
			all = append(all, note{m, span, target, problem})
		}
	}
	slices.Reverse(all)
	if max := limits.Default.Suppressions; len(all) > max {
		all, more = all[:max], all[max].span
	}
	for i := range all {
		if all[i].problem == "" {
			all[i].problem = all[i].wrong(today)
		}
	}
	return all, more
}

// aim is the offset of what a comment is about: itself where something precedes it on its line, else what follows it
// on its line or the next one. What follows may be the comment at next, which is about target.
func aim(d *source.Doc, span finding.Span, next, target int) int {
	before := bytes.TrimRight(d.Raw[:span.Start], " \t")
	if len(before) > 0 && !isBreak(before[len(before)-1]) && !(d.BOM && len(before) == len("\uFEFF")) {
		return span.Start
	}
	at, breaks := span.End, 0
	for ; at < len(d.Raw); at++ {
		switch c := d.Raw[at]; {
		case isBreak(c):
			if c != '\n' || d.Raw[at-1] != '\r' {
				breaks++
			}
			continue
		case c == ' ' || c == '\t':
			continue
		}
		break
	}
	switch {
	case at == len(d.Raw) || breaks > 1:
		return -1
	case at == next:
		return target
	}
	return at
}

func isBreak(c byte) bool { return c == '\n' || c == '\r' }

// heads are the lines whose comments are about a finding: its own, and those on which the values that hold it begin,
// by a name, a brace or as an item. What YAML and TOML write without a brace begins at its name alone: a comment above
// its first key is about that key.
func heads(d *source.Doc, l finding.Location) []int {
	lines := []int{l.Line}
	add := func(offset int) {
		if number, _ := d.Position(offset); !slices.Contains(lines, number) {
			lines = append(lines, number)
		}
	}
	for n := nodeAt(d, l); n.Valid(); n = n.Parent() {
		if n.IsMember() {
			add(n.KeySpan().Start)
		}
		item := n.Parent().Kind() == source.Array
		if raw := n.Raw(); item || len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
			if n.Parent().Valid() || d.Format != source.TOML { // whose root begins with the first header
				add(n.Span().Start)
			}
		}
	}
	return lines
}

// nodeAt is the value that a location points at, or the innermost known one around it. Of members with one name it is
// the one that holds the location's bytes, which a pointer alone does not tell.
func nodeAt(d *source.Doc, l finding.Location) source.Node {
	n := d.Root()
	for _, part := range source.PointerParts(l.Pointer) {
		next := n.Get(part)
		if n.Kind() == source.Array {
			i, _ := strconv.Atoi(part)
			next = n.At(i)
		}
		if !next.Valid() {
			return n
		}
		if next.IsMember() && !holds(next, l.Offset) {
			for _, c := range n.All(next.Key()) {
				if holds(c, l.Offset) {
					next = c
				}
			}
		}
		n = next
	}
	return n
}

func holds(n source.Node, offset int) bool {
	return min(n.KeySpan().Start, n.Span().Start) <= offset && offset < n.Span().End
}
