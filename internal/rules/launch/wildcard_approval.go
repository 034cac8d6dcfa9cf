package launch

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// WildcardApproval is launch/wildcard-approval.
var WildcardApproval = &rule.Rule{
	ID:       "launch/wildcard-approval",
	Title:    "every tool runs without asking",
	Trigger:  "An entry approves all tools of its server in advance, those that it will have one day included.",
	Message:  "Every tool of {names} runs without asking",
	Severity: finding.Warning,
	Tags:     []string{rule.Launch, rule.Behaviour},
	OWASP:    "MCP02",
	CWE:      []int{862, 250},
	Since:    "0.1.0",
	Each:     wildcardApproval,
}

func wildcardApproval(p *rule.Pass, s *client.Server, g *rule.Gather) {
	f := s.File
	if !s.ApproveAll || s.Hidden || f.Dead() || !f.Client.Safety.Honours(s.ApproveNode.Key()) {
		return
	}
	g.Add(s, `"`+s.Name+`"`, rule.At(s.ApproveNode))
	if f.Scope != client.ScopeProject || s.ApproveNode.Key() == client.Sandboxed {
		g.With(rule.WithSeverity(finding.Info))
	}
}
