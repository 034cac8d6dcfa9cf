package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// AmbiguousRoot is config/ambiguous-root.
var AmbiguousRoot = &rule.Rule{
	ID:       "config/ambiguous-root",
	Title:    "servers under two root keys",
	Trigger:  "A file has servers under two root keys, and one of them defines a server that the other lacks or defines differently.",
	Message:  `Server "{name}" stands under "{one}" and under "{other}", and they differ: which one starts depends on the client`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema, rule.Portability},
	Aliases:  []string{"WRD-DOCTOR-AMBIGUOUS-SERVER"},
	Since:    "0.1.0",
	File:     ambiguousRoot,
}

func ambiguousRoot(p *rule.Pass) {
	f := p.File
	var maps []client.Map
	for _, m := range f.Maps {
		if m.Project == "" && !m.Node.Overridden() && m.Node.Kind() == source.Object && m.Node.IsMember() {
			maps = append(maps, m)
		}
	}
	// What the client reads comes first; the others are compared with it.
	slices.SortStableFunc(maps, func(a, b client.Map) int { return rank(a) - rank(b) })
	if len(maps) < 2 || !maps[0].Wanted {
		return
	}
	byNode := serversByNode(f)
	for _, other := range maps[1:] {
		for n := range other.Node.Children() {
			s, twin := byNode[n], byNode[maps[0].Node.Get(n.Key())]
			args := rule.Args{"name": n.Key(), "one": maps[0].Key, "other": other.Key, "client": f.Client.Name}
			switch {
			case s == nil || s.Hidden:
			case twin != nil && !s.Identical(twin):
				p.Report(rule.Key(n), args, rule.ForServer(s), rule.Also(rule.Key(twin.Node), "the other definition"))
			case twin == nil && !other.Wanted && !readBySomeone(f, other.Key):
				p.ReportAs(`Server "{name}" stands under "{other}", and {client} reads "{one}" only`, rule.Key(n), args, rule.ForServer(s),
					rule.WithBlast(finding.BlastEntry))
			}
		}
	}
}

func rank(m client.Map) int {
	if m.Wanted {
		return 0
	}
	return 1
}

// readBySomeone says that one of the clients that read the file looks under the key.
func readBySomeone(f *client.File, key string) bool {
	return slices.ContainsFunc(f.Readers, func(c *client.Client) bool { return slices.Contains(c.RootKeys, key) })
}
