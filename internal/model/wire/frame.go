// Package wire holds what crosses the wire between us and an MCP server, as data: frames with their raw bytes, event
// streams, exchanges, the faults that were seen, and the surface that a server exposes. Whoever speaks (flow/talk) and
// whoever connects (effect/net, effect/proc) share these shapes; nothing here opens anything.
//
// Sources: the Model Context Protocol, revisions 2024-11-05 to 2026-07-28; JSON-RPC 2.0; the WHATWG HTML standard,
// section 9.2 (server-sent events).
package wire

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// The revisions of the protocol. Those before Modern begin with a handshake.
const (
	Modern     = "2026-07-28"
	V20251125  = "2025-11-25"
	V20250618  = "2025-06-18"
	V20250326  = "2025-03-26"
	V20241105  = "2024-11-05"
	EraModern  = "modern"
	EraLegacy  = "legacy"
	LegacyBest = V20251125
)

// Revisions are all that we speak, newest first.
func Revisions() []string { return append([]string{Modern}, Legacy()...) }

// Legacy are the revisions with a handshake, newest first.
func Legacy() []string { return []string{V20251125, V20250618, V20250326, V20241105} }

// Where a request of the modern era says what used to be agreed on in the handshake (2026-07-28, _meta).
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaClient       = "io.modelcontextprotocol/clientInfo"
	MetaServer       = "io.modelcontextprotocol/serverInfo"
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// The error codes that mean something to a client.
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeHeaderMismatch     = -32020 // from 2026-07-28
	CodeUnsupportedVersion = -32022 // from 2026-07-28
)

// Kind is what a frame is.
type Kind uint8

// The kinds. Invalid is JSON that is no JSON-RPC message, or no JSON at all.
const (
	Invalid Kind = iota
	Request
	Notification
	Response
	Batch
)

func (k Kind) String() string {
	return [...]string{"no JSON-RPC message", "request", "notification", "response", "batch"}[k]
}

// Frame is one message as it came.
type Frame struct {
	// Raw is its bytes, without the line end or the event around them.
	Raw  []byte
	Kind Kind
	// Node is the message's value: an object, an array for a batch. It is not Valid when Raw is no JSON.
	Node source.Node
	// ID is the id as it is written ("7", `"a"`, "null"), "" for none.
	ID string
	// Method is that of a request or notification.
	Method string
	// Flaws are the faults of the frame by itself.
	Flaws []Fault
}

// ParseFrame reads one message. It never fails: what can not be read is Invalid, and a flaw says why.
func ParseFrame(raw []byte, lim limits.Set) Frame {
	f := Frame{Raw: raw}
	lim.Depth, lim.Values = lim.FrameDepth, lim.FrameValues
	doc, err := source.Parse("", raw, source.JSON, lim)
	if err != nil {
		kind := NotJSON
		if syntax := (*source.SyntaxError)(nil); errors.As(err, &syntax) {
			switch {
			case syntax.Cause == "depth":
				kind = TooDeep
			case syntax.Cause == "size":
				kind = TooLarge
			}
		}
		if LooksLikeHTML(raw) {
			kind = HTML
		}
		f.flaw(kind, err.Error()+": "+Excerpt(raw, lim))
		return f
	}
	if !doc.Strict {
		f.flaw(NotJSON, "comments or trailing commas: "+Excerpt(raw, lim))
		return f
	}
	if doc.BOM {
		f.flaw(BadText, "a byte order mark precedes the message")
	}
	if doc.BadText.Len() > 0 {
		f.flaw(BadText, "not UTF-8, or half of a surrogate pair, at byte "+strconv.Itoa(doc.BadText.Start))
	}
	f.classify(doc.Root())
	return f
}

func (f *Frame) flaw(kind FaultKind, detail string) {
	f.Flaws = append(f.Flaws, Fault{Kind: kind, Detail: detail})
}

// classify tells a message by its members (JSON-RPC 2.0, sections 4 to 6).
func (f *Frame) classify(n source.Node) {
	f.Node = n
	if n.Kind() == source.Array {
		f.Kind = Batch
		if n.Len() == 0 {
			f.Kind = Invalid
			f.flaw(BadEnvelope, "an empty batch")
		}
		return
	}
	if n.Kind() != source.Object {
		f.flaw(BadEnvelope, "the message is "+n.Kind().String())
		return
	}
	id, method, result, fault := n.Get("id"), n.Get("method"), n.Get("result"), n.Get("error")
	f.ID = string(id.Raw())
	switch {
	case method.Kind() == source.String && id.Valid():
		f.Kind, f.Method = Request, method.Text()
	case method.Kind() == source.String:
		f.Kind, f.Method = Notification, method.Text()
	case method.Valid():
		f.flaw(BadEnvelope, "method is "+method.Kind().String())
	case result.Valid() || fault.Kind() == source.Object || fault.Valid() && n.Get("jsonrpc").Text() == "2.0":
		f.Kind = Response // any API of the web may answer {"error": "…"}
	default:
		f.flaw(BadEnvelope, "neither method nor result nor error")
	}
	if n.Get("jsonrpc").Text() != "2.0" {
		f.flaw(BadEnvelope, `jsonrpc is not "2.0"`)
	}
	if f.Kind == Response && fault.Valid() && fault.Kind() != source.Object {
		f.flaw(BadEnvelope, "the error is "+fault.Kind().String())
	}
	if n.Repeats() {
		f.flaw(BadEnvelope, "a member is named twice")
	}
	if f.Kind == Response && result.Valid() && fault.Valid() {
		f.flaw(BadEnvelope, "both result and error")
	}
	if f.Kind == Response && !id.Valid() {
		f.flaw(BadEnvelope, "a response without an id")
	}
	if id.Valid() {
		null := id.Kind() == source.Null && fault.Valid() // JSON-RPC 2.0, section 5: where the request's id could not be read
		if k := id.Kind(); k != source.String && k != source.Number && !null {
			f.flaw(BadEnvelope, "the id is "+k.String())
		}
	}
}

