package config

import (
	"path"
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// CommentsInStrictJSON is config/comments-in-strict-json.
var CommentsInStrictJSON = &rule.Rule{
	ID:       "config/comments-in-strict-json",
	Title:    "more than the client's JSON allows",
	Trigger:  "A JSON file has comments or trailing commas, and its client reads strict JSON.",
	Message:  "{file} has {what}: {client} reads strict JSON and none of its servers",
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Delete the trailing commas; with --fix=unsafe also the comments.",
	File: commentsInStrictJSON,
}

func commentsInStrictJSON(p *rule.Pass) {
	f, d := p.File, p.File.Doc
	if d.Format != source.JSON || d.Strict || f.Dead() {
		return
	}
	what, safety := "comments", finding.Unsafe
	switch {
	case len(d.Comments) == 0:
		what, safety = "a trailing comma", finding.Safe
	case len(d.TrailingCommas) > 0:
		what = "comments and trailing commas"
	}
	at := slices.Concat(d.Comments, d.TrailingCommas)[0]
	var edits []finding.Edit
	for _, s := range d.TrailingCommas {
		edits = append(edits, finding.Edit{Offset: s.Start, Length: s.Len()})
	}
	for _, s := range d.Comments {
		edits = append(edits, withoutComment(d.Raw, s))
	}
	args := rule.Args{"file": path.Base(f.Path), "what": what, "client": f.Client.Name}
	fix := rule.WithFix(safety, "delete "+what, edits...)
	switch f.Client.Comments {
	case "no":
		p.Report(rule.In(d.Root(), at), args, rule.WithBlast(fileBlast(f)), fix)
	case "unverified":
		if f.Client.ID != "" {
			p.ReportAs("{file} has {what}, and whether {client} reads them is not known", rule.In(d.Root(), at), args,
				rule.WithSeverity(finding.Info), rule.WithConfidence(finding.Medium), fix)
		}
	}
}

// withoutComment takes a comment out, and its line where nothing else stands there.
func withoutComment(raw []byte, c finding.Span) finding.Edit {
	start, end := c.Start, c.End
	for start > 0 && (raw[start-1] == ' ' || raw[start-1] == '\t') {
		start--
	}
	if alone := start == 0 || raw[start-1] == '\n'; alone {
		after := end
		for after < len(raw) && (raw[after] == ' ' || raw[after] == '\t' || raw[after] == '\r') {
			after++
		}
		if after < len(raw) && raw[after] == '\n' {
			return finding.Edit{Offset: start, Length: after + 1 - start}
		}
		return finding.Edit{Offset: c.Start, Length: c.Len()}
	}
	return finding.Edit{Offset: start, Length: end - start}
}
