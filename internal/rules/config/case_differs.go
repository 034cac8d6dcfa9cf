package config

import (
	"path"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// CaseDiffers is config/case-differs.
var CaseDiffers = &rule.Rule{
	ID:       "config/case-differs",
	Title:    "a file name in other letters",
	Trigger:  "The path of a project's file is its client's but for upper and lower case.",
	Message:  "{client} reads {want}: where case counts, on Linux, it does not find {file}",
	Severity: finding.Warning,
	Tags:     []string{rule.Portability},
	CWE:      []int{178},
	Since:    "0.1.0",
	File:     caseDiffers,
}

func caseDiffers(p *rule.Pass) {
	f := p.File
	if !f.CaseDiffers || f.Dead() || len(f.Maps) == 0 {
		return
	}
	p.Report(keyOrBrace(f.Maps[0].Node), rule.Args{"client": f.Client.Name, "want": f.Loc.Path, "file": path.Base(f.Path)}, byTable(p, client.Medium)...)
}
