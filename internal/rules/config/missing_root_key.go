package config

import (
	"path"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// MissingRootKey is mcp-schema/missing-root-key.
var MissingRootKey = &rule.Rule{
	ID:       "mcp-schema/missing-root-key",
	Title:    "no place for servers",
	Trigger:  "A file that holds nothing but servers has no key under which any client looks for them.",
	Message:  `MCP config has no "{expected}" key`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedDisk},
	File:     missingRootKey,
}

func missingRootKey(p *rule.Pass) {
	f := p.File
	root := f.Doc.Root()
	flat := len(f.Maps) == 1 && f.Maps[0].Node == root && !f.Maps[0].Wanted
	if f.Client == client.Generic || f.Mixed() || f.Dead() || f.Expected() == "" || len(f.Maps) > 0 && !flat {
		return
	}
	if flat && f.Loc != nil && f.Loc.Path == shared &&
		p.Facts.Exists(path.Join(path.Dir(f.Abs), ".claude-plugin", "plugin.json")) == rule.Yes {
		return // the file of a Claude Code plugin may be the map itself
	}
	args, opts := rule.Args{"expected": f.Expected()}, append(byTable(p, client.Medium), rule.WithBlast(finding.BlastFile))
	switch root.Kind() {
	case source.Object:
		at := root.Span()
		at.End = min(at.End, at.Start+1) // the brace alone, not the whole file
		p.Report(rule.In(root, at), args, opts...)
	case source.Invalid, source.Null:
		if f.Doc.Format != source.JSON {
			p.Report(rule.Where(finding.Location{Path: f.Path, Line: 1, Column: 1, EndLine: 1, EndColumn: 1}), args, opts...)
		}
	}
}
