package source

import (
	"slices"
	"testing"
)

func TestLinesEndAtEveryKindOfEnd(t *testing.T) {
	for text, want := range map[string][]uint32{
		"": {0}, "a": {0}, "a\n": {0, 2}, "\n\nb": {0, 1, 2}, "a\nb\n": {0, 2, 4},
		"a\r\nb\rc": {0, 3, 5}, "\r": {0, 1}, "\r\n": {0, 2}, "a\n\rb": {0, 2, 3},
	} {
		if got := lineStarts([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"": true, "12345678": true, "123456789": true, "1234567é": false, "12345678é": false, "é": false} {
		if got := ascii([]byte(text)); got != want {
			t.Errorf("%q: ascii %v", text, got)
		}
	}
}
