package endpoint

import (
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidDocument is endpoint/invalid-document.
var InvalidDocument = &rule.Rule{
	ID:       "endpoint/invalid-document",
	Title:    "a discovery document that can not be read",
	Trigger:  "A discovery document is served and is no JSON object, or its address fails with a status of 500 or above.",
	Message:  "The server answers {path} with {what}: {effect}",
	Severity: finding.Info,
	Tags:     []string{rule.Discovery},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Serve the document as application/json, or answer 404.",
	Surface: invalidDocument,
}

// readers say who reads a discovery document, and what comes of one that can not be read.
var readers = []struct {
	effect string
	auth   bool // who can not read it can not log in
	trials []wire.Trial
}{
	{"a client that has to log in does not find out where", true, []wire.Trial{wire.ResourceAtPath, wire.ResourceAtRoot}},
	{"a client that has to log in does not find out how", true, []wire.Trial{wire.AuthServer, wire.AuthServerAtPath, wire.OpenIDAtRoot,
		wire.OpenIDAtPath, wire.OpenIDAppended}},
	{"a client that looks there before it connects takes the server for broken", false, []wire.Trial{wire.WellKnownMCP, wire.WellKnownJSON, wire.RootJSON}},
	{"a directory can not list the server by it", false, []wire.Trial{wire.ServerCard, wire.AICatalog}},
	{"a model that reads it gets markup", false, []wire.Trial{wire.LLMsText}},
}

func invalidDocument(p *rule.Pass, s *card.Server) {
	in := probe(s)
	for _, r := range readers {
		for t := range in.of(r.trials...) {
			what := in.unreadable(t)
			if what == "" {
				continue
			}
			severity := finding.Info
			if r.auth {
				severity = finding.Warning
			}
			path := t.Detail
			if path == "" {
				path = t.words()
			}
			p.Report(rule.At(t.at), rule.Args{"path": path, "what": what, "effect": r.effect}, rule.WithKind(string(t.Trial)), rule.WithSeverity(severity))
		}
	}
}

// unreadable is what stands where a document belongs, "" for a document, and for none.
func (p *probed) unreadable(t *trial) string {
	_, object := t.object()
	switch {
	case t.Status >= 500 && t.Status != busy:
		return "HTTP " + strconv.Itoa(t.Status)
	case !p.served(t):
		return ""
	case t.Page():
		return "a web page"
	case t.Trial == wire.LLMsText || object:
		return ""
	}
	return "something that is no JSON object"
}
