package poison

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// LatentBehaviour is card/latent-behaviour.
var LatentBehaviour = &rule.Rule{
	ID:       "card/latent-behaviour",
	Title:    "another behaviour once it is approved",
	Trigger:  "A card announces that the tool will do something else, and hidden, once it has been approved or reviewed.",
	Message:  "The {kind} {card} announces another behaviour after its approval: {text}",
	Severity: finding.Error,
	Tags:     []string{rule.Poisoning},
	OWASP:    "MCP03",
	CWE:      []int{506, 912},
	Since:    "0.1.0",
	Fault:    fault,
	Surface:  func(p *rule.Pass, s *card.Server) { reportIdea(p, s, speech.LatentBehaviour) },
}
