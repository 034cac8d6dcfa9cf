package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// NothingToRun is registry/nothing-to-run.
var NothingToRun = &rule.Rule{
	ID:       "registry/nothing-to-run",
	Title:    "a manifest without a server",
	Trigger:  "server.json names no package and no remote.",
	Message:  "There is no package and no remote: nobody can run this server",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Name a package, or the address at which it runs.",
	Manifest: nothingToRun,
}

func nothingToRun(p *rule.Pass, f *manifest.File) {
	root := f.Root()
	if root.Get("packages").Empty() && root.Get("remotes").Empty() {
		p.Report(whole(f), nil)
	}
}
