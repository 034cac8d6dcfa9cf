// Package catalog is the list of all rules with their pages, and the way from any name that people know a rule by
// to the rule.
package catalog

//go:generate go run ../tool/genrules ../..

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Version is the catalog's: patch for text, minor for new rules or clients, major for a rule removed or changed.
const Version = "0.1.0"

type entry struct {
	rule  *rule.Rule
	pages embed.FS
	page  string
}

var sorted = sync.OnceValue(func() []entry {
	all := entries()
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.rule.ID, b.rule.ID) })
	return all
})

var rules = sync.OnceValue(func() []*rule.Rule {
	all := make([]*rule.Rule, 0, len(sorted()))
	for _, e := range sorted() {
		all = append(all, e.rule)
	}
	return all
})

// All is every rule, by id. It is shared: who changes it clones it.
func All() []*rule.Rule { return rules() }

// ByID is the rule of that id.
func ByID(id string) (*rule.Rule, bool) {
	i, ok := find(id)
	if !ok {
		return nil, false
	}
	return sorted()[i].rule, true
}

func find(id string) (int, bool) {
	return slices.BinarySearchFunc(sorted(), id, func(e entry, id string) int { return cmp.Compare(e.rule.ID, id) })
}

// Page is the rule's page in Markdown.
func Page(id string) string {
	i, ok := find(id)
	if !ok {
		return ""
	}
	e := sorted()[i]
	page, err := e.pages.ReadFile(e.page)
	if err != nil {
		return ""
	}
	return string(page)
}

// Match is every rule that a name means: an id, an alias, the part of an id after its category, or a pattern with
// `*` over ids and aliases. Case does not matter.
func Match(name string) []*rule.Rule {
	if len(name) > limits.Default.ShownRunes { // no name is as long, and a pattern of a hostile policy may be a million stars
		return nil
	}
	want := strings.ToLower(name)
	var exact, bare []*rule.Rule
	for _, r := range All() {
		_, fault, _ := strings.Cut(r.ID, "/")
		names := append([]string{r.ID}, r.Aliases...)
		hit := false
		for _, n := range names {
			n = strings.ToLower(n)
			// path.Match's `*` stops at a slash; a lone `*` and `category/*` both mean what they look like.
			ok, err := path.Match(strings.ReplaceAll(want, "/", "\x00"), strings.ReplaceAll(n, "/", "\x00"))
			hit = hit || n == want || err == nil && ok
		}
		if hit {
			exact = append(exact, r)
		} else if fault == want {
			bare = append(bare, r)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return bare
}

// Suggest is the names nearest to one that means no rule, best first, at most three.
func Suggest(name string) []string {
	if len(name) > limits.Default.ShownRunes {
		return nil
	}
	var names []string
	for _, r := range All() {
		category, fault, _ := strings.Cut(r.ID, "/")
		if strings.EqualFold(strings.Trim(name, "/"), category) {
			return []string{category + "/*"} // all of them, as a pattern
		}
		if !strings.Contains(name, "/") && text.Distance(strings.ToLower(name), fault) < text.Distance(strings.ToLower(name), r.ID) {
			names = append(names, fault)
		}
		names = append(names, r.ID)
		names = append(names, r.Aliases...)
	}
	return text.Nearest(name, names, 3)
}
