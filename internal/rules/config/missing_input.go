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
	known := inputs{file: map[string]bool{}, beside: map[source.Node]map[string]bool{}}
	for _, in := range f.Inputs {
		known.file[in.ID.Value] = true
	}
	var byID rule.Gathers[string]
	for _, s := range f.Servers {
		if s.Hidden {
			continue
		}
		for _, u := range s.Refs() {
			if u.Form != "${input:id}" || known.defines(s, u.Name) {
				continue
			}
			byID.Of(u.Name).Add(s, `used by "`+s.Name+`"`, rule.Part(u.Value.Node, u.Start, u.End))
		}
	}
	for _, id := range byID.Kinds {
		byID.Of(id).Report(p, p.Rule.Message, rule.Args{"id": id, "client": f.Client.Name},
			rule.WithKind(id), rule.WithBlast(finding.BlastEntry))
	}
}

// inputs are the ids of the file's inputs, and of those beside a map that holds servers (settings.json has them below
// mcp).
type inputs struct {
	file   map[string]bool
	beside map[source.Node]map[string]bool // by what holds the map
}

func (k *inputs) defines(s *client.Server, id string) bool {
	if k.file[id] {
		return true
	}
	holder := s.Node.Parent().Parent()
	ids := k.beside[holder]
	if ids == nil {
		ids = map[string]bool{}
		for n := range holder.Get("inputs").Children() {
			if n.Kind() == source.Object {
				ids[n.Get("id").Text()] = true
			}
		}
		k.beside[holder] = ids
	}
	return ids[id]
}
