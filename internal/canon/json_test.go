package canon

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestEqualValuesHaveOneForm(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : 1.0 , "a" : [ 1E2, "\u003c\u00e9\/" ] } `: `{"a":[100,"<é/"],"b":1}`,
		`{"\ue000":1,"\ud83d\ude00":2}`:                     "{\"\U0001F600\":2,\"\ue000\":1}", // UTF-16 order
		`{"n":-0}`:                                          `{"n":0}`,
		`{"n":1.7976931348623157e+308}`:                     `{"n":1.7976931348623157e+308}`,
		`{"n":9007199254740993}`:                            `{"n":9007199254740993}`, // RFC 8785 alone would make …992 of it
		`{"n":9007199254740993.0}`:                          `{"n":9007199254740992}`,
		`{"n":100000000000000000000000}`:                    `{"n":100000000000000000000000}`,
	} {
		got, err := JSON([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestWhatHasNoFormIsRefused(t *testing.T) {
	for _, in := range []string{``, `{`, `{"a":1,"a":1}`, `"\ud800"`, "\"\xff\"", `1 2`, `[1e400]`, `{"n":-1E309}`, `01`} {
		if got, err := JSON([]byte(in)); err == nil {
			t.Errorf("%q has the form %s", in, got)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, in := range []string{`{"b":[1.50,"x"],"a":null}`, `1e-7`, `"é\n"`, `[9007199254740993,-0,1e21]`, `{"a":[1,"x"]}`, `1.7976931348623157e+308`, `{"a":1}{}`, ` 1`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		once, err := JSON(in)
		if is := Is(in); is != (err == nil && bytes.Equal(in, once)) {
			t.Errorf("%q: Is says %t, and its form is %s, %v", in, is, once, err)
		}
		if err != nil {
			return
		}
		twice, err := JSON(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%q: %s, then %s, %v", in, once, twice, err)
		}
		var was, is any
		if json.Unmarshal(in, &was) != nil || json.Unmarshal(once, &is) != nil {
			return // encoding/json refuses a little more
		}
		if !reflect.DeepEqual(was, is) {
			t.Errorf("%q changed its value: %s", in, once)
		}
	})
}
