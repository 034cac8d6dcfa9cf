package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Flood is endpoint/flood.
var Flood = &rule.Rule{
	ID:       "endpoint/flood",
	Title:    "more messages than anyone reads",
	Trigger:  "Before it answers, the server sends more messages or requests than are read.",
	Message:  "The server sends more messages before its answer to {during} than are read",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	CWE:      []int{770},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer first: progress now and then is enough.",
	Surface: report(wire.Flood, wire.RequestFlood),
}
