package cli

import (
	"fmt"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/installed"
	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/text"
)

// packaged holds what is installed of the package that the lock's entry names against the lock, before it is started. What can not
// be held to it is said and stops nothing.
func (g *guarding) packaged(start proc.Command) (how string, err error) {
	a := g.app
	if g.entry == nil || g.entry.Package == nil {
		return "", nil
	}
	r := installed.Look(installed.Options{Package: g.entry.Package, Argv: start.Argv, Dir: start.Dir, Home: a.io.Home, Env: start.Env, Platform: a.io.Platform, Limits: a.limits})
	if len(r.Wrong) > 0 {
		g.stopped("package", strings.Join(r.Wrong, "; "))
		hint := "mcpassay verify tells whether the registry's bytes are still those of the lock"
		if len(r.Where) > 0 {
			hint = "take " + r.Where[0] + " away, so that it is fetched again; " + hint
		}
		return "", &problem{what: "what is installed of " + g.entry.Locked() + " is not what the lock holds: " + strings.Join(r.Wrong, "; "), hint: hint, code: exitFindings}
	}
	for _, u := range r.Unenforceable {
		fmt.Fprintf(a.io.Err, "mcpassay guard: unenforceable: %s\n", safe(u))
	}
	switch {
	case r.Compared > 0:
		return fmt.Sprintf(", %s of its package compared with the lock's", text.Count(r.Compared, "file")), nil
	case r.By != "":
		return ", " + r.By, nil
	}
	return "", nil
}
