package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// HardcodedBearer is mcp-security/hardcoded-bearer.
var HardcodedBearer = &rule.Rule{
	ID:       "mcp-security/hardcoded-bearer",
	Title:    "a Bearer token is committed",
	Trigger:  "An Authorization header holds a literal Bearer token, and git tracks the file.",
	Message:  `Server "{name}" has a hardcoded Bearer token in a git-tracked file`,
	Severity: finding.Error,
	Tags:     []string{rule.Secret},
	OWASP:    "MCP01",
	CWE:      []int{798},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Move the token to an environment variable and refer to it as the client does.",
	Needs:  []rule.Need{rule.NeedGit},
	Fault:  "secret",
	Server: func(p *rule.Pass, s *client.Server) { reportTracked(p, s, hardcodedBearer) },
}
