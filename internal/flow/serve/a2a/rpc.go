package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// dialect is a version of the protocol that is spoken here, as A2A-Version names it.
type dialect string

const (
	v03 dialect = "0.3"
	v10 dialect = "1.0"
)

// fault is an error of JSON-RPC.
type fault struct {
	code    int
	message string
	// reason is the name of an A2A error (A2A 1.0, section 10.6), "" for one of JSON-RPC itself.
	reason string
	// about are further facts, by name.
	about map[string]string
}

// The errors of JSON-RPC 2.0, section 5.1.
func unreadable(why string) *fault { return &fault{code: -32700, message: "invalid JSON: " + why} }
func noRequest(why string) *fault  { return &fault{code: -32600, message: "no valid request: " + why} }
func noMethod(why string) *fault   { return &fault{code: -32601, message: "method not found: " + why} }
func badParams(why string) *fault  { return &fault{code: -32602, message: "invalid params: " + why} }

// The errors of A2A 1.0, section 5.4.
func taskNotFound(id string) *fault {
	return &fault{-32001, "task not found: a task is complete in the answer that brings it, and nothing is kept", "TASK_NOT_FOUND", map[string]string{"taskId": id}}
}

func noPush() *fault {
	return &fault{-32003, "push notifications are not supported: a task is complete in the answer that brings it", "PUSH_NOTIFICATION_NOT_SUPPORTED", nil}
}

func unsupported(why string) *fault {
	return &fault{-32004, "unsupported operation: " + why, "UNSUPPORTED_OPERATION", nil}
}

func wrongContent(why string) *fault {
	return &fault{-32005, "content type not supported: " + why, "CONTENT_TYPE_NOT_SUPPORTED", nil}
}

