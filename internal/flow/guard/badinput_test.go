package guard

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// relayed gives what the client reads of what the server writes through a session, once it has asked.
func relayed(t *testing.T, ask string, server io.Reader) string {
	t.Helper()
	s := NewSession(Options{})
	return relayedBy(t, s, ask, server)
}

func relayedBy(t *testing.T, j Judge, ask string, server io.Reader) string {
	t.Helper()
	var down, up bytes.Buffer
	ended := make(chan struct{})
	hold := io.MultiReader(readerFunc(func([]byte) (int, error) { <-ended; return 0, io.EOF }), server)
	r := Relay{Judge: j, Limits: limits.Default}
	if err := r.Run(Ends{ClientIn: strings.NewReader(ask), ClientOut: &down, ServerIn: closer{&up, ended}, ServerOut: hold}); err != nil {
		t.Fatal(err)
	}
	return down.String()
}

func TestAFrameOfTenMebibytesIsMovedOnByteByByte(t *testing.T) {
	raw := result("1", strings.Repeat("word ", 2*limits.MiB)) + "\n"
	if out := relayed(t, call("1", "a")+"\n", strings.NewReader(raw)); out != raw {
		t.Errorf("%d bytes of %d came: %.300s", len(out), len(raw), out)
	}
}

func TestAMillionTinyFramesKeepTheirOrder(t *testing.T) {
	const n = 1_000_000
	line := 0
	server := readerFunc(func(b []byte) (int, error) {
		if line == n {
			return 0, io.EOF
		}
		have := 0
		for ; line < n && len(b)-have > 8; line++ {
			have += copy(b[have:], fmt.Appendf(nil, "%d\n", line))
		}
		return have, nil
	})
	next := 0
	var rest []byte
	client := writerFunc(func(b []byte) (int, error) {
		rest = append(rest, b...)
		for {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				return len(b), nil
			}
			if string(rest[:i]) != fmt.Sprint(next) {
				t.Fatalf("%q came, want %d", rest[:i], next)
			}
			next++
			rest = rest[i+1:]
		}
	})
	r := Relay{Judge: judged(pass), Limits: limits.Default}
	if err := r.Run(Ends{ClientIn: strings.NewReader(""), ClientOut: client, ServerIn: closer{io.Discard, make(chan struct{})}, ServerOut: server}); err != nil || next != n {
		t.Errorf("%d of %d came: %v", next, n, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// A frame that does not end is not kept, however long it is, and who waits for it is told when the server ends.
func TestAFrameWithoutAnEndIsNotKept(t *testing.T) {
	sent := 0
	endless := readerFunc(func(b []byte) (int, error) {
		if sent > 8*limits.Default.GuardedFrame {
			return 0, io.EOF
		}
		for i := range b {
			b[i] = 'x'
		}
		sent += len(b)
		return len(b), nil
	})
	out := relayed(t, call("7", "a")+"\n", io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":7,"result":{"t":"`), endless))
	if id, rule := errorOf(t, []byte(out)); id != "7" || rule != "traffic/frame-too-large" {
		t.Errorf("%s %s", id, rule)
	}
}

func TestAServerThatDiesInTheMiddleOfAFrameLeavesNobodyHanging(t *testing.T) {
	for _, half := range []string{`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"te`, `{"jsonrpc":"2.0","result":{"content":[{"ty`} {
		if id, rule := errorOf(t, []byte(relayed(t, call("7", "a")+"\n", strings.NewReader(half)))); id != "7" || rule != "traffic/malformed-frame" {
			t.Errorf("%s: %s %s", half, id, rule)
		}
	}
}

func TestIDsAreTextsOrNumbersThatStayWhatTheyAre(t *testing.T) {
	for id, good := range map[string]bool{"1": true, "-1": true, "0": true, "1.5": true, "1e3": true, `""`: true, `"a"`: true, `"\u00e9"`: true, "9007199254740991": true, "null": false, "true": false, "[]": false, "{}": false, "1e400": false, "9007199254740993": false,
		"-9007199254740993": false, `"\ud800"`: false} {
		r := NewSession(Options{}).Frame(Client, []byte(call(id, "a")))
		if good != (r.Action == Pass) {
			t.Errorf("%s: %s %s", id, r.Action, said(r))
		}
		if !good && r.Reply == nil {
			t.Errorf("%s: nobody is told", id)
		}
	}
	// One that is used again while it waits is judged by the worst that it may answer.
	s := NewSession(Options{})
	for range 2 {
		s.Frame(Client, []byte(call("1", "a")))
	}
	if r := s.Frame(Server, []byte(result("1", order))); r.Action != Block {
		t.Errorf("%s %s", r.Action, said(r))
	}
}

func TestNamesThatParsersReadInDifferentWaysAreRefusedWhereverTheyStand(t *testing.T) {
	for _, raw := range []string{
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":{"b":1,"b":2}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","n\u0061me":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","ID":2}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a","Name":"b"}}`,
	} {
		if r := NewSession(Options{}).Frame(Client, []byte(raw)); r.Action != Block || r.Reply == nil || r.Findings[0].Rule != "traffic/malformed-frame" {
			t.Errorf("%s: %s %s", raw, r.Action, said(r))
		}
	}
}

// A text that is not looked at to its end stops its frame, wherever it stands.
func TestWhatIsNotLookedAtWholeGoesNoFurther(t *testing.T) {
	long := strings.Repeat("\uFDFA", 300)
	for name, raw := range map[string]string{
		"a result":     result("1", long),
		"a tool":       `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"` + long + `"}]}}`,
		"instructions": `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"},"instructions":"` + long + `"}}`,
	} {
		r := NewSession(Options{}).Frame(Server, []byte(raw))
		if r.Action != Block {
			t.Errorf("%s: %s %s", name, r.Action, said(r))
			continue
		}
		if id, rule := errorOf(t, r.Forward); id != "1" || rule != "traffic/inspection-truncated" || bytes.Contains(r.Forward, []byte(long[:30])) {
			t.Errorf("%s: %s %s", name, id, rule)
		}
	}
	if r := NewSession(Options{}).Frame(Server, []byte(result("1", strings.Repeat("説明é", 400)))); r.Action != Pass {
		t.Errorf("an honest text: %s %s", r.Action, said(r))
	}
}
