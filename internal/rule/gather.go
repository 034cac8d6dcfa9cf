package rule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// Gather collects what many entries of one file have in common, so that it is one finding that lists them, not one
// for each (product.md, "One fault, one finding"). The zero value is ready.
type Gather struct {
	names  []string
	seen   map[string]bool
	places []gathered // the first ones: as many as a finding shows
	shared bool       // between servers
	opts   []Option
}

type gathered struct {
	at     Place
	name   string
	server *client.Server // or
	card   *card.Card
}

// owner is the server of the place.
func (g *gathered) owner() any {
	if g.card != nil {
		return g.card.Server
	}
	return g.server
}

// Add notes one place of the fault and what stands there. The name is a stranger's.
func (g *Gather) Add(s *client.Server, name string, at Place) {
	g.add(gathered{at: at, name: name, server: s})
}

// AddCard notes a place of the fault in a card, which is named by its own name.
func (g *Gather) AddCard(c *card.Card, at Place) { g.add(gathered{at: at, name: c.Label(), card: c}) }

func (g *Gather) add(one gathered) {
	name := one.name
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	if !g.seen[name] {
		g.seen[name] = true
		g.names = append(g.names, name)
	}
	if len(g.places) > 0 && g.places[0].owner() != one.owner() {
		g.shared = true
	}
	if len(g.places) <= limits.Default.RelatedPlaces {
		g.places = append(g.places, one)
	}
}

// Any says that something was added.
func (g *Gather) Any() bool { return len(g.places) > 0 }

// With sets the options of the finding.
func (g *Gather) With(opts ...Option) { g.opts = opts }

// Report makes the finding, at the first place that was added, with the others beside it. The message may name
// {names} and {count}; the rule's own gives way to its One for a single name. It reports nothing when nothing was
// added. The finding is a server's only when every place is.
func (g *Gather) Report(p *Pass, message string, args Args, opts ...Option) {
	if len(g.places) == 0 {
		return
	}
	all := Args{"names": List(g.names, p.Limits.ShownNames), "count": strconv.Itoa(len(g.names))}
	for k, v := range args {
		all[k] = v
	}
	if len(g.names) == 1 && message == p.Rule.Message && p.Rule.One != "" {
		message = p.Rule.One
	}
	opts = append(slices.Clip(g.opts), opts...)
	first := g.places[0]
	for _, o := range g.places[1:] {
		opts = append(opts, Also(o.at, shown(o.name, p.Limits.ShownRunes)))
	}
	if n := len(g.names); n > 1 {
		opts = append(opts, func(f *finding.Finding) { f.Count = n })
	}
	switch {
	case g.shared || first.card != nil && len(g.names) > 1:
		// Whichever entry stands first today, the finding is the file's, or the server's.
		opts = append(opts, func(f *finding.Finding) { f.Shape = "" })
		if !g.shared {
			opts = append(opts, ForSurface(first.card.Server))
		}
	case first.card != nil:
		opts = append(opts, ForCard(first.card))
	default:
		opts = append(opts, ForServer(first.server))
	}
	p.ReportAs(message, first.at, all, opts...)
}

// List is the first names, and how many more there are.
func List(names []string, max int) string {
	if len(names) <= max {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:max], ", ") + " and " + strconv.Itoa(len(names)-max) + " more"
}

// Gathers keeps a Gather for each kind of a fault. The zero value is ready.
type Gathers[K comparable] struct {
	Kinds []K // in the order in which they were met
	by    map[K]*Gather
}

// Of is the Gather of a kind.
func (g *Gathers[K]) Of(kind K) *Gather {
	if g.by[kind] == nil {
		if g.by == nil {
			g.by = map[K]*Gather{}
		}
		g.by[kind] = new(Gather)
		g.Kinds = append(g.Kinds, kind)
	}
	return g.by[kind]
}
