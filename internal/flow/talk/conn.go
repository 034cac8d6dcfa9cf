package talk

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Conn is a connection to one server. Calls follow one another. An exchange comes back with every error, with what was
// seen up to there; the error is a *wire.Failure.
type Conn interface {
	// Do makes a request and waits for its response, be it a result or an error.
	Do(ctx context.Context, c Call) (*wire.Exchange, error)
	// Notify sends a notification.
	Notify(ctx context.Context, c Call) (*wire.Exchange, error)
	// Listen waits until the server says that a list changed, or until the context ends, which is no error. A call with a
	// method is the request that asks for such news.
	Listen(ctx context.Context, c Call) (*wire.Exchange, error)
	// Close ends the session and the connection.
	Close() error
}

// Dial opens a connection.
type Dial func(ctx context.Context) (Conn, error)

// Server is how a server is reached. Stdio, HTTP and SSE make one.
type Server struct {
	Transport string
	Dial      Dial
	// Old is the transport of 2024-11-05 at the same URL, nil for none.
	Old Dial
	// Apart says that each dial starts a server of its own. Legacy says that there is no modern lane on this transport.
	Apart, Legacy bool
}

// Call is a request or a notification to make.
type Call struct {
	Method string
	// Name is that of the tool, prompt or resource that the method is about, "" for none.
	Name string
	// Params are as JSON, nil for none.
	Params []byte
	// Version is the revision that was agreed on, "" before that. Modern says that it is 2026-07-28 or later.
	Version string
	Modern  bool
	Want    wire.Body
}

