package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/listen"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// work is Jobs that answer at once, or when a test lets them.
type work struct {
	hold  chan struct{} // a probe waits for it, or for its caller to go
	begun chan struct{} // a probe says that it runs
	gone  chan struct{} // a probe says that its caller went
	pages string        // what explain says
}

func said(s string) (serve.Result, error) {
	return serve.Result{JSON: json.RawMessage(`{"said":` + string(must(json.Marshal(s))) + `}`), Text: s}, nil
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (w *work) Rules(names []string) (serve.Result, error) {
	return said("rules " + strings.Join(names, " "))
}
func (w *work) Explain(name string) (serve.Result, error) {
	if name == "boom" {
		panic("a fault of ours")
	}
	if name == "no/such" {
		return serve.Result{}, errors.New(`no rule is named "no/such"`)
	}
	return said("explain " + name + w.pages)
}
func (w *work) Lint(config, name, client string) (serve.Result, error) { return said("lint " + name) }
func (w *work) Scan(surface, client string) (serve.Result, error)      { return said("scan " + client) }
func (w *work) Doctor() (serve.Result, error)                          { return said("doctor") }
func (w *work) Probe(ctx context.Context, section, url string) (serve.Result, error) {
	if url != serve.Fixture && w.hold != nil {
		w.begun <- struct{}{}
		select {
		case <-w.hold:
		case <-ctx.Done():
			close(w.gone)
		}
	}
	return said("probe " + section + " " + url)
}

// setting is how a test's server differs from the usual one.
type setting struct {
	front  serve.Front
	lim    limits.Set
	jobs   serve.Jobs
	guard  serve.Guard
	mounts map[string]wire.Handler
	now    func() time.Time
}

func usual() setting {
	return setting{front: serve.Front{Loopback: true}, lim: limits.Default, jobs: &work{}, now: time.Now}
}

func (s setting) server(t testing.TB, local bool) *serve.Server {
	t.Helper()
	callers := serve.NewCallers(s.now, s.lim)
	s.guard.Limits = s.lim
	server, err := serve.New(serve.Options{Version: "1.2.3", Skills: serve.Skills(s.jobs, &s.guard, callers, s.lim), Resources: serve.Resources("1.2.3", []byte(`{}`)),
		Front: s.front, Mounts: s.mounts, Callers: callers, Limits: s.lim}, local)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// open is the server behind a real door on a loopback address; it answers the origin.
func (s setting) open(t testing.TB) string {
	t.Helper()
	server := s.server(t, false)
	ctx, stop := context.WithCancel(context.Background())
	door, err := listen.Open(ctx, "127.0.0.1:0", listen.Options{Admit: server.Admit, Handle: server.Handle, Public: s.front.Public, Limits: s.lim})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- door.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the door ended with %v", err)
		}
	})
	return "http://" + door.Address().String()
}

// got is an answer over HTTP.
type got struct {
	status int
	header http.Header
	body   string
}

// code is that of the JSON-RPC error, 0 for none.
func (g got) code() int {
	var m struct {
		Error struct{ Code int }
	}
	_ = json.Unmarshal([]byte(g.body), &m)
	return m.Error.Code
}

// send makes a request: a POST of JSON unless fields says otherwise ("" takes a field away).
func send(t testing.TB, verb, url, body string, fields map[string]string) got {
	t.Helper()
	r, err := http.NewRequest(verb, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body == "" {
		r.Body = nil
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range fields {
		switch {
		case name == "host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", verb, url, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{resp.StatusCode, resp.Header, string(raw)}
}

var client = &http.Client{Timeout: 20 * time.Second}

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// talk sends lines to a server over a reader and a writer, and gives what it wrote, a line each.
func talk(t *testing.T, s *serve.Server, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Lines(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
