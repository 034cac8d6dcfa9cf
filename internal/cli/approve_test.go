package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestAnApprovalSaysSoMuchAndNoMore(t *testing.T) {
	most := limits.Default.ApprovalText
	for what, c := range map[string]struct {
		p  approving
		ok bool
	}{
		"a long note":           {approving{note: strings.Repeat("a", most)}, true},
		"a note that is longer": {approving{note: strings.Repeat("a", most+1)}, false},
		"a longer name":         {approving{by: strings.Repeat("a", most+1)}, false},
		"no reason":             {approving{accept: []string{"card/poisoned"}}, false},
		"an empty reason":       {approving{accept: []string{"card/poisoned"}, reasons: []string{" "}}, false},
		"a day to come":         {approving{expires: "2027-01-31"}, true},
		"today":                 {approving{expires: "2026-12-01"}, true},
		"a day that is over":    {approving{expires: "2026-11-30"}, false},
		"no day":                {approving{expires: "next year"}, false},
		"taken back later":      {approving{expires: "2027-01-31", revoke: true}, false},
	} {
		c.p.judging = &judging{app: &app{limits: limits.Default, io: IO{Now: time.Now}}, today: "2026-12-01"}
		if err := c.p.checkApproval(); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}
