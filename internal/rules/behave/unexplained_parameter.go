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

// explained says whether name or description of a tool speak of what such a parameter is for.
func explained(p *rule.Pass, c *card.Card, kind card.ParameterKind) bool {
	words := "command- cmd shell- script- terminal- cli exec execut- run running launch- spawn- process code bash powershell subprocess- eval evaluat-"
	if kind == card.TakesCallback {
		words = "webhook- hook callback- notif- subscri- http https url endpoint- post event alert- push"
	}
	return mentions(lower(head(p, c)), words) || mentions(strings.Join(card.AppendWords(nil, c.Name), " "), words)
}

// mentions says whether a text in lower case has one of the words in a list, in the singular or the plural. What ends with
// a hyphen is the beginning of a word.
func mentions(text, list string) bool {
	for w := range strings.FieldsSeq(list) {
		stem, open := strings.CutSuffix(w, "-")
		for from := 0; ; {
			i := strings.Index(text[from:], stem)
			if i < 0 {
				break
			}
			i += from
			from = i + len(stem)
			if i > 0 && small(text[i-1]) {
				continue
			}
			if rest := strings.TrimPrefix(text[from:], "s"); open || rest == "" || !small(rest[0]) {
				return true
			}
		}
	}
	return false
}

func small(c byte) bool { return c >= 'a' && c <= 'z' }
