package guard

import (
	"bytes"
	"encoding/json"
)

// member looks for the id and the method of a JSON-RPC message that is too large to be kept: it goes byte by byte and remembers
// no more than a name and an id.
type member struct {
	method bool // it has a method: somebody asks

	depth    int
	text     bool // in a string
	escaped  bool
	name     []byte // the member at hand
	naming   bool   // its name is being read
	value    []byte // of the id, the last one as readers take it
	keeping  bool   // it is being read
	long     bool
	kept     []byte
	expected bool // a name comes next
}

// longest is the longest id that is remembered.
const longest = 256

func (m *member) write(b []byte) {
	for _, c := range b {
		m.step(c)
	}
}

func (m *member) step(c byte) {
	if m.keeping && !m.text && m.depth == 1 && (c == ',' || c == '}') {
		m.kept, m.keeping = bytes.Clone(m.value), false
	}
	if m.keeping {
		if m.value = append(m.value, c); len(m.value) > longest {
			m.keeping, m.long = false, true
		}
	}
	switch {
	case m.escaped:
		m.escaped = false
	case m.text && c == '\\':
		m.escaped = true
	case c == '"':
		m.text = !m.text
		if m.depth == 1 && m.expected {
			if m.text {
				m.name = m.name[:0]
			}
			if m.naming = m.text; !m.text {
				m.expected = false
			}
			return
		}
	case m.text:
	case c == '{' || c == '[':
		if m.depth++; m.depth == 1 {
			m.expected = c == '{'
		}
	case c == '}' || c == ']':
		m.depth--
	case c == ',' && m.depth == 1:
		m.expected = true
	case c == ':' && m.depth == 1:
		switch string(m.name) {
		case "id":
			m.value, m.keeping, m.long = m.value[:0], true, false
		case "method":
			m.method = true
		}
	}
	if m.naming && m.text && len(m.name) < longest {
		m.name = append(m.name, c)
	}
}

// id is the id as it was written, nil for none that an answer may have.
func (m *member) id() []byte {
	id := bytes.TrimSpace(m.kept)
	if m.long || len(id) == 0 || !json.Valid(id) || id[0] == '{' || id[0] == '[' || string(id) == "null" {
		return nil
	}
	return id
}
