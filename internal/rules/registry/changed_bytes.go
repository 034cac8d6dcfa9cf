package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ChangedBytes is registry/changed-bytes.
var ChangedBytes = &rule.Rule{
	ID:       "registry/changed-bytes",
	Title:    "other bytes under a version that is locked",
	Trigger:  "A lock holds the digests of a version of a configured package, and its registry has others for that version now.",
	Message:  `Server "{name}": {what} has other bytes than {lock} holds`,
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Supply, rule.Block},
	OWASP:    "MCP04",
	CWE:      []int{494, 353},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedRegistry},
	Trust:    changedBytes,
}

func changedBytes(p *rule.Pass, s *trust.Server) {
	for _, one := range s.Packages {
		if one.Changed != "" {
			p.Report(place(one), rule.Args{"name": s.Entry.Name, "what": called(one), "lock": one.Changed})
		}
	}
}
