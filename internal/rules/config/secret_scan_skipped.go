package config

import (
	"path"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SecretScanSkipped is mcp-security/secret-scan-skipped.
var SecretScanSkipped = &rule.Rule{
	ID:           "mcp-security/secret-scan-skipped",
	Title:        "git could not say whether the file is tracked",
	Trigger:      "It could not be determined whether git tracks a project's file that has variables, headers or a URL.",
	Message:      "Could not determine git-tracked status of {file}; hardcoded-secret rules were skipped",
	Severity:     finding.Info,
	Tags:         []string{rule.Secret},
	OWASP:        "MCP01",
	Since:        "0.1.0",
	Experimental: true,
	Needs:        []rule.Need{rule.NeedGit},
	File:         secretScanSkipped,
}

func secretScanSkipped(p *rule.Pass) {
	f := p.File
	if f.Scope != client.ScopeProject || !holdsValues(f) {
		return
	}
	if tracked, _ := p.Facts.Tracked(f); tracked == rule.Unknown {
		p.Report(rule.At(f.Doc.Root()), rule.Args{"file": path.Base(f.Path)})
	}
}

// holdsValues says whether the file has anything that the rules on hardcoded secrets judge.
func holdsValues(f *client.File) bool {
	for _, s := range f.Servers {
		if len(s.Env) > 0 || len(s.Headers) > 0 || s.URL.Set() || len(s.Secrets()) > 0 {
			return true
		}
	}
	return false
}
