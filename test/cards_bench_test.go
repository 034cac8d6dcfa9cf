package test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// manyCards is a list of honest tools that are all different.
func manyCards(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"tools": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"name": "list_orders_%d", "title": "List orders %d", "description": "List the orders of one customer in region %d, the newest first. Ask for at most a hundred at once.",
 "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {
   "customer": {"type": "string", "description": "The customer's number", "minLength": 1},
   "status": {"type": "string", "enum": ["open", "paid", "sent"], "description": "Only orders of this state"},
   "limit": {"type": "integer", "minimum": 1, "maximum": %d, "default": 20},
   "tags": {"type": "array", "items": {"type": "string"}, "description": "Only orders with all of these"}},
  "required": ["customer"], "additionalProperties": false},
 "annotations": {"readOnlyHint": true, "openWorldHint": false}}`, i, i, i, 100+i)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// BenchmarkCards is what the rules of one room, and each of their rules alone, cost a card.
//
//	go test ./test -run '^$' -bench Cards -benchmem
func BenchmarkCards(b *testing.B) {
	const n = 1000
	doc, err := source.Parse("tools.json", manyCards(n), source.JSON, limits.Default)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, rules []*rule.Rule) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				engine.Judge(engine.Input{Cards: []*card.File{card.Read(doc)}, Rules: rules, Facts: &pageFacts{}, Limits: limits.Default})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/card")
		})
	}
	run("none", nil)
	p, _ := policy.ProfileByName("production")
	room := slices.DeleteFunc(p.Rules(), func(r *rule.Rule) bool { return !strings.HasPrefix(r.ID, "card/") })
	run("production", room)
	for _, r := range catalog.All() {
		if !strings.HasPrefix(r.ID, "card/") {
			continue
		}
		run(strings.ReplaceAll(r.ID, "/", "."), []*rule.Rule{r})
	}
}
