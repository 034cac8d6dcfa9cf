package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RefusedList is endpoint/refused-list.
var RefusedList = &rule.Rule{
	ID:       "endpoint/refused-list",
	Title:    "an announced list that is refused",
	Trigger:  "The server announces a capability and answers the request for its list with an error.",
	Message:  "The server announces what {during} lists and refuses the request: {detail}",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer the list, empty if need be, or leave the capability out.",
	Surface: report(wire.RefusedList),
}
