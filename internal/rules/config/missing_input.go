package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// MissingInput is config/missing-input.
var MissingInput = &rule.Rule{
	ID:       "config/missing-input",
	Title:    "an input that is not defined",
	Trigger:  "A value refers to ${input:id}, and no entry of inputs has that id.",
	Message:  `No entry of "inputs" has the id "{id}": {client} can not ask for it`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Clients:  []string{"vscode"},
	Since:    "0.1.0",
	File:     missingInput,
}

func missingInput(p *rule.Pass) {
	f := p.File
	if !slices.Contains(f.Client.Env.Forms, "${input:id}") || f.Dead() {
		return
	}
	var order []string
	byID := map[string]*rule.Gather{}
	for _, s := range f.Servers {
		if s.Hidden {
			continue
		}
		for _, u := range s.Refs() {
			if u.Form != "${input:id}" || defined(s, u.Name) {
				continue
			}
			if byID[u.Name] == nil {
				byID[u.Name] = new(rule.Gather)
				order = append(order, u.Name)
			}
			byID[u.Name].Add(s, `used by "`+s.Name+`"`, rule.Part(u.Value.Node, u.Start, u.End))
		}
	}
	for _, id := range order {
		byID[id].Report(p, p.Rule.Message, rule.Args{"id": id, "client": f.Client.Name},
			rule.WithKind(id), rule.WithBlast(finding.BlastEntry))
	}
}

// defined says that an input of that id stands in the file, or beside the map that holds the server (settings.json has
// them below mcp).
func defined(s *client.Server, id string) bool {
	for _, in := range s.File.Inputs {
		if in.ID.Value == id {
			return true
		}
	}
	for n := range s.Node.Parent().Parent().Get("inputs").Children() {
		if n.Kind() == source.Object && n.Get("id").Text() == id {
			return true
		}
	}
	return false
}
