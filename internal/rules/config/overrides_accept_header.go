package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OverridesAcceptHeader is config/overrides-accept-header.
var OverridesAcceptHeader = &rule.Rule{
	ID:       "config/overrides-accept-header",
	Title:    "a header that the client sets itself",
	Trigger:  "An entry sets the Accept header, which the protocol prescribes and every client sends.",
	Message:  `Server "{name}" sets the Accept header, which the client sets itself: a server that gets another value may answer 406`,
	Severity: finding.Warning,
	Tags:     []string{rule.Protocol, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Remove the header.",
	Server: overridesAcceptHeader,
}

func overridesAcceptHeader(p *rule.Pass, s *client.Server) {
	for _, h := range s.Headers {
		if s.Hidden || !strings.EqualFold(h.Key, "accept") {
			continue
		}
		var opts []rule.Option
		if !h.Node.Shared() {
			opts = append(opts, rule.WithFix(finding.Safe, "remove the header", h.Node.Remove()))
		}
		if v := strings.ToLower(h.Value); strings.Contains(v, "application/json") && strings.Contains(v, "text/event-stream") {
			opts = append(opts, rule.WithSeverity(finding.Info)) // what the protocol asks for, said twice
		}
		p.Report(rule.Key(h.Node), rule.Args{"name": s.Name}, opts...)
	}
}
