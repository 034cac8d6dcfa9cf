package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LocalhostInProjectConfig is mcp-urls/localhost-in-project-config.
var LocalhostInProjectConfig = &rule.Rule{
	ID:       "mcp-urls/localhost-in-project-config",
	Title:    "an address on the author's machine",
	Trigger:  "A project's file, which a team shares, has a server at a loopback address.",
	Message:  `Server "{name}": loopback URL in project config won't work for teammates`,
	Severity: finding.Warning,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Server: func(p *rule.Pass, s *client.Server) {
		if s.URL.Value == "" || s.Hidden || s.Disabled || s.Scope() != client.ScopeProject || idleURL(s) || s.File.Client == client.Generic {
			return // whose file it is, and so whether a team shares it, is not known for any JSON
		}
		if a, ok := s.Address(); ok && client.Loopback(a.Host) {
			p.Report(rule.At(s.URL.Node), rule.Args{"name": s.Name})
		}
	},
}

// idleURL says that the entry's own type makes nothing of its address: mcp-schema/ambiguous-transport reports that.
func idleURL(s *client.Server) bool {
	return s.Transport == client.Stdio && s.Type.Set() && s.Command.Value != ""
}
