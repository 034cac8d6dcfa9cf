package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// RemovedMethod is endpoint/removed-method.
var RemovedMethod = &rule.Rule{
	ID:       "endpoint/removed-method",
	Title:    "a method that 2026-07-28 does not have",
	Trigger:  "A modern request for a method that does not exist is not refused with HTTP 404 and error -32601.",
	Message:  "The server carries out {what}: a client can not tell by it which era is spoken",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"sep-2575-http-server-method-not-found-404"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Look the method up in the table of the request's own revision, and answer what is not in it with 404 and -32601.",
	Surface: removedMethod,
}

func removedMethod(p *rule.Pass, s *card.Server) {
	in := probe(s)
	methods := []wire.Trial{wire.PingRemoved}
	if !in.legacy { // where both eras are served, an initialize is somebody who speaks the old one
		methods = append(methods, wire.InitializeRemoved)
	}
	if t := in.one(wire.UnknownMethod); t != nil {
		if code, _ := t.Code(); code == wire.CodeMethodNotFound { // else it is endpoint/wrong-error-code
			methods = append(methods, wire.UnknownMethod)
		}
	}
	refusals(p, in, 404, []int{wire.CodeMethodNotFound}, methods...)
}
