package guard

import (
	"fmt"
	"strings"
	"testing"
)

// calls are a call and its result of about 1 KB each, as an honest session has them.
func calls(i int) (call, result []byte) {
	rows := strings.Repeat(fmt.Sprintf("Order %d was shipped to the customer in Utrecht on Monday: %d items, paid.\\n", 1000+i, i%40), 11)
	return fmt.Appendf(nil, `{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "search_orders", "arguments": {"query": %q, "limit": 20, "customer_id": "C-%d"}}}`, i, rows[:820], i),
		fmt.Appendf(nil, `{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "%s"}], "isError": false}}`, i, rows)
}

func BenchmarkFrame(b *testing.B) {
	s := NewSession(Options{})
	call, result := calls(7)
	b.SetBytes(int64(len(call)+len(result)) / 2)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		from, raw := Client, call
		if n%2 == 1 {
			from, raw = Server, result
		}
		if r := s.Frame(from, raw); r.Action != Pass {
			b.Fatal(r.Findings)
		}
	}
}
