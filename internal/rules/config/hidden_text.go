package config

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// HiddenText is config/hidden-text.
var HiddenText = &rule.Rule{
	ID:       "config/hidden-text",
	Title:    "characters that nobody sees",
	Trigger:  "A name or a value of an entry holds a character that no editor shows, or that changes what a terminal shows.",
	Message:  `Server "{name}" has the character {code} in {field}, which nobody sees`,
	Severity: finding.Warning,
	Tags:     []string{rule.Unicode, rule.Poisoning},
	OWASP:    "MCP06",
	CWE:      []int{451, 150},
	Since:    "0.1.0",
	Server:   hiddenText,
}

func hiddenText(p *rule.Pass, s *client.Server) {
	if f := p.File.Doc; f.Plain() && f.Format == source.JSON {
		return
	}
	unseen(p, s, "its name", s.Name, nameOf(s), true)
	for field, v := range s.Strings() {
		if v.Key != "" {
			unseen(p, s, "a name in "+field, v.Key, rule.Key(v.Node), true)
		}
		unseen(p, s, field, v.Value, rule.At(v.Node), false)
	}
}

func unseen(p *rule.Pass, s *client.Server, field, value string, at rule.Place, name bool) {
	for i := 0; i < len(value); i++ {
		if c := value[i]; c >= ' ' && c < utf8.RuneSelf && c != 0x7F {
			continue
		}
		for _, r := range value[i:] {
			if hidden(r, name) {
				severity := finding.Warning
				if turns(r) {
					severity = finding.Error
				}
				p.Report(at, rule.Args{"name": s.Name, "code": fmt.Sprintf("U+%04X", r), "field": field}, rule.WithSeverity(severity))
				return
			}
		}
		return
	}
}

// hidden says that a character is one that people do not write. Values may have several lines; joiners and the
// selectors of emoji belong to what is seen.
func hidden(r rune, name bool) bool {
	switch r {
	case '\n', '\r', '\t':
		return name
	case '\u200c', '\u200d', '\ufe0e', '\ufe0f', utf8.RuneError:
		return false
	}
	return text.Unsafe(r)
}

// turns says that a character drives a terminal, turns the direction of the text, or carries text of its own in tags.
func turns(r rune) bool {
	return r == '\x1b' || r == '\u009b' || unicode.Is(unicode.Bidi_Control, r) && r > '\u200f' || r >= '\U000E0000' && r <= '\U000E007F'
}
