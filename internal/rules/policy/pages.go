// Package policy holds the rules on the policy itself: suppressions that are over, hide nothing, or say too little.
// They look at no client file, so they have no function of their own: internal/policy reports them while it applies
// the suppressions.
package policy

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
