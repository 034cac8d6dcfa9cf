package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Leaves are what persons have told the guards of a machine, as it is kept: what is paused, and what is allowed. Each ends by itself.
type Leaves struct {
	Version int     `json:"version"` // 1
	Paused  []Given `json:"paused"`
	Allowed []Given `json:"allowed"`
}

// Given is one of them: of one server, or with "" of all, for some time. An allowed one names a rule, and, for traffic/tool-needs-leave,
// a tool.
type Given struct {
	Server string    `json:"server,omitempty"`
	Rule   string    `json:"rule,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
}

// NeedsLeave is the rule by which a person is asked about a tool.
const NeedsLeave = needsLeave

// ReadLeaves reads what is kept. One that says more than a person may say is not relied on at all.
func ReadLeaves(raw []byte, lim limits.Set) (*Leaves, error) {
	l := &Leaves{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return nil, errors.New("it can not be read: " + text.Line(err.Error(), lim.ShownRunes))
	}
	switch {
	case d.More():
		return nil, errors.New("it holds more than one value")
	case l.Version != 1:
		return nil, errors.New("its version is not 1")
	case len(l.Paused)+len(l.Allowed) > lim.GuardLeaves:
		return nil, fmt.Errorf("it holds more than %d entries", lim.GuardLeaves)
	}
	for _, g := range l.Paused {
		if g.Rule != "" || g.Tool != "" {
			return nil, errors.New("a pause names a rule or a tool")
		}
		if err := g.lasts(lim.GuardPause); err != nil {
			return nil, err
		}
	}
	for _, g := range l.Allowed {
		if g.Server == "" || g.Rule != needsLeave && !Allowable(g.Rule) || (g.Tool != "") != (g.Rule == needsLeave) {
			return nil, errors.New("it allows what nobody may allow")
		}
		if err := g.lasts(lim.GuardLeave); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (g *Given) lasts(most time.Duration) error {
	if d := g.Until.Sub(g.From); d <= 0 || d > most {
		return fmt.Errorf("an entry lasts longer than %s, or no time", most)
	}
	return nil
}

// at says whether an entry holds at a time. Before it was made it does not: a clock was set back since.
func (g *Given) at(now time.Time) bool { return !now.Before(g.From) && now.Before(g.Until) }

// PausedAt is the pause of a server that ends last, nil for none.
func (l *Leaves) PausedAt(server string, now time.Time) (found *Given) {
	for i := range l.Paused {
		if g := &l.Paused[i]; (g.Server == "" || g.Server == server) && g.at(now) && (found == nil || g.Until.After(found.Until)) {
			found = g
		}
	}
	return found
}

// AllowedAt is the entry that allows what a rule finds in a server's frames, nil for none.
func (l *Leaves) AllowedAt(server, rule, tool string, now time.Time) *Given {
	for i := range l.Allowed {
		if g := &l.Allowed[i]; g.Server == server && g.Rule == rule && (rule != needsLeave || g.Tool == tool) && g.at(now) {
			return g
		}
	}
	return nil
}

// Put adds an entry in place of one about the same, and forgets what has ended. It fails where there would be too many.
func (l *Leaves) Put(list *[]Given, g Given, now time.Time, lim limits.Set) error {
	l.Drop(list, g)
	for _, all := range []*[]Given{&l.Paused, &l.Allowed} {
		*all = slices.DeleteFunc(*all, func(g Given) bool { return !g.at(now) })
	}
	if len(l.Paused)+len(l.Allowed) >= lim.GuardLeaves {
		return fmt.Errorf("more than %d things are paused or allowed already", lim.GuardLeaves)
	}
	if !utf8.ValidString(g.Server + g.Tool) {
		return errors.New("the name is no text")
	}
	*list = append(*list, g)
	return nil
}

// Drop takes an entry out, and says whether there was one.
func (l *Leaves) Drop(list *[]Given, g Given) bool {
	n := len(*list)
	*list = slices.DeleteFunc(*list, func(o Given) bool { return o.Server == g.Server && o.Rule == g.Rule && o.Tool == g.Tool })
	return len(*list) < n
}

// Encode writes them as ReadLeaves reads them.
func (l *Leaves) Encode() ([]byte, error) {
	l.Version = 1
	l.Paused, l.Allowed = orEmpty(l.Paused), orEmpty(l.Allowed)
	out, err := json.MarshalIndent(l, "", "  ")
	return append(out, '\n'), err
}

func orEmpty(all []Given) []Given {
	slices.SortFunc(all, func(a, b Given) int {
		return strings.Compare(a.Server+"\x00"+a.Rule+"\x00"+a.Tool, b.Server+"\x00"+b.Rule+"\x00"+b.Tool)
	})
	return append([]Given{}, all...)
}
