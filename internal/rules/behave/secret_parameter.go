package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// SecretParameter is card/secret-parameter.
var SecretParameter = &rule.Rule{
	ID:      "card/secret-parameter",
	Title:   "a tool that asks the model for a secret",
	Trigger: "A parameter of a tool is a password, an API key, a token or another secret.",
	Message: "The tool {tool} asks the model for a secret in {parameter}",

	Severity: finding.Warning,
	Tags:     []string{rule.Behaviour},
	Aliases:  []string{"SENSITIVE_PARAMETER_EXPOSED"},
	OWASP:    "MCP01",
	CWE:      []int{522},
	Since:    "0.1.0",
	Once:     once,
	Card:     secretParameter,
}

func secretParameter(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil {
		return
	}
	for _, one := range does.Parameters {
		if one.Kind == card.TakesSecret {
			p.Report(rule.Key(one.Node), rule.Args{"tool": c.Label(), "parameter": one.Node.Key()}, rule.WithKind(one.Node.Key()))
			return
		}
	}
}
