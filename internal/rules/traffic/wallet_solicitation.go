package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WalletSolicitation is traffic/wallet-solicitation.
var WalletSolicitation = &rule.Rule{
	ID:       "traffic/wallet-solicitation",
	Title:    "a server asks for the keys of a wallet",
	Trigger:  "A request of the server, or a prompt, asks for the words or the key that a wallet is restored with.",
	Message:  "{carrier} asks for the keys of a wallet: no honest server does",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic, rule.Poisoning},
	Aliases:  []string{"credential-phishing-wallet-solicitation"},
	OWASP:    "MCP06",
	CWE:      []int{1427, 522},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { solicited(p, m, wallet) },
}
