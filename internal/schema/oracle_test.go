package schema

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// oracleBase is where the oracle takes a schema to lie, so that relative references lead elsewhere.
const oracleBase = "http://schema.invalid/schema.json"

// oracleCompiles asks santhosh-tekuri/jsonschema whether it takes a schema. It panics on some, which is no answer.
func oracleCompiles(raw []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	if err := c.AddResource(oracleBase, v); err != nil {
		return err
	}
	_, err = c.Compile(oracleBase)
	return err
}

// nothing loads nothing.
type nothing struct{}

func (nothing) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// refuses is the fault for which a schema can not be compiled.
func refuses(r Result) (Fault, bool) {
	for _, f := range r.Faults {
		if f.BreaksMeta() || f.Kind == Dangling || f.Kind == Network || f.Kind == Elsewhere || f.Kind == BadURI || f.Kind == UnknownDialect || f.Kind == SameName {
			return f, true
		}
	}
	return Fault{}, false
}

// corpusSchemas are the schemas of other people's tools.
func corpusSchemas(t *testing.T) (all [][]byte) {
	t.Helper()
	dir := beside(t, "MCPASSAY_CARDS", "corpus", "cards/*.jsonl and servers/*.json of published tools")
	add := func(tool source.Node) {
		for _, key := range []string{"inputSchema", "outputSchema"} {
			if s := tool.Get(key); s.Valid() {
				all = append(all, s.Raw())
			}
		}
	}
	cards, _ := filepath.Glob(filepath.Join(dir, "cards", "*.jsonl"))
	for _, file := range cards {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			add(parse(t, string(line)).Get("tool"))
		}
	}
	servers, _ := filepath.Glob(filepath.Join(dir, "servers", "*.json"))
	for _, file := range servers {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := source.Parse(file, raw, source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		for n := range d.Nodes() {
			if n.Get("inputSchema").Valid() || n.Get("outputSchema").Valid() {
				add(n)
			}
		}
	}
	if len(all) < 1000 {
		t.Fatalf("%s holds %d schemas only", dir, len(all))
	}
	return all
}

func TestTheOracleAgreesOnWhichPublishedSchemasCompile(t *testing.T) {
	refused := 0
	for _, raw := range corpusSchemas(t) {
		r := Check(parse(t, string(raw)), options())
		fault, bad := refuses(r)
		err := oracleCompiles(raw)
		if !bad && len(r.Faults) > 0 {
			t.Errorf("people use it, and we find %v in %.300s", r.Faults, raw)
		}
		if bad != (err != nil) {
			t.Errorf("we find %q, the oracle %v, in %.300s", fault, err, raw)
		}
		if bad {
			refused++
		}
	}
	t.Logf("%d are refused by both", refused)
}

// odd are values that stand in the place of others in the test below.
var odd = []string{`null`, `true`, `1`, `-1`, `1.5`, `2.0`, `0`, `""`, `"a"`, `"#/a"`, `"#"`, `"string"`, `"object"`, `[]`, `{}`, `[{}]`, `["a"]`,
	`["a","a"]`, `["string","null"]`, `[true,true]`, `{"a":{}}`, `{"a":["b"]}`, `{"a":1}`, `{"type":"string"}`, `[[]]`}

// oracleDiffers says why the oracle may differ on a mutated schema.
func oracleDiffers(fault Fault, bad bool, err error) string {
	msg := fmt.Sprint(err)
	switch {
	case strings.Contains(msg, "panic"):
		return "the oracle crashed"
	case bad && err == nil && fault.Kind >= Inverted && strings.Contains(fault.Node.Pointer(), "efs/"):
		return "the oracle does not follow references in definitions that nothing leads to"
	}
	return ""
}

