package config

import (
	"path"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WrongRootKey is mcp-schema/wrong-root-key.
var WrongRootKey = &rule.Rule{
	ID:       "mcp-schema/wrong-root-key",
	Title:    "the root key is another client's",
	Trigger:  "The file has servers under a root key that its client does not read, and none under the one that it does.",
	Message:  `{file} must use "{expected}" as root key, not "{actual}"`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Rename the root key to the one that the client reads.",
	File: wrongRootKey,
}

func wrongRootKey(p *rule.Pass) {
	f := p.File
	for _, m := range f.Maps {
		if m.Wanted {
			return
		}
	}
	for _, m := range f.Maps {
		if m.Node.Overridden() {
			continue
		}
		p.Report(rule.Key(m.Node), rule.Args{"file": path.Base(f.Path), "expected": f.Expected(), "actual": m.Key},
			rule.WithBlast(finding.BlastFile),
			rule.WithFix(finding.Safe, `rename "`+m.Key+`" to "`+f.Expected()+`"`, m.Node.Rename(f.Expected())))
		return
	}
}
