package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WrongSyntax is mcp-env/wrong-syntax.
var WrongSyntax = &rule.Rule{
	ID:    "mcp-env/wrong-syntax",
	Title: "a reference in another client's spelling",
	Trigger: "A value refers to the environment in a spelling that the file's client does not read, so that the server gets " +
		"the reference itself.",
	Message:  `Server "{name}": {client} uses {expected}, not {actual}`,
	Severity: finding.Error,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Write the reference as the client reads it.",
	Server: wrongSyntax,
}

func wrongSyntax(p *rule.Pass, s *client.Server) {
	if p.File.Dead() {
		return // no client reads it: there is no spelling to hold it against
	}
	if forms, _ := p.File.Forms(); p.File.Guessed && len(forms) == 0 {
		return // a file in the shape of a client that replaces nothing may be for a program that does
	}
	var wrong []client.Use
	flush := func() {
		if len(wrong) > 0 {
			reportSpelling(p, s, wrong)
		}
		wrong = nil
	}
	for _, u := range s.Refs() {
		if !misread(p.File, u) {
			continue
		}
		if len(wrong) > 0 && wrong[0].Value.Node != u.Value.Node {
			flush()
		}
		wrong = append(wrong, u)
	}
	flush()
}

// reportSpelling reports the wrong references of one value at the first of them.
func reportSpelling(p *rule.Pass, s *client.Server, wrong []client.Use) {
	first := wrong[0]
	expected, actual := spellings(p.File, first)
	opts := append(respelled(p.File, wrong), rule.WithSeverity(syntaxSeverity(p.File, first)))
	if p.File.Client.Env.Confidence != client.High {
		opts = append(opts, rule.WithConfidence(finding.Medium))
	}
	p.Report(rule.Part(first.Value.Node, first.Start, first.End),
		rule.Args{"name": s.Name, "client": p.File.Client.Name, "expected": expected, "actual": actual}, opts...)
}
