package test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// FuzzCards judges whatever a server may send by all rules on cards, for every client: none of them fails, each finding
// points into the document, and judging it again gives the same.
func FuzzCards(f *testing.F) {
	var rules []*rule.Rule
	for _, r := range catalog.All() {
		if r.Card == nil && r.Surface == nil && r.Cards == nil {
			continue
		}
		rules = append(rules, r)
		for _, fence := range strings.Split(catalog.Page(r.ID), "tools.json\n")[1:] {
			text, _, _ := strings.Cut(fence, "\n```")
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := source.Parse("tools.json", raw, source.JSON, limits.Default)
		if err != nil {
			return
		}
		var before []string
		for range 2 {
			cards := card.Read(doc)
			if cards == nil {
				return
			}
			found, incomplete := engine.Judge(engine.Input{Cards: []*card.File{cards}, Rules: rules, Facts: &pageFacts{}, Limits: limits.Default, EveryClient: true})
			for _, i := range incomplete {
				t.Fatal(i.Detail)
			}
			var now []string
			for _, one := range found {
				if l := one.Location; l.Offset < 0 || l.Length < 0 || l.Offset+l.Length > len(raw) || l.Line < 1 || one.Message == "" || !bytes.Equal(doc.Raw, raw) {
					t.Fatalf("%+v", one)
				}
				now = append(now, one.Fingerprint+one.Message)
			}
			if before != nil && strings.Join(before, "\n") != strings.Join(now, "\n") {
				t.Fatalf("again:\n%s\nbefore:\n%s", strings.Join(now, "\n"), strings.Join(before, "\n"))
			}
			before = append(now, "")[:len(now)]
		}
	})
}
