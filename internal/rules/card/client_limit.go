package card

import (
	"strconv"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ClientLimit is card/client-limit.
var ClientLimit = &rule.Rule{
	ID:       "card/client-limit",
	Title:    "more than a client takes",
	Trigger:  "The server lists more tools than the client at hand offers a model, or a description is longer than the part that the client passes on.",
	Message:  "The server lists {count} tools: {client} offers a model {max} over all servers",
	Severity: finding.Warning,
	Tags:     []string{rule.Portability},
	Aliases:  []string{"DESCRIPTION_TOO_LONG"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Offer fewer tools, or say the same in fewer words.",
	Surface: clientLimit,
}

func clientLimit(p *rule.Pass, s *card.Server) {
	if len(p.Clients) == 0 {
		return
	}
	tools := 0
	for range s.Of(card.Tool) {
		tools++
	}
	for _, c := range p.Clients {
		if most := c.Limits.Tools; most > 0 && tools > most {
			p.Report(rule.At(s.Node), rule.Args{"count": strconv.Itoa(tools), "client": c.Name, "max": strconv.Itoa(most)}, rule.WithKind(c.ID))
		}
		most := c.Limits.Description
		if most == 0 {
			continue
		}
		var long rule.Gather
		for t := range s.Of(card.Tool) {
			if text := t.Description.Text(); len(text) > most && utf8.RuneCountInString(text) > most {
				long.AddCard(t, rule.At(t.Description))
			}
		}
		long.Report(p, "{names}: {client} cuts the description at {max} characters", rule.Args{"client": c.Name, "max": strconv.Itoa(most)},
			rule.WithSeverity(finding.Info), rule.WithKind(c.ID+" description"))
	}
}
