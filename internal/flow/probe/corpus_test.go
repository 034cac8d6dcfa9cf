package probe

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// recorded is one exchange with a real server.
type recorded struct {
	Vector string `json:"vector"`
	Req    struct {
		Method string `json:"method"`
		Path   string `json:"path"`
	} `json:"req"`
	Res struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	} `json:"res"`
}

// corpus is a recording of the public corpus, which lies beside the repository or in the folder that MCPASSAY_SHARED names.
func corpus(t *testing.T, name string) (all map[string]recorded, first recorded) {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("MCPASSAY_SHARED"), "../../../../shared"), "corpus", "wire", name+".jsonl")
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("%s is not here: it lies beside the repository, or in the folder that MCPASSAY_SHARED names", name)
	}
	defer f.Close()
	all = map[string]recorded{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 8*limits.MiB)
	for in.Scan() {
		var r recorded
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			first = r
		}
		if _, seen := all[r.Vector]; !seen {
			all[r.Vector] = r
		}
	}
	return all, first
}

// vectorOf is the recorded exchange that a request of ours is like: by its verb, its path, its message, and by the fields
// of its header that a trial is about.
func vectorOf(r *http.Request, body []byte, endpoint string) string {
	if r.URL.Path != endpoint {
		if strings.Contains(r.URL.Path, "mcpassay-") {
			return "D/zz-random-404"
		}
		return "D" + r.URL.Path
	}
	session := r.Header.Get(hSession)
	switch r.Method {
	case "GET":
		return "M1-GET"
	case "DELETE":
		return "Z1-DELETE"
	case "PUT":
		return "M4-PUT"
	case "HEAD":
		return "M5-HEAD"
	case "OPTIONS":
		return "M3-OPTIONS"
	}
	modern := r.Header.Get(hVersion) == wire.Modern || r.Header.Get(hVersion) == neverYet || r.Header.Get(hMethod) != ""
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		switch {
		case string(body) == "[]":
			return "E7b-batch-empty"
		case body[0] == '[':
			return "E7-batch-2"
		case modern:
			return "X11-not-json"
		}
		return "E4-not-json"
	}
	var p struct {
		Version string         `json:"protocolVersion"`
		Name    string         `json:"name"`
		Cursor  string         `json:"cursor"`
		Meta    map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p)
	switch host := r.Host; {
	case host == evilHost && r.Header.Get(hOrigin) != "":
		return "S3-host+origin-evil"
	case host == evilHost:
		return "S2-host-evil"
	case r.Header.Get(hOrigin) == evilOrigin:
		return "S1-origin-evil"
	case session == chosen:
		return "S4-session-fixation"
	case r.Header.Get(hAccept) == "*/*":
		return "A2-accept-star"
	case r.Header.Get(hAccept) == wire.MediaJSON:
		return "A1-accept-json-only"
	case r.Header.Get(hType) == "text/plain":
		return "A4-ct-text-plain"
	case m.JSONRPC == "":
		return "E5-no-jsonrpc"
	case string(m.ID) == "null":
		return "E6-id-null"
	case string(m.ID) == "1.5":
		return "E6b-id-fraction"
	case strings.HasPrefix(string(m.ID), "{"):
		return "E6c-id-object"
	case len(body) > limits.MiB:
		return "E11-body-5MiB"
	case bytes.Contains(body, []byte("[[[[")):
		return "E10-deep-nesting"
	case strings.Contains(m.Method, "\uFFFD"):
		return "E4c-invalid-utf8"
	}
	if modern {
		switch {
		case m.Method == "server/discover" && p.Meta["io.modelcontextprotocol/protocolVersion"] == neverYet:
			return "X2-unsupported-version"
		case m.Method == "server/discover" && r.Header.Get(hVersion) != wire.Modern:
			return "X3-header-mismatch"
		case m.Method == "tools/list" && session != "":
			return "X9-session-header-ignored"
		case m.Method == "tools/list" && p.Meta == nil:
			return "X5-missing-meta"
		case m.Method == "tools/list" && p.Meta["io.modelcontextprotocol/clientCapabilities"] == nil:
			return "X5b-missing-caps"
		case m.Method == "tools/list" && r.Header.Get(hMethod) == "":
			return "X4-missing-mcp-method"
		case m.Method == "tools/list" && r.Header.Get(hMethod) != m.Method:
			return "X4b-wrong-mcp-method"
		case p.Name == nobody && r.Header.Get(hName) != nobody:
			return "X8c-mcp-name-mismatch"
		}
		if v := map[string]string{"server/discover": "X1-discover", "tools/list": "X6-tools-list", "no/such": "X7-unknown-method", "ping": "X7b-ping-removed",
			"subscriptions/listen": "X10-listen"}[m.Method]; v != "" {
			return v
		}
		if p.Name == nobody {
			return "X8-unknown-tool"
		}
	}
	switch {
	case m.Method == "initialize":
		return "init-" + p.Version
	case m.Method == "notifications/initialized":
		return "notif-initialized"
	case m.Method == "tools/list" && p.Cursor != "":
		return "tools-list-bad-cursor"
	case m.Method == "tools/list":
		return "tools-list"
	case m.Method == "no/such":
		return "E1-unknown-method"
	case p.Name == nobody:
		return "E2-unknown-tool"
	case m.Method == "tools/call" && string(m.Params) == "{}", m.Method == "tools/call" && p.Meta != nil: // which no recording has in the modern era
		return "E3-no-tool-name"
	case m.Method == "tools/call":
		return "E3c-params-array"
	case m.Method == "ping" && session == bogus:
		return "ping-bogus-session"
	case m.Method == "ping" && r.Header.Get(hVersion) == never:
		return "ping-bad-proto-header"
	case m.Method == "ping" && session == "":
		return "ping-no-session"
	case m.Method == "ping":
		return "ping"
	}
	return "E1-unknown-method"
}

