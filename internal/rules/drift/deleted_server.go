package drift

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DeletedServer is drift/deleted-server.
var DeletedServer = &rule.Rule{
	ID:       "drift/deleted-server",
	Title:    "a locked server that the registry took away",
	Trigger:  "The MCP registry calls the locked version of a server deleted.",
	Message:  "The server {server} was deleted: {detail}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Supply},
	OWASP:    "MCP04",
	CWE:      []int{1104},
	Since:    "0.1.0",
	Lock:     gates("deleted"),
}
