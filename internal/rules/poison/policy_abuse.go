package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// PolicyAbuse is card/policy-abuse.
var PolicyAbuse = &rule.Rule{
	ID:       "card/policy-abuse",
	Title:    "an order to skip what keeps the model safe",
	Trigger:  "A card asks the model to skip checks or confirmations, to obey what it finds in content, or to be somebody without limits.",
	Message:  "The {kind} {card} tells the model to act without its safeguards: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP03",
	CWE:      []int{74, 693},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.PolicyAbuse) },
}
