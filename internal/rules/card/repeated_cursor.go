package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// RepeatedCursor is card/repeated-cursor.
var RepeatedCursor = &rule.Rule{
	ID:       "card/repeated-cursor",
	Title:    "pages that lead back",
	Trigger:  "Two pages of one list name the same next page, so that a client never comes to an end; or a nextCursor is no string.",
	Message:  "The next page that this one names was named before: a client never comes to the end of the list",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Surface:  repeatedCursor,
}

func repeatedCursor(p *rule.Pass, s *card.Server) {
	if s.Saved { // what the pages did is among its faults, as they happened
		return
	}
	type key struct{ list, cursor string }
	seen := map[key]source.Node{}
	for _, page := range s.Pages {
		n := page.Get("nextCursor")
		cursor, ok := n.Str()
		if n.Valid() && !ok && n.Kind() != source.Null {
			p.ReportAs("nextCursor is {is}, not a string", rule.At(n), rule.Args{"is": n.Kind().String()})
		}
		if !ok {
			continue
		}
		for _, list := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
			if !page.Get(list).Valid() {
				continue
			}
			k := key{list, cursor}
			if o, again := seen[k]; again {
				p.Report(rule.At(n), nil, rule.Also(rule.At(o), "the first time"))
				break
			}
			seen[k] = n
		}
	}
}
