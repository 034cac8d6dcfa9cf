package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FinancialSolicitation is traffic/financial-solicitation.
var FinancialSolicitation = &rule.Rule{
	ID:       "traffic/financial-solicitation",
	Title:    "a server asks for card or bank data",
	Trigger:  "A request of the server, or a prompt, asks for a card's number or codes, a PIN, a bank login or a social security number.",
	Message:  "{carrier} asks for card, bank or identity data: no honest server does so",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	Aliases:  []string{"credential-phishing-financial-solicitation"},
	OWASP:    "MCP06",
	CWE:      []int{1427, 522},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { solicited(p, m, financial) },
}
