package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// AmbiguousTransport is mcp-schema/ambiguous-transport.
var AmbiguousTransport = &rule.Rule{
	ID:       "mcp-schema/ambiguous-transport",
	Title:    "both a command and an address",
	Trigger:  "An entry has both a command and an address that its client reads.",
	Message:  `Server "{name}" has both "command" and "url" — transport is ambiguous`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fault:    "ambiguous",
	Server:   ambiguousTransport,
}

func ambiguousTransport(p *rule.Pass, s *client.Server) {
	if s.Hidden || s.Command.Value == "" || s.URL.Value == "" || !readsURL(s, s.URL.Node) {
		return
	}
	var opts []rule.Option
	if entryBlast(s.File) == finding.BlastClient {
		opts = append(opts, rule.WithSeverity(finding.Error), rule.WithBlast(finding.BlastClient))
	}
	opts = append(opts, rule.Also(rule.At(s.Command.Node), "the command"))
	p.Report(rule.Key(s.URL.Node), rule.Args{"name": s.Name}, opts...)
}
