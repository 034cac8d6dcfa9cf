package catalog

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestAPatternLongerThanAnyNameMeansNoRule(t *testing.T) {
	long := strings.Repeat("*", limits.Default.ShownRunes+1)
	if Match(long) != nil || Suggest(long) != nil || len(Match(long[1:])) != len(All()) {
		t.Error("the length of a pattern is not bounded, or too much")
	}
}
