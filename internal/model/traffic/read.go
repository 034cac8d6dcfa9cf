package traffic

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Reader makes messages. Its buffers are used again: a message lasts until the next one is read.
type Reader struct {
	m Message
}

// Event is a message that stands for no frame that could be read.
func (r *Reader) Event(e Event, detail string, fromServer bool) *Message {
	r.m = Message{Number: r.m.Number + 1, Event: e, Detail: detail, FromServer: fromServer, Texts: r.m.Texts[:0], Unread: r.m.Unread[:0]}
	return &r.m
}

// Read is the message of one frame, or of one part of a batch. asked and tool are what a response answers, "" where nobody knows.
func (r *Reader) Read(f *wire.Frame, fromServer bool, asked, tool string) *Message {
	r.m = Message{Number: r.m.Number + 1, FromServer: fromServer, Kind: f.Kind, Node: f.Node, Method: f.Method, Tool: tool, Texts: r.m.Texts[:0], Unread: r.m.Unread[:0]}
	m := &r.m
	params := f.Node.Get("params")
	switch {
	case f.Kind == wire.Response:
		m.Method = asked
		r.response()
	case fromServer && f.Kind == wire.Request:
		r.request(f.Method, params)
	case fromServer:
		r.texts(params, Notice)
	case f.Kind == wire.Request:
		r.call(f.Method, params)
	}
	return m
}

// call reads a request of a client.
func (r *Reader) call(method string, params source.Node) {
	if method == "tools/call" {
		r.m.Tool = params.Get("name").Text()
	}
	for c := range params.Children() {
		switch c.Key() {
		case "_meta", "name", "clientInfo", "capabilities", "protocolVersion", "cursor":
		case "inputResponses": // what the server asked for in the result before (2026-07-28)
			r.texts(c, Argument)
		default:
			r.value(c, Argument)
		}
	}
}

// asks says which of a server's requests are read whole, as text of a request.
func asks(method string) bool {
	return method == "sampling/createMessage" || method == "elicitation/create"
}

// request reads a request of a server.
func (r *Reader) request(method string, params source.Node) {
	switch {
	case method == "ping" || method == "roots/list":
		r.texts(params, Request)
	case asks(method) && asked(method, params):
		r.texts(params, Request)
	default:
		r.m.Unread = append(r.m.Unread, r.m.Node)
		r.texts(params, Request)
	}
}

// asked says whether the parameters of a request have the shape that its method has.
func asked(method string, params source.Node) bool {
	if method == "elicitation/create" {
		return params.Get("message").Kind() == source.String
	}
	list := params.Get("messages")
	if list.Kind() != source.Array {
		return false
	}
	for n := range list.Children() {
		if n.Kind() != source.Object || n.Get("content").Kind() != source.Object && n.Get("content").Kind() != source.Array {
			return false
		}
	}
	return true
}

// response reads what came for an answer.
func (r *Reader) response() {
	m := &r.m
	if fault := m.Node.Get("error"); fault.Valid() {
		r.texts(fault, r.carrier(Notice))
	}
	result := m.Node.Get("result")
	if !result.Valid() {
		return
	}
	if m.Method == "" {
		m.Method = shaped(result)
	}
	if m.FromServer {
		r.inputs(result.Get("inputRequests"))
	}
	for c := range result.Children() {
		switch c.Key() {
		case "tools", "prompts", "resources", "resourceTemplates":
			if c.Kind() == source.Array && m.FromServer { // judged as cards
				continue
			}
		case "inputRequests":
			continue
		case "serverInfo", "capabilities":
			if m.Method == "initialize" || m.Method == "server/discover" {
				r.value(c, r.carrier(Instructions))
				continue
			}
		}
		r.value(c, r.carrier(carrierOf(m.Method)))
	}
	if result.Kind() != source.Object {
		r.value(result, r.carrier(carrierOf(m.Method)))
	}
}

// carrier is what a text comes in, if a server sent it; whatever a client sends is handed over.
func (r *Reader) carrier(c Carrier) Carrier {
	if !r.m.FromServer {
		return Argument
	}
	return c
}

// carrierOf is what a result of a method is. What nobody knows is taken for a tool's.
func carrierOf(method string) Carrier {
	switch method {
	case "resources/read":
		return Resource
	case "prompts/get":
		return Prompt
	case "initialize", "server/discover":
		return Instructions
	}
	return Result
}

// shaped is the method that a result looks like the answer of.
func shaped(result source.Node) string {
	for _, s := range [...]struct{ member, method string }{
		{"tools", "tools/list"}, {"prompts", "prompts/list"}, {"resources", "resources/list"}, {"resourceTemplates", "resources/templates/list"},
		{"contents", "resources/read"}, {"messages", "prompts/get"}, {"completion", "completion/complete"},
	} {
		if result.Get(s.member).Kind() == source.Array || s.member == "completion" && result.Get(s.member).Kind() == source.Object {
			return s.method
		}
	}
	if result.Get("protocolVersion").Kind() == source.String && result.Get("capabilities").Valid() {
		return "initialize"
	}
	if result.Get("content").Valid() || result.Get("structuredContent").Valid() {
		return "tools/call"
	}
	return ""
}

// inputs reads the requests that a result asks the client to answer before it goes on (2026-07-28, "input_required").
func (r *Reader) inputs(list source.Node) {
	if !list.Valid() {
		return
	}
	if list.Kind() != source.Object && list.Kind() != source.Array {
		r.m.Unread = append(r.m.Unread, list)
		r.texts(list, Request)
		return
	}
	for one := range list.Children() {
		method, params := one.Get("method").Text(), one.Get("params")
		if method != "roots/list" && (!asks(method) || !asked(method, params)) {
			r.m.Unread = append(r.m.Unread, one)
		}
		r.texts(one, Request)
	}
}

// texts reads every string below n.
func (r *Reader) texts(n source.Node, c Carrier) {
	if n.Kind() == source.String {
		r.value(n, c)
		return
	}
	for child := range n.Children() {
		r.value(child, c)
	}
}

// value reads the strings of one value, and the names of its members. Its recursion is as deep as the frame, which is bounded.
func (r *Reader) value(n source.Node, c Carrier) {
	if n.IsMember() {
		key := n.Key()
		switch key {
		case "type", "mimeType", "role", "method", "jsonrpc", "audience", "lastModified", "progressToken", "nextCursor", "resultType":
			if n.Kind() == source.String && strings.IndexByte(n.Text(), ' ') < 0 {
				return // a word of the protocol
			}
		case "data", "blob":
			if n.Kind() == source.String && binary(n) {
				return
			}
		}
		if len(key) >= longKey {
			r.m.Texts = append(r.m.Texts, Text{c, n, true, key})
		}
	}
	switch n.Kind() {
	case source.String:
		if text := n.Text(); text != "" {
			r.m.Texts = append(r.m.Texts, Text{c, n, false, text})
		}
	case source.Object, source.Array:
		for child := range n.Children() {
			r.value(child, c)
		}
	}
}

// longKey is from how many bytes on the name of a member may say something, or hide it.
const longKey = 12

// binary says whether a member holds what the protocol encodes: an image, a sound, a blob. It must be base64 to its end.
func binary(n source.Node) bool {
	p := n.Parent()
	kind := p.Get("type").Text()
	if n.Key() == "data" && kind != "image" && kind != "audio" {
		return false
	}
	raw := n.Raw()
	for _, c := range raw[1 : len(raw)-1] {
		if !base64[c] {
			return false
		}
	}
	return true
}

var base64 = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_" {
		t[c] = true
	}
	return
}()
