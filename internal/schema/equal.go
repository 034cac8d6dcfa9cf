package schema

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/mcpassay/mcpassay/internal/source"
)

// few is up to how many values are compared each with each; more are hashed.
const few = 16

// duplicate finds the first value of an array that is equal to an earlier one, as JSON Schema compares: numbers by
// value, objects without order. Only a few scalars are compared each with each, whatever the array holds.
func duplicate(list source.Node, spend func(int64) bool) (again, first source.Node) {
	var seen [few]source.Node
	count := 0
	var hashed map[uint64]source.Node
	for c := range list.Children() {
		if hashed == nil && count < few && c.Kind() != source.Object && c.Kind() != source.Array {
			for _, s := range seen[:count] {
				if equal(s, c, spend) {
					return c, s
				}
			}
			seen[count] = c
			count++
			continue
		}
		if hashed == nil {
			hashed = make(map[uint64]source.Node, list.Len())
			for _, s := range seen[:count] {
				hashed[hash(s, spend)] = s
			}
		}
		h := hash(c, spend)
		if s, ok := hashed[h]; ok && equal(s, c, spend) {
			return c, s
		}
		hashed[h] = c // two values of one hash are as good as never seen: nobody can choose the seed
	}
	return source.Node{}, source.Node{}
}

// equal compares two values as JSON Schema does: 1 and 1.0 are one number. spend is asked for the steps that it takes;
// when it answers no, so does equal.
func equal(a, b source.Node, spend func(int64) bool) bool {
	if a.Kind() != b.Kind() || spend != nil && !spend(1+int64(len(a.Raw())+len(b.Raw()))/bytesOfStep) {
		return false
	}
	switch a.Kind() {
	case source.Number:
		x, _ := decimalOf(a)
		y, _ := decimalOf(b)
		return x == y && (!x.far || string(a.Raw()) == string(b.Raw()))
	case source.String:
		return a.Text() == b.Text()
	case source.Bool:
		x, _ := a.Bool()
		y, _ := b.Bool()
		return x == y
	case source.Array:
		if a.Len() != b.Len() {
			return false
		}
		others := slices.Collect(b.Children())
		i := 0
		for c := range a.Children() {
			if !equal(c, others[i], spend) {
				return false
			}
			i++
		}
		return true
	case source.Object:
		x, y := 0, 0
		for c := range a.Children() {
			key := c.Key()
			if a.Get(key) != c {
				continue
			}
			x++
			if d := b.Get(key); !d.Valid() || !equal(c, d, spend) {
				return false
			}
		}
		for c := range b.Children() {
			if b.Get(c.Key()) == c {
				y++
			}
		}
		return x == y
	}
	return true
}

var seed = sync.OnceValue(maphash.MakeSeed)

// hash is the same for values that are equal.
func hash(n source.Node, spend func(int64) bool) uint64 {
	if spend != nil && !spend(1+int64(len(n.Raw()))/bytesOfStep) {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(seed())
	h.WriteByte(byte(n.Kind()))
	switch n.Kind() {
	case source.Number:
		d, _ := decimalOf(n)
		maphash.WriteComparable(&h, d)
	case source.String:
		h.WriteString(n.Text())
	case source.Bool:
		v, _ := n.Bool()
		maphash.WriteComparable(&h, v)
	case source.Array:
		for c := range n.Children() {
			maphash.WriteComparable(&h, hash(c, spend))
		}
	case source.Object:
		sum := uint64(0)
		for c := range n.Children() {
			if key := c.Key(); n.Get(key) == c {
				var m maphash.Hash
				m.SetSeed(seed())
				m.WriteString(key)
				maphash.WriteComparable(&m, hash(c, spend))
				sum += m.Sum64()
			}
		}
		maphash.WriteComparable(&h, sum)
	}
	return h.Sum64()
}
