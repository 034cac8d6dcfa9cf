package registry

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

// Unique takes out what a listing holds twice: the first of two records of one version stays. It says how many went.
func Unique(all []*Record) (kept []*Record, twice int) {
	seen := make(map[[2]string]bool, len(all))
	for _, r := range all {
		key := [2]string{r.Name, r.Version}
		if seen[key] {
			twice++
			continue
		}
		seen[key] = true
		kept = append(kept, r)
	}
	return kept, twice
}

// Newest orders versions from the newest on: as semantic versions, and behind them in the order of their publication.
func Newest(all []*Record) {
	slices.SortStableFunc(all, func(a, b *Record) int {
		if c := pkg.Compare(pkg.NPM, b.Version, a.Version); c != 0 {
			return c
		}
		return b.Official.Published.Compare(a.Official.Published)
	})
}

// Pick chooses the version of one server that is wanted: one by name, a range of npm's grammar, or "" and latest for the one
// that the registry calls the latest. A deleted one is chosen only by its name. It gives nil for none.
func Pick(all []*Record, want string) *Record {
	all = slices.Clone(all)
	Newest(all)
	for _, r := range all {
		if r.Version == want && !LooksLatest(want) {
			return r
		}
	}
	live := slices.DeleteFunc(all, func(r *Record) bool { return r.Deleted() || LooksLatest(r.Version) })
	if want == "" || LooksLatest(want) {
		for _, r := range live {
			if r.Official.Latest {
				return r
			}
		}
	}
	versions := make([]string, len(live))
	for i, r := range live {
		versions[i] = r.Version
	}
	best, err := pkg.Best(pkg.NPM, versions, want)
	if err != nil {
		return nil
	}
	return live[slices.Index(versions, best)]
}
