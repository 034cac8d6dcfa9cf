package wire

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestNoSecretIsLeftInTheWordsOfASurface(t *testing.T) {
	const secret = `p<ss"wörd-0123`
	all := Spellings(secret, "short", "**********")
	s := &Surface{}
	s.Faults.Add("x", limits.Default, Fault{Kind: RefusedList, Detail: "no: " + secret, Target: "https://" + secret + ".example"})
	for _, detail := range []string{"it said " + secret + secret, `error {"a":"p\u003css\"wörd-0123"}`, "short is kept, ********** too",
		strings.Repeat("x", limits.Default.DetailBytes-6) + secret, strings.Repeat("x", limits.Default.DetailBytes-1) + secret} {
		s.Gap("tools", &Failure{Cause: CauseError, Detail: detail}, limits.Default)
	}
	before := s.Gaps[2].Detail
	s.Hide(all)
	text := string(s.Encode())
	if strings.Contains(text, "p<s") || strings.Contains(text, `p\u003c`) || strings.Contains(text, "0123") || strings.Contains(text, "xp…") {
		t.Error(text)
	}
	if s.Gaps[2].Detail != before {
		t.Errorf("%q", s.Gaps[2].Detail)
	}
}
