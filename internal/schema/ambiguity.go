package schema

import (
	"math/bits"
	"unicode/utf8"
)

// ascii is a set of the characters below 128.
type ascii [2]uint64

func (a ascii) with(b ascii) ascii { return ascii{a[0] | b[0], a[1] | b[1]} }
func (a ascii) not() ascii         { return ascii{^a[0], ^a[1]} }
func (a ascii) meets(b ascii) bool { return a[0]&b[0]|a[1]&b[1] != 0 }

// span is the ASCII characters from one to another.
func span(low, high rune) (a ascii) {
	for c := low; c <= min(high, utf8.RuneSelf-1); c++ {
		a[c/64] |= 1 << (c % 64)
	}
	return a
}

// places is how many characters of an expression are looked at for ambiguity: those of a mask. Of longer expressions
// only the first are.
const places = 64

// mask is a set of places.
type mask uint64

func (m mask) has(i int) bool { return m&(1<<i) != 0 }

// take takes the lowest place out.
func (m *mask) take() int {
	i := bits.TrailingZeros64(uint64(*m))
	*m &= *m - 1
	return i
}

// ambiguity is the automaton of an expression (Glushkov): a state for each character or class that it is written
// with, and which may follow which.
type ambiguity struct {
	count int
	holds [places]ascii // what it matches; other characters are not looked at
	next  [places]mask
}

// character is a new state.
func (g *ambiguity) character(holds ascii) mask {
	if g.count == places {
		return 0
	}
	g.holds[g.count] = holds
	g.count++
	return 1 << (g.count - 1)
}

func (g *ambiguity) follow(last, first mask) {
	for last != 0 {
		g.next[last.take()] |= first
	}
}

// exponential says whether one text leads from a state back to itself in two ways: then n such texts do so in 2^n
// ways, and an engine that goes back tries them all. It is looked for among the pairs of states that two readings of
// one text may be in, as long as there is work left.
func (g *ambiguity) exponential(work *int) bool {
	back := false
	for i := range g.count {
		back = back || g.next[i]&(1<<i-1) != 0
	}
	if *work -= g.count; !back || *work < 0 {
		return false
	}
	*work -= g.count * g.count
	var overlaps, seen [places]mask
	reach := g.next
	for k := range g.count {
		for i := range g.count {
			if reach[i].has(k) {
				reach[i] |= reach[k]
			}
			if g.holds[i].meets(g.holds[k]) {
				overlaps[i] |= 1 << k
			}
		}
	}
	var buf [places]pair
	stack := buf[:0]
	push := func(x int, ys mask) {
		ys &^= seen[x]
		seen[x] |= ys
		for ys != 0 {
			stack = append(stack, pair{uint8(x), uint8(ys.take())})
			*work--
		}
	}
	for p := range g.count {
		if !reach[p].has(p) {
			continue
		}
		loop := mask(0) // the states of the loop that p is in
		for rest := reach[p]; rest != 0; {
			if q := rest.take(); reach[q].has(p) {
				loop |= 1 << q
			}
		}
		after := g.next[p] & loop
		for rest := after; rest != 0; {
			x := rest.take()
			push(x, after&overlaps[x]&^(2<<x-1))
		}
		for len(stack) > 0 && *work > 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for xs := g.next[top.x] & loop; xs != 0; *work-- {
				x := xs.take()
				ys := g.next[top.y] & loop & overlaps[x]
				if ys.has(x) {
					return true
				}
				push(x, ys&^(2<<x-1))
				for rest := ys & (1<<x - 1); rest != 0; {
					push(rest.take(), 1<<x)
				}
			}
		}
	}
	return false
}

// pair is two different states, the lower one first.
type pair struct{ x, y uint8 }
