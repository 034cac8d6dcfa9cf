package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ShellSyntax is traffic/shell-syntax-in-identifier.
var ShellSyntax = &rule.Rule{
	ID:       "traffic/shell-syntax-in-identifier",
	Title:    "shell syntax in an identifier",
	Trigger:  "An argument that stands for one thing, an id, a number, a path, holds what a shell would run.",
	Message:  "The argument {name} of {tool} holds shell syntax: it stands for one thing, and would be run by a server that passes it on",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"shell-metachar-in-identifier-arg"},
	OWASP:    "MCP05",
	CWE:      []int{78, 88},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { identifiers(p, m, shellSyntax) },
}

// shellSyntax says whether a value that stands for one thing holds what a shell runs.
func shellSyntax(word, v string) bool {
	path := word == "path"
	if !identifier(word) && !path && word != "number" && word != "num" {
		return false
	}
	if strings.Contains(v, "$(") || strings.Contains(v, "&&") || strings.Contains(v, "||") || strings.Count(v, "`") > 1 {
		return true
	}
	at := strings.IndexAny(v, ";|`\n")
	return at >= 0 && (!path || commanded(v[at+1:])) // a file may be named so
}

// commanded says whether what stands behind a separator reads as a command line: a word, and more behind it.
func commanded(rest string) bool {
	first, more, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
	return ok && first != "" && more != "" && letter(first[0])
}
