package config

import (
	"path"
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
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
	if f.Dead() || f.Expected() == "" || slices.ContainsFunc(f.Maps, func(m client.Map) bool { return m.Wanted }) {
		return
	}
	for _, m := range f.Maps {
		if m.Node.Overridden() || m.Key == "" {
			continue
		}
		safety, opts := finding.Safe, append(byTable(p, client.Medium), rule.WithBlast(finding.BlastFile))
		if readBy(f, m) {
			safety, opts = finding.Unsafe, append(opts, rule.WithSeverity(finding.Warning))
		}
		p.Report(rule.Key(m.Node), rule.Args{"file": path.Base(f.Path), "expected": f.Expected(), "actual": m.Key},
			append(opts, rule.WithFix(safety, `rename "`+m.Key+`" to "`+f.Expected()+`"`, m.Node.Rename(f.Expected())))...)
		return
	}
}

// readBy says that the file is in no client's own folder, and another client that reads it takes the key as it is:
// Visual Studio documents "servers" for .mcp.json.
func readBy(f *client.File, m client.Map) bool {
	if f.Loc == nil || f.Loc.Path != shared {
		return false
	}
	return slices.ContainsFunc(f.Readers, func(c *client.Client) bool {
		return c != f.Client && slices.Contains(c.RootKeys, m.Key)
	})
}
