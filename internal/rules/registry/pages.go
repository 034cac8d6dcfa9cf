// Package registry holds the rules on server.json, with which a server is published to the MCP registry: what its dated schema
// and the registry's own checks ask, and whether it says the same as the package that it is about. One file and one page a rule.
package registry

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
