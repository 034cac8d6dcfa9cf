package endpoint

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ServerError is endpoint/server-error.
var ServerError = &rule.Rule{
	ID:       "endpoint/server-error",
	Title:    "a failure of the server where an error belongs",
	Trigger:  "The server answers a message of a probe with an HTTP status of 500 or above, other than 503.",
	Message:  "The server answers {what} with {answer}: a client takes that for an outage, and asks again",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	CWE:      []int{755},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Catch what goes wrong with one message, and answer it as a JSON-RPC error with HTTP 200 or 400.",
	Surface: serverError,
}

func serverError(p *rule.Pass, s *card.Server) {
	var by grouped[string]
	for t := range probe(s).every() {
		if t.Status < 500 || t.Status == busy || t.kind() == document {
			continue
		}
		if t.Status == notImplemented && (t.Trial == wire.VerbPut || t.Trial == wire.VerbHead || t.Trial == wire.VerbOptions) {
			continue // what a server says that does not know the method (RFC 9110, 15.6.2)
		}
		answer := "HTTP " + strconv.Itoa(t.Status)
		if t.Page() {
			answer += " and a web page"
		}
		by.add(answer, t)
	}
	for _, answer := range by.keys {
		reportAll(p, by.by[answer], rule.Args{"answer": answer}, rule.WithKind(answer))
	}
}
