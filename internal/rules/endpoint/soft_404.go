package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Soft404 is endpoint/soft-404.
var Soft404 = &rule.Rule{
	ID:       "endpoint/soft-404",
	Title:    "a host where every path exists",
	Trigger:  "A path that can not exist is answered with HTTP 200.",
	Message:  "The server answers a path that can not exist with HTTP 200: a client takes {what} for every document that it looks for",
	Severity: finding.Warning,
	Tags:     []string{rule.Discovery},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Answer 404 to what is not there, at least below /.well-known/.",
	Surface: soft404,
}

func soft404(p *rule.Pass, s *card.Server) {
	for t := range probe(s).of(wire.RandomPath) {
		if t.Status < 200 || t.Status > 299 {
			continue
		}
		what := "what comes"
		if t.Page() {
			what = "a web page"
		}
		p.Report(rule.At(t.at), rule.Args{"what": what})
	}
}
