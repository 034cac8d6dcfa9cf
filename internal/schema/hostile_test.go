package schema

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// listOf is a list with the form once for each number below n.
func listOf(form string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// TestHostileSchemasEndWithinTheBudget: none of these may crash, hang or pass for judged. Each says what is known of
// it, and no more steps are spent than there are.
func TestHostileSchemasEndWithinTheBudget(t *testing.T) {
	deepest := limits.Default.Depth/2 - 1
	for _, test := range []struct {
		about, schema, value string
		want                 Verdict
		why                  string
	}{
		{"a multiple of a number beyond every double", `{"multipleOf":1e10000000}`, `1`, Invalid, ""},
		{"a multiple of it", `{"multipleOf":1e10000000}`, `3e10000000`, Valid, ""},
		{"a value beyond every double", `{"multipleOf":7}`, `1e10000000`, Invalid, ""},
		{"a multiple of nearly nothing", `{"multipleOf":1e-10000000}`, `1`, Valid, ""},
		{"exponents that do not fit", `{"multipleOf":1e99999999999999999999}`, `1e99999999999999999999`, Incomplete, "digits"},
		{"bounds whose exponents do not fit", `{"minimum":1e99999999999999999999}`, `2e99999999999999999999`, Incomplete, "exponent"},
		{"one bound whose exponent does not fit", `{"minimum":1e99999999999999999999}`, `5`, Invalid, ""},
		{"a number of a million digits", `{"multipleOf":3}`, strings.Repeat("3", 1_000_000), Incomplete, "digits"},
		{"a size of a million digits", `{"maxLength":` + strings.Repeat("9", 1_000_000) + `}`, `"a"`, Valid, ""},
		{"a schema that is itself", `{"$ref":"#"}`, `1`, Incomplete, "too often"},
		{"a schema that is itself in turns", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, `1`, Incomplete, "too often"},
		{"a schema that is itself twice", `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `1`, Incomplete, "too often"},
		{"a maze for one value", maze(60, true), `"a"`, Incomplete, "budget"},
		{"a maze for one value, refused at its end", maze(60, true), `1`, Invalid, ""},
		{"a maze over a deep value", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, strings.Repeat(`{"a":`, deepest) + "1" + strings.Repeat("}", deepest), Incomplete, "budget"},
		{"a pattern that goes back for ages", `{"pattern":"^(?=(a+)+$)(a|aa)+$"}`, `"` + strings.Repeat("a", 60) + `!"`, Incomplete, "long"},
		{"the same as a key", `{"patternProperties":{"^(?=(a+)+$)(a|aa)+$":false}}`, `{"` + strings.Repeat("a", 60) + `!":1}`, Incomplete, "long"},
		{"a pattern that RE2 does in one go", `{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 100_000) + `!"`, Invalid, ""},
		{"a pattern that repeats its repeats", `{"pattern":"((((a{1000}){1000}){1000}){1000}){1000}"}`, `"a"`, Incomplete, "large"},
		{"a pattern of 64,000 characters", `{"pattern":"` + strings.Repeat("a", 64_000) + `"}`, `"a"`, Incomplete, "long"},
		{"a pattern that does not compile", `{"pattern":"("}`, `"a"`, Incomplete, "compile"},
		{"a key that does not compile and forbids the rest", `{"patternProperties":{"(":{}},"additionalProperties":false}`, `{"a":1}`, Incomplete, "compile"},
		{"patterns without end", `{"allOf":[` + listOf(`{"pattern":"%d(a{900}){10}"}`, 500) + `]}`, `"a"`, Invalid, ""},
		{"patterns without end, only tried", `{"not":{"anyOf":[` + listOf(`{"pattern":"%d(a{900}){10}"}`, 500) + `]}}`, `"a"`, Incomplete, "budget"},
		{"a large value against many schemas", `{"allOf":[` + listOf(`{"items":{"minimum":%d}}`, 5_000) + `]}`, `[` + listOf("1%d", 5_000) + `]`, Invalid, ""},
		{"a large value against many schemas that fit", `{"allOf":[` + listOf(`{"items":{"maximum":1%d0000}}`, 2_000) + `]}`, `[` + listOf("1%d", 2_000) + `]`, Incomplete, "budget"},
		{"items that are all alike but the last", `{"uniqueItems":true}`, `[` + listOf(`{"a":[1,2,{"b":%d}]}`, 20_000) + `]`, Valid, ""},
		{"items of which two are alike", `{"uniqueItems":true}`, `[` + listOf(`{"a":%d,"b":1}`, 20_000) + `,{"b":1.0,"a":7e0}]`, Invalid, ""},
		{"more items than there are steps", `{"uniqueItems":true}`, `[` + listOf(`[[%d]]`, 400_000) + `]`, Incomplete, "budget"},
		{"values of an enum against items", `{"items":{"enum":[` + listOf(`"value %d"`, 5_000) + `]}}`, `[` + listOf(`"value 4%d"`, 1_000) + `]`, Incomplete, "budget"},
		{"left over in many schemas", `{"anyOf":[` + listOf(`{"properties":{"a%d":true}}`, 2_000) + `],"unevaluatedProperties":false}`, `{` + listOf(`"a%d":1`, 2_000) + `}`, Incomplete, "budget"},
		{"a reference to the network", `{"properties":{"a":{"$ref":"https://example.com/s"}}}`, `{"a":1}`, Incomplete, "nowhere"},
		{"what a reference to nowhere may have judged", `{"$ref":"https://example.com/s","unevaluatedProperties":false}`, `{"a":1}`, Incomplete, "nowhere"},
		{"a reference to nowhere does not hide what is wrong", `{"$ref":"https://example.com/s","properties":{"a":false}}`, `{"a":1}`, Invalid, ""},
		{"a dialect nobody knows", `{"$schema":"https://example.com/s","type":"string"}`, `1`, Incomplete, "dialect"},
		{"more schemas than are read", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{},`, 20_000), ",") + `]}`, `1`, Incomplete, "to its end"},
		{"schemas nested deeper than are read", strings.Repeat(`{"not":`, 100) + "{}" + strings.Repeat("}", 100), `1`, Incomplete, "to its end"},
		{"a schema that is none", `7`, `1`, Incomplete, "no schema"},
		{"a metaschema over a large value", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{},`, 20_000), ",") + `]}`, Incomplete, "to its end"},
		{"not of what is not known", `{"not":{"pattern":"("}}`, `"a"`, Incomplete, "compile"},
		{"one of what is not known", `{"oneOf":[{"pattern":"("},{"type":"string"},{"type":"string"}]}`, `"a"`, Invalid, ""},
		{"any of what is not known and what is", `{"anyOf":[{"pattern":"("},{"type":"string"}]}`, `"a"`, Valid, ""},
		{"a condition that is not known, either way the same", `{"if":{"pattern":"("},"then":{"type":"number"},"else":{"type":"object"}}`, `"a"`, Invalid, ""},
	} {
		t.Run(test.about, func(t *testing.T) {
			out := New(parse(t, test.schema), options()).Validate(parse(t, test.value))
			if out.Verdict != test.want || !strings.Contains(out.Why, test.why) || (out.Why != "") != (test.want == Incomplete) {
				t.Errorf("%v (%s), want %v (%s)", out.Verdict, out.Why, test.want, test.why)
			}
			if out.Steps > limits.Default.SchemaSteps {
				t.Errorf("%d steps", out.Steps)
			}
			if (out.Verdict == Invalid) != (len(out.Violations) > 0) {
				t.Errorf("%v with %d violations", out.Verdict, len(out.Violations))
			}
		})
	}
}

