package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// IdenticalAcrossScopes is mcp-redundancy/identical-across-scopes.
var IdenticalAcrossScopes = &rule.Rule{
	ID:       "mcp-redundancy/identical-across-scopes",
	Title:    "the same server for the project and for the user",
	Trigger:  "A client reads the same entry from a project's file and from the user's.",
	Message:  `Server "{name}" is identically configured in {projectFile} and {globalFile}`,
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
	Advice:   true,
	Project:  identicalAcrossScopes,
}

func identicalAcrossScopes(p *rule.Pass, g *rule.Group) {
	if g.Root == "" {
		return
	}
	users := map[string][]*client.Server{}
	for _, f := range userFiles(g.User) {
		for _, s := range f.Servers {
			if !f.Dead() && !s.Hidden && s.Project == "" {
				users[s.Name] = append(users[s.Name], s)
			}
		}
	}
	if len(users) == 0 {
		return
	}
	for _, f := range byPath(g.Project) {
		for _, s := range inForce(f) {
			for _, u := range users[s.Name] {
				// Another client's file is no second copy: without it that client would lose the server.
				if u.File.Client != f.Client && !slices.Contains(f.Readers, u.File.Client) || !s.Identical(u) {
					continue
				}
				p.Report(nameOf(s), rule.Args{"name": s.Name, "projectFile": f.Path, "globalFile": u.File.Path},
					rule.ForServer(s), rule.WithKind(u.File.Path), rule.Also(nameOf(u), "the same for the user"))
			}
		}
	}
}
