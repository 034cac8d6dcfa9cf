// Package config holds the rules on client config files: the 29 of the MCP Server Configuration Linting
// Specification under their own ids (mcp-*), and those that go beyond it (config/*). One file and one page a rule.
package config

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