var itsID = regexp.MustCompile(`"id": ?(?:"d1"|\d+)`)

// replay serves a recording. It is a different server only in its ids, and in the tools that a recording cut short.
func replay(t *testing.T, all map[string]recorded, endpoint string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v := vectorOf(r, body, endpoint)
		got, known := all[v]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		answerAs(t, w, got, body)
	}))
	t.Cleanup(s.Close)
	return s.URL + endpoint
}

func answerAs(t *testing.T, w http.ResponseWriter, got recorded, body []byte) {
	t.Helper()
	for name, value := range got.Res.Headers {
		if name != "content-length" && name != "transfer-encoding" && name != "connection" && name != "date" {
			w.Header().Set(name, value)
		}
	}
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	text := got.Res.Body
	if json.Unmarshal(body, &m) == nil && len(m.ID) > 0 {
		text = itsID.ReplaceAllString(text, `"id":`+string(m.ID))
	}
	w.WriteHeader(cmp.Or(got.Res.Status, http.StatusMethodNotAllowed))
	io.WriteString(w, text)
}

// The totals are within 3 of those that were measured when the recordings were made, and the faults are those.
func TestRecordedServersGetTheGradesThatTheyWereMeasuredToHave(t *testing.T) {
	for _, c := range []struct {
		name, era    string
		total        int
		grade        string
		h, tl, er, d float64
		capped       bool
	}{
		{"everything-http", wire.EraLegacy, 96, "B", 30, 30, 21, 15, true},
		{"context7", wire.EraModern, 94, "B", 30, 30, 25, 9, true},
		{"context7", wire.EraLegacy, 94, "B", 30, 30, 25, 9, true},
		{"gosdk-stateless-json", wire.EraLegacy, 88, "B", 30, 30, 13, 15, false},
		{"gosdk-stateless-json", wire.EraModern, 86, "B", 24, 30, 17, 15, false},
		{"mcpgo", wire.EraLegacy, 97, "B", 30, 27, 25, 15, true},
		{"mcpgo", wire.EraModern, 91, "B", 24, 27, 25, 15, true},
	} {
		t.Run(c.name+" "+c.era, func(t *testing.T) {
			all, _ := corpus(t, c.name)
			o := options()
			o.Era, o.Deep = c.era, true
			card := grades(t, probed(t, replay(t, all, "/mcp"), o)).card
			l := card.Lanes[0]
			for name, pair := range map[string][2]float64{"handshake": {l.Sections.Handshake.Score, c.h}, "tools": {l.Sections.Tools.Score, c.tl},
				"errors": {l.Sections.Errors.Score, c.er}, "discovery": {l.Sections.Discovery.Score, c.d}} {
				if pair[0]-pair[1] > 1 || pair[1]-pair[0] > 1 {
					t.Errorf("%s: %v, measured %v", name, pair[0], pair[1])
				}
			}
			if card.Total < c.total-3 || card.Total > c.total+3 || card.Grade != c.grade || (card.Capped != "") != c.capped {
				t.Errorf("%d %s, capped %q; measured %d", card.Total, card.Grade, card.Capped, c.total)
			}
			if t.Failed() {
				t.Log(rowsOf(card))
			}
		})
	}
}

