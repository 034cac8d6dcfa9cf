package doctor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestTheNextStepsAreFewWhateverTheyAreAbout(t *testing.T) {
	look := Options{NoDiscover: true, Limits: limits.Default, Command: func(words ...string) string { return strings.Join(words, " ") }}
	for what, fill := range map[string]func(v *Visit, res *engine.Result, i int){
		"skipped files": func(v *Visit, _ *engine.Result, i int) {
			v.Skipped = append(v.Skipped, finding.Skip{Path: fmt.Sprint(i), Reason: "symlink", Hint: "mcpassay lint"})
		},
		"rules": func(_ *Visit, res *engine.Result, i int) {
			res.Findings = append(res.Findings, finding.Finding{Rule: fmt.Sprint("x/", i), Severity: finding.Error, Status: finding.Active, Fingerprint: fmt.Sprint(i)})
		},
	} {
		for _, n := range []int{limits.Default.NextSteps, limits.Default.NextSteps + 1} {
			v, res := Look(nil, look), &engine.Result{}
			for i := range n {
				fill(v, res, i)
			}
			if got := len(v.Posture(res).Next); got != limits.Default.NextSteps {
				t.Errorf("%d %s: %d next steps", n, what, got)
			}
		}
	}
}
