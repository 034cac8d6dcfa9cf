package config

import (
	"path"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ByteOrderMark is config/byte-order-mark.
var ByteOrderMark = &rule.Rule{
	ID:         "config/byte-order-mark",
	Title:      "a mark in front of the text",
	Trigger:    "The file begins with a UTF-8 byte order mark, and its client does not read such a file.",
	Message:    "{file} begins with a byte order mark: {client} reads none of its servers",
	Severity:   finding.Error,
	Confidence: finding.Medium,
	Tags:       []string{rule.Schema, rule.Portability},
	Since:      "0.1.0",
	Fix:        finding.Safe, FixDescription: "Delete the three bytes in front of the text.",
	File: byteOrderMark,
}

func byteOrderMark(p *rule.Pass) {
	f := p.File
	if !f.Doc.BOM || !f.Doc.Root().Valid() {
		return
	}
	mark := finding.Span{End: len("\uFEFF")}
	at, args := rule.In(f.Doc.Root(), mark), rule.Args{"file": path.Base(f.Path)}
	fix := rule.WithFix(finding.Safe, "delete the mark", finding.Edit{Length: mark.Len()})
	for _, c := range append([]*client.Client{f.Client}, f.Readers...) {
		if c.BOM == "rejects" && placed(f) {
			args["client"] = c.Name
			p.Report(at, args, rule.WithBlast(finding.BlastFile), fix)
			return
		}
	}
	if f.Client == client.Generic || !placed(f) {
		p.ReportAs("{file} begins with a byte order mark, which some clients do not read", at, args, rule.WithSeverity(finding.Info), fix)
	}
}
