package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnannouncedList is endpoint/unannounced-list.
var UnannouncedList = &rule.Rule{
	ID:       "endpoint/unannounced-list",
	Title:    "a list that is not announced",
	Trigger:  "The server answers the request for a list, or says that one changed, and does not announce its capability.",
	Message:  "The server has a list whose capability it does not announce: {detail}",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Announce the capability, or leave the list out.",
	Surface: report(wire.UnannouncedList),
}
