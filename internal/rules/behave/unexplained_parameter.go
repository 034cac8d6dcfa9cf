package behave

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnexplainedParameter is card/unexplained-parameter.
var UnexplainedParameter = &rule.Rule{
	ID:      "card/unexplained-parameter",
	Title:   "a command or a callback that the tool does not speak of",
	Trigger: "A tool takes a command, or an address to report to, as free text, and neither its name nor its description says that it runs or calls anything.",
	Message: "The tool {tool} takes {what} in {parameter}, and does not say what for",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	Aliases:    []string{"COMMAND_PARAMETER_UNCONSTRAINED", "URL_PARAMETER_ALLOWLIST_MISSING"},
	OWASP:      "MCP05",
	CWE:        []int{78, 918},
	Since:      "0.1.0",
	Once:       once,
	Card:       unexplainedParameter,
}

func unexplainedParameter(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil {
		return
	}
	for _, one := range does.Parameters {
		what := ""
		switch one.Kind {
		case card.TakesCommand:
			what = "a command"
		case card.TakesCallback:
			what = "an address to report to"
		}
		if what != "" && one.Free && !explained(p, c, one.Kind) {
			p.Report(rule.Key(one.Node), rule.Args{"tool": c.Label(), "what": what, "parameter": one.Node.Key()})
			return
		}
	}
}

// explained says whether name or description of a tool speak of what such a parameter is for: whether a word of them
// begins so.
func explained(p *rule.Pass, c *card.Card, kind card.ParameterKind) bool {
	const command = "command cmd shell script terminal cli exec run launch spawn process code"
	const callback = "hook callback notif subscri http url endpoint post event alert"
	words := command
	if kind == card.TakesCallback {
		words = callback
	}
	return mentions(lower(c.Name+" "+head(p, c)), words)
}

// mentions says whether a text in lower case has one of the words, or beginnings of words, in a list.
func mentions(text, list string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