// TestHostileSchemasAreCheckedInFull: what Check says of them, and that nothing is cut without a word.
func TestHostileSchemasAreCheckedInFull(t *testing.T) {
	deepest := limits.Default.Depth - 1
	for _, test := range []struct {
		about, schema string
		want          []Kind
	}{
		{"a pattern key of 64,000 characters", `{"patternProperties":{"` + strings.Repeat("(a+)+", 12_800) + `":{}}}`, []Kind{UnsafePattern}},
		{"a pattern key of 64,000 open groups", `{"patternProperties":{"` + strings.Repeat("(", 64_000) + `":{}}}`, []Kind{TooDeep}},
		{"schemas nested as deep as JSON may be", strings.Repeat(`{"not":`, deepest) + "{}" + strings.Repeat("}", deepest), []Kind{TooDeep}},
		{"more schemas than are read", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{},`, 20_000), ",") + `]}`, []Kind{TooMany}},
		{"more required names than are looked for", `{"required":[` + listOf(`"a%d"`, 20_000) + `],"patternProperties":{"^a":{}}}`, []Kind{TooMany}},
		{"a URI that is too long", `{"$id":"https://example.com/` + strings.Repeat("a", 3_000) + `","$ref":"b"}`, []Kind{BadURI, Elsewhere}},
		{"a base that is too long for what stands on it", `{"$id":"https://example.com/` + strings.Repeat("a", 2_000) + `","$ref":"` + strings.Repeat("b", 100) + `"}`, []Kind{BadURI}},
		{"a required name beyond what is read", `{"allOf":[` + strings.Repeat(`{},`, 20_000) + `{"properties":{"a":{}}}],"required":["a"]}`, []Kind{TooMany}},
		{"a reference beyond what is read", `{"$ref":"#/$defs/b/x","allOf":[` + strings.Repeat(`{},`, 20_000) + `{}],"$defs":{"b":{"x":{}}}}`, []Kind{TooMany}},
		{"a chain of references as long as there may be schemas", `{"$ref":"#/$defs/d0","$defs":{` + chain(9_000) + `}}`, nil},
		{"two chains of properties that are found to be one, from their end", twins(1_500), []Kind{Undefined}},
		{"a ring of references as long", `{"$ref":"#/$defs/d0","$defs":{` + chain(9_000) + `,"d9000":{"$ref":"#"}}}`, []Kind{Endless}},
	} {
		t.Run(test.about, func(t *testing.T) {
			var got []Kind
			for _, f := range Check(parse(t, test.schema), options()).Faults {
				got = append(got, f.Kind)
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// chain is n definitions, each of which is the next; the last is open.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d"},`, i, min(i+1, n))
	}
	return b.String() + fmt.Sprintf(`"d%d":{}`, n)
}

