package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// honest is a small MCP server that keeps to the specification in one era, over HTTP or line by line. A test of a fault
// gives it one of its own: what is asked of the server passes by fault first, which may answer itself.
type honest struct {
	modern   bool
	versions []string // of the legacy era, newest first
	tools    string
	fault    func(w http.ResponseWriter, r *http.Request, m *asked) bool
	// docs are the documents beside the endpoint, by path; ORIGIN in them is the server's own. nil for those of an honest one.
	docs map[string]string

	mu       sync.Mutex
	sessions map[string]bool
	origin   string
}

// asked is a message as it came.
type asked struct {
	raw    []byte
	ID     json.RawMessage `json:"id"`
	RPC    string          `json:"jsonrpc"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// param is a member of the params that is a text.
func (m *asked) param(name string) string {
	var all map[string]json.RawMessage
	var s string
	_ = json.Unmarshal(m.Params, &all)
	_ = json.Unmarshal(all[name], &s)
	return s
}

const (
	goodTool = `{"name":"find_order","title":"Find an order","description":"Finds an order of the shop by its number and says where it is.",` +
		`"inputSchema":{"type":"object","properties":{"number":{"type":"string","description":"The number of the order.","maxLength":40}},"required":["number"],"additionalProperties":false},` +
		`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	serverInfo = `{"name":"shop","version":"2.0.0"}`
	modernMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `},"resultType":"complete"`
	cached     = modernMeta + `,"ttlMs":1000,"cacheScope":"public"`
)

func goodDocs() map[string]string {
	resource := `{"resource":"ORIGIN/mcp","authorization_servers":["ORIGIN"]}`
	return map[string]string{
		"/.well-known/oauth-protected-resource/mcp":   resource,
		"/.well-known/oauth-protected-resource":       resource,
		"/.well-known/oauth-authorization-server":     `{"issuer":"ORIGIN","authorization_endpoint":"ORIGIN/a","token_endpoint":"ORIGIN/t"}`,
		"/.well-known/oauth-authorization-server/mcp": `{"issuer":"ORIGIN","authorization_endpoint":"ORIGIN/a","token_endpoint":"ORIGIN/t"}`,
		"/llms.txt": "# Shop\n",
		"/mcp/server-card": `{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json","name":"com.example/shop","version":"2.0.0",` +
			`"description":"Orders of the shop","remotes":[{"type":"streamable-http","url":"ORIGIN/mcp"}]}`,
		"/.well-known/ai-catalog.json": `{"entries":[{"type":"application/mcp-server-card+json","identifier":"urn:air:example.com:shop","url":"ORIGIN/mcp/server-card"}]}`,
	}
}

// refuse is a JSON-RPC error.
func refuse(w http.ResponseWriter, status, code int, id json.RawMessage) {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	answer(w, status, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"refused"}}`, id, code))
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// give is a JSON-RPC result.
func give(w http.ResponseWriter, id json.RawMessage, result string) {
	answer(w, 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (s *honest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, 32<<10))
	m := &asked{raw: raw}
	jsonErr := json.Unmarshal(raw, m)
	if s.fault != nil && s.fault(w, r, m) {
		return
	}
	self := strings.TrimPrefix(s.origin, "http://")
	if r.Host != self || r.Header.Get("Origin") != "" && r.Header.Get("Origin") != s.origin {
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	if r.URL.Path != "/mcp" {
		docs := s.docs
		if docs == nil {
			docs = goodDocs()
		}
		if text, ok := docs[r.URL.Path]; ok && r.Method == "GET" {
			if strings.HasPrefix(text, "{") {
				w.Header().Set("Content-Type", "application/json")
			}
			io.WriteString(w, strings.ReplaceAll(text, "ORIGIN", s.origin))
			return
		}
		http.NotFound(w, r)
		return
	}
	if r.Method == "DELETE" && !s.modern {
		s.mu.Lock()
		delete(s.sessions, r.Header.Get("Mcp-Session-Id"))
		s.mu.Unlock()
		return
	}
	accept := r.Header.Get("Accept")
	switch {
	case r.Method != "POST":
		w.Header().Set("Allow", "POST")
		http.Error(w, "", http.StatusMethodNotAllowed)
	case r.Header.Get("Content-Type") != "application/json":
		http.Error(w, "", http.StatusUnsupportedMediaType)
	case !strings.Contains(accept, "application/json") && !strings.Contains(accept, "*/*"):
		http.Error(w, "", http.StatusNotAcceptable)
	case err != nil:
		http.Error(w, "", http.StatusRequestEntityTooLarge)
	case !utf8.Valid(raw) || !json.Valid(raw):
		refuse(w, 400, -32700, nil)
	case jsonErr != nil || m.RPC != "2.0" || m.Method == "" || string(m.ID) == "null" || strings.HasPrefix(string(m.ID), "{"):
		refuse(w, 400, -32600, nil)
	case len(m.Params) > 0 && m.Params[0] != '{':
		refuse(w, 400, -32602, m.ID)
	case s.modern:
		s.answerModern(w, r, m)
	default:
		s.answerLegacy(w, r, m)
	}
}

func (s *honest) answerLegacy(w http.ResponseWriter, r *http.Request, m *asked) {
	if m.Method == "initialize" {
		s.open(w, rand.Text())
		s.greet(w, m)
		return
	}
	id := r.Header.Get("Mcp-Session-Id")
	s.mu.Lock()
	known := s.sessions[id]
	s.mu.Unlock()
	version := r.Header.Get("MCP-Protocol-Version")
	switch {
	case id == "":
		refuse(w, 400, -32000, m.ID)
	case !known:
		refuse(w, 404, -32001, m.ID)
	case version != "" && !slices.Contains(s.versions, version):
		refuse(w, 400, -32000, m.ID)
	case len(m.ID) == 0:
		w.WriteHeader(202)
	default:
		s.call(w, 200, m)
	}
}

// open begins a session.
func (s *honest) open(w http.ResponseWriter, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[id] = true
	w.Header().Set("Mcp-Session-Id", id)
}

func (s *honest) greet(w http.ResponseWriter, m *asked) {
	version := m.param("protocolVersion")
	if !slices.Contains(s.versions, version) {
		version = s.versions[0]
	}
	give(w, m.ID, `{"protocolVersion":"`+version+`","capabilities":{"tools":{}},"serverInfo":`+serverInfo+`}`)
}

// call is what both eras share.
func (s *honest) call(w http.ResponseWriter, unknown int, m *asked) {
	more := ""
	if s.modern {
		more = "," + cached
	}
	switch {
	case m.Method == "tools/list" && m.param("cursor") != "":
		refuse(w, 200, -32602, m.ID)
	case m.Method == "tools/list":
		give(w, m.ID, `{"tools":[`+s.tools+`]`+more+`}`)
	case m.Method == "tools/call":
		refuse(w, 200, -32602, m.ID)
	case m.Method == "ping" && !s.modern:
		give(w, m.ID, "{}")
	default:
		refuse(w, unknown, -32601, m.ID)
	}
}

// claims are what a modern request says of itself.
func (m *asked) claims() (version string, capable bool) {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p)
	_ = json.Unmarshal(p.Meta["io.modelcontextprotocol/protocolVersion"], &version)
	return version, p.Meta["io.modelcontextprotocol/clientCapabilities"] != nil
}

func (s *honest) answerModern(w http.ResponseWriter, r *http.Request, m *asked) {
	version, capable := m.claims()
	header, name := r.Header.Get("MCP-Protocol-Version"), m.param("name")
	switch {
	case version == "" || !capable:
		refuse(w, 400, -32602, m.ID)
	case header != version || r.Header.Get("Mcp-Method") != m.Method || name != "" && r.Header.Get("Mcp-Name") != name:
		refuse(w, 400, -32020, m.ID)
	case version != wire.Modern:
		answer(w, 400, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32022,"message":"refused","data":{"supported":["2026-07-28"],"requested":"`+version+`"}}}`)
	case m.Method == "subscriptions/listen":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s},\"notifications\":{}}}\n\n", m.ID)
	case m.Method == "server/discover":
		give(w, m.ID, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},`+cached+`}`)
	default:
		s.call(w, 404, m)
	}
}

// serve starts the server, and gives the URL of its endpoint.
func (s *honest) serve(t *testing.T) string {
	t.Helper()
	if s.versions == nil {
		s.versions = wire.Legacy()
	}
	if s.tools == "" {
		s.tools = goodTool
	}
	s.sessions = map[string]bool{}
	web := httptest.NewServer(s)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	s.origin = web.URL
	return web.URL + "/mcp"
}

// program is the same server as a program. line may answer a line itself (an empty text is silence), and may end the program.
type program struct {
	s     *honest
	line  func(line string) (text string, ends, took bool)
	stays bool // behind the end of its input

	out  chan string
	end  chan struct{}
	once sync.Once
}

func (l *program) WriteLine(line []byte) error {
	select {
	case <-l.end:
		return io.ErrClosedPipe
	default:
	}
	if l.line != nil {
		if text, ends, took := l.line(string(line)); took {
			if ends {
				l.once.Do(func() { close(l.end) })
			} else if text != "" {
				l.out <- text
			}
			return nil
		}
	}
	m := &asked{}
	if json.Unmarshal(line, m) != nil || m.RPC != "2.0" || len(m.ID) == 0 || m.ID[0] == 'n' || m.ID[0] == '{' || len(m.Params) > 0 && m.Params[0] != '{' {
		return nil // passed over in silence
	}
	w := httptest.NewRecorder()
	if m.Method == "initialize" {
		l.s.greet(w, m)
	} else {
		l.s.call(w, 200, m)
	}
	l.out <- strings.TrimSpace(w.Body.String())
	return nil
}

func (l *program) ReadLine(ctx context.Context) ([]byte, error) {
	select {
	case line := <-l.out:
		return []byte(line), nil
	default:
	}
	select {
	case line := <-l.out:
		return []byte(line), nil
	case <-l.end:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *program) Close() error {
	l.once.Do(func() { close(l.end) })
	if l.stays {
		return io.ErrNoProgress
	}
	return nil
}

func (l *program) Stderr() []byte { return nil }
