package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SSETransport is mcp-deprecated/sse-transport.
var SSETransport = &rule.Rule{
	ID:       "mcp-deprecated/sse-transport",
	Title:    "the deprecated SSE transport",
	Trigger:  "The type of an entry is SSE.",
	Message:  `Server "{name}" uses deprecated SSE transport — use "http" (Streamable HTTP) instead`,
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Unsafe, FixDescription: "Write the client's own word for Streamable HTTP. The server must offer it at the same address.",
	Fault:  "transport-word",
	Server: sseTransport,
}

func sseTransport(p *rule.Pass, s *client.Server) {
	if s.Hidden || s.Transport != client.SSE || !readsType(s) {
		return
	}
	var opts []rule.Option
	if word := s.File.Client.Remote.Writes; word != "" {
		opts = append(opts, rule.WithFix(finding.Unsafe, `write "`+word+`"`, rewrite(s.TypeNode, word)))
	}
	p.Report(rule.At(s.TypeNode), rule.Args{"name": s.Name}, opts...)
}
