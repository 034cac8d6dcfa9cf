package config

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// MissingFromClient is mcp-consistency/missing-from-client.
var MissingFromClient = &rule.Rule{
	ID:       "mcp-consistency/missing-from-client",
	Title:    "a server that another client lacks",
	Trigger:  "A server of .mcp.json is in no project file of another client that has one.",
	Message:  `Server "{name}" is in .mcp.json but missing from {file}`,
	Severity: finding.Info,
	Tags:     []string{rule.Portability, rule.Hygiene},
	Since:    "0.1.0",
	Advice:   true,
	Project:  missingFromClient,
}

// shared is the file that several clients read, so that its servers are meant for all.
const shared = ".mcp.json"

func missingFromClient(p *rule.Pass, g *rule.Group) {
	files := byPath(g.Project)
	at := slices.IndexFunc(files, func(f *client.File) bool { return f.Loc != nil && f.Loc.Path == shared })
	if at < 0 {
		return
	}
	type others struct {
		file  *client.File // the first of the client's
		names map[string]bool
	}
	var order []*others
	of := map[*client.Client]*others{}
	for _, f := range files {
		// A client whose own file is the shared one has its servers already.
		if f.Loc == nil || f.Dead() || f.Client.Locations[0].Path == shared || !hasMap(f) {
			continue
		}
		o := of[f.Client]
		if o == nil {
			o = &others{f, map[string]bool{}}
			of[f.Client] = o
			order = append(order, o)
		}
		for _, s := range f.Servers {
			o.names[strings.ToLower(s.Name)] = true
		}
	}
	if len(order) == 0 {
		return
	}
	for _, s := range inForce(files[at]) {
		for _, o := range order {
			if !o.names[strings.ToLower(s.Name)] {
				p.Report(nameOf(s), rule.Args{"name": s.Name, "file": o.file.Path}, rule.ForServer(s), rule.WithKind(o.file.Client.ID))
			}
		}
	}
}

// hasMap says that the file has a place for servers that its client reads, or that it means to have one.
func hasMap(f *client.File) bool {
	return slices.ContainsFunc(f.Maps, func(m client.Map) bool { return m.Wanted || !f.Mixed() })
}
