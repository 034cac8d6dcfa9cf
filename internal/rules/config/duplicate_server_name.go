package config

import (
	"path"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// DuplicateServerName is mcp-consistency/duplicate-server-name.
var DuplicateServerName = &rule.Rule{
	ID:       "mcp-consistency/duplicate-server-name",
	Title:    "one name twice in a file",
	Trigger:  "A map of servers has the same key twice.",
	Message:  `Duplicate server name "{name}" in {file} — only the last definition is used`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema, rule.Hygiene},
	Since:    "0.1.0",
	Advice:   true,
	Fault:    "duplicate-name",
	File:     duplicateServerName,
}

func duplicateServerName(p *rule.Pass) {
	f := p.File
	message := p.Rule.Message
	switch f.Doc.Format {
	case source.TOML:
		return // the file is not valid, which another rule says
	case source.YAML:
		message = `Duplicate server name "{name}" in {file} — YAML does not allow it`
	}
	for _, m := range f.Maps {
		if m.Node.Overridden() || !m.Node.Repeats() {
			continue
		}
		byNode := serversByNode(f)
		earlier := map[string][]source.Node{}
		var names []string
		for n := range m.Node.Children() {
			if name := n.Key(); n.Overridden() {
				if earlier[name] == nil {
					names = append(names, name)
				}
				earlier[name] = append(earlier[name], n)
			}
		}
		for _, name := range names {
			last := m.Node.Get(name)
			var opts []rule.Option
			if s := byNode[last]; s != nil {
				opts = append(opts, rule.ForServer(s))
			}
			for _, n := range earlier[name] {
				opts = append(opts, rule.Also(rule.Key(n), "an earlier definition"))
			}
			p.ReportAs(message, rule.Key(last), rule.Args{"name": name, "file": path.Base(f.Path)}, opts...)
		}
	}
}
