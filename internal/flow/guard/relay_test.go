package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// judged is a judge of a few lines.
type judged func(from Side, raw []byte) Result

func (j judged) Frame(from Side, raw []byte) Result { return j(from, raw) }

func pass(_ Side, raw []byte) Result { return Result{Forward: raw} }

func small() limits.Set {
	lim := limits.Default
	lim.GuardBuffer, lim.GuardLargeBuffer, lim.GuardFrame = 64, 1<<10, 4<<10
	return lim
}

type closer struct {
	io.Writer
	closed chan struct{}
}

func (c closer) Close() error { close(c.closed); return nil }

// moved gives what the two sides read of what the two sides wrote.
func moved(t *testing.T, j judged, lim limits.Set, client, server io.Reader) (toClient, toServer string) {
	t.Helper()
	var down, up bytes.Buffer
	ended := make(chan struct{})
	r := Relay{Judge: j, Limits: lim}
	started := make(chan struct{})
	hold := io.MultiReader(readerFunc(func([]byte) (int, error) { <-started; return 0, io.EOF }), server)
	go func() { <-ended; close(started) }() // the server's side begins when the client's is done, so that the test reads whole buffers
	if err := r.Run(Ends{ClientIn: client, ClientOut: &down, ServerIn: closer{&up, ended}, ServerOut: hold}); err != nil {
		t.Fatal(err)
	}
	return down.String(), up.String()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestEveryByteIsMovedOnAsItCame(t *testing.T) {
	t.Parallel()
	long := `{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890,"f":1.0,"t":"` + strings.Repeat("é", 900) + `"}}`
	lines := "a banner\r\n\n{\"a\":1}\r\n" + long + "\n  \n[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]\n" + strings.Repeat("{}\n", 500) + long + "\n{\"last\":\"without an end\"}"
	for name, from := range map[string]func(string) io.Reader{
		"at once":      func(s string) io.Reader { return strings.NewReader(s) },
		"byte by byte": func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
		"in halves":    func(s string) io.Reader { return iotest.HalfReader(strings.NewReader(s)) },
		"with its end": func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) },
	} {
		down, up := moved(t, pass, small(), from(lines), from(strings.ToUpper(lines)))
		if up != lines || down != strings.ToUpper(lines) {
			t.Errorf("%s: %q\n%q", name, up, down)
		}
	}
}

func TestWhatIsStoppedIsAnsweredAndTheRestKeepsItsOrder(t *testing.T) {
	t.Parallel()
	j := judged(func(from Side, raw []byte) Result {
		switch {
		case bytes.Contains(raw, []byte("stop")):
			return Result{Action: Block, Reply: []byte("stopped")}
		case bytes.Contains(raw, []byte("drop")):
			return Result{Action: Block}
		case bytes.Contains(raw, []byte("change")):
			return Result{Action: Redact, Forward: bytes.ReplaceAll(raw, []byte("change"), []byte("changed"))}
		case bytes.Contains(raw, []byte("both")):
			return Result{Action: Note, Forward: raw, Reply: []byte("also")}
		}
		return Result{Forward: raw}
	})
	down, up := moved(t, j, small(), strings.NewReader("1\nstop\n2\r\ndrop\n3\nchange\nboth\r\n4\nstop"), strings.NewReader("5\n"))
	if want := "1\n2\r\n3\nchanged\nboth\r\n4\n"; up != want {
		t.Errorf("the server read %q, want %q", up, want)
	}
	if want := "stopped\nalso\nstopped\n5\n"; down != want {
		t.Errorf("the client read %q, want %q", down, want)
	}
}

