package behave

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// ShadowedTool is card/shadowed-tool.
var ShadowedTool = &rule.Rule{
	ID:      "card/shadowed-tool",
	Title:   "a card that gives orders about another server's tool",
	Trigger: "A text of one server names a tool of another by its name, with an instruction on when or how it is to be used.",
	Message: "An instruction about {tool}, a tool of {other}, stands in {speaker} of {server}",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Poisoning, rule.Behaviour},
	Aliases:    []string{"CROSS_SERVER_TOOL_SHADOWING"},
	OWASP:      "MCP03",
	CWE:        []int{74},
	Since:      "0.1.0",
	Cards:      shadowedTool,
}

func shadowedTool(p *rule.Pass, f *card.File) {
	if len(f.Servers) < 2 {
		return
	}
	owners := map[string]*card.Card{}
	for _, s := range f.Servers {
		for c := range s.Of(card.Tool) {
			if telling(c.Name) && owners[c.Name] == nil {
				owners[c.Name] = c
			}
		}
	}
	if len(owners) == 0 {
		return
	}
	for _, s := range f.Servers {
		own := map[string]bool{}
		for _, c := range s.Cards {
			own[c.Name] = true
		}
		look := shadows{pass: p, owners: owners, own: own, server: s, seen: map[string]bool{}}
		look.text(s.Instructions)
		for _, c := range s.Cards {
			look.card = c
			clear(look.seen)
			look.walk(c.Node)
		}
	}
}

// telling says that a name is nobody's everyday word: two words at least, written as one.
func telling(name string) bool {
	const shortest = len("get_data")
	return len(name) >= shortest && len(card.AppendWords(nil, name)) > 1 && strings.IndexByte(name, ' ') < 0
}

// asTool says that a name in a text is that of a tool. Words joined with hyphens are those of any language and of any
// command line, so they count in quotes of their own, or beside the word tool.
func asTool(s string, start, end int) bool {
	if strings.ContainsAny(s[start:end], "_") || strings.IndexByte(s[start:end], '-') < 0 {
		return true
	}
	quoted := start > 0 && end < len(s) && strings.IndexByte("`'\"", s[start-1]) >= 0 && s[end] == s[start-1]
	return quoted || strings.HasPrefix(s[end:], " tool") || strings.HasSuffix(s[:start], "tool ")
}

type shadows struct {
	pass   *rule.Pass
	owners map[string]*card.Card
	own    map[string]bool
	server *card.Server
	card   *card.Card // nil for the instructions
	seen   map[string]bool
}

func (l *shadows) walk(n source.Node) {
	if n.Kind() == source.String {
		l.text(n)
		return
	}
	for c := range n.Children() {
		l.walk(c)
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// text looks at each word of a string for the name of another server's tool.
func (l *shadows) text(n source.Node) {
	s := n.Text()
	for i := 0; i < len(s); {
		if !nameByte(s[i]) {
			i++
			continue
		}
		start := i
		for i < len(s) && nameByte(s[i]) {
			i++
		}
		word := strings.TrimRight(s[start:i], ".")
		o := l.owners[word]
		if o == nil || o.Server == l.server || l.own[word] || l.seen[word] || !asTool(s, start, start+len(word)) {
			continue
		}
		severity := ordered(sentence(s, start))
		if severity == 0 {
			continue
		}
		l.seen[word] = true
		speaker, opt := "the instructions", rule.ForSurface(l.server)
		if l.card != nil {
			speaker, opt = "the "+l.card.Kind.String()+" "+l.card.Label(), rule.ForCard(l.card)
		}
		l.pass.Report(rule.Part(n, start, start+len(word)), rule.Args{"speaker": speaker, "server": serverName(l.server), "tool": word, "other": serverName(o.Server)},
			opt, rule.WithKind(word), rule.WithSeverity(severity), rule.Also(rule.At(o.NameNode), "the tool"))
	}
}

// sentence is what stands around a place, up to the ends of its sentence.
func sentence(s string, at int) string {
	start, end := at, at
	for start > 0 && !ends(s, start-1) {
		start--
	}
	for end < len(s) && !ends(s, end) {
		end++
	}
	return s[start:end]
}

func ends(s string, i int) bool {
	switch s[i] {
	case '.', '!', '?', ';':
		return i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n'
	}
	return false
}

// ordered is how grave an instruction a sentence gives: an error where it puts the tool aside or changes what it does,
// a warning where it forces or forbids its use.
func ordered(sentence string) finding.Severity {
	const turns = " instead ignore override replace redirect reroute change modify alter recipient recipients bcc disable disabled deprecated unsafe broken supersedes append "
	const forces = " must always never whenever avoid mandatory required before "
	found := finding.Severity(0)
	for word := range strings.FieldsFuncSeq(lower(sentence), func(r rune) bool { return r != '_' && r != '-' && (r < 'a' || r > 'z') }) {
		switch {
		case strings.Contains(turns, " "+word+" "):
			return finding.Error
		case strings.Contains(forces, " "+word+" "):
			found = finding.Warning
		}
	}
	return found
}
