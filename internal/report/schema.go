package report

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

//go:embed report.schema.json
var schemaBytes []byte

// Schema is the JSON Schema (draft 2020-12) of the report document.
func Schema() []byte { return slices.Clone(schemaBytes) }

// Validate says what is wrong with a report document, each fault with its JSON Pointer, or nil. It is as
// strict as the schema, and refuses duplicate names and bad UTF-8 too.
func Validate(doc []byte) error {
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return fmt.Errorf("not one JSON value: %s", text.Safe(err.Error(), limits.Default.ShownRunes))
	}
	var c checker
	c.check(rootSchema(), v, "")
	return errors.Join(c.faults...)
}

// schema holds the keywords that our own schema uses, and no other: the program carries no JSON Schema
// library, they are slow to start and unsafe on hostile input. Tests hold this against a full one.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Const      any                `json:"const"`
	Enum       []any              `json:"enum"`
	Pattern    string             `json:"pattern"`
	Minimum    *float64           `json:"minimum"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	Defs       map[string]*schema `json:"$defs"`
	Dialect    string             `json:"$schema"`
	ID         string             `json:"$id"`
	Title      string             `json:"title"`
	About      string             `json:"description"`

	target *schema        // of Ref
	regexp *regexp.Regexp // of Pattern
}

// rootSchema reads the embedded schema. A keyword that it does not know, or a dangling reference, is a fault
// of the program, which every test of this package would show.
var rootSchema = sync.OnceValue(func() *schema {
	root := new(schema)
	if err := json.Unmarshal(schemaBytes, root, json.RejectUnknownMembers(true)); err != nil {
		panic(err)
	}
	root.prepare(root.Defs)
	for _, s := range root.Defs {
		s.prepare(root.Defs)
	}
	return root
})

func (s *schema) prepare(defs map[string]*schema) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		if s.target = defs[strings.TrimPrefix(s.Ref, "#/$defs/")]; s.target == nil {
			panic("report.schema.json: no " + s.Ref)
		}
	}
	if s.Pattern != "" {
		s.regexp = regexp.MustCompile(s.Pattern)
	}
	s.Items.prepare(defs)
	for _, p := range s.Properties {
		p.prepare(defs)
	}
}

type checker struct{ faults []error }

func (c *checker) fault(at, format string, args ...any) {
	if len(c.faults) < limits.Default.ShownFaults {
		at = cmp.Or(text.Safe(at, limits.Default.ShownRunes), "document")
		c.faults = append(c.faults, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
	}
}

// check holds v, which stands at a JSON Pointer, against s.
func (c *checker) check(s *schema, v any, at string) {
	if s.target != nil {
		c.check(s.target, v, at)
	}
	if s.Type != "" && !isType(v, s.Type) {
		c.fault(at, "is not of type %s", s.Type)
		return
	}
	if s.Const != nil && v != s.Const {
		c.fault(at, "is not %v", s.Const)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(w any) bool { return w == v }) {
		c.fault(at, "is not one of %v", s.Enum)
	}
	switch v := v.(type) {
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			c.fault(at, "is less than %v", *s.Minimum)
		}
	case string:
		if s.regexp != nil && !s.regexp.MatchString(v) {
			c.fault(at, "does not match %s", s.Pattern)
		}
	case []any:
		if s.Items != nil {
			for i, x := range v {
				c.check(s.Items, x, at+"/"+strconv.Itoa(i))
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				c.fault(at, "has no %q", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if x, ok := v[name]; ok {
				c.check(s.Properties[name], x, at+"/"+name)
			}
		}
	}
}

func isType(v any, want string) bool {
	switch v := v.(type) {
	case map[string]any:
		return want == "object"
	case []any:
		return want == "array"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == math.Trunc(v)
	}
	return false
}
