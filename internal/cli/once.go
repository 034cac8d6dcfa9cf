package cli

import (
	"errors"

	"github.com/spf13/pflag"
)

// once is a flag that names what a run is held against: it is given one time, and not empty. Of two files one would be left
// out unseen, and "" is what a variable becomes that is not set: the run would ask for less than its caller thinks.
type once struct {
	to    *string
	given bool
}

func (o *once) String() string { return "" }

func (o *once) Type() string { return "string" }

func (o *once) Set(s string) error {
	switch {
	case o.given:
		return errors.New("it is given twice, and a run takes one")
	case s == "":
		return errors.New("it is empty: is a variable not set?")
	}
	*o.to, o.given = s, true
	return nil
}

// onceVar adds such a flag.
func onceVar(f *pflag.FlagSet, to *string, name, usage string) { f.Var(&once{to: to}, name, usage) }
