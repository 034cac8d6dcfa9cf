package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CredentialLiteral is card/credential-literal.
var CredentialLiteral = &rule.Rule{
	ID:       "card/credential-literal",
	Title:    "a credential in a card",
	Trigger:  "A card holds a credential that works: every client and every model that reads the list has it.",
	Message:  "The {kind} {card} holds a credential ({secret})",
	Severity: finding.Error,
	Tags:     []string{rule.Secret},
	Aliases:  []string{"HARDCODED_SECRET_IN_METADATA"},
	OWASP:    "MCP01",
	CWE:      []int{798, 200},
	Since:    "0.1.0",
	Surface:  func(p *rule.Pass, s *card.Server) { credentials(p, s) },
}
