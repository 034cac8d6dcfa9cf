package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// DuplicateKey is card/duplicate-key.
var DuplicateKey = &rule.Rule{
	ID:       "card/duplicate-key",
	Title:    "a name twice in one object",
	Trigger:  "An object of the document has two members of one name: most clients read the last one, a reviewer may read the first.",
	Message:  `"{key}" stands twice in one object: clients read the last one only`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	CWE:      []int{694},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Keep the last of the two, or rename one.",
	Cards: duplicateKey,
}

func duplicateKey(p *rule.Pass, f *card.File) {
	for n := range f.Doc.Nodes() {
		if n.Kind() != source.Object || !n.Repeats() {
			continue
		}
		first := map[string]source.Node{}
		for m := range n.Children() {
			key := m.Key()
			if o, ok := first[key]; ok && !p.Counted(finding.Warning) {
				opts := append(owner(f, m), rule.Also(rule.Key(o), "the first one"))
				if source.Equal(o, m) {
					opts = append(opts, rule.WithSeverity(finding.Info))
				}
				p.Report(rule.Key(m), rule.Args{"key": key}, opts...)
			}
			first[key] = m
		}
	}
}

// owner says which card, or which server, a node is of.
func owner(f *card.File, n source.Node) []rule.Option {
	above := map[source.Node]bool{}
	for ; n.Valid(); n = n.Parent() {
		above[n] = true
	}
	for _, s := range f.Servers {
		for _, c := range s.Cards {
			if above[c.Node] {
				return []rule.Option{rule.ForCard(c)}
			}
		}
	}
	for _, s := range f.Servers {
		if above[s.Node] {
			return []rule.Option{rule.ForSurface(s)}
		}
	}
	return nil
}
