package listen

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdnet "net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func open(t *testing.T, lim limits.Set) *Callback {
	t.Helper()
	c, err := OpenCallback(0, lim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request as it is written and gives the status and the whole answer.
func ask(t *testing.T, c *Callback, method, target, host string) (status, answer string) {
	t.Helper()
	conn, err := stdnet.Dial("tcp", c.host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", method, target, host)
	raw, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, status, _ = strings.Cut(string(raw), " ")
	return status[:min(3, len(status))], string(raw)
}

func TestOnlyTheAnswerThatIsExpectedIsTaken(t *testing.T) {
	t.Parallel()
	c := open(t, limits.Default)
	if !strings.HasPrefix(c.RedirectURI, "http://127.0.0.1:") || !strings.HasSuffix(c.RedirectURI, "/callback") {
		t.Errorf("it listens on %s", c.RedirectURI)
	}
	const good = "/callback?code=x&state=mine"
	if status, _ := ask(t, c, "GET", good, c.host); status != "400" {
		t.Errorf("before anything is expected: %s", status)
	}
	c.Expect(func(url string) bool { return strings.Contains(url, "state=mine") })
	_, port, _ := strings.Cut(c.host, ":")
	for _, r := range []struct{ method, target, host, status string }{
		{"GET", good, "evil.example", "403"}, {"GET", good, "localhost:" + port, "403"}, {"GET", good, "127.0.0.1", "403"}, {"GET", good, "127.0.0.1:1", "403"},
		{"GET", good, "127.0.0.1:" + port + ".evil.example", "403"}, {"GET", "http://evil.example" + good, c.host, "403"},
		{"GET", "/", c.host, "404"}, {"GET", "/favicon.ico", c.host, "404"}, {"GET", "/callback/", c.host, "404"}, {"GET", "//callback?state=mine", c.host, "404"},
		{"GET", "/x/../callback?state=mine", c.host, "404"}, {"GET", "/CALLBACK?state=mine", c.host, "404"},
		{"POST", good, c.host, "405"}, {"HEAD", good, c.host, "405"}, {"OPTIONS", good, c.host, "405"}, {"PUT", good, c.host, "405"},
		{"GET", "/callback", c.host, "400"}, {"GET", "/callback?code=x&state=other", c.host, "400"},
		{"GET", good, c.host, "200"}, {"GET", good, c.host, "410"}, {"GET", "/callback?state=mine&code=y", c.host, "410"},
	} {
		status, answer := ask(t, c, r.method, r.target, r.host)
		if status != r.status {
			t.Errorf("%s %s of %s: %s, want %s", r.method, r.target, r.host, status, r.status)
		}
		for _, want := range []string{"Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
			"X-Content-Type-Options: nosniff\r\n", "Referrer-Policy: no-referrer\r\n", "Cache-Control: no-store\r\n"} {
			if !strings.Contains(answer, want) {
				t.Errorf("%s %s: no %s", r.method, r.target, want)
			}
		}
		if strings.Contains(answer, "<script") || strings.Contains(answer, "code=") || strings.Contains(answer, "evil") {
			t.Errorf("the page repeats the request or runs something: %s", answer)
		}
	}
	got, err := c.Await(t.Context())
	if err != nil || got != "http://"+c.host+good {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWaitingEndsWithItsTime(t *testing.T) {
	t.Parallel()
	c := open(t, limits.Default)
	late := errors.New("late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, late)
	defer cancel()
	if _, err := c.Await(ctx); err != late {
		t.Errorf("%v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if _, err := c.Await(t.Context()); err == nil {
		t.Error("a listener that ended is waited for")
	}
}

func TestAPortThatIsTakenIsSaidSo(t *testing.T) {
	t.Parallel()
	c := open(t, limits.Default)
	var port int
	if _, err := fmt.Sscanf(c.host, "127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCallback(port, limits.Default); err == nil || !strings.Contains(err.Error(), "no port to wait on") {
		t.Errorf("%v", err)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.CallbackConns = 2
	c := open(t, lim)
	for range lim.CallbackConns {
		idle, err := stdnet.Dial("tcp", c.host)
		if err != nil {
			t.Fatal(err)
		}
		defer idle.Close()
		if _, err := io.WriteString(idle, "GET /"); err != nil { // and no more
			t.Fatal(err)
		}
	}
	client := &http.Client{Timeout: 5 * time.Second}
	if resp, err := client.Get(c.RedirectURI); err == nil {
		resp.Body.Close()
		t.Errorf("one more was answered: %s", resp.Status)
	}
}

func TestALargeHeaderIsRefused(t *testing.T) {
	t.Parallel()
	c := open(t, limits.Default)
	c.Expect(func(string) bool { return true })
	resp, err := http.Get(c.RedirectURI + "?x=" + strings.Repeat("x", 2*limits.Default.HeaderBytes))
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Error(resp.Status)
		}
	}
	if len(c.got) > 0 {
		t.Error("it was taken")
	}
}

func TestASlowConnectionIsEnded(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.CallbackTime = 50 * time.Millisecond
	c := open(t, lim)
	conn, err := stdnet.Dial("tcp", c.host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET /callback"); err != nil { // and no more
		t.Fatal(err)
	}
	var late stdnet.Error
	if _, err := io.ReadAll(conn); errors.As(err, &late) && late.Timeout() {
		t.Error("it is held")
	}
}
