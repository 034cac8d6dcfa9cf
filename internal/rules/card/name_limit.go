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
	Fix:      finding.Manual, FixDescription: "Rename it with what the client takes.",
	Surface: nameLimit,
}

func nameLimit(p *rule.Pass, s *card.Server) {
	clients, asked := judges(s, p.Clients)
	told := map[string]bool{} // where nobody asked, one client stands for all
	for _, c := range clients {
		odd, long, over := misnamed(s, c)
		severity := finding.Info
		switch {
		case asked:
			severity = grade(c.Confidence)
		case c.Confidence != client.High:
			continue
		}
		tell := func(kind string, g *rule.Gather, message string, args rule.Args, severity finding.Severity) {
			if g.Any() && !told[kind] {
				told[kind] = !asked
				g.Report(p, message, args, rule.WithSeverity(severity), rule.WithKind(c.ID+" "+kind))
			}
		}
		limit := c.Limits.ToolName
		tell("pattern", odd, p.Rule.Message, rule.Args{"client": c.Name, "pattern": limit.Pattern}, severity)
		tell("length", long, `{names}: too long for {client}, which shows a model "{format}" of at most {max} characters: {over} over`,
			rule.Args{"client": c.Name, "format": formatFor(s, c, "…"), "max": strconv.Itoa(limit.Max), "over": strconv.Itoa(over)}, min(severity, finding.Warning))
	}
}

// formatFor is the name that a client shows a model for a tool of the server.
func formatFor(s *card.Server, c *client.Client, tool string) string {
	format, server := c.Limits.ToolName.Format, s.Name
	if s.Info.Get("name").Text() == server {
		server = "" // what it calls itself: a config may call it otherwise
	}
	if s.Saved && s.Origin == nil && !asciiName(server) {
		server = "" // a package or a file that somebody started: hardly a config calls it so
	}
	if plugin := c.Limits.ToolName.Plugin; s.Plugin != "" && plugin != "" {
		format = strings.ReplaceAll(plugin, "{plugin}", s.Plugin)
	}
	return strings.ReplaceAll(strings.ReplaceAll(format, "{tool}", tool), "{server}", server)
}

// misnamed are the tools whose names the client refuses, and those whose names are too long for it, the longest by so
// many characters.
func misnamed(s *card.Server, c *client.Client) (odd, long *rule.Gather, over int) {
	odd, long = new(rule.Gather), new(rule.Gather)
	limit := c.Limits.ToolName
	if limit == (client.NameLimit{}) {
		return odd, long, 0
	}
	room := limit.Max - utf8.RuneCountInString(formatFor(s, c, ""))
	for t := range s.Of(card.Tool) {
		if n := utf8.RuneCountInString(t.Name) - room; limit.Max > 0 && n > 0 {
			long.AddCard(t, rule.At(t.NameNode))
			over = max(over, n)
		}
		if limit.Pattern != "" && t.Name != "" && !asciiName(t.Name) && !limit.Allows(strings.NewReplacer("{server}", "s", "{tool}", t.Name).Replace(limit.Format)) {
			odd.AddCard(t, rule.At(t.NameNode))
		}
	}
	return odd, long, over
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
