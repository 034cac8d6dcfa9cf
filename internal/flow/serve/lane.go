package serve

import (
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// What follows is this front for another server behind it: who offers something else than our skills reads what clients send, and
// refuses what is none of the protocol, in the same way.

// PathMCP is the path of the endpoint over HTTP.
const PathMCP = pathMCP

// Message is one message of a client, read and judged by itself.
type Message struct {
	Kind   wire.Kind
	Method string
	// ID is as it was written, and may be repeated so: "null" where there is none that may be.
	ID string
	// Node is the message, Params its parameters; not Valid where there are none.
	Node, Params source.Node
	// Modern says that it is of an era without a handshake.
	Modern bool
	// Refusal is the answer to one that is refused, nil for none, and Code its code.
	Refusal []byte
	Code    int
}

// Read takes one body or line apart: one message, or those of a batch. header is nil on stdio.
func Read(raw []byte, header wire.Header, lim limits.Set) (messages []Message, batch bool) {
	all, batch := read(raw, lim)
	for i := range all {
		m := &all[i]
		out := Message{Kind: m.kind, Method: m.method, ID: m.id, Node: m.node, Params: m.params}
		e, f := eraOf(m, header, lim)
		out.Modern = e.modern
		switch {
		case m.fault != nil:
			f = m.fault
		case m.kind == wire.Response:
			f = nil
		case f == nil && m.params.Valid() && m.params.Kind() != source.Object:
			f = faulty(wire.CodeInvalidParams, "params is "+m.params.Kind().String()+", not an object")
		}
		if f != nil {
			id := m.id
			if m.kind != wire.Request {
				id = noID
			}
			out.Refusal, out.Code = (&answer{parts: failure(id, f)}).flat(), f.code
		}
		messages = append(messages, out)
	}
	return messages, batch
}

// Failure is an answer that is an error. data is JSON, "" for none.
func Failure(id string, code int, message, data string) []byte {
	return (&answer{parts: failure(id, &fault{code, message, data})}).flat()
}

// Acceptable refuses a request that the transport does not know, by its header; nil takes it.
func Acceptable(r *wire.Asked) *wire.Answer {
	f, status := acceptable(r)
	if r.Cut {
		f, status = faulty(wire.CodeInvalidRequest, "the body is too large"), 413
	}
	if f == nil {
		return nil
	}
	return (*Server)(nil).refuse(status, f)
}

// Batchable refuses a batch under a revision without them; nil takes it. "" is a revision that is not agreed on yet.
func Batchable(revision string) []byte {
	f := batchable(revision)
	if f == nil {
		return nil
	}
	return Failure(noID, f.code, f.message, f.data)
}

// Framed is an answer over HTTP in the form that the client takes. code is that of an error, 0 for a result.
func Framed(r *wire.Asked, code int, modern bool, notices [][]byte, body []byte) *wire.Answer {
	status := 200
	if code != 0 {
		status = statusFor(code, modern)
	}
	return framed(r, status, &answer{parts: [][]byte{body}, notices: notices})
}
