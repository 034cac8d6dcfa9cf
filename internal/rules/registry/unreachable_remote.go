package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// UnreachableRemote is registry/unreachable-remote.
var UnreachableRemote = &rule.Rule{
	ID:       "registry/unreachable-remote",
	Title:    "a remote that others can not reach safely",
	Trigger:  "The URL of a remote is this machine, or does not begin with https.",
	Message:  "{url} {why}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Auth},
	OWASP:    "MCP07",
	CWE:      []int{319},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Publish an https address that everyone reaches.",
	Manifest: unreachableRemote,
}

func unreachableRemote(p *rule.Pass, f *manifest.File) {
	for _, r := range f.Remotes() {
		n := r.Get("url")
		if !filled(n) {
			continue
		}
		report := func(why string) { p.Report(rule.At(n), rule.Args{"url": secret.MaskURL(n.Text()), "why": why}) }
		u, err := manifest.ParseURL(n.Text())
		switch {
		case err != nil || u.Host == "":
			report("is no URL")
		case manifest.Loopback(u.Hostname()):
			report("is this machine: nobody else reaches it, and the registry refuses it")
		case u.Scheme != "https":
			report("is not https: whoever sits between reads and changes what is said, and the registry refuses it")
		}
	}
}
