package schema

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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
		fault, bad := refuses(Check(parse(t, string(raw)), options()))
		err := oracleCompiles(raw)
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
	differs, good, count := map[string]int{}, 0, 20_000
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
