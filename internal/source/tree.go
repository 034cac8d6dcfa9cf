package source

// branch is a value of a tree whose order is not the file's (TOML tables may be reopened): parsers build it and
// flatten turns it into pre-order nodes.
type branch struct {
	kind             Kind
	start, end       int
	key              string
	keyStart, keyEnd int
	value            string
	member, shared   bool
	kids             []*branch
}

// flatten makes the nodes of a tree.
func (d *Doc) flatten(root *branch) {
	d.nodes = d.nodes[:0]
	d.details = []detail{}
	d.add(root, -1, 0)
}

func (d *Doc) add(b *branch, parent int32, ordinal int) int32 {
	at := int32(len(d.nodes))
	n := node{start: uint32(b.start), end: uint32(b.end), next: -1, parent: parent, kind: b.kind, member: b.member, shared: b.shared, key: uint32(ordinal)}
	d.nodes = append(d.nodes, n)
	d.details = append(d.details, detail{key: b.key, value: b.value, keyStart: uint32(b.keyStart), keyEnd: uint32(b.keyEnd)})
	last := int32(-1)
	for i, k := range b.kids {
		c := d.add(k, at, i)
		if last >= 0 {
			d.nodes[last].next = c
		}
		last = c
	}
	return at
}