func noExtendedCard(why string) *fault {
	return &fault{-32007, "no extended card: " + why, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", nil}
}

func wrongVersion(asked string) *fault {
	return &fault{
		-32009, "version not supported: " + asked + " is none of " + string(v03) + ", " + string(v10), "VERSION_NOT_SUPPORTED",
		map[string]string{"requested": asked, "supported": string(v03) + ", " + string(v10)},
	}
}

// operation answers one method.
type operation func(*question, context.Context) (any, *fault)

// methods are what the dialects call their operations. Nothing streams and nothing is kept, so that most of them say no,
// each with the error that the specification asks for (A2A 1.0, section 3.3.4).
var methods = map[dialect]map[string]operation{
	v03: {
		"message/send":                        (*question).send,
		"message/stream":                      (*question).stream,
		"tasks/get":                           (*question).task,
		"tasks/cancel":                        (*question).task,
		"tasks/resubscribe":                   (*question).stream,
		"tasks/pushNotificationConfig/set":    (*question).push,
		"tasks/pushNotificationConfig/get":    (*question).push,
		"tasks/pushNotificationConfig/list":   (*question).push,
		"tasks/pushNotificationConfig/delete": (*question).push,
		"agent/getAuthenticatedExtendedCard":  (*question).extended,
	},
	v10: {
		"SendMessage":                      (*question).send,
		"SendStreamingMessage":             (*question).stream,
		"GetTask":                          (*question).task,
		"CancelTask":                       (*question).task,
		"ListTasks":                        (*question).list,
		"SubscribeToTask":                  (*question).stream,
		"CreateTaskPushNotificationConfig": (*question).push,
		"GetTaskPushNotificationConfig":    (*question).push,
		"ListTaskPushNotificationConfigs":  (*question).push,
		"DeleteTaskPushNotificationConfig": (*question).push,
		"GetExtendedAgentCard":             (*question).extended,
	},
}

// question is one request to one agent, as far as it is understood.
type question struct {
	all    *Agents
	agent  *agent
	asked  *wire.Asked
	speaks dialect
	params source.Node
}

// ask answers what was sent to an agent.
func (all *Agents) ask(ctx context.Context, a *agent, r *wire.Asked) *wire.Answer {
	if len(r.Body) > all.o.Limits.A2ABytes {
		f := noRequest(fmt.Sprintf("it has more than %d bytes", all.o.Limits.A2ABytes))
		return answered(statusTooLarge, "null", v03, nil, f)
	}
	frame := wire.ParseFrame(r.Body, all.o.Limits)
	if f := broken(&frame); f != nil {
		return answered(statusOK, idOf(&frame), v03, nil, f)
	}
	q := &question{all: all, agent: a, asked: r, params: frame.Node.Get("params")}
	op, f := q.operation(frame.Method)
	if f == nil && q.params.Valid() && q.params.Kind() != source.Object {
		f = badParams("params is " + q.params.Kind().String() + ", not an object")
	}
	if f != nil {
		return answered(statusOK, frame.ID, q.speaks, nil, f)
	}
	result, f := op(q, ctx)
	return answered(statusOK, frame.ID, q.speaks, result, f)
}

// broken says why a frame is no request.
func broken(frame *wire.Frame) *fault {
	for _, flaw := range frame.Flaws {
		switch flaw.Kind {
		case wire.NotJSON, wire.HTML:
			return unreadable("the body is no JSON")
		case wire.BadText:
			return unreadable(flaw.Detail)
		case wire.TooDeep, wire.TooLarge:
			return noRequest("it nests too deep or holds too many values")
		}
	}
	switch {
	case frame.Kind == wire.Batch:
		return noRequest("A2A has no batches: send one request at a time")
	case len(frame.Flaws) > 0:
		return noRequest(frame.Flaws[0].Detail)
	case frame.Kind == wire.Notification:
		return noRequest("it has no id, and A2A has no notifications")
	case frame.Kind != wire.Request:
		return noRequest("it is a response")
	}
	return nil
}

// idOf is the id of a request that may be faulty otherwise.
func idOf(frame *wire.Frame) string {
	if k := frame.Node.Get("id").Kind(); k == source.String || k == source.Number {
		return string(frame.Node.Get("id").Raw())
	}
	return "null"
}

// operation settles the dialect, and finds the method in it.
func (q *question) operation(method string) (operation, *fault) {
	lim := q.all.o.Limits
	version := strings.TrimSpace(q.asked.Header.Get("a2a-version"))
	if version == "" { // A2A 1.0, section 3.6.1: a parameter will do
		query, _ := url.ParseQuery(q.asked.Query)
		version = strings.TrimSpace(query.Get("A2A-Version"))
	}
	q.speaks = v03 // as the specification has it for those who name none
	if version == "" {
		if methods[v10][method] != nil {
			q.speaks = v10
		}
	} else if q.speaks = dialect(minor(version)); methods[q.speaks] == nil {
		q.speaks = v10 // the first that has this error
		return nil, wrongVersion(text.Safe(version, lim.ShownRunes))
	}
	if op := methods[q.speaks][method]; op != nil {
		return op, nil
	}
	why := strconv.Quote(text.Safe(method, lim.ShownRunes))
	for other, names := range methods {
		if names[method] != nil {
			return nil, noMethod(why + " is of A2A " + string(other) + ", and the request names version " + string(q.speaks))
		}
	}
	return nil, noMethod(why + `; send a message by "message/send", or by "SendMessage" for A2A 1.0`)
}

// minor is the part of a version that counts: patches do not (A2A 1.0, section 3.6).
func minor(version string) string {
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return version
}

// stream is asked for by those who did not read the card.
func (q *question) stream(context.Context) (any, *fault) {
	return nil, unsupported("nothing is streamed: the answer to a message holds the completed task")
}

func (q *question) push(context.Context) (any, *fault) { return nil, noPush() }

// extended is about the card for callers who are known. The versions differ in what it is not to have one (A2A 1.0, section
// 3.3.4).
func (q *question) extended(context.Context) (any, *fault) {
	const why = "the public card says all"
	if q.speaks == v03 {
		return nil, noExtendedCard(why)
	}
	return nil, unsupported(why)
}

// task looks for one task, of which none is kept.
func (q *question) task(context.Context) (any, *fault) {
	id, ok := q.params.Get("id").Str()
	if !ok || id == "" {
		return nil, badParams("id must be the id of a task")
	}
	return nil, taskNotFound(text.Safe(id, q.all.o.Limits.ShownRunes))
}

// list lists the tasks that are kept.
func (q *question) list(context.Context) (any, *fault) {
	const least, most, usual = 1, 100, 50 // A2A 1.0, ListTasksRequest
	size := usual
	if n := q.params.Get("pageSize"); n.Valid() && n.Kind() != source.Null {
		digits, _ := n.Number()
		var err error
		if size, err = strconv.Atoi(digits); err != nil || size < least || size > most {
			return nil, badParams(fmt.Sprintf("pageSize must be a number from %d to %d", least, most))
		}
	}
	return struct {
		Tasks []any  `json:"tasks"`
		Next  string `json:"nextPageToken"`
		Size  int    `json:"pageSize"`
		Total int    `json:"totalSize"`
	}{[]any{}, "", size, 0}, nil
}

// answered makes the response. id is as the caller wrote it.
func answered(status int, id string, speaks dialect, result any, f *fault) *wire.Answer {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	out := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   *rpcError       `json:"error,omitempty"`
	}{"2.0", json.RawMessage(id), result, nil}
	if f != nil {
		out.Result, out.Error = nil, &rpcError{f.code, f.message, f.data(speaks)}
	}
	return reply(status, out)
}

// data is what a dialect says of an error beside its message: 1.0 has a list of typed details (A2A 1.0, section 9.5), 0.3
// an object that nothing more is said of.
func (f *fault) data(speaks dialect) any {
	switch {
	case f.reason == "", speaks == v03 && f.about == nil:
		return nil
	case speaks == v03:
		return f.about
	}
	return []any{struct {
		Type   string            `json:"@type"`
		Reason string            `json:"reason"`
		Domain string            `json:"domain"`
		About  map[string]string `json:"metadata,omitempty"`
	}{"type.googleapis.com/google.rpc.ErrorInfo", f.reason, "a2a-protocol.org", f.about}}
}
