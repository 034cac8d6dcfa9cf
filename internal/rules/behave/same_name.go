package behave

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SameName is card/same-name.
var SameName = &rule.Rule{
	ID:      "card/same-name",
	Title:   "tools of several servers with one name",
	Trigger: "Two or more servers of one file have a tool of the same name. A name is one finding.",
	Message: "The tool {tool} is offered by {count} servers: {servers}",

	Severity: finding.Info,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"CROSS_SERVER_TOOL_SHADOWING"},
	OWASP:    "MCP09",
	CWE:      []int{694},
	Since:    "0.1.0",
	Cards:    sameName,
}

func sameName(p *rule.Pass, f *card.File) {
	if len(f.Servers) < 2 {
		return
	}
	by := map[string][]*card.Card{}
	var shared []string // in the order in which they are met again
	for _, s := range f.Servers {
		for c := range s.Of(card.Tool) {
			all := by[c.Name]
			if c.Name == "" || len(all) > 0 && all[len(all)-1].Server == s {
				continue
			}
			if by[c.Name] = append(all, c); len(all) == 1 {
				shared = append(shared, c.Name)
			}
		}
	}
	for _, name := range shared {
		all := by[name]
		var servers []string
		opts := []rule.Option{rule.WithKind(name)}
		for i, c := range all {
			servers = append(servers, serverName(c.Server))
			if i > 0 && i <= p.Limits.RelatedPlaces {
				opts = append(opts, rule.Also(rule.At(c.NameNode), "another one"))
			}
		}
		p.Report(rule.At(all[0].NameNode), rule.Args{"tool": name, "count": strconv.Itoa(len(all)), "servers": rule.List(servers, p.Limits.ShownNames)}, opts...)
	}
}

// serverName is what a message calls a server.
func serverName(s *card.Server) string {
	if s.Name != "" {
		return s.Name
	}
	for i, o := range s.File.Servers {
		if o == s {
			return "server " + strconv.Itoa(i+1)
		}
	}
	return "a server"
}
