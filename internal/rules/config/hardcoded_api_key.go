package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// HardcodedAPIKey is mcp-security/hardcoded-api-key.
var HardcodedAPIKey = &rule.Rule{
	ID:    "mcp-security/hardcoded-api-key",
	Title: "an API key is committed",
	Trigger: "A header, a variable or an argument holds a literal in the form of a vendor's keys, or a variable whose name " +
		"says that it is a secret holds an opaque one, and git tracks the file.",
	Message:  `Server "{name}" has a hardcoded API key in a git-tracked file`,
	Severity: finding.Error,
	Tags:     []string{rule.Secret},
	OWASP:    "MCP01",
	CWE:      []int{798},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Move the key to an environment variable and refer to it as the client does.",
	Needs:  []rule.Need{rule.NeedGit},
	Fault:  "secret",
	Server: func(p *rule.Pass, s *client.Server) { reportTracked(p, s, hardcodedKey) },
}
