// Package poison holds the rules on what a card says to a model: instructions that serve somebody else than the user, and
// text that is not seen. One file and one page a rule; the evidence that they share is worked out once a server.
package poison

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
