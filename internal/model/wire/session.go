package wire

import (
	"fmt"
	"math"
	"strings"
)

// sessionBits is how many bits a session id must be able to hold: OWASP's least for an id that can not be guessed.
const sessionBits = 64

// WeakSessionID says why ids that a server gave to sessions can be guessed, "" where nothing says that they can. The
// specification wants them unique and cryptographically secure (2025-03-26, Session Management). It judges what an id could hold at
// best, not what it does: only what is certainly too little is named. The answer holds no part of an id.
func WeakSessionID(ids ...string) string {
	for i, id := range ids {
		if bits := capacity(id); bits < sessionBits {
			return fmt.Sprintf("%d characters hold %d bits at most", len(id), int(bits))
		}
		for _, other := range ids[:i] {
			if id == other {
				return "two sessions have the same id"
			}
			if n := common(id, other); capacity(id[n:]) < sessionBits/2 {
				return fmt.Sprintf("two ids differ in their last %d characters alone", len(id)-n)
			}
		}
	}
	return ""
}

// capacity is how many bits a text can hold in the alphabet that it seems to use.
func capacity(id string) float64 {
	alphabet := 0
	for _, class := range []struct {
		chars string
		size  int
	}{{"0123456789", 10}, {"abcdef", 6}, {"ghijklmnopqrstuvwxyz", 20}, {"ABCDEF", 6}, {"GHIJKLMNOPQRSTUVWXYZ", 20}, {"+/_=.~", 4}} {
		if strings.ContainsAny(id, class.chars) {
			alphabet += class.size
		}
	}
	if alphabet < 2 {
		return 0
	}
	return float64(len(strings.ReplaceAll(id, "-", ""))) * math.Log2(float64(alphabet))
}

// common is how many characters two ids begin with alike.
func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
