package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LooseJSON is registry/loose-json.
var LooseJSON = &rule.Rule{
	ID:       "registry/loose-json",
	Title:    "a manifest that is no strict JSON",
	Trigger:  "server.json holds comments, trailing commas, a byte order mark, text that is no UTF-8, or a member twice.",
	Message:  "server.json holds {what}, and the registry reads strict JSON",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write strict JSON, each member once.",
	Manifest: looseJSON,
}

func looseJSON(p *rule.Pass, f *manifest.File) {
	d := f.Doc
	tell := func(what string, span finding.Span) {
		p.Report(rule.In(f.Root(), span), rule.Args{"what": what}, rule.WithKind(what))
	}
	switch {
	case len(d.Comments) > 0:
		tell("a comment", d.Comments[0])
	case len(d.TrailingCommas) > 0:
		tell("a trailing comma", d.TrailingCommas[0])
	case d.BOM:
		tell("a byte order mark", finding.Span{Start: 0, End: 3})
	case d.BadText.Len() > 0:
		tell("text that is no UTF-8", d.BadText)
	}
	for n := range d.Nodes() {
		if n.Overridden() {
			p.ReportAs("{name} stands here twice: some readers take the first, the registry takes the last", rule.Key(n), rule.Args{"name": n.Key()}, rule.WithKind("twice"))
		}
	}
}
