package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RepeatedCursor is endpoint/repeated-cursor.
var RepeatedCursor = &rule.Rule{
	ID:       "endpoint/repeated-cursor",
	Title:    "pages that never end",
	Trigger:  "A page of a list names a cursor that was followed before.",
	Message:  "The pages of {during} never end: the cursor {detail} comes again",
	Severity: finding.Error,
	Tags:     []string{rule.Protocol},
	CWE:      []int{835},
	Since:    "0.1.0",
	Surface:  report(wire.RepeatedCursor),
}
