package source

import (
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// A name is what it means, however it is written: who reads the first of two and who reads the last are told apart by nobody else.
func TestANameThatIsWrittenInTwoWaysStandsTwice(t *testing.T) {
	t.Parallel()
	for in, ambiguous := range map[string]bool{
		`{"name":"a","n\u0061me":"b"}`:              true,
		`{"n\u0061me":"a","name":"b"}`:              true,
		`{"n\u0061me":"a","\u006eame":"b"}`:         true,
		`{"x":{"a":1,"\u0061":2}}`:                  true,
		`{"name":"a","n\u0061me":"a"}`:              false,
		`{"name":"a","n\u0062me":"b","\u0061":"c"}`: false,
	} {
		d, err := Parse("", []byte(in), JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if _, why := d.Ambiguous(); (why != "") != ambiguous {
			t.Errorf("%s: %q", in, why)
		}
	}
}