// TestTheOracleAgreesOnSpoiltSchemas puts odd values into published schemas.
func TestTheOracleAgreesOnSpoiltSchemas(t *testing.T) {
	all := corpusSchemas(t)
	random := rand.New(rand.NewPCG(1, 2))
	differs, good, count := map[string]int{}, 0, 4_000
	if testing.Short() {
		count = 1_000
	}
	for range count {
		raw := all[random.IntN(len(all))]
		var nodes []source.Node
		for n := range parse(t, string(raw)).Doc().Nodes() {
			nodes = append(nodes, n)
		}
		n := nodes[random.IntN(len(nodes))]
		span, with := n.Span(), odd[random.IntN(len(odd))]
		if n.IsMember() && random.IntN(3) == 0 { // another keyword
			span = n.KeySpan()
			key := oddKeys[random.IntN(len(oddKeys))]
			if n.Parent().Get(key).Valid() {
				continue // the oracle reads the last of two
			}
			with = `"` + key + `"`
		}
		spoilt := string(raw[:span.Start]) + with + string(raw[span.End:])
		fault, bad := refuses(Check(parse(t, spoilt), options()))
		err := oracleCompiles([]byte(spoilt))
		if bad == (err != nil) {
			if !bad {
				good++
			}
			continue
		}
		if reason := oracleDiffers(fault, bad, err); reason != "" {
			differs[reason]++
			continue
		}
		t.Errorf("we find %q, the oracle %v, in %.600s", fault, err, spoilt)
		if differs["?"]++; differs["?"] > 10 {
			t.FailNow()
		}
	}
	t.Logf("of %d, %d compile; the oracle differs: %v", count, good, differs)
	if good < count/10 || good > count*9/10 {
		t.Error("too few of either kind to prove anything")
	}
}

var oddKeys = []string{"type", "enum", "const", "required", "properties", "items", "prefixItems", "additionalProperties", "anyOf", "allOf", "not", "if",
	"then", "minLength", "maximum", "exclusiveMinimum", "multipleOf", "pattern", "patternProperties", "$ref", "$defs", "definitions", "dependentRequired",
	"dependentSchemas", "dependencies", "$anchor", "$id", "$dynamicRef", "propertyNames", "contains", "minContains", "uniqueItems", "format", "title",
	"examples", "default", "readOnly", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "$comment", "contentSchema"}

// schemaMaker writes random schemas that have much to do with the values it writes.
type schemaMaker struct {
	*rand.Rand
	draft7 bool
	defs   int
}

func (m schemaMaker) pick(all ...string) string { return all[m.IntN(len(all))] }

func (m schemaMaker) name() string { return m.pick("a", "b", "c", "x1") }

