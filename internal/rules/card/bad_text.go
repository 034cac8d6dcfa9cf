package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// BadText is card/bad-text.
var BadText = &rule.Rule{
	ID:       "card/bad-text",
	Title:    "bytes that are no text",
	Trigger:  "The document holds a byte that is not UTF-8, or half of a surrogate pair: each client makes something else of it.",
	Message:  "{what} stands here: clients refuse the answer, or read another text than you see",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	CWE:      []int{172},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Send UTF-8, and both halves of every surrogate pair.",
	Cards: badText,
}

func badText(p *rule.Pass, f *card.File) {
	bad := f.Doc.BadText
	if bad.Len() == 0 {
		return
	}
	at, what := f.Doc.Root(), "A byte that is not UTF-8"
	for n := range f.Doc.Nodes() {
		if n.Span().Contains(bad) || n.IsMember() && n.KeySpan().Contains(bad) {
			at = n
		}
	}
	if f.Doc.Raw[bad.Start] == '\\' {
		what = "Half of a surrogate pair"
	}
	p.Report(rule.In(at, bad), rule.Args{"what": what}, owner(f, at)...)
}
