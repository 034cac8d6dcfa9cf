package registry

import (
	"fmt"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// UnprovenOwnership is registry/unproven-ownership.
var UnprovenOwnership = &rule.Rule{
	ID:       "registry/unproven-ownership",
	Title:    "a package that does not say whose it is",
	Trigger:  "A package of server.json is made beside it, and does not name the server.",
	Message:  "{file} does not say that it is {name}: {how}",
	Severity: finding.Error,
	Tags:     []string{rule.Supply, rule.Auth},
	Needs:    []rule.Need{rule.NeedDisk},
	OWASP:    "MCP04",
	CWE:      []int{345},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Name the server in the package, and publish it again.",
	Manifest: unprovenOwnership,
}

func unprovenOwnership(p *rule.Pass, f *manifest.File) {
	name, ok := f.Root().Get("name").Str()
	if !ok {
		return
	}
	for _, one := range f.Packages() {
		for _, lack := range proofOf(f, one, name) {
			p.Report(rule.At(lack.at), rule.Args{"file": lack.file, "name": name, "how": lack.how}, append(lack.opts, rule.WithKind(f.Type(one)))...)
		}
	}
}

// lack is a proof that a file does not hold.
type lack struct {
	at        source.Node
	file, how string
	opts      []rule.Option
}

// proofOf looks for the proof of a package in the files beside: nothing is said of a package that is made elsewhere.
func proofOf(f *manifest.File, one source.Node, name string) []lack {
	kind := manifest.KindOf(f.Type(one))
	id := f.Get(one, "identifier")
	if kind == nil || !id.Valid() {
		return nil
	}
	made := f.Made(one)
	switch {
	case kind.Proof == manifest.MCPName && made != nil:
		said := made.Folder.Package.Root().Get("mcpName")
		how := fmt.Sprintf("add \"mcpName\": %q", name)
		if said.Text() == name {
			return nil
		}
		l := lack{at: id, file: made.Folder.Package.Path, how: how}
		if said.Valid() {
			l.how = fmt.Sprintf("its mcpName is %q", said.Text())
			l.opts = []rule.Option{rule.Also(rule.At(said), "mcpName")}
		}
		return []lack{l}
	case kind.Proof == manifest.ReadmeMark && (made != nil || kind.Name != "pypi"):
		// nuget and cargo have no file here that names their package, so that the README beside may be another's.
		var opts []rule.Option
		folder := &manifest.Folder{}
		if made != nil {
			folder = made.Folder
		} else if len(f.Beside) > 0 {
			folder = &f.Beside[0]
			opts = []rule.Option{rule.WithSeverity(finding.Warning), rule.WithConfidence(finding.Medium)}
		}
		if folder.Readme == nil || manifest.Proves(folder.Readme.Raw, name) {
			return nil
		}
		l := lack{at: id, file: folder.Readme.Path, how: "add the line mcp-name: " + name, opts: opts}
		if said := manifest.Claimed(folder.Readme.Raw); said != "" {
			l.how = fmt.Sprintf("it says mcp-name: %s", said)
		}
		return []lack{l}
	case kind.Proof == manifest.ImageLabel:
		for _, b := range f.Beside {
			if b.Image == nil {
				continue
			}
			said, ok := manifest.Labelled(b.Image.Raw)
			if said == name {
				return nil
			}
			l := lack{at: id, file: b.Image.Path, how: fmt.Sprintf("add LABEL %s=%q, or give the image that label when it is built", manifest.Label, name),
				opts: []rule.Option{rule.WithSeverity(finding.Warning), rule.WithConfidence(finding.Medium)}}
			if ok && !strings.Contains(said, "$") {
				l.how, l.opts = fmt.Sprintf("its label is %q", said), nil
			}
			return []lack{l}
		}
	}
	return nil
}
