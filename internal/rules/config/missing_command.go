package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingCommand is mcp-schema/missing-command.
var MissingCommand = &rule.Rule{
	ID:       "mcp-schema/missing-command",
	Title:    "a local server without a command",
	Trigger:  "An entry is a stdio server by its type or by its fields, and has no command that the client reads.",
	Message:  `Server "{name}" has no "command" field`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Server:   missingCommand,
}

func missingCommand(p *rule.Pass, s *client.Server) {
	c := s.File.Client
	key, field := commandField(s)
	switch {
	case s.Hidden, s.Type.Set() && s.Transport != client.Stdio:
		return
	case !s.Type.Set() && (!field.Valid() || s.Command.Value == "" && s.URL.Value != ""):
		return // another kind of server, or none that can be told
	}
	own := c.Fields["command"]
	foreign := field.Valid() && field.Key() != key && !slices.Contains(own, field.Key()) && c != client.Generic
	if s.Command.Value != "" && (!foreign || !placed(s.File)) {
		return
	}
	at, opts := nameOf(s), []rule.Option{rule.WithBlast(entryBlast(s.File))}
	switch {
	case foreign:
		at, opts = rule.Key(field), append(opts, byTable(p, client.High)...)
	case field.Valid():
		at = rule.At(field)
	}
	p.ReportAs(`Server "{name}" has no "{field}" field`, at, rule.Args{"name": s.Name, "field": key}, opts...)
}
