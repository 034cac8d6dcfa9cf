// Package traffic holds the rules on what passes between a client and a server. One file and one page a rule; what they share about
// a message is worked out once.
package traffic

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
