// Package launch holds the rules on what a config makes a client run: which packages, which scripts, with which
// environment, in which container, and without asking. All read the launch line through internal/model/launch.
package launch

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
