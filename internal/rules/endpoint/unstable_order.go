package endpoint

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UnstableOrder is endpoint/unstable-order.
var UnstableOrder = &rule.Rule{
	ID:       "endpoint/unstable-order",
	Title:    "a list in changing order",
	Trigger:  "A list holds the same items in another order when it is asked for again.",
	Message:  "The server lists the same items in another order when it is asked again ({during})",
	Severity: finding.Info,
	Tags:     []string{rule.Protocol},
	Aliases:  []string{"tools-list-deterministic-order"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "List items in the order of a list or of their names, not in that of a map.",
	Surface: unstableOrder,
}

func unstableOrder(p *rule.Pass, s *card.Server) {
	noted := false
	for f, at := range faults(s, wire.UnstableOrder) {
		p.Report(rule.At(at), args(f), rule.WithKind(string(f.Kind)+" "+f.During))
		noted = noted || f.During == wire.Tools.Method()
	}
	if noted {
		return
	}
	first := names(s.Pages, wire.Tools)
	in := probe(s)
	for t := range in.of(wire.ToolsAgain) {
		again := names([]source.Node{t.result()}, wire.Tools)
		first := first[:min(len(first), len(again))] // it is the first page alone
		if in.modern && !slices.Equal(first, again) && slices.Equal(sorted(first), sorted(again)) {
			p.Report(rule.At(t.at), rule.Args{"during": wire.Tools.Method()})
		}
	}
}

// names are those of the items of a list, page by page.
func names(pages []source.Node, of wire.ListKind) (all []string) {
	for _, page := range pages {
		for item := range page.Get(of.String()).Children() {
			all = append(all, item.Get("name").Text())
		}
	}
	return all
}

func sorted(names []string) []string { return slices.Sorted(slices.Values(names)) }
