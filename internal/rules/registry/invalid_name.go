package registry

import (
	"fmt"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidName is registry/invalid-name.
var InvalidName = &rule.Rule{
	ID:       "registry/invalid-name",
	Title:    "a name that can not be published",
	Trigger:  "The name of server.json is no reverse domain name, a slash and a name.",
	Message:  `The name "{name}" {why}: write it as com.example/server, or io.github.USER/server`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the domain backwards, a slash, and the name of the server.",
	Manifest: invalidName,
}

func invalidName(p *rule.Pass, f *manifest.File) {
	n := f.Root().Get("name")
	name, ok := n.Str()
	if !ok {
		return
	}
	space, _, _ := strings.Cut(name, "/")
	report := func(why string, opts ...rule.Option) {
		p.Report(rule.At(n), rule.Args{"name": name, "why": why}, opts...)
	}
	switch {
	case strings.Count(name, "/") != 1:
		report(fmt.Sprintf("has %d slashes, and should have one", strings.Count(name, "/")))
	case !manifest.GoodName(name):
		report("has characters that a name does not have, or a part that does not begin and end with letters or digits, two at least")
	default:
		if ok, why := manifest.Reversed(space); !ok {
			report("has a namespace that "+why, rule.WithSeverity(finding.Warning))
		}
	}
}
