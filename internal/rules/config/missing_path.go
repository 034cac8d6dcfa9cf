package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingPath is mcp-urls/missing-path.
var MissingPath = &rule.Rule{
	ID:       "mcp-urls/missing-path",
	Title:    "an address without a path",
	Trigger:  "The URL of a server has no path, or only a slash.",
	Message:  `Server "{name}": URL has no path — most MCP servers expect /mcp`,
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
	Advice:   true,
	Server: func(p *rule.Pass, s *client.Server) {
		if s.URL.Value == "" || idleURL(s) {
			return
		}
		if a, ok := s.Address(); ok && !s.Hidden && strings.HasPrefix(a.Scheme, "http") && (a.Path == "" || a.Path == "/") {
			p.Report(rule.At(s.URL.Node), rule.Args{"name": s.Name})
		}
	},
}
