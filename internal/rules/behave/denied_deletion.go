package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DeniedDeletion is card/denied-deletion.
var DeniedDeletion = &rule.Rule{
	ID:      "card/denied-deletion",
	Title:   "a tool that deletes and says that it is not destructive",
	Trigger: "A tool's name says that it deletes, and its destructiveHint is false: what that hint promises is that the tool only adds.",
	Message: `The tool {tool} says that it is not destructive, and its {why} says that it can delete`,

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	OWASP:      "MCP03",
	CWE:        []int{451},
	Since:      "0.1.0",
	Once:       once,
	Card:       deniedDeletion,
}

func deniedDeletion(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil || !does.Plainly(card.Deletes, card.ByName) {
		return
	}
	destructive, set := c.Hint("destructiveHint")
	if readOnly, _ := c.Hint("readOnlyHint"); readOnly || destructive || !set {
		return
	}
	severity := finding.Warning
	if does.Agree(card.Deletes) > 1 {
		severity = finding.Error
	}
	p.Report(rule.At(c.Annotations.Get("destructiveHint")), rule.Args{"tool": c.Label(), "why": does.Why(card.Deletes)}, rule.WithSeverity(severity))
}
