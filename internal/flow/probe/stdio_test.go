package probe

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// child is a local server in this process.
type child struct {
	out  chan string
	end  chan struct{}
	once sync.Once
	// answer gives the lines for a line, and whether the server lives on.
	answer func(line string) (lines []string, alive bool)
}

func (c *child) WriteLine(line []byte) error {
	select {
	case <-c.end:
		return io.ErrClosedPipe
	default:
	}
	lines, alive := c.answer(string(line))
	for _, l := range lines {
		c.out <- l
	}
	if !alive {
		c.Close()
	}
	return nil
}

func (c *child) ReadLine(ctx context.Context) ([]byte, error) {
	select {
	case line := <-c.out:
		return []byte(line), nil
	default:
	}
	select {
	case line := <-c.out:
		return []byte(line), nil
	case <-c.end:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *child) Close() error   { c.once.Do(func() { close(c.end) }); return nil }
func (c *child) Stderr() []byte { return nil }

// local probes a local server, of which each start makes another.
func local(t *testing.T, o Options, start func() func(line string) ([]string, bool)) (g graded, starts int) {
	t.Helper()
	all := Surfaces(context.Background(), Target{Label: "local", Start: func(context.Context) (talk.Lines, error) {
		starts++
		return &child{out: make(chan string, 100), end: make(chan struct{}), answer: start()}, nil
	}}, o)
	return grades(t, all), starts
}

// right is a local server that does all as it should.
func right(p *peer) func() func(string) ([]string, bool) {
	return func() func(string) ([]string, bool) {
		return func(line string) ([]string, bool) {
			if _, text := p.answer(parse([]byte(line))); text != "" {
				return []string{text}, true
			}
			return nil, true
		}
	}
}

func TestALocalServerThatDoesAllAsItShouldGetsAllPoints(t *testing.T) {
	for _, deep := range []bool{false, true} {
		for name, p := range map[string]*peer{"legacy": {legacy: true}, "modern": {modern: true}} {
			o := options()
			o.Deep = deep
			g, _ := local(t, o, right(p))
			if g.card.Total != 100 || len(g.incomplete) > 0 || g.card.Lanes[0].Sections.Discovery.Applies || g.server.Transport != wire.Stdio {
				t.Errorf("%s: %d, %v\n%s", name, g.card.Total, g.incomplete, rowsOf(g.card))
			}
		}
	}
}

func TestALocalServerMaySayNothingToALineThatIsNoMessage(t *testing.T) {
	p := &peer{legacy: true}
	g, _ := local(t, options(), func() func(string) ([]string, bool) {
		return func(line string) ([]string, bool) {
			m := parse([]byte(line))
			if m.bad || m.JSONRPC == "" {
				return nil, true
			}
			return right(p)()(line)
		}
	})
	for _, check := range []string{"not-json", "no-jsonrpc"} {
		if r := rowNamed(g.card, check); r.Verdict != "silent" || r.Points != 4 {
			t.Errorf("%+v", r)
		}
	}
}

// modelcontextprotocol/go-sdk#1209
func TestALocalServerThatDiesOfALineIsStartedAgainAndLosesThePoints(t *testing.T) {
	p := &peer{legacy: true}
	o := options()
	o.Deep = true
	g, starts := local(t, o, func() func(string) ([]string, bool) {
		return func(line string) ([]string, bool) {
			if m := parse([]byte(line)); m.bad || m.JSONRPC == "" {
				return nil, false
			}
			return right(p)()(line)
		}
	})
	for _, check := range []string{"not-json", "no-jsonrpc"} {
		if r := rowNamed(g.card, check); r.Verdict != "died" || r.Points != 0 {
			t.Errorf("%+v", r)
		}
	}
	if starts < 4 || len(g.incomplete) > 0 || g.card.Lanes[0].Sections.Errors.Score != 15 {
		t.Errorf("%d starts, %v", starts, g.incomplete)
	}
}

// The Go SDK's server refuses a second initialize in one process: that is what one process is for.
func TestALocalServerMayRefuseASecondInitialize(t *testing.T) {
	p := &peer{legacy: true}
	g, _ := local(t, options(), func() func(string) ([]string, bool) {
		begun := false
		return func(line string) ([]string, bool) {
			m := parse([]byte(line))
			if m.Method == "initialize" {
				if begun {
					return []string{m.err(0, "")}, true
				}
				begun = true
			}
			return right(p)()(line)
		}
	})
	if r := rowNamed(g.card, "initialize-again"); r.Verdict != "ok" || g.card.Total != 100 {
		t.Errorf("%d %+v", g.card.Total, r)
	}
}

func TestALocalServerThatDoesNotStartOrSaysNothingHasNoGrade(t *testing.T) {
	for name, answer := range map[string]func(string) ([]string, bool){
		"ends": func(string) ([]string, bool) { return nil, false }, "is silent": func(string) ([]string, bool) { return nil, true },
		"babbles": func(string) ([]string, bool) { return []string{"starting up", strings.Repeat("x", 1000)}, true },
	} {
		begun := time.Now()
		g, _ := local(t, impatient(), func() func(string) ([]string, bool) { return answer })
		if g.card.Grade == "A" || len(g.incomplete) == 0 || time.Since(begun) > 20*time.Second {
			t.Errorf("%s: %+v %v", name, g.card, g.incomplete)
		}
	}
}

func TestEachEraOfALocalServerHasAProcessOfItsOwn(t *testing.T) {
	p := &peer{modern: true, legacy: true, supported: `["2026-07-28","2025-11-25"]`}
	o := options()
	o.Era = EraBoth
	g, starts := local(t, o, func() func(string) ([]string, bool) {
		discovered := false
		return func(line string) ([]string, bool) {
			m := parse([]byte(line))
			discovered = discovered || m.Method == "server/discover"
			if m.Method == "initialize" && discovered {
				return []string{m.err(0, "")}, true
			}
			return right(p)()(line)
		}
	})
	if len(g.card.Lanes) != 2 || g.card.Total != 100 || starts < 3 {
		t.Errorf("%d lanes, %d, %d starts\n%s", len(g.card.Lanes), g.card.Total, starts, rowsOf(g.card))
	}
}
