package wire

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// page is an answer with n varied tools of about 600 bytes.
func page(n int) string {
	var b strings.Builder
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"%s","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"%s"},"limit":{"type":"integer","minimum":1,"maximum":%d}},"required":["path"]}}`,
			i, strings.Repeat("Reads a file and returns it. ", 10), strings.Repeat("The path. ", 10), i)
	}
	b.WriteString(`]}}`)
	return b.String()
}

func BenchmarkEvents(b *testing.B) {
	text := "event: message\ndata: " + page(1000) + "\n\n"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e := NewEvents(strings.NewReader(text), limits.Default.StreamBytes, limits.Default)
		if _, err := e.Next(); err != nil {
			b.Fatal(err)
		}
		if _, err := e.Next(); err != io.EOF {
			b.Fatal(err)
		}
	}
}

// BenchmarkSurface is all that stands between the bytes of an answer and a surface to judge.
func BenchmarkSurface(b *testing.B) {
	raw := []byte(page(5000))
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		f := ParseFrame(raw, limits.Default)
		var s Surface
		s.Pages[Tools] = [][]byte{f.Result().Raw()}
		if _, err := ReadSurface("s.json", s.Encode(), limits.Default); err != nil {
			b.Fatal(err)
		}
	}
}
