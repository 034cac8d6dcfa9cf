package guard

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func tight() limits.Set {
	lim := limits.Default
	lim.GuardBuffer, lim.GuardLargeBuffer, lim.GuardedFrame = 64, 256, 1024
	return lim
}

func all(t *testing.T, in io.Reader) (list []event) {
	t.Helper()
	e := events{in: in, lim: tight()}
	for {
		one, err := e.next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		one.raw, one.data, one.id = bytes.Clone(one.raw), bytes.Clone(one.data), bytes.Clone(one.id)
		list = append(list, one)
	}
}

const stream = "\xEF\xBB\xBFid: 1\ndata: {\"a\":1}\n\n: ping\n\nevent: message\r\ndata:{\"b\":\r\ndata: 2}\r\nid: x\r\n\r\nretry: 5\n\ndata\n\ndata: cut"

func TestTheBytesOfAStreamAreThoseThatCameHoweverTheyAreCut(t *testing.T) {
	for name, in := range map[string]io.Reader{"at once": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream)),
		"the end with the last bytes": iotest.DataErrReader(strings.NewReader(stream))} {
		t.Run(name, func(t *testing.T) {
			var raw, data []string
			for _, e := range all(t, in) {
				raw = append(raw, string(e.raw))
				if e.has {
					data = append(data, string(e.data))
				}
				if e.odd != "" || e.over {
					t.Errorf("%+v", e)
				}
			}
			if strings.Join(raw, "") != stream || len(raw) != 6 {
				t.Errorf("%q", raw)
			}
			if strings.Join(data, "|") != "{\"a\":1}|{\"b\":\n2}||cut" {
				t.Errorf("%q", data)
			}
		})
	}
}

// Where readers differ about what an event holds, the guard does not guess.
func TestAnEventThatReadersTakeForDifferentThingsIsNamed(t *testing.T) {
	for _, in := range []string{"data: {\"a\":\rdata: 1}\n\n", "Data: {}\n\n", " data: {}\n\n", ": c\rdata: {}\n\n", "id: 1\rdata: {}\n\n"} {
		list := all(t, strings.NewReader(in))
		if len(list) != 1 || list[0].odd == "" {
			t.Errorf("%q: %+v", in, list)
		}
		if left := list[0].with(nil); bytes.Contains(left, []byte("data")) {
			t.Errorf("%q leaves %q", in, left)
		}
	}
}

// The limit is crossed; the event is left out, whom it is for is known, and what follows is whole.
func TestAnEventOverTheLimitIsLeftOut(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for in, want := range map[string]struct {
		id   string
		asks bool
	}{
		`data: {"jsonrpc":"2.0","id":"seven","result":{"text":"` + long + `"}}`:                                            {`"seven"`, false},
		"id: 4\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"result\":{\"id\":3,\"t\":\"" + long + "\"},\r\ndata: \"id\":8}\r": {"8", false},
		`data: {"jsonrpc":"2.0","method":"roots/list","params":{"t":"` + long + `"},"id":9}`:                               {"9", true},
		`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"t":"` + long + `"}}`:                           {"", true},
		": " + long: {"", false},
	} {
		for _, r := range []io.Reader{strings.NewReader("data: {}\n\n" + in + "\n\ndata: 1\n\n"), iotest.OneByteReader(strings.NewReader("data: {}\n\n" + in + "\n\ndata: 1\n\n"))} {
			list := all(t, r)
			if len(list) != 3 || !list[1].over || list[1].size != len(in)+2 || string(list[1].id) != want.id || list[1].asks != want.asks || string(list[2].raw) != "data: 1\n\n" {
				t.Errorf("%.60s: %d events: over %v, size %d of %d, id %s, asks %v", in, len(list), list[1].over, list[1].size, len(in)+2, list[1].id, list[1].asks)
			}
		}
	}
	if list := all(t, strings.NewReader("data: "+long)); len(list) != 1 || !list[0].over {
		t.Errorf("an event without end: %d", len(list))
	}
}

func TestAnEventWithOtherDataKeepsItsPlace(t *testing.T) {
	e := all(t, strings.NewReader("event: message\nid: 4\ndata: {\ndata: }\n\n"))[0]
	if got := string(e.with([]byte("a\nb"))); got != "event: message\nid: 4\ndata: a\ndata: b\n\n" {
		t.Errorf("%q", got)
	}
	if got := string(e.with(nil)); got != "event: message\nid: 4\n\n" {
		t.Errorf("%q", got)
	}
	if got := all(t, strings.NewReader("event: message\ndata: {}\n\n"))[0].with(nil); got != nil {
		t.Errorf("%q", got)
	}
}

// However a stream is cut, its events are the same and lose no byte; and what a reader of the standard takes for data was seen.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(stream), uint8(3))
	f.Add([]byte("data: {\"a\":\rdata: 1}\n\n"), uint8(1))
	f.Add([]byte("data: a\n\n\n\ndata\n: \xff\n\n"), uint8(2))
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		whole := all(t, bytes.NewReader(in))
		cut := all(t, &steps{bytes.NewReader(in), int(step%16) + 1})
		if len(whole) != len(cut) {
			t.Fatalf("%d events, %d when cut", len(whole), len(cut))
		}
		size := 0
		odd := false
		var data []string
		for i, e := range whole {
			if c := cut[i]; e.over != c.over || !bytes.Equal(e.raw, c.raw) || !bytes.Equal(e.data, c.data) || e.odd != c.odd || e.size != c.size {
				t.Fatalf("event %d: %+v, when cut %+v", i, e, c)
			}
			size += len(e.raw) + e.size
			odd = odd || e.odd != "" || e.over
			if e.has {
				data = append(data, string(e.data))
			}
		}
		if size != len(in) {
			t.Fatalf("%d bytes of %d", size, len(in))
		}
		if odd {
			return
		}
		standard := wire.NewEvents(bytes.NewReader(in), len(in)+1, limits.Default)
		for i := 0; ; i++ {
			e, err := standard.Next()
			if err != nil {
				return // the last one may be cut short, which the standard leaves out
			}
			if i >= len(data) || data[i] != string(e.Data) {
				t.Fatalf("event %d is %q, and the standard has %q", i, data, e.Data)
			}
		}
	})
}

// steps reads a few bytes at once.
type steps struct {
	io.Reader
	n int
}

func (s *steps) Read(b []byte) (int, error) { return s.Reader.Read(b[:min(len(b), s.n)]) }
