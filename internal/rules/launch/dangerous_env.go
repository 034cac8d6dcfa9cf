package launch

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// DangerousEnv is launch/dangerous-env.
var DangerousEnv = &rule.Rule{
	ID:       "launch/dangerous-env",
	Title:    "a variable that changes what runs",
	Trigger:  "An entry sets a variable that loads code, switches the check of certificates off, or takes packages from elsewhere.",
	Message:  `Server "{name}" sets {variable}: {why}`,
	Severity: finding.Warning,
	Tags:     []string{rule.Launch, rule.Supply},
	OWASP:    "MCP05",
	CWE:      []int{426, 427, 295},
	Since:    "0.1.0",
	Server:   dangerousEnv,
}

func dangerousEnv(p *rule.Pass, s *client.Server) {
	if s.Hidden {
		return
	}
	for _, e := range s.Env {
		risky(p, s, e.Key, e.Value, rule.Key(e.Node))
	}
	for _, l := range s.Launches() {
		for _, a := range l.Env {
			risky(p, s, a.Name, a.Value, rule.At(l.Word(a.Arg).Node))
		}
	}
}

func risky(p *rule.Pass, s *client.Server, name, value string, at rule.Place) {
	d, ok := launch.RiskyEnv(name, value)
	if !ok {
		return
	}
	opts := []rule.Option{rule.WithKind(name)}
	if !d.Certain {
		opts = append(opts, rule.WithSeverity(finding.Info), rule.WithConfidence(finding.Medium))
	}
	p.Report(at, rule.Args{"name": s.Name, "variable": name, "why": d.Why}, opts...)
}