// Parts are the messages of a batch; of any other frame, the frame itself.
func (f *Frame) Parts() iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		if f.Kind != Batch {
			yield(f)
			return
		}
		for n := range f.Node.Children() {
			part := Frame{Raw: n.Raw()}
			part.classify(n)
			if part.Kind == Batch {
				part.Kind = Invalid
				part.flaw(BadEnvelope, "a batch in a batch")
			}
			if !yield(&part) {
				return
			}
		}
	}
}

// Result is the result of a response, not Valid for an error.
func (f *Frame) Result() source.Node {
	if f == nil || f.Kind != Response || f.Node.Get("error").Valid() {
		return source.Node{}
	}
	return f.Node.Get("result")
}

// RPCError is the error of a response.
type RPCError struct {
	// Code is 0 for one that is no whole number.
	Code    int
	Message string
	Data    source.Node
}

// Error is the error of a response, if it is one.
func (f *Frame) Error() (RPCError, bool) {
	if f == nil || f.Kind != Response {
		return RPCError{}, false
	}
	n := f.Node.Get("error")
	if !n.Valid() {
		return RPCError{}, false
	}
	e := RPCError{Message: n.Get("message").Text(), Data: n.Get("data")}
	if text, ok := n.Get("code").Number(); ok {
		if x, err := strconv.ParseFloat(text, 64); err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<31 {
			e.Code = int(x)
		}
	}
	return e, true
}

// Answers says whether the frame is the response to the request with that id. 1 and 1.0 are the same number.
func (f *Frame) Answers(id string) bool {
	if f.Kind != Response {
		return false
	}
	if f.ID == id {
		return true
	}
	a, errA := strconv.ParseFloat(f.ID, 64)
	b, errB := strconv.ParseFloat(id, 64)
	return errA == nil && errB == nil && a == b
}

// LooksLikeHTML says that a body is a web page, whatever its type claims.
func LooksLikeHTML(body []byte) bool {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")), " \t\r\n")
	head := bytes.ToLower(body[:min(len(body), len("<!doctype html"))])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) ||
		bytes.HasPrefix(head, []byte("<head")) || bytes.HasPrefix(head, []byte("<body"))
}

// ellipsis ends what was cut.
const ellipsis = "…"

// Excerpt is the beginning of a stranger's bytes, for a fault to quote.
func Excerpt(raw []byte, lim limits.Set) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) <= lim.DetailBytes {
		return string(bytes.ToValidUTF8(raw, []byte("\uFFFD")))
	}
	return string(bytes.ToValidUTF8(raw[:lim.DetailBytes], []byte("\uFFFD"))) + ellipsis
}

// Envelope is the method and the id of a message as they are written, as far as a look at its first level tells; both are "" for
// what can not be read. It makes no tree.
func Envelope(raw []byte) (method, id string) {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := quoted(raw, i)
			if depth != 1 {
				i = end - 1
				continue
			}
			name := string(raw[i:end])
			rest := bytes.TrimLeft(raw[end:], " \t\r\n")
			if len(rest) == 0 || rest[0] != ':' || name != `"method"` && name != `"id"` {
				i = end - 1
				continue
			}
			rest = bytes.TrimLeft(rest[1:], " \t\r\n")
			n := bytes.IndexAny(rest, ",}\n")
			if len(rest) > 0 && rest[0] == '"' {
				n = quoted(rest, 0)
			}
			value := string(bytes.TrimSpace(rest[:max(n, 0)]))
			if name == `"id"` {
				id = value
			} else if method = value; len(value) > 1 && value[0] == '"' {
				method = value[1 : len(value)-1]
			}
			i = len(raw) - len(rest) + max(n, 1) - 1
		}
	}
	return method, id
}

// quoted is the offset behind the string that begins at i.
func quoted(raw []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			return len(raw)
		}
		i += n
		slashes := 0
		for k := i - 1; raw[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}
