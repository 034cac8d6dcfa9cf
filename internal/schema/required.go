package schema

import "github.com/mcpassay/mcpassay/internal/source"

// undefined judges the required names that their own schema does not define. All schemas that judge the same value may
// define them, and so may those that share one of them by reference: a name is a fault only when none does.
func (c *checker) undefined() {
	if len(c.pending) == 0 || c.cut {
		return
	}
	g := c.sameValue()
	open := map[int32]bool{} // groups of which a part is elsewhere, or where names need no definition
	for _, r := range c.refs {
		if r.to < 0 || r.word != kwRef {
			open[g.of(r.from)] = true
		} else if c.records[r.from].doubt {
			open[g.of(r.to)] = true
		}
	}
	type wish struct {
		group int32
		name  string
	}
	defined, wanted := map[wish]bool{}, map[int32]bool{}
	for _, p := range c.pending {
		group := g.of(p.at)
		wanted[group] = true
		defined[wish{group, p.name.Text()}] = false
	}
	for i := range c.records {
		group := g.of(int32(i))
		if !wanted[group] || open[group] {
			continue
		}
		for m := range c.records[i].node.Children() {
			w := c.words[m.Key()]
			if w == nil {
				continue
			}
			switch w.id {
			case kwProperties:
				for name := range m.Children() {
					k := wish{group, name.Key()}
					if done, ok := defined[k]; ok && !done {
						defined[k] = true
					}
				}
			case kwPatternProperties, kwAdditionalProperties, kwUnevaluatedProperties, kwPropertyNames:
				if m.Kind() == source.Object && m.Len() > 0 {
					open[group] = true
				}
			}
		}
	}
	for _, p := range c.pending {
		group := g.of(p.at)
		if name := p.name.Text(); !open[group] && !defined[wish{group, name}] {
			c.add(Fault{Kind: Undefined, Node: p.name, Name: name})
		}
	}
}

// groups are sets of schemas, each named by one of its members.
type groups struct {
	c  *checker
	up []int32
	// kids are the schemas for a part of the value, by group, one for each part.
	kids map[int32]map[part]int32
	// equal are schemas that are found to be for the same value, and not joined yet.
	equal [][2]int32
}

// part is a part of a value: what the keyword judges, and the member's name where it names one.
type part struct{ word, name string }

func (g *groups) of(i int32) int32 {
	i = g.c.records[i].top
	for g.up[i] != i {
		g.up[i] = g.up[g.up[i]]
		i = g.up[i]
	}
	return i
}

func (g *groups) add(group int32, p part, kid int32) {
	if other, ok := g.kids[group][p]; ok {
		g.equal = append(g.equal, [2]int32{kid, other})
		return
	}
	if g.kids[group] == nil {
		g.kids[group] = map[part]int32{}
	}
	g.kids[group][p] = kid
}

// sameValue groups the schemas that may judge the same value: those of one allOf, those joined by a reference, and
// those of one part of a value whose schemas are in one group. Of two groups the one with fewer parts is moved, so
// that a part is moved at most log n times.
func (c *checker) sameValue() *groups {
	g := &groups{c: c, up: make([]int32, len(c.records)), kids: map[int32]map[part]int32{}}
	for i := range g.up {
		g.up[i] = int32(i)
	}
	for i := range c.records {
		r := &c.records[i]
		if r.edge != away || r.parent < 0 {
			continue
		}
		p := part{word: r.node.Key()}
		if around := r.node.Parent(); around != c.records[r.parent].node {
			if around.Kind() == source.Array {
				continue // an item of a tuple has a place, not a name
			}
			p = part{around.Key(), r.node.Key()}
		}
		g.add(g.of(r.parent), p, int32(i))
	}
	for _, r := range c.refs {
		if r.to >= 0 && r.word == kwRef {
			g.equal = append(g.equal, [2]int32{r.from, r.to})
		}
	}
	for len(g.equal) > 0 {
		last := len(g.equal) - 1
		small, large := g.of(g.equal[last][0]), g.of(g.equal[last][1])
		g.equal = g.equal[:last]
		if small == large {
			continue
		}
		if len(g.kids[small]) > len(g.kids[large]) {
			small, large = large, small
		}
		g.up[small] = large
		for p, kid := range g.kids[small] {
			g.add(large, p, kid)
		}
		delete(g.kids, small)
	}
	return g
}
