package endpoint

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// PlainError is endpoint/plain-error.
var PlainError = &rule.Rule{
	ID:       "endpoint/plain-error",
	Title:    "an error without JSON-RPC",
	Trigger:  "A request, or a message that is none, is answered with an HTTP status and a text that is no JSON-RPC.",
	Message:  "The server answers {what} with HTTP {status} and no JSON-RPC: a client can not tell what is wrong",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: `Answer with one JSON object: "jsonrpc", the id, and "error" with a code and a message.`,
	Surface: plainError,
}

// plain are the trials whose error a client hands on to a person or a model.
var plain = []wire.Trial{wire.UnknownMethod, wire.UnknownTool, wire.CallWithoutName, wire.NotJSONBody, wire.NoJSONRPC, wire.CursorUnknown}

func plainError(p *rule.Pass, s *card.Server) {
	var by grouped[int]
	for t := range probe(s).of(plain...) {
		redirect := t.Status >= 300 && t.Status < 400
		if t.Status != 0 && !t.Answered() && !t.broken() && !t.Page() && !redirect && !t.gated() {
			by.add(t.Status, t)
		}
	}
	for _, status := range by.keys {
		text := strconv.Itoa(status)
		reportAll(p, by.by[status], rule.Args{"status": text}, rule.WithKind(text))
	}
}