// twins are two chains of properties of which the first links are for one value, and so each two that follow. The last
// link of one requires what that of the other defines.
func twins(n int) string {
	var b strings.Builder
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, `"a%d":{"properties":{"x":{"$ref":"#/$defs/a%d"}}},"b%[1]d":{"properties":{"x":{"$ref":"#/$defs/b%[2]d"}}},`, i, i+1)
	}
	return fmt.Sprintf(`{"allOf":[{"$ref":"#/$defs/a0"},{"$ref":"#/$defs/b0"}],"$defs":{%s"a%d":{"required":["y","z"]},"b%[2]d":{"properties":{"y":{}}}}}`, b.String(), n)
}

func TestMoreFaultsThanAreListedAreSaid(t *testing.T) {
	r := Check(parse(t, `{"allOf":[`+strings.TrimSuffix(strings.Repeat(`{"type":"x"},`, 1_000), ",")+`]}`), options())
	if len(r.Faults) != limits.Default.SchemaFaults+1 || r.Faults[0].Kind != MoreFaults || !r.Unjudged() {
		t.Errorf("%d faults, first %v", len(r.Faults), r.Faults[0])
	}
}

func TestNumbersAreComparedExactly(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"1", "1.0", 0}, {"1e2", "100", 0}, {"-0", "0.0e5", 0}, {"0.1", "0.10000000000000000001", -1}, {"-2", "-1", -1},
		{"9007199254740993", "9007199254740992", 1}, {"1e400", "1e399", 1}, {"-1e400", "1e-400", -1}, {"0.05", "5e-2", 0}, {"10.010", "1001e-2", 0},
	} {
		a, b := parseDecimal(test.a), parseDecimal(test.b)
		if c, known := a.compare(b); c != test.want || !known {
			t.Errorf("%s and %s: %d", test.a, test.b, c)
		}
		if c, known := compareNumbers(parse(t, test.a), parse(t, test.b)); c != test.want || !known {
			t.Errorf("%s and %s as values: %d", test.a, test.b, c)
		}
		if same := equal(parse(t, test.a), parse(t, test.b), nil); same != (test.want == 0) {
			t.Errorf("%s and %s: equal is %v", test.a, test.b, same)
		}
	}
	for text, want := range map[string]int64{"0": 0, "5.0": 5, "1e3": 1000, "12e-1": 1, "1e400": math.MaxInt64, "-3": 0, "999999999999999999": 999999999999999999} {
		if got := parseDecimal(text).count(); got != want {
			t.Errorf("%s counts %d, want %d", text, got, want)
		}
	}
}
