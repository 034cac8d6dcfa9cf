package registry

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InstallScript is registry/install-script.
var InstallScript = &rule.Rule{
	ID:       "registry/install-script",
	Title:    "a package that runs code when it is installed",
	Trigger:  "The version of an npm package that a configured server runs has scripts that run when it is installed.",
	Message:  `Server "{name}": {what} runs code when it is installed: {scripts}`,
	Severity: finding.Info,
	Tags:     []string{rule.Supply},
	Aliases:  []string{"install-script"},
	OWASP:    "MCP04",
	CWE:      []int{829},
	Since:    "0.1.0",
	Needs:    []rule.Need{rule.NeedRegistry},
	Trust:    installScript,
}

func installScript(p *rule.Pass, s *trust.Server) {
	for _, one := range s.Packages {
		if len(one.Scripts) > 0 {
			p.Report(place(one), rule.Args{"name": s.Entry.Name, "what": called(one), "scripts": strings.Join(one.Scripts, ", ")})
		}
	}
}
