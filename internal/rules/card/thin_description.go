package card

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ThinDescription is card/thin-description.
var ThinDescription = &rule.Rule{
	ID:       "card/thin-description",
	Title:    "descriptions of a few words",
	Trigger:  "A tool's description has fewer than 24 characters.",
	Message:  "{count} tools have a description of but a few words: {names}",
	One:      "{names} has a description of but a few words",
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Aliases:  []string{"DESCRIPTION_TOO_SHORT"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Say what it does, and when to use it.",
	Surface: thinDescription,
}

func thinDescription(p *rule.Pass, s *card.Server) {
	var g rule.Gather
	for c := range s.Of(card.Tool) {
		// One that repeats the name is a fault of its own: card/repeated-name.
		text := strings.TrimSpace(c.Description.Text())
		if text != "" && utf8.RuneCountInString(text) < p.Limits.DescriptionRunes && letters(text) != letters(c.Name) {
			g.AddCard(c, rule.At(c.Description))
		}
	}
	g.Report(p, p.Rule.Message, nil)
}

// letters are the letters and digits of a text, in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
