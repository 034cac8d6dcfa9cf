package launch

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RunsOnLoad is launch/runs-on-load.
var RunsOnLoad = &rule.Rule{
	ID:       "launch/runs-on-load",
	Title:    "a command that runs when the file is read",
	Trigger:  "A value in a project's file holds $(…), and the client runs what stands in it when it reads the file.",
	Message:  `Server "{name}" has $(…) in {field}: {client} runs it as soon as the folder is opened`,
	Severity: finding.Error,
	Tags:     []string{rule.Launch, rule.Block},
	OWASP:    "MCP05",
	CWE:      []int{78, 94},
	Clients:  []string{"crush"},
	Since:    "0.1.0",
	Server:   runsOnLoad,
}

func runsOnLoad(p *rule.Pass, s *client.Server) {
	f := s.File
	if f.Scope != client.ScopeProject || !slices.Contains(f.Client.Runs, "$(command)") {
		return
	}
	for _, u := range s.Refs() {
		if u.Form == "$(command)" {
			p.Report(rule.Part(u.Value.Node, u.Start, u.End), rule.Args{"name": s.Name, "field": u.Field, "client": f.Client.Name})
		}
	}
}
