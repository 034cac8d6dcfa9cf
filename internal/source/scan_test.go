package source

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// tokens is what jsontext reads of a text: the oracle of scan. ok is false for one that it refuses.
func tokens(text []byte) (nodes []node, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	parent, name := int32(-1), -1
	last, count := map[int32]int32{}, map[int32]uint32{}
	for {
		before := dec.InputOffset()
		token, err := dec.ReadToken()
		if err != nil {
			return nodes, err == io.EOF && len(nodes) > 0
		}
		start, end := before+int64(bytes.IndexFunc(text[before:], func(r rune) bool { return !strings.ContainsRune(" \t\r\n,:", r) })), dec.InputOffset()
		kind := token.Kind()
		if kind == '}' || kind == ']' {
			nodes[parent].end, parent = uint32(end), nodes[parent].parent
			continue
		}
		if parent >= 0 && nodes[parent].kind == Object && name < 0 {
			name = int(start)
			continue
		}
		if parent < 0 && len(nodes) > 0 {
			return nodes, false
		}
		at := int32(len(nodes))
		n := node{start: uint32(start), end: uint32(end), next: -1, parent: parent, kind: map[jsontext.Kind]Kind{
			'n': Null, 't': Bool, 'f': Bool, '0': Number, '"': String, '{': Object, '[': Array}[kind]}
		if count[parent] > 0 {
			nodes[last[parent]].next = at
		}
		if name >= 0 {
			n.key, n.member, name = uint32(name), true, -1
		} else {
			n.key = count[parent]
		}
		last[parent] = at
		count[parent]++
		if nodes = append(nodes, n); n.kind >= Object {
			parent = at
		}
	}
}

// scanned holds scan to its oracle: it takes the same texts, with the same tree, and knows why it takes no other.
func scanned(t *testing.T, text []byte) {
	t.Helper()
	var d Doc
	lim := limits.Default
	lim.Depth = 9_000 // jsontext ends at 10,000
	err := d.scan(text, 0, lim)
	want, ok := tokens(text)
	if err != nil && err != errSyntax {
		return
	}
	if ok != (err == nil) {
		t.Fatalf("%q: %v, and jsontext takes it: %v", text, err, ok)
	}
	if err != nil {
		if e := syntaxError(text, 0).(*SyntaxError); e.Msg == "" || e.Offset > len(text) {
			t.Fatalf("%q: %+v", text, e)
		}
		return
	}
	if len(want) != len(d.nodes) {
		t.Fatalf("%q: %d values, want %d", text, len(d.nodes), len(want))
	}
	for i, n := range d.nodes {
		if n.name > 0 {
			if raw := text[n.key:][:int(n.name)+2]; raw[0] != '"' || raw[len(raw)-1] != '"' || bytes.ContainsAny(raw[1:len(raw)-1], `"\`) {
				t.Fatalf("%q: the name %q", text, raw)
			}
		}
		if n.name = 0; n != want[i] {
			t.Fatalf("%q: value %d is %+v, want %+v", text, i, n, want[i])
		}
	}
	quick := d.plain
	d.Raw, d.plain = text, 0
	if quick < 0 && d.Plain() {
		t.Fatalf("%q is plain", text)
	}
	if d.plain = 0; quick == 0 && !d.Plain() {
		t.Fatalf("%q is not plain", text)
	}
}

// jsonTexts are at the edges of the grammar.
var jsonTexts = []string{
	"", " ", "{}", "[]", " [ ] ", "{ }x", "[}", "{]", "[", "{", "]", "}", ",", ":", "[,]", "[1,]", "[1 2]", "[1,,2]", "{,}", `{"a"}`, `{"a":}`,
	`{"a" 1}`, `{"a":1,}`, `{"a":1 "b":2}`, `{1:2}`, `{"a":1,"a":[{"b":{}},[]],"":0}`, "[[],[[]],{}]", "1", "-", "-0", "01", "-01", "1.", ".1", "1.0",
	"1e", "1e+", "1E-07", "1.5e3.", "+1", "0x1", "1_0", "--1", "nul", "null", "nulll", "true", "True", "false", "falsy", "[null,true,false]", "NaN",
	`"`, `"a`, `"\`, `"\"`, `"\\"`, `"\x"`, `"\u"`, `"\u12"`, `"\u12G4"`, `"\u00e9"`, `"\uD800"`, `"\uD83D\uDE00"`, `"\/\b\f\n\r\t"`, "\"\t\"", "\"\n\"",
	"\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\x80\"", "\"é\"", "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\u00a0[]", "\ufeff[]", "[]\x00", "\f[]", "[]\v", "{} {}",
	`[] ""`, "[]]", `{"a":"` + strings.Repeat("x", 300) + `","` + strings.Repeat("y", 255) + `":1,"` + strings.Repeat("z", 256) + `":2}`, "// c\n[]",
}

func TestScanReadsWhatJsontextReads(t *testing.T) {
	for _, text := range jsonTexts {
		scanned(t, []byte(text))
		// Every byte once at every place of eight, and every end.
		for i := range text {
			scanned(t, []byte(text[:i]))
		}
	}
	for n := range 20 {
		for c := range 256 {
			scanned(t, []byte(`["`+strings.Repeat("a", n)+string([]byte{byte(c)})+`bcdefghijk"]`))
			scanned(t, []byte(`{"`+strings.Repeat("a", n)+string([]byte{byte(c)})+`n":1}`))
		}
	}
	scanned(t, []byte(strings.Repeat("[", 8_000)+strings.Repeat("]", 8_000)))
}

func FuzzScan(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { scanned(t, text) })
}

func BenchmarkScan(b *testing.B) {
	text := []byte(`{"mcpServers": {` + strings.Repeat(`"server-0": {"command": "npx", "args": ["-y", "@example/server@1.4.2"], "env": {"API_KEY": "${KEY}", "LOG_LEVEL": "info"}}, `, 10_000) + `"z": {}}}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse("f", text, JSON, limits.Default); err != nil {
			b.Fatal(err)
		}
	}
}