func TestAFrameOverTheLimitIsAnsweredByItsID(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 5<<10)
	for _, c := range []struct{ name, client, server, up, down string }{
		{"a result", "", `{"result":{"id":7,"t":"` + huge + `"},"jsonrpc":"2.0","id":"a\"b"}`, "", `"id":"a\"b"`},
		{"a result whose id comes first", "", `{"jsonrpc":"2.0", "id" : 12 ,"result":["` + huge + `",{"method":1}]}`, "", `"id":12,`},
		{"a request of the client", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"a":"` + huge + `"}}`, "", "", `"id":3,`},
		{"a request of the server", "", `{"method":"sampling/createMessage","params":["` + huge + `"],"id":4}`, `"id":4,`, ""},
		{"a notification", "", `{"method":"x","params":"` + huge + `"}`, "", ""},
		{"no JSON", "", huge, "", ""},
		{"a response of the client", `{"id":1,"result":"` + huge + `"}`, "", "", ""},
	} {
		var seen []Result
		var mu sync.Mutex
		var down, up bytes.Buffer
		ended := make(chan struct{})
		r := Relay{Judge: judged(pass), Limits: small(), Saw: func(_ Side, size int, res Result) {
			mu.Lock()
			defer mu.Unlock()
			if seen = append(seen, res); size < len(huge) {
				t.Errorf("%s: %d bytes", c.name, size)
			}
		}}
		up2 := closer{&up, ended}
		server := io.MultiReader(readerFunc(func([]byte) (int, error) { <-ended; return 0, io.EOF }), strings.NewReader(c.server+"\nafter\n"))
		if err := r.Run(Ends{ClientIn: strings.NewReader(c.client + "\nafter\n"), ClientOut: &down, ServerIn: up2, ServerOut: server}); err != nil {
			t.Fatal(err)
		}
		for side, got := range map[string][2]string{"client": {down.String(), c.down}, "server": {up.String(), c.up}} {
			if !strings.Contains(got[0], got[1]) || got[1] == "" && strings.Contains(got[0], "error") || strings.Contains(got[0], "xxx") || !strings.Contains(got[0], "after\n") {
				t.Errorf("%s: the %s read %q", c.name, side, got[0])
			}
		}
		if len(seen) != 1 || seen[0].Action != Block {
			t.Errorf("%s: seen %v", c.name, seen)
		}
	}
}

func TestAFrameOfTheLimitIsMovedOn(t *testing.T) {
	t.Parallel()
	lim := small()
	for size := lim.GuardFrame - 2; size <= lim.GuardFrame+1; size++ {
		down, _ := moved(t, pass, lim, strings.NewReader(""), strings.NewReader(strings.Repeat("y", size)+"\nz\n"))
		if want := size <= lim.GuardFrame; (len(down) == size+3) != want {
			t.Errorf("a line of %d bytes of at most %d: %d bytes came", size, lim.GuardFrame, len(down))
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAClientThatIsGoneEndsTheRun(t *testing.T) {
	t.Parallel()
	r := Relay{Judge: judged(pass), Limits: small()}
	hang, w := io.Pipe()
	defer w.Close()
	if err := r.Run(Ends{ClientIn: hang, ClientOut: broken{}, ServerIn: w, ServerOut: strings.NewReader("a\nb\n")}); !errors.Is(err, ErrClientGone) {
		t.Error(err)
	}
}

func FuzzMember(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"a"}`)
	f.Add(`{"result":{"id":2},"id":"x\"y"}`)
	f.Add(`{"id":[1],"id":2.5 }`)
	f.Fuzz(func(t *testing.T, in string) {
		var m member
		m.write([]byte(in))
		if id := m.id(); id != nil && len(refuse(id, "r", "w", "")) == 0 {
			t.Errorf("%q: the id %q", in, id)
		}
	})
}

func BenchmarkRelay(b *testing.B) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"t":%q}}`+"\n", strings.Repeat("a", 1000))
	all := bytes.Repeat(line, 1000)
	b.SetBytes(int64(len(all)))
	for b.Loop() {
		p := pump{Relay: &Relay{Judge: judged(pass), Limits: limits.Default}, in: bytes.NewReader(all), to: &sink{w: io.Discard}, back: &sink{w: io.Discard}}
		if err := p.run(); err != nil {
			b.Fatal(err)
		}
	}
}
