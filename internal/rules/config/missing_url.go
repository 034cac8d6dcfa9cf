package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingURL is mcp-schema/missing-url.
var MissingURL = &rule.Rule{
	ID:       "mcp-schema/missing-url",
	Title:    "a remote server without an address",
	Trigger:  "An entry is a remote server by its type or by its fields, and has no address that the client reads.",
	Message:  `Server "{name}" has no "url" field`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Server:   missingURL,
}

func missingURL(p *rule.Pass, s *client.Server) {
	if s.Hidden || s.Transport == client.Stdio && s.Command.Set() {
		return
	}
	key, field := urlField(s)
	_, command := commandField(s)
	remote := s.Transport == client.HTTP || s.Transport == client.SSE
	if !remote && (s.Type.Set() || command.Valid() || !field.Valid()) {
		return
	}
	foreign := s.URL.Value != "" && !readsURL(s, s.URL.Node)
	if s.URL.Value != "" && !foreign {
		return
	}
	at, opts := nameOf(s), []rule.Option{rule.WithBlast(entryBlast(s.File))}
	switch {
	case foreign && !placed(s.File):
		return
	case foreign:
		at, opts = rule.Key(s.URL.Node), append(opts, byTable(p, client.High)...)
	case field.Valid():
		at = rule.At(field)
	}
	p.ReportAs(`Server "{name}" has no "{field}" field`, at, rule.Args{"name": s.Name, "field": key}, opts...)
}
