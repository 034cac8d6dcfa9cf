package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// NonObjectEntry is config/non-object-entry.
var NonObjectEntry = &rule.Rule{
	ID:       "config/non-object-entry",
	Title:    "an entry that is no object",
	Trigger:  "A map of servers holds a value that is no object, so it can not be a server.",
	Message:  `"{name}" is {actual}, and a server must be an object`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	File:     nonObjectEntry,
}

func nonObjectEntry(p *rule.Pass) {
	f := p.File
	for _, m := range f.Maps {
		if m.Node.Overridden() {
			continue
		}
		for n := range m.Node.Children() {
			if n.Kind() == source.Object || n.Overridden() {
				continue
			}
			opts := []rule.Option{rule.WithBlast(entryBlast(f))}
			if pseudoComment(n.Key()) && n.Kind() == source.String {
				opts = append(opts, rule.WithSeverity(finding.Warning))
			}
			p.Report(rule.At(n), rule.Args{"name": n.Key(), "actual": n.Kind().String()}, opts...)
		}
	}
}

// pseudoComment says that a member stands for a comment, which JSON does not have.
func pseudoComment(key string) bool {
	return strings.HasPrefix(key, "_") || strings.HasPrefix(key, "$") || strings.HasPrefix(key, "/") || strings.HasPrefix(key, "#") ||
		key == "comment" || key == "note"
}
