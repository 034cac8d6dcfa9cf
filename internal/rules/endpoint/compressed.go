package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Compressed is endpoint/compressed.
var Compressed = &rule.Rule{
	ID:       "endpoint/compressed",
	Title:    "a compressed answer that nobody asked for",
	Trigger:  "An answer is compressed although the request allowed none.",
	Message:  "The server compresses its answer ({detail}) although the request asked for none",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	CWE:      []int{409},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Compress only what a request asks for in Accept-Encoding.",
	Surface: report(wire.Compressed),
}
