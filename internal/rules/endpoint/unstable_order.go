package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnstableOrder is endpoint/unstable-order.
var UnstableOrder = &rule.Rule{
	ID:       "endpoint/unstable-order",
	Title:    "a list in changing order",
	Trigger:  "A list holds the same items in another order when it is asked for again.",
	Message:  "The server lists the same items in another order when it is asked again ({during})",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Surface:  report(wire.UnstableOrder),
}
