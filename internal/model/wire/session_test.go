package wire

import "testing"

func TestASessionIDThatCanBeGuessedIsSaidToBeWeak(t *testing.T) {
	t.Parallel()
	const uuid, other = "f572b1bc-4447-43e5-bf37-0c0acabfc4a1", "0b0d1b7e-2f4a-4c53-9d1c-6a5b7f0c9e22"
	for _, c := range []struct {
		why  string
		ids  []string
		weak bool
	}{
		{"a counter", []string{"1", "2"}, true},
		{"a time in milliseconds", []string{"1767225600000"}, true},
		{"a word", []string{"session"}, true},
		{"one id for all", []string{uuid, uuid}, true},
		{"a long prefix and a counter", []string{"session-of-the-shop-server-000001", "session-of-the-shop-server-000002"}, true},
		{"UUIDs", []string{uuid, other}, false},
		{"128 bits in base 64", []string{"3q2-7wECAwQFBgcICQoLDA"}, false},
		{"a Go server's", []string{"ZKQ4PXBBLS5QCUOBNWLKXHTWWD", "7TSV2WJ3AYB7GXKXEQ3ZQW4X5M"}, false},
		{"none", nil, false},
	} {
		if got := WeakSessionID(c.ids...); (got != "") != c.weak {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}
