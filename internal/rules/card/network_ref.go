package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NetworkRef is card/network-ref.
var NetworkRef = &rule.Rule{
	ID:       "card/network-ref",
	Title:    "a reference to the network",
	Trigger:  "A $ref leads to a document on another host: clients must not fetch it, and refuse the tool (MCP 2026-07-28).",
	Message:  `{names}: the reference {is} leads to the network, where clients must not follow it`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"EXTERNAL_SCHEMA_REF"},
	CWE:      []int{829, 918},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Copy what the reference names below $defs.",
	Surface: tell,
}
