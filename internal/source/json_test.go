package source

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

func parse(t *testing.T, text string) *Doc {
	t.Helper()
	d, err := Parse("f.json", []byte(text), JSON, limits.Default)
	if err != nil {
		t.Fatalf("parse %.80q: %v", text, err)
	}
	return d
}

func parseErr(t *testing.T, f Format, text string) *SyntaxError {
	t.Helper()
	_, err := Parse("f", []byte(text), f, limits.Default)
	if err == nil {
		t.Fatalf("parse %.80q: no error", text)
	}
	return err.(*SyntaxError)
}

func TestSpansSliceToTheValue(t *testing.T) {
	d := parse(t, `{"a": [1, "x\"y", {"b~/c": -1.5e3}], "é": null, "t":true}`)
	for pointer, want := range map[string]string{
		"/a": `[1, "x\"y", {"b~/c": -1.5e3}]`, "/a/0": "1", "/a/1": `"x\"y"`, "/a/2/b~0~1c": "-1.5e3", "/é": "null", "/t": "true",
	} {
		n := d.Lookup(pointer)
		if string(n.Raw()) != want || n.Pointer() != pointer {
			t.Errorf("%s: raw %q, pointer %q, want %q", pointer, n.Raw(), n.Pointer(), want)
		}
	}
	if got := d.Lookup("/a/1").Text(); got != `x"y` {
		t.Errorf("text %q", got)
	}
	if s := d.Lookup("/t").KeySpan(); string(d.Raw[s.Start:s.End]) != `"t"` {
		t.Errorf("key span %v", s)
	}
}

func TestTheLastDuplicateIsTheOneClientsRead(t *testing.T) {
	d := parse(t, `{"mcpServers": {"evil": {}}, "mcpServers": {}}`)
	if got := d.Root().Get("mcpServers").Len(); got != 0 {
		t.Errorf("the first duplicate was read: %d members", got)
	}
	all := d.Root().All("mcpServers")
	if len(all) != 2 || !all[0].Overridden() || all[1].Overridden() {
		t.Errorf("duplicates %v", all)
	}
	var b strings.Builder
	b.WriteString("{")
	for i := range 40 {
		b.WriteString(`"k` + string(rune('a'+i%26)) + `": ` + string(rune('0'+i/26)) + ",")
	}
	b.WriteString(`"z": 9}`)
	d = parse(t, b.String())
	for range 2 { // once while the map is made, once from it
		if raw, _ := d.Root().Get("kb").Number(); raw != "1" {
			t.Errorf("kb = %s", raw)
		}
	}
}

func TestCommentsAndTrailingCommasAreReadAndRemembered(t *testing.T) {
	d := parse(t, "{ // one\n \"a\": \"//no,]\", /* two */ \"b\": [1, 2 , /* x */ ], }")
	if d.Strict || len(d.Comments) != 3 || len(d.TrailingCommas) != 2 {
		t.Fatalf("strict %v, comments %d, commas %d", d.Strict, len(d.Comments), len(d.TrailingCommas))
	}
	if got := d.Lookup("/a").Text(); got != "//no,]" {
		t.Errorf("a = %q", got)
	}
	for _, bad := range []string{"[,]", "{,}", "[1,,]", "{\"a\":,}", "[1 /* never ends", "/* */"} {
		parseErr(t, JSON, bad)
	}
	if !parse(t, `{"a":1}`).Strict {
		t.Error("strict JSON is not strict")
	}
}

func TestHostileTextIsRefusedNotSuffered(t *testing.T) {
	cases := map[string]struct{ text, cause string }{
		"3,000 deep":        {strings.Repeat("[", 3000) + strings.Repeat("]", 3000), "depth"},
		"0.7 MB of [":       {strings.Repeat("[", 700_000), "depth"},
		"0.7 MB of {\"a\":": {strings.Repeat(`{"a":`, 140_000), "depth"},
		"NUL bytes":         {"{\"a\": \"\x00\"}", "syntax"},
		"UTF-16 LE":         {"\xFF\xFE{\x00}\x00", "encoding"},
		"UTF-16 BE":         {"\x00{\x00}", "encoding"},
		"empty":             {"", "syntax"},
		"only a BOM":        {"\xEF\xBB\xBF", "syntax"},
		"two values":        {"{} {}", "syntax"},
		"cut short":         {`{"a": [1, 2`, "syntax"},
		"600 KB of /*":      {strings.Repeat("/* ", 200_000), "syntax"},
		"a missing comma":   {`{"a": 1 "b": 2}`, "syntax"},
	}
	for name, c := range cases {
		e := parseErr(t, JSON, c.text)
		if e.Cause != c.cause || e.Line < 1 || e.Column < 1 {
			t.Errorf("%s: cause %q at %d:%d (%s), want %q", name, e.Cause, e.Line, e.Column, e.Msg, c.cause)
		}
	}
	lim := limits.Default
	lim.Values = 10
	if _, err := Parse("f", []byte("["+strings.Repeat("1,", 20)+"1]"), JSON, lim); err == nil || err.(*SyntaxError).Cause != "size" {
		t.Errorf("too many values: %v", err)
	}
}

