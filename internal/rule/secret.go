package rule

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Moving describes a secret that was found: its kind, how sure that is, and the fix that moves it into a variable of
// the environment. Where the client reads no reference in that place, the fix is what a person can do instead.
func Moving(f *client.File, x client.Secret) Option {
	return func(to *finding.Finding) {
		to.Kind = string(x.Kind)
		if x.Medium {
			to.Confidence = finding.Medium
		}
		m, ok := f.Move(x)
		if !ok {
			to.Fix = &finding.Fix{Safety: finding.Manual, Title: byHand(f, x)}
			return
		}
		to.Fix = &finding.Fix{Safety: finding.Unsafe, Edits: m.Edits, Exports: []string{m.Variable},
			Title: "move it to the variable " + m.Variable + " and rotate it"}
	}
}

// byHand is what to do about a secret that no reference can take the place of.
func byHand(f *client.File, x client.Secret) string {
	instead := f.Client.Env.Instead
	switch {
	case x.Field == "input":
		return `remove the default and set "password": true, so that the client asks and keeps the answer safe`
	case len(instead) > 0 && x.Field == "headers":
		return "name a variable in " + instead[len(instead)-1] + " instead, and rotate it"
	case len(instead) > 0:
		return "name a variable in " + instead[0] + " instead, and rotate it"
	}
	return "keep it outside of the file, where the command itself reads it, and rotate it"
}
