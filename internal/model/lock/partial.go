package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Partial is what another tool's file says of a surface: digests of parts of its items. An entry that has it has no items, is
// never verified, and can not be approved. It is there to be held against the surface that is pinned in its place.
type Partial struct {
	// From names the file's form.
	From string `json:"from"`
	// Lists are those that the file lists in full: what is in one and not in Items was not there.
	Lists []string `json:"lists"`
	// Items are in the order of the file.
	Items []PartialItem `json:"items"`
}

// PartialItem is what is known of one item.
type PartialItem struct {
	List string `json:"list"`
	Name string `json:"name"`
	// Digests are over the canonical form of what stands at each place of the item, "" for the item itself. Where nothing
	// stands they are over what absent says.
	Digests map[string]string `json:"digests"`
}

// absent is what a part that is not there is taken for (mcp-warden: null, "" and {} are one).
var absent = map[string]string{"description": `""`, "inputSchema": `{}`, "arguments": `[]`}

// encode writes an item a line.
func (p *Partial) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"from": %s, "lists": %s, "items": `, must(p.From), must(p.Lists))
	list(&b, "      ", p.Items, func(i PartialItem) []byte { return must(i) })
	b.WriteByte('}')
	return b.Bytes()
}

// Differs says in what a whole surface is another than what is known of it, a line for each item.
func (p *Partial) Differs(s *Server) (all []string) {
	for _, k := range wire.Lists() {
		if !slices.Contains(p.Lists, k.String()) {
			continue
		}
		known := map[string]bool{}
		for i := range p.Items {
			if of := &p.Items[i]; of.List == k.String() {
				known[of.Name] = true
				at := slices.IndexFunc(s.Items[k], func(it Item) bool { return it.Name == of.Name })
				if at < 0 {
					all = append(all, fmt.Sprintf("%s: %s is gone", k, of.Name))
					continue
				}
				for _, part := range of.differs(s.Items[k][at].JSON) {
					all = append(all, fmt.Sprintf("%s: %s of %s is another", k, part, of.Name))
				}
			}
		}
		for _, it := range s.Items[k] {
			if !known[it.Name] {
				all = append(all, fmt.Sprintf("%s: %s is new", k, it.Name))
			}
		}
	}
	return all
}

// differs are the parts of an item that are another.
func (i *PartialItem) differs(item []byte) (parts []string) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(item, &members) // an item is an object
	for _, part := range slices.Sorted(maps.Keys(i.Digests)) {
		is, name := json.RawMessage(item), "the whole"
		if part != "" {
			is, name = members[part], part
		}
		want, ok := absent[part]
		switch {
		case (is == nil || string(is) == "null") && ok:
			is = json.RawMessage(want)
		case is == nil:
			is = json.RawMessage("null")
		}
		form, err := canon.JSON(is)
		if err != nil || canon.Digest(form) != i.Digests[part] {
			parts = append(parts, name)
		}
	}
	return parts
}
