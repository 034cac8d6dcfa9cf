package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// EmptyEnvBlock is mcp-env/empty-env-block.
var EmptyEnvBlock = &rule.Rule{
	ID:       "mcp-env/empty-env-block",
	Title:    "an empty env block",
	Trigger:  "The env object of a server has no members.",
	Message:  `Server "{name}": empty "env" block can be removed`,
	Severity: finding.Info,
	Tags:     []string{rule.Hygiene},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Remove the member.",
	Advice: true,
	Server: emptyEnvBlock,
}

func emptyEnvBlock(p *rule.Pass, s *client.Server) {
	n := s.EnvNode
	if n.Kind() != source.Object || n.Len() > 0 {
		return
	}
	var opts []rule.Option
	// A comment between the braces would go with them.
	if strings.Trim(string(n.Raw()), "{} \t\r\n") == "" && !n.Shared() {
		opts = append(opts, rule.WithFix(finding.Safe, "remove it", n.Remove()))
	}
	p.Report(rule.Key(n), rule.Args{"name": s.Name}, opts...)
}
