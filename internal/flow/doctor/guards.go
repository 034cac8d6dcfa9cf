package doctor

import (
	"cmp"
	"slices"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Guards are the entries that start their server through our guard, what it holds them to, and what its log says of them.
// logged gives that by the name of a server. own is the user's own policy, "" for none: it holds where the command names no other.
func (v *Visit) Guards(logged func(server string) engine.Events, own string) []engine.Guarded {
	all := []engine.Guarded{}
	for _, f := range v.Files {
		for _, s := range f.Servers {
			if s.Rare.Guard == nil || s.Twin != nil || s.Hidden || f.Dead() {
				continue
			}
			g := engine.Guarded{Client: cmp.Or(f.Client, client.Generic).ID, Path: f.Path, Server: s.Display(), HeldTo: "first-use", Policy: own}
			name := s.Name
			if c := v.Machine.Cover(s); c.Entry != nil {
				g.HeldTo, g.Standing, g.Confined, name = "lock", string(c.Standing), c.Entry.Confinement != nil, c.Entry.Name
			}
			flags := s.Rare.Guard.Flags
			for i, w := range flags {
				switch w.Value {
				case "--audit-only":
					g.HeldTo = "nothing"
				case "--executor", "--allow-read", "--allow-write", "--allow-connect":
					g.Confined = true
				case "--policy":
					if i+1 < len(flags) {
						g.Policy = flags[i+1].Value
					}
				case "--server":
					if i+1 < len(flags) {
						name = flags[i+1].Value
					}
				}
			}
			e := logged(name)
			g.Blocked, g.Since, g.Last = e.Blocked, e.Since, e.Last
			all = append(all, g)
		}
	}
	slices.SortStableFunc(all, func(a, b engine.Guarded) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Server, b.Server))
	})
	return all
}
