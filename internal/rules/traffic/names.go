package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// named is the name of the argument that a value stands under: of a value in a list, that of the list.
func named(n source.Node) string {
	for n.Valid() && !n.IsMember() {
		n = n.Parent()
	}
	return n.Key()
}

// arguments says whether the message is a call of a tool, whose arguments its texts are.
func arguments(m *traffic.Message) bool { return !m.FromServer && m.Method == "tools/call" }

// lastWord is the last word of a name in small letters: id of issue_id, issueId and issueID.
func lastWord(name string) string {
	end := len(name)
	for end > 0 && !letter(name[end-1]) {
		end--
	}
	from := end
	for from > 0 && letter(name[from-1]) && !upper(name[from-1]) {
		from--
	}
	switch {
	case from == end: // it ends in capitals
		for from > 0 && upper(name[from-1]) {
			from--
		}
	case from > 0 && upper(name[from-1]):
		from--
	}
	return strings.ToLower(name[from:end])
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func upper(c byte) bool  { return c >= 'A' && c <= 'Z' }

// identifier says whether a word names what stands for one thing.
func identifier(word string) bool {
	switch word {
	case "id", "identifier", "uuid", "slug", "namespace":
		return true
	}
	return false
}

// identifiers reports the arguments of a call of which is, given the last word of the argument's name and its value, holds.
func identifiers(p *rule.Pass, m *traffic.Message, is func(word, v string) bool) {
	if !arguments(m) {
		return
	}
	for i := range m.Texts {
		if t := &m.Texts[i]; !t.Key && is(lastWord(named(t.Node)), t.Text) {
			p.Report(rule.At(t.Node), rule.Args{"tool": m.Tool, "name": named(t.Node)})
		}
	}
}
