package drift

import (
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NewCue is drift/new-cue.
var NewCue = &rule.Rule{
	ID:       "drift/new-cue",
	Title:    "a changed text with something new in it",
	Trigger:  "A text changed, and other rules find something in it that they did not find before.",
	Message:  "{server}: the text of {item} changed{where}. It is new there: {cues}",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Poisoning},
	Aliases:  []string{"TOOL_CARD_CHANGED", "WRD-DRIFT-DESCRIPTION-MODIFIED", "WRD-DRIFT-RESOURCE-MODIFIED", "WRD-DRIFT-PROMPT-MODIFIED"},
	OWASP:    "MCP03",
	CWE:      []int{353, 494},
	Since:    "0.1.0",
	Lock:     changes(func(c *drift.Change) bool { return c.Class == drift.Text && len(c.Cues) > 0 }),
}
