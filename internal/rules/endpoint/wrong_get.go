package endpoint

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WrongGet is endpoint/wrong-get.
var WrongGet = &rule.Rule{
	ID:       "endpoint/wrong-get",
	Title:    "a GET that is answered with neither a stream nor 405",
	Trigger:  "GET of the endpoint gets something other than an event stream or HTTP 405.",
	Message:  "The server answers GET with {got} instead of {want}: a client that opens the stream of notifications takes the endpoint for missing",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Route GET of the same path, and answer 405 with Allow: POST where you have no stream.",
	Surface: wrongGet,
}

func wrongGet(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for t := range in.of(wire.StreamGet) {
		stream := t.Status == 200 && t.Header.MediaType() == wire.MediaEvents
		if t.Status == 0 || t.Status >= 500 || t.Status == 405 || t.gated() || !in.since(wire.V20250326) || stream && in.legacy {
			continue
		}
		got := "HTTP " + strconv.Itoa(t.Status)
		if media := t.Header.MediaType(); media != "" {
			got += " (" + media + ")"
		}
		if in.modern { // SHOULD, and nothing there opens a stream by GET
			p.ReportAs("The server answers GET with {got} instead of HTTP 405", rule.At(t.at), rule.Args{"got": got}, rule.WithSeverity(finding.Info))
			continue
		}
		p.Report(rule.At(t.at), rule.Args{"got": got, "want": "an event stream or HTTP 405"})
	}
}
