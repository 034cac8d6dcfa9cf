package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func parse(t testing.TB, s string) source.Node {
	t.Helper()
	d, err := source.Parse("schema.json", []byte(s), source.JSON, limits.Default)
	if err != nil {
		t.Fatalf("%v in %.200s", err, s)
	}
	return d.Root()
}

func options() Options { return NewOptions(limits.Default) }

const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
const draft4 = `"$schema":"http://json-schema.org/draft-04/schema#",`

// TestCheckNamesEachFaultAndItsPlace: a fault is "pointer: kind, what is wanted", with # for the name of a member.
func TestCheckNamesEachFaultAndItsPlace(t *testing.T) {
	for _, test := range []struct {
		about, schema string
		want          []string
	}{
		{"nothing asked", `{}`, nil},
		{"booleans are schemas", `{"properties":{"a":true},"additionalProperties":false}`, nil},
		{"the form that the specification recommends for no parameters", `{"type":"object","additionalProperties":false}`, nil},
		{"an unknown keyword is no fault", `{"x-origin":7,"nullable":true}`, nil},
		{"a number is no schema", `{"properties":{"a":1}}`, []string{"/properties/a: not a schema, a schema: an object or a boolean"}},
		{"a whole schema that is a list", `[]`, []string{": not a schema, a schema: an object or a boolean"}},
		{"draft-04 has no boolean schemas", `{` + draft4 + `"properties":{"a":true},"additionalProperties":false}`, []string{"/properties/a: not a schema, a schema: an object"}},
		{"a type by another name", `{"type":"int"}`, []string{`/type: unknown type "int"`}},
		{"types by other names", `{"type":["string","str",3,"string"]}`, []string{`/type/1: unknown type "str"`, "/type/2: wrong type, the name of a type", `/type/3: duplicate "string"`}},
		{"no type", `{"type":[]}`, []string{"/type: empty"}},
		{"a type that is none", `{"type":{}}`, []string{"/type: wrong type, the name of a type or an array of several"}},
		{"5.0 and 1e1 are counts", `{"minLength":5.0,"maxLength":1e1}`, nil},
		{"counts that are none", `{"minLength":-1,"maxItems":1.5,"minItems":"2"}`, []string{"/minLength: out of range, an integer from 0", "/maxItems: out of range, an integer from 0", "/minItems: wrong type, an integer from 0"}},
		{"multiples of nothing", `{"anyOf":[{"multipleOf":0},{"multipleOf":-2},{"multipleOf":"2"},{"multipleOf":1e-9}]}`, []string{"/anyOf/0/multipleOf: out of range, a number above 0", "/anyOf/1/multipleOf: out of range, a number above 0", "/anyOf/2/multipleOf: wrong type, a number above 0"}},
		{"nothing to choose from", `{"allOf":[],"anyOf":{},"oneOf":[3]}`, []string{"/allOf: empty", "/anyOf: wrong type, an array of schemas", "/oneOf/0: not a schema, a schema: an object or a boolean"}},
		{"values twice", `{"enum":[1,"a",{"x":1,"y":2},1.0,{"y":2,"x":1.0}]}`, []string{"/enum/3: duplicate"}},
		{"required as draft-03 had it", `{"properties":{"a":{"required":true}}}`, []string{"/properties/a/required: wrong type, an array of property names"}},
		{"required twice", `{"properties":{"a":{}},"required":["a","a"]}`, []string{`/required/1: duplicate "a"`}},
		{"required may be empty since draft-06", `{"required":[]}`, nil},
		{"required may not be empty in draft-04", `{` + draft4 + `"required":[]}`, []string{"/required: empty"}},
		{"a tuple of draft-07", `{` + draft7 + `"items":[{"type":"string"}],"additionalItems":false}`, nil},
		{"a tuple of draft-07 in 2020-12", `{"items":[{"type":"string"}],"additionalItems":false}`, []string{"/items: tuple items, a schema: an object or a boolean", `/additionalItems#: other dialect "additionalItems"`}},
		{"a tuple of 2020-12 in draft-07", `{` + draft7 + `"prefixItems":[{"type":"string"}]}`, []string{`/prefixItems#: other dialect "prefixItems"`}},
		{"dependencies of draft-07", `{` + draft7 + `"dependencies":{"a":["b"],"c":{"type":"object"},"d":7}}`, []string{"/dependencies/d: not a schema, a schema: an object or a boolean"}},
		{"dependencies by their name in 2020-12", `{"dependentRequired":{"a":["b",1],"c":{}},"dependentSchemas":{"d":[]}}`, []string{"/dependentRequired/a/1: wrong type, a property name", "/dependentRequired/c: wrong type, an array of property names", "/dependentSchemas/d: not a schema, a schema: an object or a boolean"}},
		{"exclusive bounds of draft-04", `{` + draft4 + `"minimum":1,"exclusiveMinimum":true}`, nil},
		{"exclusive bounds of draft-04 in 2020-12", `{"minimum":1,"exclusiveMinimum":true}`, []string{"/exclusiveMinimum: wrong type, a number"}},
		{"annotations", `{"title":1,"description":[],"readOnly":"yes","examples":"a","$comment":{},"deprecated":0}`, []string{"/title: wrong type, a string", "/description: wrong type, a string", "/readOnly: wrong type, a boolean", "/examples: wrong type, an array", "/$comment: wrong type, a string", "/deprecated: wrong type, a boolean"}},
		{"maps of schemas", `{"$defs":[],"properties":true,"patternProperties":"x"}`, []string{"/$defs: wrong type, an object of schemas", "/properties: wrong type, an object of schemas", "/patternProperties: wrong type, an object of schemas"}},
		{"names that are no anchors", `{"$anchor":"1","$defs":{"a":{"$dynamicAnchor":"a b"},"b":{"$id":"x#y"}}}`, []string{`/$anchor: bad name "1"`, `/$defs/a/$dynamicAnchor: bad name "a b"`, `/$defs/b/$id: bad name "x#y"`}},

		{"bounds", `{"minimum":5,"maximum":5}`, nil},
		{"inverted bounds", `{"minimum":5.01,"maximum":5}`, []string{"/minimum: inverted bounds"}},
		{"inverted bounds that a double can not tell apart", `{"minimum":9007199254740993,"maximum":9007199254740992}`, []string{"/minimum: inverted bounds"}},
		{"bounds that leave nothing", `{"anyOf":[{"minimum":5,"exclusiveMaximum":5},{"exclusiveMinimum":5,"maximum":5.0},{"exclusiveMinimum":1,"exclusiveMaximum":1}]}`, []string{"/anyOf/0/minimum: inverted bounds", "/anyOf/1/exclusiveMinimum: inverted bounds", "/anyOf/2/exclusiveMinimum: inverted bounds"}},
		{"bounds that leave nothing in draft-04", `{` + draft4 + `"minimum":5,"maximum":5,"exclusiveMaximum":true}`, []string{"/minimum: inverted bounds"}},
		{"sizes", `{"minLength":3,"maxLength":2,"minItems":3,"maxItems":2,"minProperties":3,"maxProperties":2,"contains":{},"minContains":2,"maxContains":1}`, []string{"/minLength: inverted bounds", "/minItems: inverted bounds", "/minProperties: inverted bounds", "/minContains: inverted bounds"}},

		{"required and not defined", `{"type":"object","properties":{"query":{}},"required":["query","limit"]}`, []string{`/required/1: undefined property "limit"`}},
		{"required and nothing defined", `{"type":"object","required":["q"]}`, []string{`/required/0: undefined property "q"`}},
		{"defined in a branch", `{"required":["a"],"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, nil},
		{"required in a branch, defined around it", `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}`, nil},
		{"required in a branch and defined nowhere", `{"type":"object","oneOf":[{"required":["a"]},{"required":["c"]}],"properties":{"a":{},"b":{}}}`, []string{`/oneOf/1/required/0: undefined property "c"`}},
		{"defined behind a reference", `{"allOf":[{"$ref":"#/$defs/base"}],"required":["a"],"$defs":{"base":{"properties":{"a":{}}}}}`, nil},
		{"required behind a reference", `{"allOf":[{"$ref":"#/$defs/need"}],"properties":{"a":{}},"$defs":{"need":{"required":["a"]}}}`, nil},
		{"defined beside, not here", `{"properties":{"x":{"properties":{"a":{}}}},"required":["a"]}`, []string{`/required/0: undefined property "a"`}},
		{"defined by a pattern", `{"patternProperties":{"^x-":{}},"required":["x-a"]}`, nil},
		{"defined by what is additional", `{"additionalProperties":{"type":"string"},"required":["a"]}`, nil},
		{"not defined by what is allowed", `{"properties":{"b":{}},"additionalProperties":true,"required":["a"]}`, []string{`/required/0: undefined property "a"`}},
		{"defined after a condition", `{"if":{"properties":{"kind":{"const":"x"}}},"then":{"required":["id"],"properties":{"id":{}}}}`, nil},
		{"forbidden names need no definition", `{"not":{"required":["legacy"]},"if":{"required":["old"]},"then":{}}`, nil},
		{"not even behind a reference", `{"not":{"$ref":"#/$defs/l"},"$defs":{"l":{"required":["legacy"]}}}`, nil},
		{"required in one schema of a property, defined in another", `{"allOf":[{"properties":{"address":{"required":["zip"]}}}],"properties":{"address":{"properties":{"zip":{}}}}}`, nil},
		{"the same two levels down and in items", `{"allOf":[{"properties":{"a":{"items":{"properties":{"b":{"required":["c"]}}}}}}],"properties":{"a":{"items":{"properties":{"b":{"properties":{"c":{}}}}}}}}`, nil},
		{"required in one schema of a property, defined in another property", `{"allOf":[{"properties":{"address":{"required":["zip"]}}}],"properties":{"other":{"properties":{"zip":{}}}}}`, []string{`/allOf/0/properties/address/required/0: undefined property "zip"`}},
		{"what is elsewhere may define it", `{"allOf":[{"$ref":"https://example.com/base"}],"required":["a"]}`, []string{`/allOf/0/$ref: network reference, https://example.com/base "https://example.com/base"`}},

		{"a dialect nobody knows", `{"$schema":"https://example.com/mine","type":"int","properties":{"a":{"$ref":"#/nowhere"}}}`, []string{`/$schema: unknown dialect "https://example.com/mine"`, `/properties/a/$ref: dangling reference "#/nowhere"`}},
		{"a dialect that is no text", `{"$schema":7}`, []string{"/$schema: wrong type, a string"}},
		{"a dialect below the root", `{"properties":{"a":{"$schema":"http://json-schema.org/draft-07/schema#"}}}`, []string{`/properties/a/$schema: nested dialect "http://json-schema.org/draft-07/schema#"`}},
		{"a dialect by https and without a fragment", `{"$schema":"https://json-schema.org/draft-07/schema","items":[{}]}`, nil},

		{"references to what is there", `{"properties":{"a":{"$ref":"#/$defs/a~1b%25"},"b":{"$ref":"#name"},"c":{"$ref":"#"},"d":{"$ref":"#/properties/a"}},"$defs":{"a/b%":{"$anchor":"name"}}}`, nil},
		{"a reference into a list", `{"anyOf":[{"type":"string"}],"properties":{"a":{"$ref":"#/anyOf/0"},"b":{"$ref":"#/anyOf/01"}}}`, []string{`/properties/b/$ref: dangling reference "#/anyOf/01"`}},
		{"a reference to an unknown place that is a schema", `{"properties":{"a":{"$ref":"#/x/y"}},"x":{"y":{"type":"int"}}}`, []string{`/x/y/type: unknown type "int"`}},
		{"a reference to no schema", `{"properties":{"a":{"$ref":"#/title"}},"title":"t"}`, []string{`/properties/a/$ref: dangling reference "#/title"`}},
		{"references that dangle", `{"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#x"},{"$ref":"#/%zz"}]}`, []string{`/anyOf/0/$ref: dangling reference "#/$defs/x"`, `/anyOf/1/$ref: dangling reference "#x"`, `/anyOf/2/$ref: bad URI "#/%zz"`}},
		{"references that leave", `{"anyOf":[{"$ref":"https://example.com/s.json"},{"$ref":"other.json#/a"},{"$ref":"//example.com/x"},{"$dynamicRef":"http://example.com/#a"},{"$ref":"urn:x:y"},{"$ref":"file:///etc/passwd"}]}`, []string{
			`/anyOf/0/$ref: network reference, https://example.com/s.json "https://example.com/s.json"`,
			`/anyOf/1/$ref: reference elsewhere, other.json "other.json#/a"`,
			`/anyOf/2/$ref: network reference, //example.com/x "//example.com/x"`,
			`/anyOf/3/$dynamicRef: network reference, http://example.com/ "http://example.com/#a"`,
			`/anyOf/4/$ref: reference elsewhere, urn:x:y "urn:x:y"`,
			`/anyOf/5/$ref: network reference, file:///etc/passwd "file:///etc/passwd"`}},
		{"a metaschema is known", `{"properties":{"schema":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, nil},
		{"its own address and that of a part", `{"$id":"https://example.com/a/root.json","properties":{"a":{"$ref":"root.json#/$defs/x"},"b":{"$ref":"part.json"},"c":{"$ref":"gone.json"}},"$defs":{"x":{"$id":"part.json","properties":{"y":{"$ref":"#/properties/z"},"z":{}}}}}`, []string{
			`/properties/c/$ref: network reference, https://example.com/a/gone.json "gone.json"`}},
		{"$id moves where # leads", `{"$defs":{"x":{"$id":"https://example.com/x","properties":{"a":{"$ref":"#/$defs/x"}}}}}`, []string{`/$defs/x/properties/a/$ref: dangling reference "#/$defs/x"`}},
		{"an anchor of draft-07", `{` + draft7 + `"properties":{"a":{"$ref":"#here"}},"definitions":{"x":{"$id":"#here"}}}`, nil},
		{"one name twice", `{"$defs":{"a":{"$anchor":"n"},"b":{"$anchor":"n"},"c":{"$id":"u"},"d":{"$id":"u"}}}`, []string{`/$defs/b/$anchor: same name "n"`, `/$defs/d/$id: same name "u"`}},

		{"endless", `{"$ref":"#"}`, []string{`/$ref: endless reference "#"`}},
		{"endless in turns", `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[true,{"not":{"$ref":"#/$defs/a"}}]}}}`, []string{`/$defs/b/anyOf/1/not/$ref: endless reference "#/$defs/a"`}},
		{"endless by a dynamic reference", `{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}`, []string{`/allOf/0/$dynamicRef: endless reference "#n"`}},
		{"recursive, which is fine", `{"properties":{"next":{"$ref":"#"},"all":{"items":{"$ref":"#"}}}}`, nil},
		{"in draft-07 what stands beside a $ref does not count", `{` + draft7 + `"$ref":"#/definitions/a","allOf":[{"$ref":"#"}],"definitions":{"a":{}}}`, nil},

		{"a pattern that does not compile", `{"pattern":"a(b"}`, []string{"/pattern: bad pattern, a group does not end"}},
		{"a pattern as a key", `{"patternProperties":{"[":{}}}`, []string{"/patternProperties/[#: bad pattern, a class does not end"}},
		{"look-around is fine", `{"pattern":"^(?=.*[A-Z])(?<!x)\\p{L}+$"}`, nil},
		{"a pattern that takes forever", `{"pattern":"^(a+)+$"}`, []string{"/pattern: unsafe pattern"}},
		{"a key that takes forever", `{"patternProperties":{"(x*)*y":{}}}`, []string{"/patternProperties/(x*)*y#: unsafe pattern"}},
		{"an escape that the u flag forbids", `{"pattern":"\\A[a\\_]"}`, []string{`/pattern: loose pattern, \A stands for A`}},
	} {
		t.Run(test.about, func(t *testing.T) {
			var got []string
			for _, f := range Check(parse(t, test.schema), options()).Faults {
				got = append(got, f.String())
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("%s\n got %s\nwant %s", test.schema, strings.Join(got, "\n     "), strings.Join(test.want, "\n     "))
			}
		})
	}
}

// maze is a schema in which each of n definitions leads twice to the next.
func maze(n int, inPlace bool) string {
	form := `{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%[2]d"}}}`
	if inPlace {
		form = `{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]}`
	}
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":`+form+`,`, i, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

func TestAMazeOfReferencesIsCountedNotExpanded(t *testing.T) {
	for _, inPlace := range []bool{true, false} {
		r := Check(parse(t, maze(10, inPlace)), options())
		if want := int64(1 + 4<<10 - 3); len(r.Faults) != 0 || r.Expansion != want {
			t.Errorf("a small one: %v, expansion %d, want %d", r.Faults, r.Expansion, want)
		}
		r = Check(parse(t, maze(2000, inPlace)), options())
		if len(r.Faults) != 1 || r.Faults[0].Kind != Maze || r.Expansion != 1<<63-1 {
			t.Errorf("a large one: %v, expansion %d", r.Faults, r.Expansion)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	var tool strings.Builder
	for i := range 4 {
		fmt.Fprintf(&tool, `"a%d":{"type":"string","description":"what it is for, in a \"sentence\" of ordinary length"},`+
			`"b%[1]d":{"type":"integer","minimum":1,"maximum":100,"default":10},`+
			`"c%[1]d":{"type":"array","items":{"type":"string","enum":["one","two","three"]}},`, i)
	}
	for name, s := range map[string]string{
		"tool of 12 properties": `{"type":"object","properties":{` + strings.TrimSuffix(tool.String(), ",") +
			`},"required":["a0","b0","c3"],"additionalProperties":false}`,
		"64k pattern key": `{"patternProperties":{"` + strings.Repeat("(a+)", 16_000) + `":{}}}`,
		"64k open groups": `{"patternProperties":{"` + strings.Repeat("(", 64_000) + `":{}}}`,
		"maze":            maze(1000, true),
		"10k schemas":     `{"allOf":[` + strings.Repeat(`{"type":"string"},`, 9_998) + `{}]}`,
		"10k references":  `{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},`, 9_997) + `{}],"$defs":{"a":{}}}`,
	} {
		root := parse(b, s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			o := options()
			for b.Loop() {
				r := Check(root, o)
				b.ReportMetric(float64(r.Schemas), "schemas")
			}
		})
	}
}
