package secret

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Mask returns s with every secret that its shape or its place in a URL shows replaced by
// "<secret: kind>". It is for text that is about to leave the product. Masked text has no hit.
func Mask(s string) string {
	if len(s) < shortest {
		return s
	}
	return settled(s, func(s string) []Hit {
		c := collector{s: s}
		c.vendor(0, len(s))
		c.settle()
		c.urls(0, len(s))
		return c.done()
	})
}

// MaskURL is Mask for one URL, which need not be well formed: what URL finds is replaced.
func MaskURL(u string) string { return settled(u, URL) }

// MaskArgs returns a copy of the arguments of a command with what Args finds replaced. An argument
// without a secret is unchanged to the byte.
func MaskArgs(args []string) []string {
	out := append([]string(nil), args...)
	for range limits.Default.MaskRounds {
		changed := false
		for i, hits := range judgeArgs(out, true) {
			if len(hits) > 0 {
				out[i] = replaced(out[i], hits)
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	return out
}

// settled masks until nothing is found: a mask can put the text behind it at the start of a word.
func settled(s string, find func(string) []Hit) string {
	for range limits.Default.MaskRounds {
		hits := find(s)
		if len(hits) == 0 {
			break
		}
		s = replaced(s, hits)
	}
	return s
}

func replaced(s string, hits []Hit) string {
	var b strings.Builder
	from := 0
	for _, h := range hits {
		b.WriteString(s[from:h.Start])
		b.WriteString("<secret: " + string(h.Kind) + ">")
		from = h.End
	}
	b.WriteString(s[from:])
	return b.String()
}
