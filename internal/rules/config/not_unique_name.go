package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NotUniqueName is config/not-unique-name.
var NotUniqueName = &rule.Rule{
	ID:       "config/not-unique-name",
	Title:    "a name that two files define",
	Trigger:  "Two files that a client reads together define a server of one name, and the client demands that names are unique.",
	Message:  `Server "{name}" is also defined in {other}: {client} wants a name once over all of its files`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema, rule.Portability},
	Clients:  []string{"amazon-q"},
	Since:    "0.1.0",
	Project:  notUniqueName,
}

func notUniqueName(p *rule.Pass, g *rule.Group) {
	type key struct{ client, name string }
	first := map[key]*client.Server{}
	files := byPath(g.User)
	judged := len(files)
	if g.Root == "" {
		judged = 0 // the user's files are compared among themselves once, not again for each project
	}
	files = append(files, byPath(g.Project)...)
	for i, f := range files {
		if !f.Client.UniqueNames || f.Dead() {
			continue
		}
		for _, s := range f.Servers {
			k := key{f.Client.ID, s.Name}
			other := first[k]
			switch {
			case s.Hidden || s.Disabled:
			case other == nil:
				first[k] = s
			case other.File != f && i >= judged:
				p.Report(nameOf(s), rule.Args{"name": s.Name, "other": other.File.Path, "client": f.Client.Name},
					rule.ForServer(s), rule.Also(nameOf(other), "the other definition"))
			}
		}
	}
}
