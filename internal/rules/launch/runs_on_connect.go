package launch

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RunsOnConnect is launch/runs-on-connect.
var RunsOnConnect = &rule.Rule{
	ID:       "launch/runs-on-connect",
	Title:    "a remote server that runs a local command",
	Trigger:  "An entry in a project's file holds a command that the client runs beside the one that starts a server.",
	Message:  `Server "{name}" has a {field}: {client} runs that command in every trusted copy of the project`,
	Severity: finding.Info,
	Tags:     []string{rule.Launch},
	OWASP:    "MCP05",
	CWE:      []int{78},
	Clients:  []string{"claude-code"},
	Since:    "0.1.0",
	Server:   runsOnConnect,
}

func runsOnConnect(p *rule.Pass, s *client.Server) {
	f := s.File
	if s.Hidden || f.Scope != client.ScopeProject {
		return
	}
	for _, r := range s.Runs {
		if field := r.Node.Key(); slices.Contains(f.Client.Runs, field) {
			p.Report(rule.Key(r.Node), rule.Args{"name": s.Name, "field": field, "client": f.Client.Name})
		}
	}
}
