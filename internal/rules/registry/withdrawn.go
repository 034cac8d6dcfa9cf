package registry

import (
	"cmp"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Withdrawn is registry/withdrawn.
var Withdrawn = &rule.Rule{
	ID:       "registry/withdrawn",
	Title:    "a server or package that was taken back",
	Trigger:  "The MCP registry calls the record of a configured server deleted or deprecated, or the registry of its package calls the version deprecated or yanked.",
	Message:  `Server "{name}": {what} is {status}: {why}`,
	Severity: finding.Warning,
	Tags:     []string{rule.Supply},
	Aliases:  []string{"registry-status"},
	OWASP:    "MCP04",
	CWE:      []int{1104},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedRegistry},
	Trust:    withdrawn,
}

func withdrawn(p *rule.Pass, s *trust.Server) {
	if r := s.Record; r != nil && (r.Status == registry.Gone || r.Status == registry.Deprecated) {
		p.Report(entry(s), rule.Args{"name": s.Entry.Name, "what": r.Name + " " + r.Version, "status": string(r.Status), "why": cmp.Or(r.Message, "the registry gives no reason")},
			rule.WithKind(string(r.Status)))
	}
	for _, one := range s.Packages {
		if one.Withdrawn != "" {
			p.Report(place(one), rule.Args{"name": s.Entry.Name, "what": called(one), "status": "withdrawn", "why": one.Withdrawn}, rule.WithKind("package"))
		}
	}
}
