package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MaliciousPackage is registry/malicious-package.
var MaliciousPackage = &rule.Rule{
	ID:       "registry/malicious-package",
	Title:    "a package that is known to be malicious",
	Trigger:  "A database (OSV) has a report that the version of a package that a configured server runs is malicious.",
	Message:  `Server "{name}": {what} is reported as malicious ({id}): {summary}`,
	Severity: finding.Error,
	Tags:     []string{rule.Supply, rule.Block},
	OWASP:    "MCP04",
	CWE:      []int{506},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedRegistry},
	Trust:    maliciousPackage,
}

func maliciousPackage(p *rule.Pass, s *trust.Server) {
	for _, one := range s.Packages {
		for _, a := range one.Advisories {
			if a.Malicious {
				p.Report(place(one), rule.Args{"name": s.Entry.Name, "what": called(one), "id": a.ID, "summary": a.Summary}, rule.WithKind(a.ID))
			}
		}
	}
}
