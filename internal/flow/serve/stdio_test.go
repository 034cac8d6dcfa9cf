package serve_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestLinesThatAreNoMessageGetErrorsAndTheNextIsAnswered(t *testing.T) {
	t.Parallel()
	s := usual().server(t, true)
	ping := `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	pong := `{"jsonrpc":"2.0","id":"p","result":{}}`
	for name, c := range map[string]struct {
		line string
		want []string // parts of the lines that come back before the pong
	}{
		"junk":                   {"{not json", []string{`"id":null,"error":{"code":-32700`}},
		"a log line":             {"Server started on port 3000", []string{`"code":-32700`}},
		"an empty line":          {"", nil},
		"blanks":                 {" \t ", nil},
		"a message of CRLF":      {`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r", []string{`"id":1,"result":{}`}},
		"no jsonrpc":             {`{"id":1,"method":"ping"}`, []string{`"id":1,"error":{"code":-32600`}},
		"a null id":              {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, []string{`"id":null,"error":{"code":-32600`}},
		"an unknown method":      {`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, []string{`"id":1,"error":{"code":-32601`}},
		"a notification":         {`{"jsonrpc":"2.0","method":"notifications/whatever"}`, nil},
		"a response":             {`{"jsonrpc":"2.0","id":7,"result":{}}`, nil},
		"an error in response":   {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, nil},
		"a cancelled call":       {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, nil},
		"a line over the limit":  {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", limits.Default.AskedBytes) + `"}}`, []string{`"code":-32600`}},
		"bytes that are no text": {"\x00\x01\xff\xfe", []string{`"code":-32700`}},
		"a batch before 2025-06": {`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7]`, []string{`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := talk(t, s, c.line, ping)
			for _, line := range got {
				if strings.HasPrefix(line, "[") { // batches are answered beside
					got = append(without(got, line), pong)
					got = append([]string{line}, got[:len(got)-1]...)
					break
				}
			}
			if len(got) != len(c.want)+1 || got[len(got)-1] != pong {
				t.Fatalf("%d lines: %.300q", len(got), got)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("%s lacks %s", got[i], want)
				}
			}
		})
	}
}

func without(all []string, one string) (rest []string) {
	for _, s := range all {
		if s != one {
			rest = append(rest, s)
		}
	}
	return rest
}

func TestTheLifecyclesOfBothErasOnOneProcess(t *testing.T) {
	t.Parallel()
	s := usual().server(t, true)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	got := talk(t, s, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{`+meta+`}}`, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, hello,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{`+meta+`}}`,
		`[{"jsonrpc":"2.0","id":4,"method":"ping"}]`, `{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`)
	if len(got) != 8 {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	for i, want := range []string{`"supportedVersions":["2026-07-28"`, `"protocolVersion":"2025-11-25"`, `"protocolVersion":"2025-11-25"`, `"name":"mcpassay_doctor"`, `"resultType":"complete"`,
		`"code":-32600`, `notifications/subscriptions/acknowledged`, `"io.modelcontextprotocol/subscriptionId":5`} {
		if !strings.Contains(got[i], want) {
			t.Errorf("line %d lacks %s: %.300s", i, want, got[i])
		}
	}
	if got[1] != got[2] {
		t.Error("the second initialize is answered differently")
	}
	if strings.Contains(got[3], "resultType") {
		t.Error("the legacy era gets members of the modern one")
	}
}

func TestAClientOfTheModernEraThatForgetsItsMetaIsRefused(t *testing.T) {
	t.Parallel()
	got := talk(t, usual().server(t, true),
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, // has said nothing yet: answered as the oldest clients are
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if len(got) != 3 || !strings.Contains(got[0], `"result"`) || !strings.Contains(got[1], `"result"`) || !strings.Contains(got[2], `"code":-32602`) {
		t.Errorf("%.400q", got)
	}
}

func TestACallThatTakesLongHoldsUpNothingAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	set, w := usual(), &work{hold: make(chan struct{}), begun: make(chan struct{}), gone: make(chan struct{})}
	set.jobs = w
	in, feed := io.Pipe()
	back, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- set.server(t, true).Lines(context.Background(), in, out) }()
	lines := bufio.NewScanner(back)
	ask := func(line string) {
		if _, err := io.WriteString(feed, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	ask(call(1, "score_card", `{"url":"https://mcp.vendor.com/mcp"}`))
	<-w.begun
	ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if lines.Scan(); lines.Text() != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("%s", lines.Text())
	}
	ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-w.gone
	ask(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if lines.Scan(); lines.Text() != `{"jsonrpc":"2.0","id":3,"result":{}}` {
		t.Errorf("a cancelled call was answered: %s", lines.Text())
	}
	_ = feed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestTheEndOfTheInputEndsTheServerAndACallThatHangs(t *testing.T) {
	t.Parallel()
	set, w := usual(), &work{hold: make(chan struct{}), begun: make(chan struct{}), gone: make(chan struct{})}
	set.jobs, set.lim.ServeEnd = w, 20*time.Millisecond
	in, feed := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- set.server(t, true).Lines(context.Background(), in, io.Discard) }()
	_, _ = io.WriteString(feed, call(1, "score_card", `{"url":"https://mcp.vendor.com/mcp"}`)+"\n")
	<-w.begun
	_ = feed.Close()
	<-w.gone
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAnInterruptEndsTheLoopWhileItWaitsForALine(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := usual().server(t, true).Lines(ctx, in, io.Discard); err != nil {
		t.Error(err)
	}
}

type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAReaderWhoIsGoneEndsTheLoop(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- usual().server(t, true).Lines(context.Background(), in, shut{}) }()
	_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	if err := <-done; err == nil || err.Error() != "broken pipe" {
		t.Errorf("%v", err)
	}
}
