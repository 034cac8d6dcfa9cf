package text

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Distance is the number of edits (insert, delete, replace, swap of neighbours) between two short strings.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			same := 1
			if x[i-1] == y[j-1] {
				same = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(x)+1)%3][len(y)]
}

// Nearest is the names that a mistyped one may have meant, best first, at most max. A name counts when at most a
// third of it would have to change, or when it holds the mistyped one.
func Nearest(name string, names []string, max int) []string {
	type near struct {
		name string
		d    int
	}
	word := strings.ToLower(name)
	if len(word) > limits.Default.ShownRunes {
		return nil
	}
	var found []near
	for _, n := range names {
		low := strings.ToLower(n)
		d := Distance(word, low)
		if len(word) >= 3 && strings.Contains(low, word) {
			d = min(d, 1)
		}
		if d <= 1+len(word)/3 {
			found = append(found, near{n, d})
		}
	}
	first := func(n near) int { // who mistypes a word seldom does so at its first letter
		if word != "" && strings.HasPrefix(strings.ToLower(n.name), word[:1]) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(first(a), first(b)), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, f := range found {
		if f.d > found[0].d+1 {
			break // much farther than the best: noise
		}
		if !slices.Contains(out, f.name) && len(out) < max {
			out = append(out, f.name)
		}
	}
	return out
}
