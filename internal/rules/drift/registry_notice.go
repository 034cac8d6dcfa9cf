package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RegistryNotice is drift/registry-notice.
var RegistryNotice = &rule.Rule{
	ID:       "drift/registry-notice",
	Title:    "a locked server that its registry advises against",
	Trigger:  "The MCP registry calls the locked version of a server deprecated or something else that is not active, or its package was taken back.",
	Message:  "The server {server} should be looked at: {detail}",
	Severity: finding.Warning,
	Tags:     []string{rule.Drift, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{1104},
	Since:    "0.1.0",
	Lock:     gates("notice"),
}
