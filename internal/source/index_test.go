package source

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnObjectOfManyMembersIsFoundByName(t *testing.T) {
	for _, n := range []int{1, manyMembers, manyMembers + 1, 100, 4096, 5000} {
		for _, twins := range []bool{false, true} {
			var b strings.Builder
			want := map[string]string{}
			for i := range n {
				key := fmt.Sprintf("k%d", i)
				if twins {
					key = fmt.Sprintf("k%d", i/2*i%97)
				}
				want[key] = fmt.Sprint(i)
				fmt.Fprintf(&b, `,"%s": %d`, key, i)
			}
			d := parse(t, "{"+b.String()[1:]+"}")
			if got := d.Root().Repeats(); got != (len(want) < n) {
				t.Errorf("%d members, %d names: repeats %v", n, len(want), got)
			}
			for range 2 { // once while the index may not be there, once from it
				for key, v := range want {
					if got, _ := d.Root().Get(key).Number(); got != v {
						t.Errorf("%d members: %s is %q, want %s", n, key, got, v)
					}
				}
				if d.Root().Get("k").Valid() || d.Root().Get("").Valid() {
					t.Errorf("%d members: a name that is not there was found", n)
				}
			}
		}
	}
}
