package source

import (
	"hash/maphash"
	"math/bits"
)

// index is the members of one object by name: a hash table that is smaller than a map, since the names stay where they
// are. Members may be tens of thousands, and hostile.
type index struct {
	doc   *Doc
	seed  maphash.Seed
	slots []slot // a power of two of them, a quarter of them free
	names int    // how many different ones there are
}

type slot struct {
	hash uint32
	node int32 // 0 for none: that is the root, and no member
}

func newIndex(d *Doc, members int) *index {
	return &index{doc: d, seed: maphash.MakeSeed(), slots: make([]slot, 1<<bits.Len(uint(members+members/3)))}
}

// find is the slot of a name, or the free one where it belongs.
func (x *index) find(key string) *slot {
	hash := maphash.String(x.seed, key)
	for i := hash >> 32; ; i++ {
		s := &x.slots[i&uint64(len(x.slots)-1)]
		if s.node == 0 {
			s.hash = uint32(hash)
			return s
		}
		if s.hash == uint32(hash) && (Node{x.doc, s.node}).Key() == key {
			return s
		}
	}
}

// add lets a name lead to a member.
func (x *index) add(key string, node int32) {
	s := x.find(key)
	if s.node == 0 {
		x.names++
	}
	s.node = node
}