// message is the call as a frame; a notification has no id.
func (c Call) message(id string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != "" {
		b.WriteString(`,"id":` + id)
	}
	b.WriteString(`,"method":` + quote(c.Method))
	if c.Params != nil {
		b.WriteString(`,"params":`)
		b.Write(c.Params)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// The HTTP statuses that mean something here.
const (
	statusOK            = 200
	statusAccepted      = 202
	statusBadRequest    = 400
	statusUnauthorized  = 401
	statusForbidden     = 403
	statusNotFound      = 404
	statusNotAllowed    = 405
	statusNotAcceptable = 406
)

// header is what a call adds to an HTTP request (2025-06-18: MCP-Protocol-Version; 2026-07-28: the rest).
func (c Call) header() (h [][2]string) {
	if c.Version >= wire.V20250618 {
		h = append(h, [2]string{"MCP-Protocol-Version", c.Version})
	}
	if !c.Modern || c.Method == "" {
		return h
	}
	h = append(h, [2]string{"Mcp-Method", c.Method})
	if c.Name != "" {
		name := c.Name
		plain := !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7F })
		if !plain || strings.TrimSpace(name) != name || strings.HasPrefix(name, "=?base64?") {
			name = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
		h = append(h, [2]string{"Mcp-Name", name})
	}
	return h
}

// desk is where a connection's frames come in.
type desk struct {
	lim     limits.Set
	noise   bool
	secrets [][]byte
	last    int
	// asked are the ids of our requests, and whether they were answered.
	asked map[string]bool
	// ready says that the handshake is done, so that the server may ask us.
	ready    bool
	answered int
}

func newDesk(o Options) desk {
	return desk{lim: o.Limits, noise: o.Noise, secrets: o.Secrets, asked: map[string]bool{}}
}

// id makes the id of the next request.
func (d *desk) id() string {
	d.last++
	id := strconv.Itoa(d.last)
	d.asked[id] = false
	return id
}

// wait is one answer that is waited for.
type wait struct {
	*desk
	ex   *wire.Exchange
	call Call
	// id is that of the request, "" for none. news says that a list which changed ends the wait.
	id   string
	news bool
	size int
	// alone says that what comes can only be the answer (one HTTP body), so that an error may leave out whose it is.
	alone bool
	// anyID says that an answer to a message with an odd id may have another.
	anyID bool
	// behind is the id of a request that was sent right behind this one, "" for none: its answer alone ends the wait.
	behind string
	// first says that the first message ends the wait, whatever it is.
	first bool
	// send takes our answers to the server's requests.
	send func(message []byte)
}

// take looks at what came. done says that the answer is there, in the exchange.
func (w *wait) take(raw []byte) (done bool, failure *wire.Failure) {
	w.size += len(raw) + len("\n")
	if len(w.ex.Frames) >= w.lim.AnswerFrames || w.size > w.lim.StreamBytes {
		w.fault(wire.Fault{Kind: wire.Flood})
		return false, &wire.Failure{Cause: wire.CauseTooLarge, Detail: "too much came before the answer"}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return false, nil
	}
	if wire.Hide(raw, w.secrets) {
		w.fault(wire.Fault{Kind: wire.CredentialEchoed, Detail: "in the body"})
	}
	f := wire.ParseFrame(raw, w.lim)
	w.ex.Frames = append(w.ex.Frames, &f)
	for _, flaw := range f.Flaws {
		if flaw.Kind == wire.NotJSON && w.noise {
			continue
		}
		w.fault(flaw)
		if flaw.Kind == wire.TooDeep || flaw.Kind == wire.TooLarge { // it may well be the answer
			return false, &wire.Failure{Cause: wire.CauseTooLarge, Detail: flaw.Detail}
		}
	}
	if f.Kind == wire.Batch && w.call.Version != wire.V20250326 {
		w.fault(wire.Fault{Kind: wire.BatchSent})
	}
	for part := range f.Parts() {
		if part != &f {
			for _, flaw := range part.Flaws {
				w.fault(flaw)
			}
		}
		switch part.Kind {
		case wire.Response:
			done = w.response(part) || done
		case wire.Request:
			w.request(part)
		case wire.Notification:
			w.notification(part.Method)
		}
	}
	if !done {
		f.Node = source.Node{}
	}
	return done || w.first || w.news && len(w.ex.Changed) > 0, nil
}

func (w *wait) fault(f wire.Fault) { w.ex.Faults.Add(w.call.Method, w.lim, f) }

func (w *wait) response(f *wire.Frame) (done bool) {
	if w.behind != "" && f.Answers(w.behind) {
		w.asked[w.behind] = true
		return true
	}
	if w.ex.Reply == nil && (w.id != "" || w.alone) {
		_, isError := f.Error()
		if f.Answers(w.id) || w.anyID || w.alone && isError && (f.ID == "null" || f.ID == "") {
			w.asked[w.id] = true
			w.ex.Reply = f
			return w.behind == ""
		}
	}
	switch answered, ours := w.asked[f.ID]; {
	case answered:
		w.fault(wire.Fault{Kind: wire.DuplicateID, Detail: f.ID})
	case ours: // late, after we gave up
		w.asked[f.ID] = true
	default:
		w.fault(wire.Fault{Kind: wire.WrongID, Detail: f.ID})
	}
	return false
}

// request answers the server: we announce no capability, so that only ping is left.
func (w *wait) request(f *wire.Frame) {
	if w.call.Modern || !w.ready && f.Method != "ping" {
		w.fault(wire.Fault{Kind: wire.ServerRequest, Detail: f.Method})
	}
	id := f.Node.Get("id").Kind()
	if w.call.Modern || id != source.String && id != source.Number || len(f.ID) > w.lim.CursorBytes {
		return
	}
	if w.answered == w.lim.AnsweredRequests {
		w.fault(wire.Fault{Kind: wire.RequestFlood})
		return
	}
	w.answered++
	reply := `{"jsonrpc":"2.0","id":` + f.ID + `,"error":{"code":-32601,"message":"Method not found"}}`
	if f.Method == "ping" {
		reply = `{"jsonrpc":"2.0","id":` + f.ID + `,"result":{}}`
	}
	w.send([]byte(reply))
}

func (w *wait) notification(method string) {
	for _, k := range wire.Lists() {
		if method == "notifications/"+k.Capability()+"/list_changed" && !slices.Contains(w.ex.Changed, k) {
			w.ex.Changed = append(w.ex.Changed, k)
		}
	}
}

// drain takes the events of a stream until the answer is there. Its error is io.EOF where the stream ends before.
func (w *wait) drain(events *wire.Events) error {
	for {
		event, err := events.Next()
		if err != nil {
			return err
		}
		if event.Name != "" && event.Name != "message" {
			continue
		}
		done, failure := w.take(event.Data)
		if failure != nil {
			return failure
		}
		if done {
			return nil
		}
	}
}
