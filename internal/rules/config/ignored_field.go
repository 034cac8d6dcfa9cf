package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// IgnoredField is config/ignored-field.
var IgnoredField = &rule.Rule{
	ID:       "config/ignored-field",
	Title:    "a switch that does nothing",
	Trigger:  "An entry is switched off, or its tools are limited, by a field of another client.",
	Message:  `{client} does not know "{field}": it starts {names} all the same`,
	Severity: finding.Warning,
	Tags:     []string{rule.Behaviour, rule.Portability},
	OWASP:    "MCP02",
	CWE:      []int{1068},
	Since:    "0.1.0",
	File:     ignoredField,
}

func ignoredField(p *rule.Pass) {
	f := p.File
	if !placed(f) || f.Client.Confidence == client.Low || len(f.Client.Known) == 0 {
		return
	}
	var byField rule.Gathers[string]
	for _, s := range f.Servers {
		if s.Hidden {
			continue
		}
		for _, n := range s.Foreign {
			if heldBack(s, n) && !f.Honours(n.Key()) && !f.Knows(n.Key()) {
				byField.Of(n.Key()).Add(s, `"`+s.Name+`"`, rule.Key(n))
			}
		}
	}
	for _, field := range byField.Kinds {
		message := p.Rule.Message
		if client.LimitsTools(field) {
			message = `{client} does not know "{field}": it offers every tool of {names}`
		}
		opts := append(byTable(p, client.High), rule.WithKind(field))
		byField.Of(field).Report(p, message, rule.Args{"client": f.Client.Name, "field": field}, opts...)
	}
}

// heldBack says that the field keeps a server, or some of its tools, from working in the client that it belongs to.
func heldBack(s *client.Server, n source.Node) bool {
	if s.Ignored && n == s.OffNode {
		return true
	}
	if !client.LimitsTools(n.Key()) || n.Kind() != source.Array || n.Len() == 0 {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(n.Children()), func(c source.Node) bool { return c.Text() == "*" || c.Kind() != source.String })
}
