package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// EmptyServers is mcp-schema/empty-servers.
var EmptyServers = &rule.Rule{
	ID:       "mcp-schema/empty-servers",
	Title:    "no servers",
	Trigger:  "A file that holds nothing but servers has none.",
	Message:  "MCP config has no server entries",
	Severity: finding.Info,
	Tags:     []string{rule.Schema, rule.Hygiene},
	Since:    "0.1.0",
	File:     emptyServers,
}

func emptyServers(p *rule.Pass) {
	f := p.File
	if f.Mixed() {
		return
	}
	want := source.Object
	if f.Client.ShapeOf(f.Loc) != client.ShapeMap {
		want = source.Array
	}
	var none source.Node
	for _, m := range f.Maps {
		switch k := m.Node.Kind(); {
		case m.Node.Overridden() || !m.Wanted:
		case !m.Node.Empty(), k != want && !empty(m.Node): // a wrong type is mcp-schema/invalid-json
			return
		case !none.Valid():
			none = m.Node
		}
	}
	if none.Valid() {
		p.Report(rule.Key(none), nil)
	}
}
