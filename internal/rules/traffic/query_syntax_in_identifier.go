package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// QuerySyntax is traffic/query-syntax-in-identifier.
var QuerySyntax = &rule.Rule{
	ID:       "traffic/query-syntax-in-identifier",
	Title:    "query syntax in an identifier",
	Trigger:  "An argument that stands for a table, a column, a collection or an id holds what a database would read as more than a name.",
	Message:  "The argument {name} of {tool} holds query syntax: it stands for a name, and would change the query of a server that puts it in",
	Severity: finding.Error,
	Tags:     []string{rule.Traffic},
	Aliases:  []string{"query-control-syntax-in-identifier-arg"},
	OWASP:    "MCP05",
	CWE:      []int{89, 943},
	Since:    "0.1.0",
	Action:   rule.ActBlock,
	Traffic:  func(p *rule.Pass, m *traffic.Message) { identifiers(p, m, querySyntax) },
}

// querySyntax says whether a value that is a name of a database's part, or an id, holds more than a name.
func querySyntax(word, v string) bool {
	switch word {
	case "table", "column", "field", "collection", "database", "schema", "index", "view", "dataset", "measurement", "bucket":
	default:
		if !identifier(word) {
			return false
		}
	}
	if strings.ContainsAny(v, ";\x00") || strings.Contains(v, "--") && !plainName(v) || strings.Contains(v, "/*") || strings.Contains(v, "|") || strings.HasPrefix(v, "$") && word != "field" && word != "schema" {
		return true
	}
	low := " " + strings.ToLower(strings.Join(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(" \t\r\n()+,", r) }), " ")) + " "
	for _, w := range [...]string{" union ", " select ", " drop ", " insert ", " delete ", " update ", " where ", " exec ", " having ", " into "} {
		if strings.Contains(low, w) && strings.Count(low, " ") > 2 {
			return true
		}
	}
	quoted := strings.ContainsAny(v, "'\"")
	return quoted && (strings.Contains(low, " or ") || strings.Contains(low, " and ") || strings.Contains(low, "' ") && strings.Contains(low, "="))
}

// plainName says whether a value is one word of letters, digits and dashes: slugs may have two in a row.
func plainName(v string) bool {
	return strings.IndexFunc(v, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
	}) < 0 && !strings.HasPrefix(v, "-") && !strings.HasSuffix(v, "--")
}
