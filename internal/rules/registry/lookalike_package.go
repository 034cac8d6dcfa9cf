package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LookalikePackage is registry/lookalike-package.
var LookalikePackage = &rule.Rule{
	ID:         "registry/lookalike-package",
	Title:      "a package whose name is nearly that of another",
	Trigger:    "A configured package is not listed in the MCP registry, and one that is listed there differs from it by one letter or by letters that look the same.",
	Message:    `Server "{name}": {what} is nearly {like}, which the MCP registry lists for {of}`,
	Severity:   finding.Error,
	Confidence: finding.Medium,
	Tags:       []string{rule.Supply},
	Aliases:    []string{"typosquatting"},
	OWASP:      "MCP04",
	CWE:        []int{1007},
	Since:      "0.1.0",
	Needs:      []rule.Need{rule.NeedRegistry},
	Trust:      lookalikePackage,
}

func lookalikePackage(p *rule.Pass, s *trust.Server) {
	for _, one := range s.Packages {
		switch l := one.Like; {
		case l == nil:
		case l.Form:
			p.ReportAs(`Server "{name}": {what} has the letters of {like}, which the MCP registry lists for {of}`, place(one),
				rule.Args{"name": s.Entry.Name, "what": one.Name, "like": l.Name, "of": l.Of}, rule.WithSeverity(finding.Warning))
		default:
			p.Report(place(one), rule.Args{"name": s.Entry.Name, "what": one.Name, "like": l.Name, "of": l.Of})
		}
	}
}
