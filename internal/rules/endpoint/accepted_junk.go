package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// AcceptedJunk is endpoint/accepted-junk.
var AcceptedJunk = &rule.Rule{
	ID:       "endpoint/accepted-junk",
	Title:    "a bad message that is carried out",
	Trigger:  "A message that JSON-RPC or MCP forbids is accepted.",
	Message:  "The server accepts {what}: a client that sends it by mistake is never told",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Refuse what is no message with error -32600, what is no UTF-8 with -32700, and params of the wrong type with -32602.",
	Surface: acceptedJunk,
}

// forbidden are messages that no revision allows. What is merely unwise, such as an id with a fraction, is not among them.
var forbidden = []wire.Trial{wire.IDNull, wire.IDObject, wire.BatchEmpty, wire.ParamsArray, wire.InvalidUTF8}

func acceptedJunk(p *rule.Pass, s *card.Server) {
	var all []*trial
	for t := range probe(s).of(forbidden...) {
		_, isError := t.Code()
		// 202 without a body: taken for a notification.
		if !t.broken() && !isError && !t.toolError() && (t.accepted() || t.Status >= 200 && t.Status < 300 && t.Body == "" && !t.Answered()) {
			all = append(all, t)
		}
	}
	reportAll(p, all, nil)
}
