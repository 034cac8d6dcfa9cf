// Package endpoint holds the rules on how a server behaves on the wire: what it breaks of the protocol, and what it does
// that a client should know. They judge what was noted while it was asked (model/wire, Fault). One file and one page a rule.
package endpoint

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
