package report

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/engine"
)

// Every golden document is valid, and every fault that a change of one value makes is seen by both.
func TestValidateAgreesWithAFullImplementation(t *testing.T) {
	oracle := compileSchema(t, Schema())
	var docs [][]byte
	everyReport(t, func(t *testing.T, name, format string, res *engine.Result, env Env) {
		if format != "json" {
			t.Skip("not the document")
		}
		for _, deterministic := range []bool{true, false} {
			env.Deterministic = deterministic
			doc := render(t, "json", res, env)
			if err := Validate(doc); err != nil {
				t.Errorf("Validate: %v", err)
			}
			if err := validates(oracle, doc); err != nil {
				t.Errorf("oracle: %v", err)
			}
			docs = append(docs, doc)
		}
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	refused := 0
	const rounds = 3000
	for range rounds {
		var v any
		if err := stdjson.Unmarshal(docs[rnd.IntN(len(docs))], &v); err != nil {
			t.Fatal(err)
		}
		what := mutate(rnd, v, "")
		doc, err := stdjson.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := Validate(doc), validates(oracle, doc)
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("after %s: ours says %v, the oracle says %v", what, ours, theirs)
		}
		if ours != nil {
			refused++
		}
	}
	if refused < rounds/4 {
		t.Errorf("only %d of %d changed documents are refused", refused, rounds)
	}
}

// mutate changes one value somewhere in v and says where.
func mutate(rnd *rand.Rand, v any, at string) string {
	strange := []any{nil, true, -1.0, 0.0, 1.5, 1e300, "", "x", "error", []any{}, map[string]any{}, []any{nil}}
	switch v := v.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		if len(names) == 0 {
			v["added"] = 1.0
			return at + " added"
		}
		slices.Sort(names)
		name := names[rnd.IntN(len(names))]
		switch rnd.IntN(8) {
		case 0:
			delete(v, name)
			return at + "/" + name + " deleted"
		case 1:
			v[name] = strange[rnd.IntN(len(strange))]
			return fmt.Sprintf("%s/%s = %v", at, name, v[name])
		case 2:
			if s, ok := v[name].(string); ok {
				v[name] = s + "x"
				return at + "/" + name + " + x"
			}
		}
		return mutate(rnd, v[name], at+"/"+name)
	case []any:
		if len(v) == 0 {
			return at + " kept"
		}
		i := rnd.IntN(len(v))
		if rnd.IntN(4) == 0 {
			v[i] = strange[rnd.IntN(len(strange))]
			return fmt.Sprintf("%s/%d = %v", at, i, v[i])
		}
		return mutate(rnd, v[i], fmt.Sprintf("%s/%d", at, i))
	}
	return at + " kept"
}

func TestValidateNamesEachFault(t *testing.T) {
	good := string(render(t, "json", sample(), sampleEnv()))
	for name, c := range map[string]struct{ old, new, want string }{
		"another version":      {`"schemaVersion":1`, `"schemaVersion":2`, "/schemaVersion: is not 1"},
		"an old severity word": {`"severity":"error"`, `"severity":"critical"`, "/findings/0/severity: is not one of [error warning info]"},
		"a null array":         {`"related":[]`, `"related":null`, "/findings/1/related: is not of type array"},
		"a missing field":      {`"exit":2,`, ``, `document: has no "exit"`},
		"a line of zero":       {`"line":6,`, `"line":0,`, "/findings/0/location/line: is less than 1"},
		"a short digest":       {`"fingerprint":"sha256:`, `"fingerprint":"sha1:`, "/findings/0/fingerprint: does not match"},
		"a duplicate name":     {`"exit":2,`, `"exit":2,"exit":0,`, "duplicate"},
		"two values":           {`{`, `{}{`, "not one JSON value"},
		"bad UTF-8":            {`"lint"`, "\"lint\xff\"", "UTF-8"},
		"not an object":        {good, `[]`, "document: is not of type object"},
		"nothing":              {good, ``, "not one JSON value"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Validate([]byte(strings.Replace(good, c.old, c.new, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
	added := strings.Replace(good, `"exit":2,`, `"exit":2,"mood":{"total":9},`, 1)
	if err := Validate([]byte(added)); err != nil {
		t.Errorf("an added field is refused: %v", err)
	}
}

// A document is not ours when it comes from a file: whatever it is, Validate answers.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":1,"findings":[{}]}`))
	f.Add([]byte(strings.Repeat("[", 20000)))
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := Validate(doc)
		if err == nil && !stdjson.Valid(doc) {
			t.Errorf("accepts %q", doc)
		}
	})
}
