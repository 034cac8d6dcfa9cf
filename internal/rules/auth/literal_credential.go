package auth

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LiteralCredential is auth/literal-credential.
var LiteralCredential = &rule.Rule{
	ID:       "auth/literal-credential",
	Title:    "a credential is written out",
	Trigger:  "An entry, or the default of an input, holds a literal credential: in a variable, a header, an argument, the command or a setting.",
	Message:  `Server "{name}" holds a literal credential in {place}: {what}, {length} characters`,
	Severity: finding.Error,
	Tags:     []string{rule.Secret, rule.Auth},
	Aliases:  []string{"WRD-AUTH-TOKEN-IN-CONFIG"},
	OWASP:    "MCP01",
	CWE:      []int{798},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Move the credential to an environment variable and refer to it as the client does.",
	Fault:  "secret",
	File:   literalDefault,
	Server: func(p *rule.Pass, s *client.Server) { report(p, s, false) },
}

func literalDefault(p *rule.Pass) {
	for _, in := range p.File.Inputs {
		for _, x := range in.Secrets() {
			p.ReportAs(`Input "{name}" has a literal credential as its default: {what}, {length} characters`,
				rule.Part(x.Value.Node, x.Start, x.End), rule.Args{"name": in.ID.Value, "what": x.Title, "length": x.LengthClass},
				rule.Moving(p.File, x), grave(x))
		}
	}
}