func TestOddTextIsReadAndPointedAt(t *testing.T) {
	d := parse(t, "\xEF\xBB\xBF{\"a\": 1}")
	if !d.BOM {
		t.Error("the byte order mark was not seen")
	}
	if l := d.Locate(d.Lookup("/a").KeySpan(), "/a"); l.Offset != 4 || l.Column != 2 {
		t.Errorf("with a byte order mark: %+v", l)
	}
	if d := parse(t, `{"a": "\ud800", "b": 1}`); d.BadText.Start != 7 || d.BadText.Len() != 6 {
		t.Errorf("lone surrogate at %v", d.BadText)
	}
	if d := parse(t, `{"a": "\ud83d\ude00\\ud800"}`); d.BadText.Len() != 0 {
		t.Errorf("a pair was called lone: %v", d.BadText)
	}
	if d := parse(t, "{\"a\": \"\xff\"}"); d.BadText.Start != 7 {
		t.Errorf("bad UTF-8 at %v", d.BadText)
	}
	if raw, _ := parse(t, strings.Repeat("9", 5000)).Root().Number(); len(raw) != 5000 {
		t.Error("a 5,000-digit number is a number")
	}
}

func TestPositionsCountCodePointsAndEveryLineEnd(t *testing.T) {
	d := parse(t, "{\"é\": 1,\r\"b\": 2,\r\n\"𝒳𝒳\": 3}")
	for pointer, want := range map[string][2]int{"/é": {1, 7}, "/b": {2, 6}, "/𝒳𝒳": {3, 7}} {
		line, col := d.Position(d.Lookup(pointer).Span().Start)
		if line != want[0] || col != want[1] {
			t.Errorf("%s at %d:%d, want %v", pointer, line, col, want)
		}
	}
	long := parse(t, `["`+strings.Repeat("é", 5000)+`", 7]`)
	if _, col := long.Position(long.Lookup("/1").Span().Start); col != 5006 {
		t.Errorf("column %d on a long line, want 5006", col)
	}
}

func TestEqualComparesMeaning(t *testing.T) {
	a := parse(t, `{"x": [1, "a"], "y": {"p": null}}`)
	b := parse(t, `{"y": {"p": null}, "x": [1, "\u0061"]}`)
	c := parse(t, `{"y": {"p": null, "q": 1}, "x": [1, "a"]}`)
	if !Equal(a.Root(), b.Root()) || Equal(a.Root(), c.Root()) || Equal(c.Root(), a.Root()) {
		t.Error("equality is not by meaning")
	}
}

func TestEditsLeaveTheRestAlone(t *testing.T) {
	text := "{\n  // keep\n  \"servers\": {\n    \"a\": {\"x\": 1},\n    \"b\": {}\n  }\n}\n"
	d := parse(t, text)
	cases := []struct {
		name, want string
		edit       finding.Edit
	}{
		{"rename", strings.Replace(text, `"servers"`, `"mcpServers"`, 1), d.Lookup("/servers").Rename("mcpServers")},
		{"remove the first", strings.Replace(text, "\"a\": {\"x\": 1},\n    ", "", 1), d.Lookup("/servers/a").Remove()},
		{"remove the last", strings.Replace(text, ",\n    \"b\": {}", "", 1), d.Lookup("/servers/b").Remove()},
		{"remove the only", strings.Replace(text, `{"x": 1}`, `{}`, 1), d.Lookup("/servers/a/x").Remove()},
		{"insert", strings.Replace(text, `{"x": 1}`, `{"type": "http", "x": 1}`, 1), d.Lookup("/servers/a").Insert("type", `"http"`)},
		{"insert into nothing", strings.Replace(text, `"b": {}`, `"b": {"type": "http"}`, 1), d.Lookup("/servers/b").Insert("type", `"http"`)},
	}
	for _, c := range cases {
		out, err := Apply(d.Raw, []finding.Edit{c.edit, c.edit})
		if err != nil || string(out) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, out, c.want)
		}
	}
	if _, err := Apply(d.Raw, []finding.Edit{{Offset: 1, Length: 5}, {Offset: 3, Length: 1}}); err == nil {
		t.Error("overlapping edits were applied")
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"\u00e9"}]}`, "{ // c\n\"a\":1,}", `{"a":"\ud800"}`, "\xEF\xBB\xBF[]", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := Parse("f", raw, JSON, limits.Default)
		if err != nil {
			return
		}
		if d.Strict && !json.Valid(trimBOM(raw)) {
			t.Fatalf("strict, and encoding/json refuses %q", raw)
		}
		for n := range d.Nodes() {
			checkNode(t, n)
		}
	})
}

func trimBOM(raw []byte) []byte { return []byte(strings.TrimPrefix(string(raw), "\xEF\xBB\xBF")) }

// checkNode holds what every format promises: a scalar's bytes read again are the same value, children lie inside
// their parent, and the pointer of an undisputed member leads back.
func checkNode(t *testing.T, n Node) {
	t.Helper()
	s := n.Span()
	if s.Start < 0 || s.End > len(n.Doc().Raw) || s.Start > s.End {
		t.Fatalf("span %v of %d bytes", s, len(n.Doc().Raw))
	}
	if n.Kind() == String && n.Doc().Format == JSON {
		again, err := Parse("f", n.Raw(), JSON, limits.Default)
		if err != nil || again.Root().Text() != n.Text() {
			t.Fatalf("%q read again: %v", n.Raw(), err)
		}
	}
	if p := n.Parent(); p.Valid() && n.Doc().Format != TOML && !n.Shared() && !p.Span().Contains(s) {
		t.Fatalf("%v is outside of its parent %v", s, p.Span())
	}
	n.Doc().Position(s.Start)
}

func TestTheInnerBytesOfAStringAreItsText(t *testing.T) {
	d, err := Parse("x", []byte(`["ab","a\u0062","é",1,"ab"]`), JSON, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"ab", "-", "é", "-", "ab"} {
		for range 2 { // the second answer is the kept one
			got := "-"
			if s, ok := d.Root().At(i).Inner(); ok {
				got = string(d.Raw[s.Start:s.End])
			}
			if got != want {
				t.Errorf("item %d: got %q, want %q", i, got, want)
			}
		}
	}
}
