package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// msg is a message that a test server got.
type msg struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Version string         `json:"protocolVersion"`
		Name    *string        `json:"name"`
		Cursor  *string        `json:"cursor"`
		Meta    map[string]any `json:"_meta"`
	} `json:"params"`
	raw string
	bad bool // it is no JSON object
}

func parse(body []byte) msg {
	m := msg{raw: string(body)}
	m.bad = json.Unmarshal(body, &m) != nil
	return m
}

func (m msg) modern() bool { return m.Params.Meta != nil }

func (m msg) id() string {
	if len(m.ID) == 0 {
		return "null"
	}
	return string(m.ID)
}

func (m msg) result(text string) string {
	return `{"jsonrpc":"2.0","id":` + m.id() + `,"result":` + text + `}`
}

func (m msg) err(code int, rest string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, m.id(), code, rest)
}

const hints = `,"resultType":"complete","ttlMs":0,"cacheScope":"public"`

// peer is a server that does all as it should. Before, where it is set, is asked first.
type peer struct {
	modern, legacy, sessions, sse bool
	supported                     string // of server/discover, as JSON
	pages                         int    // of tools/list, 0 for one
	tools                         string // the items of a page
	docs                          map[string]string
	before                        func(w http.ResponseWriter, r *http.Request, m msg) bool

	mu             sync.Mutex
	asked          []*http.Request
	got            []msg
	inFlight, most atomic.Int32
}

const goodTool = `{"name":"shelve_book","description":"Puts a book back on the shelf that its number names","inputSchema":{"type":"object"}}`

// answer is the status and the message for a message; "" for none.
func (p *peer) answer(m msg) (int, string) {
	switch {
	case m.bad && strings.HasPrefix(m.raw, "["):
		return 400, msg{}.err(-32600, "")
	case m.bad:
		return 400, msg{}.err(-32700, "")
	case m.JSONRPC != "2.0":
		return 400, m.err(-32600, "")
	case strings.HasPrefix(m.Method, "notifications/"):
		return 202, ""
	case m.modern() && !p.modern, !m.modern() && !p.legacy:
		return 400, m.err(-32600, "")
	}
	if m.modern() {
		if v := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]; v != wire.Modern {
			return 400, m.err(wire.CodeUnsupportedVersion, `,"data":{"supported":["2026-07-28"],"requested":"1900-01-01"}`)
		}
	}
	switch m.Method {
	case "server/discover":
		supported := p.supported
		if supported == "" {
			supported = `["2026-07-28"]`
		}
		return 200, m.result(`{"supportedVersions":` + supported + `,"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"1"}}` + hints + `}`)
	case "initialize":
		version := m.Params.Version
		if version == never {
			version = wire.LegacyBest
		}
		return 200, m.result(`{"protocolVersion":"` + version + `","capabilities":{"tools":{}},"serverInfo":{"name":"l","version":"1"}}`)
	case "ping":
		return 200, m.result(`{}`)
	case "tools/list":
		n, rest := 0, ""
		if m.Params.Cursor != nil {
			fmt.Sscan(*m.Params.Cursor, &n)
		}
		if n+1 < p.pages {
			rest = fmt.Sprintf(`,"nextCursor":"%d"`, n+1)
		}
		if m.modern() {
			rest += hints
		}
		tools := p.tools
		if tools == "" {
			tools = strings.Replace(goodTool, "shelve_book", fmt.Sprintf("shelve_book_%d", n), 1)
		}
		return 200, m.result(`{"tools":[` + tools + `]` + rest + `}`)
	case "tools/call":
		return 200, m.err(-32602, "")
	}
	if m.modern() {
		return 404, m.err(wire.CodeMethodNotFound, "")
	}
	return 200, m.err(wire.CodeMethodNotFound, "")
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := p.inFlight.Add(1)
	defer p.inFlight.Add(-1)
	for {
		most := p.most.Load()
		if now <= most || p.most.CompareAndSwap(most, now) {
			break
		}
	}
	body, _ := io.ReadAll(r.Body)
	m := parse(body)
	p.mu.Lock()
	p.asked, p.got = append(p.asked, r), append(p.got, m)
	p.mu.Unlock()
	switch {
	case p.before != nil && p.before(w, r, m):
	case r.URL.Path != "/mcp":
		if doc, ok := p.docs[r.URL.Path]; ok {
			w.Header().Set("Content-Type", wire.MediaJSON)
			io.WriteString(w, doc)
			return
		}
		http.NotFound(w, r)
	case r.Method == "DELETE" && p.sessions:
		w.WriteHeader(200)
	case r.Method != "POST":
		w.WriteHeader(405)
	default:
		status, text := p.answer(m)
		if p.sessions && m.Method == "initialize" {
			w.Header().Set(hSession, fmt.Sprintf("3f1c%012d-9b2e-4d7a-8c55-%012d", len(p.asked)*7919, len(p.asked)*104729))
		}
		if p.sse && status == 200 {
			w.Header().Set("Content-Type", wire.MediaEvents)
			io.WriteString(w, "data: "+text+"\n\n")
			return
		}
		w.Header().Set("Content-Type", wire.MediaJSON)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
}

func (p *peer) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// requests is how many requests came.
func (p *peer) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}
