package launch

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FetchAndRun is launch/fetch-and-run.
var FetchAndRun = &rule.Rule{
	ID:       "launch/fetch-and-run",
	Title:    "code is downloaded and run in one go",
	Trigger:  "A command downloads a script, or decodes one, and hands it to an interpreter.",
	Message:  `Server "{name}" downloads code and runs it unseen: {how}`,
	Severity: finding.Error,
	Tags:     []string{rule.Launch, rule.Supply, rule.Block},
	Aliases:  []string{"WRD-SUP-CURL-PIPE"},
	OWASP:    "MCP04",
	CWE:      []int{494, 829},
	Since:    "0.1.0",
	Server:   fetchAndRun,
}

func fetchAndRun(p *rule.Pass, s *client.Server) {
	for _, l := range s.Launches() {
		for _, f := range l.FetchRun {
			p.Report(rule.At(l.Word(f.Arg).Node), rule.Args{"name": s.Name, "how": f.How}, rule.WithKind(f.How))
		}
	}
}
