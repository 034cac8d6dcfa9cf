package schema

import (
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// seeds are schemas with something of everything.
var seeds = []string{
	`{"type":"object","properties":{"a":{"type":["string","null"],"pattern":"^(?=a)\\p{L}+$","minLength":1,"maxLength":5.0}},"required":["a"],"additionalProperties":false}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"$id":"#n","properties":{"next":{"$ref":"#n"}}}},"items":[{"$ref":"#/definitions/n"}],"additionalItems":false,"dependencies":{"a":["b"]}}`,
	`{"$id":"https://example.com/tree","$dynamicAnchor":"node","properties":{"kids":{"items":{"$dynamicRef":"#node"}}},"unevaluatedProperties":false,"$defs":{"x":{"$id":"sub","$anchor":"y"}}}`,
	`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"anyOf":[{"$recursiveRef":"#"},{"const":1}],"unevaluatedItems":{"enum":[1,2]}}`,
	`{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x.y/z","minimum":1,"exclusiveMinimum":true,"multipleOf":0.01}`,
	`{"if":{"required":["x"]},"then":{"minProperties":2},"else":{"not":{}},"contains":{"const":1},"minContains":0,"maxContains":2,"prefixItems":[true],"uniqueItems":true}`,
	`{"$ref":"#"}`, `{"allOf":[{"$ref":"#/allOf/0"},{"$ref":"#/allOf"}]}`, `{"multipleOf":1e10000000,"oneOf":[true,false]}`, `{"patternProperties":{"(a|a)*\\1":{}},"propertyNames":{"maxLength":3}}`,
}

// FuzzCheck reads any JSON as a schema: every fault names a value of the document, they come in its order, and the
// same schema gives the same faults again.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := source.Parse("schema.json", raw, source.JSON, limits.Default)
		if err != nil || !doc.Root().Valid() {
			return
		}
		o := options()
		r := Check(doc.Root(), o)
		last := 0
		for _, fault := range r.Faults {
			span := fault.Node.Span()
			if fault.Node.Doc() != doc || span.Start < last || span.End > len(raw) || fault.Other.Valid() && fault.Other.Doc() != doc {
				t.Fatalf("%v names no place, or not in order", fault)
			}
			last = span.Start
			_ = fault.String()
		}
		again := Check(doc.Root(), o)
		if len(again.Faults) != len(r.Faults) || again.Schemas != r.Schemas || again.Expansion != r.Expansion || again.Depth != r.Depth {
			t.Fatalf("%v, then %v", r, again)
		}
		for i := range r.Faults {
			if r.Faults[i] != again.Faults[i] {
				t.Fatalf("%v, then %v", r.Faults[i], again.Faults[i])
			}
		}
	})
}

// FuzzValidate judges any JSON by any: it ends within the budget, an outcome that is Incomplete says why, one that is
// Invalid says where, and what is valid is refused by the opposite.
func FuzzValidate(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), []byte(`{"a":"b","kids":[{"kids":[]}],"x":1}`))
		f.Add([]byte(s), []byte(`[1,1.0,{"next":{}}]`))
		f.Add([]byte(s), []byte(`2.01`))
	}
	f.Fuzz(func(t *testing.T, rawSchema, rawValue []byte) {
		schema, err := source.Parse("schema.json", rawSchema, source.JSON, limits.Default)
		if err != nil {
			return
		}
		value, err := source.Parse("value.json", rawValue, source.JSON, limits.Default)
		if err != nil {
			return
		}
		o := options()
		o.Limits.SchemaSteps = 20_000
		out := New(schema.Root(), o).Validate(value.Root())
		if out.Steps > o.Limits.SchemaSteps {
			t.Fatalf("%d steps", out.Steps)
		}
		if (out.Verdict == Incomplete) != (out.Why != "") || (out.Verdict == Invalid) != (len(out.Violations) > 0) {
			t.Fatalf("%v", out)
		}
		for _, v := range out.Violations {
			if !v.Instance.Valid() || v.Schema.Doc() != schema {
				t.Fatalf("%v names no place", v)
			}
		}
		if out.Verdict == Incomplete || schema.BOM || !schema.Strict {
			return
		}
		// Wrapped, references by pointer would lead elsewhere: only schemas without any are turned around.
		if r := Check(schema.Root(), o); len(r.Faults) > 0 || mentionsRef(rawSchema) {
			return
		}
		opposite, err := source.Parse("schema.json", []byte(`{"not":`+string(rawSchema)+`}`), source.JSON, limits.Default)
		if err != nil {
			return
		}
		want := Valid
		if out.Verdict == Valid {
			want = Invalid
		}
		if got := New(opposite.Root(), o).Validate(value.Root()); got.Verdict != want && got.Verdict != Incomplete {
			t.Fatalf("%v, and by the opposite %v", out.Verdict, got.Verdict)
		}
	})
}

// FuzzPattern reads any text as a pattern: what compiles for us compiles in an engine, and where both engines take it
// they match the same.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{`^(?=a)\p{L}+$`, `(?<n>a)\k<n>\1`, `[^\]\u{1F600}-\uD83D\uDE01\d]`, `(a|b)*?c{2,3}\b`, `\cA\x41\u0042\0`, `[]|[^]`, `(?<!x)(?:y|)`, `}{,1}]\_`} {
		f.Add(p, "ab\n😀 c")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p := readPattern(pattern, limits.Default.PatternDepth, noForm, nil)
		if p.bad != "" || p.deep || !utf8.ValidString(pattern) || !utf8.ValidString(text) || len(text) > 100 {
			return
		}
		q := readPattern(pattern, limits.Default.PatternDepth, linearForm, nil)
		if p.plain, q.plain = "", ""; p != q && !q.inert { // what only a writer looks at may make it inert
			t.Fatalf("%+v, and while writing %+v", p, q)
		}
		m := compilePattern(pattern, limits.Default, func(int64) bool { return true })
		if m.problem == "a pattern is not supported" {
			t.Fatalf("%q compiles in no engine", pattern)
		}
		if m.linear == nil {
			return
		}
		back, err := regexp2.Compile(readPattern(pattern, limits.Default.PatternDepth, backForm, nil).plain, regexp2.ECMAScript)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		back.MatchTimeout = limits.Default.PatternTime
		if yes, err := back.MatchString(text); err == nil && yes != m.linear.MatchString(text) {
			t.Fatalf("%q on %q: regexp2 says %v, RE2 does not", pattern, text, yes)
		}
	})
}

func mentionsRef(raw []byte) bool {
	for _, c := range raw {
		if c == '$' || c == '\\' {
			return true
		}
	}
	return false
}
