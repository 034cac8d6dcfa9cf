package endpoint

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WebPage is endpoint/web-page.
var WebPage = &rule.Rule{
	ID:       "endpoint/web-page",
	Title:    "a web page where JSON-RPC belongs",
	Trigger:  "A JSON-RPC message of a probe is answered with a page of HTML.",
	Message:  "The server answers {what} with a web page: a client can not read what is wrong, and names another cause",
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Put an error handler behind the parser of the framework that answers as JSON-RPC.",
	Surface: webPage,
}

func webPage(p *rule.Pass, s *card.Server) {
	var all []*trial
	for t := range probe(s).every() {
		// What HTTP may refuse is refused as HTTP does; a failure of the server and a stack trace are rules of their own.
		if t.Status < 500 && (t.kind() == request || t.kind() == junk) && t.Page() && !t.read() {
			if _, found := t.Trace(); found {
				continue
			}
			all = append(all, t)
		}
	}
	reportAll(p, all, nil)
}
