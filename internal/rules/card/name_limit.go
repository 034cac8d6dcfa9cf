package card

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NameLimit is card/name-limit.
var NameLimit = &rule.Rule{
	ID:       "card/name-limit",
	Title:    "a name that a client can not use",
	Trigger:  "A tool's name, with what the client puts before it, is longer than the client allows, or holds characters that it refuses.",
	Message:  "{names}: the name holds characters that {client} refuses: it must match {pattern}",
	Severity: finding.Info,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Surface:  nameLimit,
}

func nameLimit(p *rule.Pass, s *card.Server) {
	clients, asked := judges(s, p.Clients)
	for _, c := range clients {
		if asked || c.Confidence == client.High {
			nameLimitOf(p, s, c, asked)
		}
	}
}

// nameLimitOf holds the names of a server's tools against one client.
func nameLimitOf(p *rule.Pass, s *card.Server, c *client.Client, asked bool) {
	limit := c.Limits.ToolName
	if limit.Max == 0 && limit.Pattern == "" {
		return
	}
	format, server := limit.Format, s.Name
	if s.Info.Get("name").Text() == server {
		server = "" // what it calls itself: a config may call it otherwise
	}
	if s.Plugin != "" && limit.Plugin != "" {
		format = strings.ReplaceAll(limit.Plugin, "{plugin}", s.Plugin)
	}
	around := strings.ReplaceAll(strings.ReplaceAll(format, "{server}", server), "{tool}", "")
	room := limit.Max - utf8.RuneCountInString(around)
	var long, odd rule.Gather
	over := 0
	for t := range s.Of(card.Tool) {
		if n := utf8.RuneCountInString(t.Name) - room; limit.Max > 0 && n > 0 {
			long.AddCard(t, rule.At(t.NameNode))
			over = max(over, n)
		}
		if limit.Pattern != "" && t.Name != "" && !(asciiName(t.Name) || limit.Allows(strings.NewReplacer("{server}", "s", "{tool}", t.Name).Replace(format))) {
			odd.AddCard(t, rule.At(t.NameNode))
		}
	}
	severity := finding.Info
	if asked {
		severity = grade(c.Confidence)
	}
	odd.Report(p, p.Rule.Message, rule.Args{"client": c.Name, "pattern": limit.Pattern}, rule.WithSeverity(severity), rule.WithKind(c.ID+" pattern"))
	long.Report(p, `{names}: too long for {client}, which shows a model "{format}" of at most {max} characters: {over} over`, rule.Args{"client": c.Name,
		"format": strings.ReplaceAll(strings.ReplaceAll(format, "{tool}", "…"), "{server}", server), "max": strconv.Itoa(limit.Max), "over": strconv.Itoa(over)},
		rule.WithSeverity(min(severity, finding.Warning)), rule.WithKind(c.ID+" length"))
}

// asciiName says that a name is one that every pattern of the table takes.
func asciiName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '-')) {
			return false
		}
	}
	return true
}
