package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnannouncedList is endpoint/unannounced-list.
var UnannouncedList = &rule.Rule{
	ID:       "endpoint/unannounced-list",
	Title:    "a change of a list that was not announced",
	Trigger:  "The server says that a list changed, and does not announce the capability for that list.",
	Message:  "The server says that a list changed whose capability it does not announce: {detail}",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Surface:  report(wire.UnannouncedList),
}
