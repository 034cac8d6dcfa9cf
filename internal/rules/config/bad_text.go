package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// BadText is config/bad-text.
var BadText = &rule.Rule{
	ID:       "config/bad-text",
	Title:    "bytes that are no text",
	Trigger:  "The file holds a byte that is not UTF-8, or half of a surrogate pair: each client makes something else of it.",
	Message:  "{what} stands here: clients refuse the file, or read another text than you see",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema, rule.Unicode},
	CWE:      []int{172},
	Since:    "0.1.0",
	File:     badText,
}

func badText(p *rule.Pass) {
	d := p.File.Doc
	bad := d.BadText
	if bad.Len() == 0 || !d.Root().Valid() {
		return
	}
	at, what := d.Root(), "A byte that is not UTF-8"
	for n := range d.Nodes() {
		if n.Span().Contains(bad) || n.IsMember() && n.KeySpan().Contains(bad) {
			at = n
		}
	}
	if d.Raw[bad.Start] == '\\' {
		what = "Half of a surrogate pair"
	}
	p.Report(rule.In(at, bad), rule.Args{"what": what})
}