func TestARecordedServerThatWantsATokenIsGated(t *testing.T) {
	all, _ := corpus(t, "notion-noauth")
	g := grades(t, probed(t, replay(t, all, "/mcp"), options()))
	if c := g.card; !c.Gated || c.Grade != "" || c.Total != 0 || len(g.incomplete) == 0 || c.Lanes[0].Sections.Discovery.Score != 7 {
		t.Errorf("%+v, %v", c, g.incomplete)
	}
}

// The recording of the old transport holds its stream and its documents; what it says to messages is that of the same
// server over HTTP.
func TestARecordedServerOfTheOldTransportIsProbedOnItsStream(t *testing.T) {
	all, _ := corpus(t, "everything-sse-oldtransport")
	messages, _ := corpus(t, "everything-http")
	out := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/sse" && r.Method == "GET":
			w.Header().Set("Content-Type", wire.MediaEvents)
			io.WriteString(w, all["M1-GET"].Res.Body)
			w.(http.Flusher).Flush()
			for {
				select {
				case text := <-out:
					io.WriteString(w, text)
					w.(http.Flusher).Flush()
				case <-r.Context().Done():
					return
				}
			}
		case r.URL.Path == "/message":
			v := vectorOf(&http.Request{Method: "POST", URL: r.URL, Host: r.Host, Header: http.Header{hSession: {"s"}}}, body, "/message")
			if v == "E4-not-json" || v == "E5-no-jsonrpc" {
				http.Error(w, "Invalid message", http.StatusBadRequest)
				return
			}
			w.WriteHeader(http.StatusAccepted)
			rec := httptest.NewRecorder()
			answerAs(t, rec, messages[v], body)
			out <- rec.Body.String()
		default:
			answerAs(t, w, all[vectorOf(r, body, "/sse")], body)
		}
	}))
	defer s.Close()
	g := grades(t, probed(t, s.URL+"/sse", options()))
	if g.server.Transport != wire.SSE || g.card.Total < 87 || g.card.Total > 93 || g.card.Requests > limits.Default.ProbeRequests || len(g.incomplete) > 0 {
		t.Errorf("%s %d, %d requests, %v\n%s", g.server.Transport, g.card.Total, g.card.Requests, g.incomplete, rowsOf(g.card))
	}
}

func rowsOf(c *score.Card) string {
	var b strings.Builder
	for i := range c.Lanes {
		for _, s := range c.Lanes[i].Sections.All() {
			fmt.Fprintf(&b, "%s %v of %v\n", s.Name, s.Score, s.Max)
			for _, r := range s.Rows {
				fmt.Fprintf(&b, "   %s %s %d %d %s %v/%v\n", r.Check, r.Verdict, r.HTTPStatus, r.Code, r.Effect, r.Points, r.Max)
			}
		}
	}
	return b.String()
}
