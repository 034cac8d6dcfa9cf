package schema

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/source"
)

func TestViolationsNameTheValueAndTheKeyword(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"object","required":["a","b"],"properties":{"a":{"maximum":5}}}`, `{"a":7}`, " /required b|/a /properties/a/maximum "},
		{`{"properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"a":1,"z":2}`, "/a /properties/a/type |/z /additionalProperties "},
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `1`, " /anyOf "},
		{`{"oneOf":[true,true]}`, `1`, " /oneOf "},
		{`{"not":{"const":1}}`, `1`, " /not "},
		{`{"items":{"$ref":"#/$defs/n"},"$defs":{"n":{"enum":[1,2]}}}`, `[1,3,2,4]`, "/1 /$defs/n/enum |/3 /$defs/n/enum "},
		{`{"contains":{"const":1},"maxContains":1}`, `[1,1]`, " /maxContains "},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "/ab /propertyNames ab"},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, "/b /unevaluatedProperties "},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, " /then/required b"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, " /dependentRequired b"},
		{`false`, `1`, "  "},
	} {
		out := New(parse(t, test.schema), options()).Validate(parse(t, test.value))
		var got []string
		for _, v := range out.Violations {
			got = append(got, v.Instance.Pointer()+" "+v.Schema.Pointer()+" "+v.Name)
		}
		if out.Verdict != Invalid || strings.Join(got, "|") != test.want {
			t.Errorf("%s on %s: %v, %q, want %q", test.schema, test.value, out.Verdict, strings.Join(got, "|"), test.want)
		}
	}
}

func TestAPartOfASchemaJudgesItsOwnDefault(t *testing.T) {
	root := parse(t, `{"properties":{"a":{"$ref":"#/$defs/n","default":"x"},"b":{"type":"integer","default":5}},"$defs":{"n":{"type":"number"}}}`)
	s := New(root, options())
	for name, want := range map[string]Verdict{"a": Invalid, "b": Valid} {
		part := root.Get("properties").Get(name)
		if out := s.ValidateBy(part, part.Get("default")); out.Verdict != want {
			t.Errorf("%s: %v", name, out)
		}
	}
	if out := s.ValidateBy(root.Get("properties"), root); out.Verdict != Incomplete {
		t.Errorf("what is no schema: %v", out)
	}
}

func TestTheLastOfTwoMembersCounts(t *testing.T) {
	for _, test := range []struct {
		schema, value string
		want          Verdict
	}{
		{`{"type":"string","type":"number"}`, `1`, Valid},
		{`{"properties":{"a":false,"a":true}}`, `{"a":1}`, Valid},
		{`{"$ref":"#/$defs/no","$ref":"#/$defs/yes","$defs":{"no":false,"yes":true}}`, `1`, Valid},
		{`{"properties":{"a":{"const":2}},"maxProperties":1}`, `{"a":1,"a":2}`, Valid},
		{`{"uniqueItems":true}`, `[{"a":1,"a":2},{"a":2}]`, Invalid},
	} {
		if out := New(parse(t, test.schema), options()).Validate(parse(t, test.value)); out.Verdict != test.want {
			t.Errorf("%s on %s: %v", test.schema, test.value, out)
		}
	}
}

func TestDocumentsAtHandAnswerReferences(t *testing.T) {
	o := options()
	o.Remote = func(uri string) source.Node {
		if uri != "https://example.com/base" {
			return source.Node{}
		}
		return parse(t, `{"$defs":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/$defs/n"}}}`)
	}
	s := New(parse(t, `{"$ref":"https://example.com/base"}`), o)
	if len(s.Faults) > 0 {
		t.Errorf("faults: %v", s.Faults)
	}
	for value, want := range map[string]Verdict{`{"a":1}`: Valid, `{"a":"x"}`: Invalid} {
		if out := s.Validate(parse(t, value)); out.Verdict != want {
			t.Errorf("%s: %v", value, out)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	for name, test := range map[string][2]string{
		"arguments of a tool": {`{"type":"object","properties":{"path":{"type":"string","pattern":"^/[a-z/]+$"},"limit":{"type":"integer","minimum":1,"maximum":100},"tags":{"type":"array","items":{"enum":["a","b","c"]}}},"required":["path"],"additionalProperties":false}`,
			`{"path":"/a/b/c","limit":10,"tags":["a","b","c"]}`},
		"a maze":           {maze(60, true), `"a"`},
		"a thousand items": {`{"items":{"type":"integer"},"uniqueItems":true}`, "[" + strings.TrimSuffix(strings.Repeat("1,", 1000), ",") + "]"},
	} {
		s, value := New(parse(b, test[0]), options()), parse(b, test[1])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Validate(value)
			}
		})
	}
}
