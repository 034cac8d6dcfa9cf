package serve

import (
	"math"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// message is one JSON-RPC message of a stranger, read and judged.
type message struct {
	kind   wire.Kind
	method string
	// id is as it was written, and will be repeated so: "null" where it could not be read or must not be repeated.
	id     string
	params source.Node
	// node is the message itself, not Valid where it could not be read.
	node source.Node
	// fault is why it is answered with an error, nil for none.
	fault *fault
}

// fault is an error of JSON-RPC.
type fault struct {
	code    int
	message string
	// data is JSON, "" for none.
	data string
}

func faulty(code int, message string) *fault { return &fault{code: code, message: message} }

const noID = "null" // JSON-RPC 2.0, section 5

// read takes one body or line apart: one message, or those of a batch.
func read(raw []byte, lim limits.Set) (messages []message, batch bool) {
	frame := wire.ParseFrame(raw, lim)
	if frame.Kind != wire.Batch {
		return []message{judge(&frame, lim)}, false
	}
	if n := frame.Node.Len(); n > lim.ServeBatch {
		return []message{{id: noID, fault: faulty(wire.CodeInvalidRequest, "a batch of "+strconv.Itoa(n)+" messages: "+
			strconv.Itoa(lim.ServeBatch)+" are the most")}}, false
	}
	for part := range frame.Parts() {
		messages = append(messages, judge(part, lim))
	}
	return messages, true
}

// judge says what is wrong with a message by itself: whether it is JSON, and JSON-RPC as MCP has it.
func judge(f *wire.Frame, lim limits.Set) message {
	m := message{kind: f.Kind, method: f.Method, id: noID, params: f.Node.Get("params"), node: f.Node}
	id, ok := readID(f.Node.Get("id"), lim)
	if ok {
		m.id = id
	}
	if len(f.Flaws) > 0 {
		switch flaw := f.Flaws[0]; flaw.Kind {
		case wire.TooDeep, wire.TooLarge:
			m.fault = faulty(wire.CodeInvalidRequest, "the message nests too deep, or holds too many values")
		case wire.BadEnvelope:
			m.fault = faulty(wire.CodeInvalidRequest, "not a JSON-RPC 2.0 message: "+flaw.Detail)
		case wire.BadText:
			m.fault = faulty(wire.CodeParse, "not JSON: "+flaw.Detail)
		default: // the flaw's words quote what came
			m.fault = faulty(wire.CodeParse, "not JSON")
		}
		return m
	}
	if f.Kind == wire.Request && !ok {
		m.fault = faulty(wire.CodeInvalidRequest, "the id is no string and no whole number, or longer than "+strconv.Itoa(lim.ServeIDBytes)+" bytes")
	}
	return m
}

// readID is an id that may be repeated: a string or a whole number (MCP: RequestId).
func readID(n source.Node, lim limits.Set) (string, bool) {
	raw := string(n.Raw())
	switch {
	case !n.Valid(), len(raw) > lim.ServeIDBytes:
		return "", false
	case n.Kind() == source.String:
		return raw, true
	case n.Kind() != source.Number:
		return "", false
	case !strings.ContainsAny(raw, ".eE"):
		return raw, true
	}
	x, err := strconv.ParseFloat(raw, 64)
	return raw, err == nil && x == math.Trunc(x)
}

// shown is a stranger's word in a message of ours.
func shown(s string, lim limits.Set) string { return text.Safe(s, lim.ShownRunes) }

// response writes the answer with a result, in parts: result is one JSON object, or several parts of one.
func response(id string, result ...[]byte) [][]byte {
	parts := make([][]byte, 0, len(result)+2)
	parts = append(parts, []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":`))
	return append(append(parts, result...), []byte{'}'})
}

// failure writes the answer with an error.
func failure(id string, f *fault) [][]byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+strconv.Itoa(f.code)+`,"message":`), quote(f.message)...)
	if f.data != "" {
		b = append(b, `,"data":`+f.data...)
	}
	return [][]byte{append(b, '}', '}')}
}
