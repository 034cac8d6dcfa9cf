// Package card holds the rules on what a server exposes, as the MCP specification and JSON Schema have it, and as clients
// take it. One file and one page a rule.
package card

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
