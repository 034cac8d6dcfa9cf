package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NoNameField is mcp-schema/no-name-field.
var NoNameField = &rule.Rule{
	ID:       "mcp-schema/no-name-field",
	Title:    "a server without a name",
	Trigger:  "The key of an entry is the empty string, or an entry of a list has no name.",
	Message:  "Server name cannot be empty",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Server: func(p *rule.Pass, s *client.Server) {
		// In a list where the client wants names as keys, the list is the fault.
		list := !s.Node.IsMember() && s.File.Client.ShapeOf(s.File.Loc) == client.ShapeMap
		if s.Name == "" && !s.Hidden && !list {
			p.Report(nameOf(s), nil, rule.WithBlast(entryBlast(s.File)))
		}
	},
}
