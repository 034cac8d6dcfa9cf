package talk

import (
	"bufio"
	"bytes"
	"context"
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
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// recorded is one exchange with a real server: over HTTP with res, over stdio with frames.
type recorded struct {
	Vector string          `json:"vector"`
	Req    json.RawMessage `json:"req"`
	Res    struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	} `json:"res"`
	Frames  []string        `json:"frames"`
	Message json.RawMessage `json:"message"`
}

// shared is a file of the public corpus, which lies beside the repository or in the folder that MCPASSAY_SHARED names.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("MCPASSAY_SHARED")
	if root == "" {
		root = "../../../../shared"
	}
	path := filepath.Join(root, "corpus", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here: it lies beside the repository, or in the folder that MCPASSAY_SHARED names", name)
	}
	return path
}

func corpus(t *testing.T, name string) map[string]recorded {
	t.Helper()
	f, err := os.Open(shared(t, "wire/"+name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]recorded{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 8*limits.MiB)
	for in.Scan() {
		var r recorded
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if _, seen := all[r.Vector]; !seen || r.Vector == "" {
			all[fmt.Sprint(r.Vector, map[bool]string{true: fmt.Sprint(len(all))}[r.Vector == ""])] = r
		}
	}
	return all
}

var itsID = regexp.MustCompile(`"id": ?("d1"|\d+)`)

// vectorOf is the recorded exchange that a request of ours is like.
func vectorOf(m msg) string {
	if m.modern() {
		return map[string]string{"server/discover": "X1-discover", "tools/list": "X6-tools-list", "subscriptions/listen": "X10-listen"}[m.Method]
	}
	return map[string]string{"initialize": "init-2025-11-25", "notifications/initialized": "notif-initialized", "tools/list": "tools-list"}[m.Method]
}

func TestRecordedHTTPServersAreReadAsTheyWere(t *testing.T) {
	for _, c := range []struct{ name, eras, gap string }{
		{"everything-http.jsonl", "[legacy]", "prompts resources"}, // whose lists were not recorded
		{"context7.jsonl", "[modern legacy]", "prompts resources"},
		{"gosdk-stateless-json.jsonl", "[modern legacy]", ""},
		{"mcpgo.jsonl", "[modern legacy]", ""},
		{"notion-noauth.jsonl", "[]", "handshake"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := corpus(t, c.name)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				m := msg{}
				if len(body) > 0 {
					m = parse(body)
				}
				got, known := all[vectorOf(m)]
				if r.Method != "POST" {
					got, known = all[map[string]string{"GET": "M1-GET", "DELETE": "Z1-DELETE"}[r.Method]]
				}
				if !known {
					write(w, false, []string{m.err(wire.CodeMethodNotFound, "")})
					return
				}
				for name, value := range got.Res.Headers {
					if name != "content-length" && name != "transfer-encoding" && name != "connection" && name != "date" {
						w.Header().Set(name, value)
					}
				}
				w.WriteHeader(got.Res.Status)
				io.WriteString(w, itsID.ReplaceAllString(whole(t, c.name, m, got.Res.Body), `"id":`+string(m.ID)))
			}))
			defer s.Close()
			surface := remote(t, s.URL+"/mcp", options())
			if fmt.Sprint(surface.Protocol.Eras) != c.eras {
				t.Errorf("eras %v", surface.Protocol.Eras)
			}
			for _, g := range surface.Gaps {
				if !strings.Contains(c.gap, g.Part) {
					t.Errorf("gap %+v", g)
				}
			}
			if c.gap == "handshake" {
				if len(surface.Gaps) != 1 || surface.Gaps[0].Cause != wire.CauseAuth {
					t.Errorf("gaps %v", surface.Gaps)
				}
				return
			}
			want := itemCount(t, whole(t, c.name, msg{Method: "tools/list"}, all["tools-list"].Res.Body))
			if got := len(strings.Fields(names(surface))); got == 0 || got != want {
				t.Errorf("%d tools, %d were recorded", got, want)
			}
			for _, f := range surface.Faults {
				if f.Kind != wire.RefusedList {
					t.Errorf("fault %+v", f)
				}
			}
		})
	}
}

