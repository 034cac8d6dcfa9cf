package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DisabledServer is mcp-redundancy/disabled-server.
var DisabledServer = &rule.Rule{
	ID:       "mcp-redundancy/disabled-server",
	Title:    "a server that is switched off",
	Trigger:  `An entry says "disabled": true.`,
	Message:  `Server "{name}" is disabled — consider removing if no longer needed`,
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
	Advice:   true,
	Server: func(p *rule.Pass, s *client.Server) {
		if !s.Hidden && s.OffNode.Key() == "disabled" {
			p.Report(rule.At(s.OffNode), rule.Args{"name": s.Name})
		}
	},
}
