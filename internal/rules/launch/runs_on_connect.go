package launch

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RunsOnConnect is launch/runs-on-connect.
var RunsOnConnect = &rule.Rule{
	ID:       "launch/runs-on-connect",
	Title:    "a remote server that runs a local command",
	Trigger:  "An entry in a project's file holds a command that the client runs beside the one that starts a server.",
	Message:  `{count} servers have a {field}: {client} runs those commands in every trusted copy of the project`,
	One:      `Server {names} has a {field}: {client} runs that command in every trusted copy of the project`,
	Severity: finding.Info,
	Tags:     []string{rule.Launch},
	OWASP:    "MCP05",
	CWE:      []int{78},
	Clients:  []string{"claude-code"},
	Since:    "0.1.0",
	File:     runsOnConnect,
}

func runsOnConnect(p *rule.Pass) {
	f := p.File
	if f.Scope != client.ScopeProject {
		return
	}
	for _, field := range f.Client.Runs {
		var g rule.Gather
		for _, s := range f.Servers {
			for _, r := range s.Runs {
				if !s.Hidden && r.Node.Key() == field {
					g.Add(s, `"`+s.Name+`"`, rule.Key(r.Node))
				}
			}
		}
		g.Report(p, p.Rule.Message, rule.Args{"field": field, "client": f.Client.Name}, rule.WithKind(field))
	}
}