// whole is a recorded answer that was not cut: the long lists of two servers were, and stand elsewhere in the corpus.
func whole(t *testing.T, file string, m msg, text string) string {
	if m.Method != "tools/list" || strings.HasSuffix(strings.TrimSpace(text), "}") {
		return text
	}
	list, err := os.ReadFile(shared(t, "servers/tools-"+map[bool]string{true: "filesystem", false: "everything"}[strings.Contains(file, "filesystem")]+".json"))
	if err != nil {
		t.Error(err)
	}
	var one bytes.Buffer
	if err := json.Compact(&one, list); err != nil {
		t.Error(err)
	}
	text = `{"jsonrpc":"2.0","id":1,"result":` + one.String() + "}"
	if strings.Contains(file, "http") {
		text = "event: message\ndata: " + text + "\n\n"
	}
	return text
}

// itemCount counts the tools of the recorded list without our reader.
func itemCount(t *testing.T, body string) int {
	t.Helper()
	if i := strings.Index(body, "data: {"); i >= 0 {
		body = body[i+len("data: "):]
		body = body[:strings.Index(body, "\n")]
	}
	var list struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	return len(list.Result.Tools)
}

func TestRecordedStdioServersAreReadAsTheyWere(t *testing.T) {
	for name, tools := range map[string]int{"stdio-everything.jsonl": 13, "stdio-filesystem.jsonl": 14} {
		t.Run(name, func(t *testing.T) {
			all := corpus(t, name)
			o := options()
			start := func(context.Context) (Lines, error) {
				return newPipe(func(line string, send func(...string)) {
					m := parse([]byte(line))
					vector := vectorOf(m)
					vector = map[string]string{"X1-discover": "discover-first", "notif-initialized": "initialized"}[vector] + map[bool]string{true: vector}[strings.HasPrefix(vector, "init-") || vector == "tools-list"]
					got, known := all[vector]
					if !known {
						send(m.err(wire.CodeMethodNotFound, ""))
						return
					}
					for _, f := range got.Frames {
						send(itsID.ReplaceAllString(whole(t, name, m, f), `"id":`+string(m.ID)))
					}
				}), nil
			}
			s := saved(t, Surface(context.Background(), Stdio(start, o), o))
			if fmt.Sprint(s.Protocol.Eras) != "[legacy]" || len(strings.Fields(names(s))) != tools {
				t.Errorf("%v, %d tools", s.Protocol.Eras, len(strings.Fields(names(s))))
			}
			for _, f := range s.Faults {
				if f.Kind != wire.RefusedList {
					t.Errorf("fault %+v", f)
				}
			}
		})
	}
}

// Every recorded body and frame is read: as a stream or a frame, without a panic, and what is JSON is seen as that.
func TestEveryRecordedFrameIsRead(t *testing.T) {
	n := 0
	for _, name := range []string{"everything-http.jsonl", "context7.jsonl", "gosdk-stateless-json.jsonl", "mcpgo.jsonl", "notion-noauth.jsonl", "everything-sse-oldtransport.jsonl",
		"stdio-everything.jsonl", "stdio-filesystem.jsonl", "frames.jsonl"} {
		for vector, r := range corpus(t, name) {
			frames := [][]byte{[]byte(r.Message), []byte(r.Res.Body)}
			for _, f := range r.Frames {
				frames = append(frames, []byte(f))
			}
			if (wire.Header{"content-type": {r.Res.Headers["content-type"]}}).MediaType() == wire.MediaEvents {
				frames = frames[:1]
				events := wire.NewEvents(strings.NewReader(r.Res.Body), limits.Default.StreamBytes, limits.Default)
				for {
					event, err := events.Next()
					if err != nil {
						break
					}
					if event.Name != "endpoint" && len(event.Data) > 0 {
						frames = append(frames, event.Data)
					}
				}
			}
			for _, raw := range frames {
				if raw = bytes.TrimSpace(raw); len(raw) == 0 {
					continue
				}
				n++
				f := wire.ParseFrame(raw, limits.Default)
				var message map[string]any
				if raw[0] == '{' && raw[len(raw)-1] != '}' { // cut when it was recorded
					continue
				}
				if rpc := json.Unmarshal(raw, &message) == nil && message["jsonrpc"] == "2.0"; rpc != (f.Kind != wire.Invalid) {
					t.Errorf("%s %s: %v of %.100q", name, vector, f.Kind, raw)
				}
			}
		}
	}
	if n < 500 {
		t.Errorf("%d frames", n)
	}
}
