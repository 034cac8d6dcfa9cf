//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// frames makes a session of n frames of about 1 KB: calls with what they look for, and their results, no two alike.
func frames(n int) func(string) error {
	return func(dir string) error {
		var b strings.Builder
		for i := range n / 2 {
			rows := make([]string, 0, 12)
			for k := len(rows); len(strings.Join(rows, "\n")) < 850; k++ {
				noun := nouns[(i+k)%len(nouns)]
				rows = append(rows, fmt.Sprintf("%s %d: %s by the %s desk on day %d, %d of %d done; see /%ss/%d for the rest.", noun, i*31+k, verbs[(i*7+k)%len(verbs)], nouns[(i*3+k)%len(nouns)], i%28, k, 9+k, noun, i))
			}
			text, _ := json.Marshal(strings.Join(rows, "\n"))
			call, _ := json.Marshal(strings.Join(rows[1:], " "))
			fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"find_%s","arguments":{"query":%s,"limit":%d,"customer_id":"C-%d"}}}`+"\n", i, nouns[i%len(nouns)], call, i%50, i)
			fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}],"isError":false}}`+"\n", i, text)
		}
		return write(filepath.Join(dir, "session.jsonl"), b.String())
	}
}
