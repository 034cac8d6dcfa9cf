package config

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// LookalikeName is config/lookalike-name.
var LookalikeName = &rule.Rule{
	ID:       "config/lookalike-name",
	Title:    "two names that look the same",
	Trigger:  "The names of two servers of a file differ in characters that are not seen, in how a letter is encoded, in letters of another script that look the same, or in case.",
	Message:  `The names "{name}" and "{other}" look the same, and are two servers`,
	Severity: finding.Warning,
	Tags:     []string{rule.Unicode, rule.Hygiene},
	OWASP:    "MCP09",
	CWE:      []int{1007},
	Since:    "0.1.0",
	File:     lookalikeName,
}

func lookalikeName(p *rule.Pass) {
	if !slices.ContainsFunc(p.File.Servers, func(s *client.Server) bool { return !text.Spelled(s.Name) }) {
		return // each is its own skeleton: two that are equal are one name
	}
	type key struct{ project, skeleton string }
	first := map[key]*client.Server{}
	for _, s := range p.File.Servers {
		if s.Hidden {
			continue
		}
		k := key{s.Project, text.Skeleton(s.Name)}
		other := first[k]
		if other == nil {
			first[k] = s
		}
		if other == nil || other.Name == s.Name {
			continue
		}
		opts := []rule.Option{rule.ForServer(s), rule.Also(nameOf(other), "the other name")}
		args := rule.Args{"name": s.Name, "other": other.Name}
		if strings.EqualFold(s.Name, other.Name) {
			p.ReportAs(`The names "{name}" and "{other}" differ in case only, and are two servers`, nameOf(s), args,
				append(opts, rule.WithSeverity(finding.Info))...)
			continue
		}
		p.Report(nameOf(s), args, opts...)
	}
}
