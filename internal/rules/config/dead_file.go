package config

import (
	"path"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// DeadFile is config/dead-file.
var DeadFile = &rule.Rule{
	ID:       "config/dead-file",
	Title:    "a file that its client never reads",
	Trigger:  "Servers stand in a file where people put them and the client does not look.",
	Message:  "{client} does not read {file}: its servers belong in {place}",
	Severity: finding.Warning,
	Tags:     []string{rule.Portability, rule.Hygiene},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedDisk},
	File:     deadFile,
}

func deadFile(p *rule.Pass) {
	f := p.File
	if !f.Dead() || len(f.Servers) == 0 {
		return
	}
	opts := append(byTable(p, client.Medium), rule.WithBlast(finding.BlastFile))
	if !strings.Contains(f.Loc.Path, "/") {
		// A bare name may be a template, or the config of a program of one's own: only at the root of a project does it
		// look like a client's.
		if p.Facts.Exists(path.Join(path.Dir(strings.ReplaceAll(f.Abs, `\`, "/")), ".git")) != rule.Yes || template(f) {
			return
		}
		opts = append(opts, rule.WithSeverity(finding.Info), rule.WithConfidence(finding.Medium))
	}
	p.Report(keyOrBrace(f.Maps[0].Node), rule.Args{"client": f.Client.Name, "file": path.Base(f.Path), "place": f.Home()}, opts...)
}

// template says that the file is there to be copied: whoever does so has to fill in a credential.
func template(f *client.File) bool {
	for _, s := range f.Servers {
		for _, e := range s.Env {
			if secret.SecretName(e.Key) && secret.IsPlaceholder(e.Key, e.Value) {
				return true
			}
		}
	}
	return false
}

// keyOrBrace is the name of a value, or for the root what it opens with: not the whole file.
func keyOrBrace(n source.Node) rule.Place {
	if n.IsMember() {
		return rule.Key(n)
	}
	s := n.Span()
	s.End = min(s.End, s.Start+1)
	return rule.In(n, s)
}
