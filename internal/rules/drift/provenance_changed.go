package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ProvenanceChanged is drift/provenance-changed.
var ProvenanceChanged = &rule.Rule{
	ID:       "drift/provenance-changed",
	Title:    "a package that somebody else made, or nobody who can be named",
	Trigger:  "The attestations of a package whose signer was verified when it was locked are gone, do not hold, or name somebody else.",
	Message:  "Who made the package of {server} is not what was locked ({reason}): {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{345},
	Since:    "0.1.0",
	Lock:     gates("signer-changed", "regression", "unverifiable"),
}
