package registry

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// WrongTransport is registry/wrong-transport.
var WrongTransport = &rule.Rule{
	ID:       "registry/wrong-transport",
	Title:    "a transport that can not be",
	Trigger:  "A remote runs over stdio, or a package over stdio has a URL.",
	Message:  "A server over stdio has no url",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Take the url out, or name the transport that it is for.",
	Manifest: wrongTransport,
}

func wrongTransport(p *rule.Pass, f *manifest.File) {
	transports(f, func(t, _ source.Node, remote bool) {
		kind, u := t.Get("type"), t.Get("url")
		if !remote && kind.Text() == "stdio" && filled(u) {
			p.Report(rule.At(u), nil)
		}
	})
}
