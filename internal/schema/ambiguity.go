package schema

import (
	"math/bits"
	"unicode/utf8"
)

// mask is a set of numbers below 128: the characters of ASCII, or places in an expression.
type mask [2]uint64

func (a mask) with(b mask) mask    { return mask{a[0] | b[0], a[1] | b[1]} }
func (a mask) both(b mask) mask    { return mask{a[0] & b[0], a[1] & b[1]} }
func (a mask) without(b mask) mask { return mask{a[0] &^ b[0], a[1] &^ b[1]} }
func (a mask) not() mask           { return mask{^a[0], ^a[1]} }
func (a mask) has(i int) bool      { return a[i/64]&(1<<(i%64)) != 0 }
func (a mask) empty() bool         { return a[0]|a[1] == 0 }

// take takes the lowest number out.
func (a *mask) take() int {
	w := 0
	if a[0] == 0 {
		w = 1
	}
	i := bits.TrailingZeros64(a[w])
	a[w] &= a[w] - 1
	return w*64 + i
}

// span is the ASCII characters from one to another.
func span(low, high rune) (a mask) {
	for c := low; c <= min(high, utf8.RuneSelf-1); c++ {
		a[c/64] |= 1 << (c % 64)
	}
	return a
}

// places is how many characters of an expression are looked at for ambiguity. Of longer ones only the first are.
const places = 128

// ambiguity is the automaton of an expression (Glushkov): a state for each character or class that it is written
// with, and which may follow which.
type ambiguity struct {
	count int
	holds [places]mask // the ASCII characters that it matches; others are not looked at
	next  [places]mask
}

// character is a new state.
func (g *ambiguity) character(holds mask) (at mask) {
	if g.count == places {
		return at
	}
	g.holds[g.count] = holds
	at[g.count/64] = 1 << (g.count % 64)
	g.count++
	return at
}

func (g *ambiguity) follow(last, first mask) {
	for !last.empty() {
		at := last.take()
		g.next[at] = g.next[at].with(first)
	}
}

// exponential says whether one text leads from a state back to itself in two ways: then n such texts do so in 2^n
// ways, and an engine that goes back tries them all. It is looked for among pairs of states that two readings of one
// text may be in. The work is bounded by the square of the number of states, which is itself bounded.
func (g *ambiguity) exponential() bool {
	back := false
	for i := range g.count {
		back = back || !g.next[i].both(below(i)).empty()
	}
	if !back {
		return false
	}
	var reach, overlaps, seen [places]mask
	copy(reach[:], g.next[:g.count])
	for k := range g.count {
		for i := range g.count {
			if reach[i].has(k) {
				reach[i] = reach[i].with(reach[k])
			}
			if !g.holds[i].both(g.holds[k]).empty() {
				overlaps[i][k/64] |= 1 << (k % 64)
			}
		}
	}
	var stack []pair
	work := places * g.count
	for p := range g.count {
		if !reach[p].has(p) {
			continue
		}
		loop := mask{} // the states of the loop that p is in
		for rest := reach[p]; !rest.empty(); {
			if q := rest.take(); reach[q].has(p) {
				loop[q/64] |= 1 << (q % 64)
			}
		}
		after := g.next[p].both(loop)
		for rest := after; !rest.empty(); {
			x := rest.take()
			stack = push(stack, &seen, x, after.both(overlaps[x]).without(below(x+1)))
		}
		for len(stack) > 0 && work > 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for xs := g.next[top.x].both(loop); !xs.empty(); work-- {
				x := xs.take()
				ys := g.next[top.y].both(loop).both(overlaps[x])
				if ys.has(x) {
					return true
				}
				for rest := ys; !rest.empty(); {
					y := rest.take()
					one := mask{}
					one[max(x, y)/64] = 1 << (max(x, y) % 64)
					stack = push(stack, &seen, min(x, y), one)
				}
			}
		}
		stack = stack[:0]
	}
	return false
}

// pair is two different states, the lower one first.
type pair struct{ x, y int }

// push puts the pairs of x and each of ys on the stack that were not there before.
func push(stack []pair, seen *[places]mask, x int, ys mask) []pair {
	ys = ys.without(seen[x])
	seen[x] = seen[x].with(ys)
	for !ys.empty() {
		stack = append(stack, pair{x, ys.take()})
	}
	return stack
}

// below are the numbers below one.
func below(i int) mask {
	if i >= 64 {
		return mask{^uint64(0), 1<<(i-64) - 1}
	}
	return mask{1<<i - 1, 0}
}
