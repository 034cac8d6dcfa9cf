// Package auth holds the rules on how an entry proves who it is, and what it gives away by that: credentials that are
// written out, in any file, tracked by git or not, and addresses that anyone on the way can read. One file and one page
// a rule.
package auth

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
