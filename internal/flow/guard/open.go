package guard

import (
	"bytes"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// request is one that is not answered yet.
type request struct {
	method, tool string
	// secrets says that its arguments name a place of secrets.
	secrets bool
	// mixed says that another request had the same id: which of the two is answered is not known.
	mixed bool
}

// open keeps requests by their ids, as many as a limit says: the oldest are forgotten, and what comes for an answer to one of those
// is judged by its shape.
type open struct {
	by    map[string]waiting
	order []turn // the oldest first; those that were answered are left in for a while
	next  uint64
}

type waiting struct {
	request
	turn uint64
}

// turn is one request by its id and when it came: an id may be used again.
type turn struct {
	id string
	n  uint64
}

// put keeps a request. One whose id is in use is answered by nobody knows which answer: that is judged as a tool's.
func (o *open) put(id string, r request, most int) {
	if id == "" {
		return
	}
	if o.by == nil {
		o.by = map[string]waiting{}
	}
	if was, ok := o.by[id]; ok {
		if was.method != r.method || was.tool != r.tool {
			was.request = request{method: "tools/call", secrets: was.secrets || r.secrets, mixed: true}
		}
		o.by[id] = was
		return
	}
	for len(o.by) >= most {
		if oldest := o.order[0]; o.by[oldest.id].turn == oldest.n {
			delete(o.by, oldest.id)
		}
		o.order = o.order[1:]
	}
	o.next++
	o.by[id] = waiting{r, o.next}
	if len(o.order) > 2*most {
		left := make([]turn, 0, len(o.by))
		for _, t := range o.order {
			if o.by[t.id].turn == t.n {
				left = append(left, t)
			}
		}
		o.order = left
	}
	o.order = append(o.order, turn{id, o.next})
}

// take answers the request of an id and forgets it.
func (o *open) take(id string) request {
	r, ok := o.by[id]
	if ok {
		delete(o.by, id)
	}
	return r.request
}

// idsOf makes out the ids of a frame that can not be read: what stands under "id" in its object, or in those of its batch. request
// says that a method stands beside it, so that nobody but who sent it waits.
func idsOf(raw []byte, most int) (ids []string, request bool) {
	depth, batch := 0, 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '[':
			if depth == 0 {
				batch = 1
			}
			depth++
		case '{':
			depth++
		case ']', '}':
			depth--
		case '"':
			end := i + 1
			for end < len(raw) && raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(raw) {
				return ids, request
			}
			name := raw[i : end+1]
			i = end + 1
			if depth != 1+batch {
				continue
			}
			rest := bytes.TrimLeft(raw[i:], " \t\r\n")
			if len(rest) == 0 || rest[0] != ':' {
				continue
			}
			switch string(name) {
			case `"method"`:
				request = true
			case `"id"`:
				if id := scalar(bytes.TrimLeft(rest[1:], " \t\r\n")); id != "" && len(ids) < most {
					ids = append(ids, id)
				}
			}
			continue
		}
		i++
	}
	return ids, request
}

// scalar is the string or the number that a text begins with, "" for anything else.
func scalar(t []byte) string {
	end := 0
	if len(t) > 0 && t[0] == '"' {
		for end = 1; end < len(t) && t[end] != '"'; end++ {
			if t[end] == '\\' {
				end++
			}
		}
		end = min(end+1, len(t))
	} else {
		for end < len(t) && bytes.IndexByte([]byte("+-.eE0123456789"), t[end]) >= 0 {
			end++
		}
	}
	text := string(t[:end])
	const longest = 256
	if n, ok := value(text); !ok || len(text) > longest || n.Kind() != source.String && n.Kind() != source.Number {
		return ""
	}
	return text
}

// canonical is the id that an answer to a text would have.
func canonical(id string) string {
	n, _ := value(id)
	if n.Kind() == source.Number {
		k, _ := numeric(id)
		return k
	}
	return strconv.Quote(n.Text())
}

// value reads a text that is one strict JSON value.
func value(text string) (source.Node, bool) {
	doc, err := source.Parse("", []byte(text), source.JSON, limits.Default)
	if err != nil || !doc.Strict || doc.BadText.Len() > 0 {
		return source.Node{}, false
	}
	return doc.Root(), true
}
