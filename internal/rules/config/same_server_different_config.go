package config

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SameServerDifferentConfig is mcp-consistency/same-server-different-config.
var SameServerDifferentConfig = &rule.Rule{
	ID:       "mcp-consistency/same-server-different-config",
	Title:    "one name, two servers",
	Trigger:  "Two files of one scope define a server of one name with different commands, arguments or addresses.",
	Message:  `Server "{name}" is configured differently in {file1} and {file2}`,
	Severity: finding.Warning,
	Tags:     []string{rule.Portability, rule.Hygiene},
	Since:    "0.1.0",
	Advice:   true,
	Project: func(p *rule.Pass, g *rule.Group) {
		if g.Root == "" { // the group of the user's files alone
			differing(p, userFiles(g.User))
		} else {
			differing(p, byPath(g.Project))
		}
	},
}

func differing(p *rule.Pass, files []*client.File) {
	if len(files) < 2 {
		return
	}
	var names []string
	byName := map[string][]*client.Server{}
	for _, f := range files {
		for _, s := range inForce(f) {
			same := byName[s.Name]
			if s.Name == "" || !s.Command.Set() && !s.URL.Set() || len(same) > 0 && same[len(same)-1].File == f {
				continue
			}
			if same == nil {
				names = append(names, s.Name)
			}
			byName[s.Name] = append(same, s)
		}
	}
	for _, name := range names {
		one := byName[name][0]
		var other *client.Server
		opts := []rule.Option{rule.ForServer(one)}
		for _, s := range byName[name][1:] {
			word := "the same here"
			if !one.Same(s) {
				word = "different here"
				if other == nil {
					other = s
				}
			}
			opts = append(opts, rule.Also(nameOf(s), word))
		}
		if other != nil {
			p.Report(nameOf(one), rule.Args{"name": name, "file1": one.File.Path, "file2": other.File.Path}, opts...)
		}
	}
}