func (m schemaMaker) value(depth int) string {
	switch m.IntN(9 - 3*min(depth, 2)) {
	case 3, 4, 5:
		var parts []string
		for _, name := range []string{"a", "b", "c", "x1"} {
			if m.IntN(2) == 0 {
				parts = append(parts, `"`+name+`":`+m.value(depth+1))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	case 6, 7, 8:
		var parts []string
		for range m.IntN(4) {
			parts = append(parts, m.value(depth+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return m.pick("null", "true", "false", "0", "1", "1.0", "2", "2.5", "-1", "1e2", `""`, `"a"`, `"ab"`, `"é😀"`, `"x1"`)
}

func (m schemaMaker) list(depth int) string {
	var parts []string
	for range 1 + m.IntN(3) {
		parts = append(parts, m.schema(depth+1))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (m schemaMaker) named(depth int, names ...string) string {
	var parts []string
	for _, name := range names {
		if m.IntN(2) == 0 {
			parts = append(parts, fmt.Sprintf("%q:%s", name, m.schema(depth+1)))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (m schemaMaker) schema(depth int) string {
	if depth > 3 || m.IntN(8) == 0 {
		return m.pick("true", "false", "{}", `{"type":"string"}`, `{"type":"integer"}`, `{"const":1}`, `{"minLength":2}`, `{"minimum":1}`)
	}
	words := []string{"type", "enum", "const", "multipleOf", "minimum", "exclusiveMaximum", "minLength", "maxLength", "maxItems", "minProperties", "pattern",
		"uniqueItems", "required", "properties", "patternProperties", "additionalProperties", "propertyNames", "items", "contains", "allOf", "anyOf", "oneOf", "not", "if",
		"$ref"}
	if m.draft7 {
		words = append(words, "dependencies", "tuple", "additionalItems")
	} else {
		words = append(words, "dependentRequired", "dependentSchemas", "prefixItems", "unevaluatedItems", "unevaluatedItems", "unevaluatedProperties",
			"unevaluatedProperties", "minContains", "$dynamicRef")
	}
	have := map[string]string{}
	for range 1 + m.IntN(4) {
		w := words[m.IntN(len(words))]
		switch w {
		case "type":
			have[w] = m.pick(`"object"`, `"array"`, `"integer"`, `["string","null"]`, `["object","array","number"]`)
		case "enum":
			have[w] = "[" + m.value(1) + `,{"never":1}]`
		case "const":
			have[w] = m.value(1)
		case "multipleOf":
			have[w] = m.pick("2", "0.5", "0.1")
		case "minimum", "exclusiveMaximum":
			have[w] = m.pick("0", "1", "2.5")
		case "minLength", "maxLength", "maxItems", "minProperties":
			have[w] = m.pick("0", "1", "2", "3")
		case "pattern":
			have[w] = m.pick(`"^a"`, `"[0-9]$"`, `"^.{2}$"`)
		case "uniqueItems":
			have[w] = "true"
		case "required":
			have[w] = `["` + m.name() + `"]`
		case "properties":
			have[w] = m.named(depth, "a", "b", "x1")
		case "patternProperties":
			have[w] = m.named(depth, "^x", "[bc]")
		case "additionalProperties", "propertyNames", "items", "contains", "not", "additionalItems":
			have[w] = m.schema(depth + 1)
		case "unevaluatedItems", "unevaluatedProperties":
			have[w] = m.pick("false", "false", `{"type":"string"}`)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			have[w] = m.list(depth)
		case "tuple":
			have["items"] = m.list(depth)
		case "if":
			have[w] = m.schema(depth + 1)
			have[m.pick("then", "else")] = m.schema(depth + 1)
		case "$ref":
			have[w] = fmt.Sprintf(`"#/$defs/d%d"`, depth+m.IntN(m.defs-depth))
		case "$dynamicRef":
			have[w] = `"#dyn"`
			if depth == 0 {
				delete(have, w)
			}
		case "dependencies":
			have[w] = fmt.Sprintf(`{%q:%s}`, m.name(), m.pick(`["a"]`, m.schema(depth+1)))
		case "dependentRequired":
			have[w] = fmt.Sprintf(`{%q:["a","x1"]}`, m.name())
		case "dependentSchemas":
			have[w] = fmt.Sprintf(`{%q:%s}`, m.name(), m.schema(depth+1))
		case "minContains":
			have["contains"] = m.schema(depth + 1)
			have[m.pick("minContains", "maxContains")] = m.pick("0", "1", "2")
		}
	}
	if ref, ok := have["$ref"]; ok && m.draft7 {
		have = map[string]string{"$ref": ref} // the oracle reads some of what stands beside it, which draft-07 forbids
	}
	var parts []string
	for _, w := range slices.Sorted(maps.Keys(have)) {
		parts = append(parts, fmt.Sprintf("%q:%s", w, have[w]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (m schemaMaker) document() string {
	root := strings.TrimSuffix(m.schema(0), "}")
	if !strings.HasPrefix(root, "{") {
		root = "{"
	}
	if len(root) > 1 {
		root += ","
	}
	root += `"$defs":{`
	for i := range m.defs {
		root += fmt.Sprintf(`"d%d":%s,`, i, m.schema(i))
	}
	if m.draft7 {
		return root + `"z":true},"$schema":"http://json-schema.org/draft-07/schema#"}`
	}
	return root + `"z":{"$dynamicAnchor":"dyn","type":["string","number","null"]}}}`
}

// TestTheOracleAgreesOnRandomValues judges random values by random schemas.
func TestTheOracleAgreesOnRandomValues(t *testing.T) {
	count := 1_000
	if testing.Short() {
		count = 500
	}
	m := schemaMaker{Rand: rand.New(rand.NewPCG(7, 8)), defs: 5}
	verdicts, wrong := map[string]int{}, 0
	for i := range count {
		m.draft7 = i%3 == 0
		text := m.document()
		ours := New(parse(t, text), options())
		if slices.ContainsFunc(ours.Faults, func(f Fault) bool { return f.Kind == Endless }) {
			verdicts["endless"]++
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err, text)
		}
		c := jsonschema.NewCompiler()
		if c.DefaultDraft(jsonschema.Draft2020); m.draft7 {
			c.DefaultDraft(jsonschema.Draft7) // beside a $ref it does not see the $schema
		}
		if err := c.AddResource(oracleBase, v); err != nil {
			t.Fatal(err)
		}
		theirs, err := c.Compile(oracleBase)
		if err != nil {
			t.Errorf("%v: %s", err, text)
			continue
		}
		for range 8 {
			value := m.value(0)
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
			if err != nil {
				t.Fatal(err)
			}
			want := Valid
			if theirs.Validate(v) != nil {
				want = Invalid
			}
			got := ours.Validate(parse(t, value))
			verdicts[got.Verdict.String()]++
			if got.Verdict != want {
				t.Errorf("%v %s, the oracle says %v: %s\n%s", got.Verdict, got.Why, want, value, text)
				if wrong++; wrong > 5 {
					t.FailNow()
				}
			}
		}
	}
	t.Log(verdicts)
	if verdicts["valid"] < count || verdicts["invalid"] < count {
		t.Error("too few of either kind to prove anything")
	}
}
