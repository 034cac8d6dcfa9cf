// Package drift holds the rules on mcpassay.lock: whether it can be relied on, who approved what it holds, and what is
// another by now (internal/drift says in which respect). One file and one page a rule.
package drift

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS
