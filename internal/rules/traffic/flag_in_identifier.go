package traffic

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FlagSyntax is traffic/flag-in-identifier.
var FlagSyntax = &rule.Rule{
	ID:       "traffic/flag-in-identifier",
	Title:    "a flag in an identifier",
	Trigger:  "An argument that stands for one thing is, or holds behind a blank, an option of a command line.",
	Message:  "The argument {name} of {tool} holds an option of a command line: it stands for one thing",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"cli-flag-injection-in-identifier-arg"},
	OWASP:    "MCP05",
	CWE:      []int{88},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { identifiers(p, m, flagSyntax) },
}

// flagSyntax says whether a value that stands for one thing holds an option.
func flagSyntax(word, v string) bool {
	if !identifier(word) && word != "branch" && word != "ref" {
		return false
	}
	for i := 0; i+1 < len(v); i++ {
		if v[i] != '-' || i > 0 && v[i-1] != ' ' {
			continue
		}
		if v[i+1] == '-' && i+2 < len(v) && letter(v[i+2]) || letter(v[i+1]) && (i == 0 || i+2 == len(v) || v[i+2] == ' ' || v[i+2] == '=') {
			return true
		}
	}
	return false
}
