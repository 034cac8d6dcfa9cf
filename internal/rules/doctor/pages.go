// Package doctor holds the rules that need the machine a config is used on: they run in the doctor verb only.
package doctor

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
