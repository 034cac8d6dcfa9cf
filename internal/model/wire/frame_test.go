package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func kinds(f Frame) string {
	var all []string
	for _, flaw := range f.Flaws {
		all = append(all, string(flaw.Kind))
	}
	return strings.Join(all, " ")
}

func TestAFrameIsToldByItsMembers(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, c := range []struct {
		name, raw  string
		kind       Kind
		id, method string
		flaws      string
	}{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, Request, "1", "ping", ""},
		{"a request with a string for an id", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, Request, `"a"`, "ping", ""},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/x"}`, Notification, "", "notifications/x", ""},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, Response, "1", "", ""},
		{"a response that is null", `{"jsonrpc":"2.0","id":1,"result":null}`, Response, "1", "", ""},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}`, Response, "1", "", ""},
		{"an error to what could not be read", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, Response, "null", "", ""},
		{"a batch", `[{"jsonrpc":"2.0","method":"m"}]`, Batch, "", "", ""},
		{"an empty batch", `[]`, Invalid, "", "", "bad-envelope"},
		{"no version", `{"id":1,"result":{}}`, Response, "1", "", "bad-envelope"},
		{"the version as a number", `{"jsonrpc":2.0,"id":1,"result":{}}`, Response, "1", "", "bad-envelope"},
		{"a result and an error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, Response, "1", "", "bad-envelope"},
		{"a result that is named twice", `{"jsonrpc":"2.0","id":1,"result":{},"result":{"tools":[]}}`, Response, "1", "", "bad-envelope"},
		{"an object for an id", `{"jsonrpc":"2.0","id":{},"result":{}}`, Response, "{}", "", "bad-envelope"},
		{"an error of another API", `{"error":"not_found"}`, Invalid, "", "", "bad-envelope bad-envelope"},
		{"a string for an error", `{"jsonrpc":"2.0","id":1,"error":"no"}`, Response, "1", "", "bad-envelope"},
		{"no id", `{"jsonrpc":"2.0","result":{}}`, Response, "", "", "bad-envelope"},
		{"a number for a method", `{"jsonrpc":"2.0","id":1,"method":7}`, Invalid, "1", "", "bad-envelope"},
		{"an empty object", `{"jsonrpc":"2.0"}`, Invalid, "", "", "bad-envelope"},
		{"a string", `"hello"`, Invalid, "", "", "bad-envelope"},
		{"a banner", "[db] Connected", Invalid, "", "", "not-json"},
		{"nothing", "", Invalid, "", "", "not-json"},
		{"a web page", "<!DOCTYPE html>\n<p>", Invalid, "", "", "html"},
		{"a comment", `{"jsonrpc":"2.0","id":1,"result":{}} // ok`, Invalid, "", "", "not-json"},
		{"two messages", `{"jsonrpc":"2.0","method":"m"}{"jsonrpc":"2.0","method":"m"}`, Invalid, "", "", "not-json"},
		{"5,000 deep", `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`, Invalid, "", "", "too-deep"},
		{"a million values", `{"jsonrpc":"2.0","id":1,"result":[` + strings.Repeat("0,", limits.Default.FrameValues) + `0]}`, Invalid, "", "", "too-large"},
		{"a bad byte", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xFF\"}}", Response, "1", "", "bad-text"},
		{"half a pair", `{"jsonrpc":"2.0","id":1,"result":{"a":"\uD800"}}`, Response, "1", "", "bad-text"},
		{"a byte order mark", "\xEF\xBB\xBF" + `{"jsonrpc":"2.0","id":1,"result":{}}`, Response, "1", "", "bad-text"},
	} {
		f := ParseFrame([]byte(c.raw), limits.Default)
		if f.Kind != c.kind || f.ID != c.id || f.Method != c.method || kinds(f) != c.flaws {
			t.Errorf("%s: %v, id %q, method %q, flaws %q; want %v, %q, %q, %q", c.name, f.Kind, f.ID, f.Method, kinds(f), c.kind, c.id, c.method, c.flaws)
		}
		if string(f.Raw) != c.raw {
			t.Errorf("%s: the raw bytes are %.100q", c.name, f.Raw)
		}
	}
}

func TestTheNumbersOneAndOnePointZeroAreOneID(t *testing.T) {
	for id, want := range map[string]bool{"1": true, "1.0": true, "1e0": true, "2": false, `"1"`: false, "null": false} {
		f := ParseFrame([]byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`), limits.Default)
		if f.Answers("1") != want {
			t.Errorf("id %s answers 1: %v", id, !want)
		}
	}
	if f := ParseFrame([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), limits.Default); f.Answers("1") {
		t.Error("a request answers")
	}
}

func TestABatchComesApart(t *testing.T) {
	f := ParseFrame([]byte(`[{"jsonrpc":"2.0","id":1,"result":{"a":1}}, {"jsonrpc":"2.0","method":"m"}, [1], 7]`), limits.Default)
	var got []Kind
	for p := range f.Parts() {
		got = append(got, p.Kind)
	}
	if len(got) != 4 || got[0] != Response || got[1] != Notification || got[2] != Invalid || got[3] != Invalid {
		t.Errorf("parts %v", got)
	}
}

func TestAnErrorKeepsItsCodeAndItsData(t *testing.T) {
	f := ParseFrame([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`), limits.Default)
	e, ok := f.Error()
	if !ok || e.Code != CodeUnsupportedVersion || e.Message != "no" || e.Data.Get("supported").At(0).Text() != Modern || f.Result().Valid() {
		t.Errorf("error %+v", e)
	}
	f = ParseFrame([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}`), limits.Default)
	if e, ok := f.Error(); !ok || e.Code != 0 {
		t.Errorf("code %d of one that is no whole number", e.Code)
	}
	if _, ok := (*Frame)(nil).Error(); ok || (*Frame)(nil).Result().Valid() {
		t.Error("no frame has an error or a result")
	}
}

func FuzzFrame(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[null]}}`, `[{"id":1,"error":{"code":1}},[]]`, "banner",
		"\xEF\xBB\xBF{}", `{"method":"m","id":null}`, "{\"result\":\"\xFF\"}", `{"id":1,"result":{"a":1 /* c */}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame := ParseFrame(raw, limits.Default)
		if string(frame.Raw) != string(raw) {
			t.Fatal("the raw bytes changed")
		}
		if frame.Kind == Invalid && len(frame.Flaws) == 0 {
			t.Fatal("invalid without a reason")
		}
		if frame.Node.Valid() && !json.Valid(frame.Node.Raw()) {
			t.Fatalf("a node that is no JSON: %q", frame.Node.Raw())
		}
		for part := range frame.Parts() {
			result := part.Result()
			if !result.Valid() {
				continue
			}
			// Whatever was a result can be kept, read again, and is the same bytes.
			s := Surface{Hello: result.Raw()}
			s.Pages[Tools] = [][]byte{result.Raw()}
			again, err := ReadSurface("s.json", s.Encode(), limits.Default)
			if err != nil || string(again.HelloNode().Raw()) != string(result.Raw()) || string(again.PageNodes(Tools)[0].Raw()) != string(result.Raw()) {
				t.Fatalf("a result that does not survive: %v", err)
			}
		}
	})
}
