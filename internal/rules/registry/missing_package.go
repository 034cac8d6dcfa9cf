package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingPackage is registry/missing-package.
var MissingPackage = &rule.Rule{
	ID:         "registry/missing-package",
	Title:      "a package that its registry does not have",
	Trigger:    "The registry of packages answers that it has no package of a configured name, or not the version.",
	Message:    `Server "{name}": {registry} has no {what}`,
	Severity:   finding.Error,
	Confidence: finding.Medium,
	Tags:       []string{rule.Supply},
	OWASP:      "MCP04",
	CWE:        []int{1104},
	Since:      "0.1.0",
	Needs:      []rule.Need{rule.NeedRegistry},
	Trust:      missingPackage,
}

func missingPackage(p *rule.Pass, s *trust.Server) {
	for _, one := range s.Packages {
		if one.Absent {
			what := one.Name
			if one.Want != "" {
				what += " " + one.Want
			}
			p.Report(place(one), rule.Args{"name": s.Entry.Name, "registry": registryOf(one.Type), "what": what})
		}
	}
}
