package schema

import (
	"strings"
	"sync"
)

// Dialect is a version of JSON Schema.
type Dialect uint8

// The dialects. Unknown is one that $schema names and nobody here knows.
const (
	Draft4 Dialect = iota
	Draft6
	Draft7
	Draft2019
	Draft2020
	Unknown
)

func (d Dialect) String() string {
	return [...]string{"draft-04", "draft-06", "draft-07", "2019-09", "2020-12", "unknown"}[d]
}

// URI is the address by which $schema names the dialect.
func (d Dialect) URI() string {
	return [...]string{"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
		"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema", ""}[d]
}

// vocabulary is the URI of one of the dialect's vocabularies, since 2019-09.
func (d Dialect) vocabulary(name string) string {
	return strings.TrimSuffix(d.URI(), "schema") + "vocab/" + name
}

// DialectOf is the dialect that a $schema names: http or https, with or without an empty fragment.
func DialectOf(uri string) Dialect {
	rest, _ := strings.CutSuffix(uri, "#")
	rest, ok := strings.CutPrefix(rest, "http")
	if !ok {
		return Unknown
	}
	switch strings.TrimPrefix(rest, "s") {
	case "://json-schema.org/draft-04/schema":
		return Draft4
	case "://json-schema.org/draft-06/schema":
		return Draft6
	case "://json-schema.org/draft-07/schema":
		return Draft7
	case "://json-schema.org/draft/2019-09/schema":
		return Draft2019
	case "://json-schema.org/draft/2020-12/schema":
		return Draft2020
	}
	return Unknown
}

// metaschema says whether a URI without its fragment is a metaschema, or a part of one, of a dialect known here.
func metaschema(uri string) bool {
	if DialectOf(uri) != Unknown {
		return true
	}
	rest, ok := strings.CutPrefix(uri, "https://json-schema.org/draft/2020-12/meta/")
	if !ok {
		rest, ok = strings.CutPrefix(uri, "https://json-schema.org/draft/2019-09/meta/")
	}
	if !ok {
		return false
	}
	switch rest {
	case "core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "format-assertion", "format", "content":
		return true
	}
	return false
}

// refHides says that the dialect ignores everything beside a $ref.
func (d Dialect) refHides() bool { return d <= Draft7 }

// shape is what the value of a keyword must look like.
type shape uint8

const (
	noKeyword   shape = iota
	foreign           // a keyword of another dialect, which this one ignores
	anything          //
	text              // a string
	flag              // a boolean
	number            //
	positive          // a number above 0
	count             // an integer from 0; 5.0 is one
	typeNames         // a type's name, or several, each once
	values            // an array: enum
	list              // an array
	names             // strings, each once
	namesSome         // the same, at least one
	uri               // a URI reference that names this schema
	ref               // a URI reference that leads elsewhere
	anchor            // a plain name
	vocabulary        // an object of booleans
	pattern           // an ECMA-262 expression
	one               // a schema
	oneOrFlag         // a schema or, where schemas are no booleans, a boolean
	oneOrList         // a schema or an array of at least one
	some              // an array of at least one schema
	named             // an object of schemas
	patterned         // an object of schemas by pattern
	namedNames        // an object of arrays of strings
	eitherNamed       // an object of schemas and arrays of strings
	formerNamed       // the same, kept by the metaschema, ignored by the dialect
)

// edge is how a schema is reached from the one around it.
type edge uint8

const (
	away    edge = iota // it judges another value: a property, an item
	inPlace             // it judges the same value
	inDoubt             // it judges the same value, which need not pass: not, if
	stored              // it judges nothing until a $ref leads to it
)

type keyword uint8

// The keywords that some code asks for by name.
const (
	kwOther keyword = iota
	kwSchema
	kwID
	kwRef
	kwDynamicRef
	kwRecursiveRef
	kwAnchor
	kwDynamicAnchor
	kwRecursiveAnchor
	kwVocabulary
	kwDefs
	kwType
	kwEnum
	kwConst
	kwMultipleOf
	kwMinimum
	kwMaximum
	kwExclusiveMinimum
	kwExclusiveMaximum
	kwMinLength
	kwMaxLength
	kwMinItems
	kwMaxItems
	kwMinProperties
	kwMaxProperties
	kwMinContains
	kwMaxContains
	kwPattern
	kwFormat
	kwUniqueItems
	kwRequired
	kwProperties
	kwPatternProperties
	kwAdditionalProperties
	kwUnevaluatedProperties
	kwPropertyNames
	kwDependencies
	kwDependentRequired
	kwDependentSchemas
	kwItems
	kwPrefixItems
	kwAdditionalItems
	kwUnevaluatedItems
	kwContains
	kwAllOf
	kwAnyOf
	kwOneOf
	kwNot
	kwIf
	kwThen
	kwElse
	kwContentSchema
	keywords
)

// word is a keyword: what it takes in each dialect, draft-04 first, and how its schemas apply.
type word struct {
	name string
	id   keyword
	in   [5]shape
	edge edge
}

func all(s shape) [5]shape { return [5]shape{s, s, s, s, s} }

// since is a keyword that came with a dialect and that those before ignore.
func since(d Dialect, s, before shape) (in [5]shape) {
	for i := range in {
		in[i] = before
		if Dialect(i) >= d {
			in[i] = s
		}
	}
	return in
}

var words = sync.OnceValue(func() map[string]*word {
	rows := []word{
		{"$schema", kwSchema, all(text), away},
		{"id", kwID, [5]shape{uri}, away},
		{"$id", kwID, since(Draft6, uri, noKeyword), away},
		{"$ref", kwRef, all(ref), away},
		{"$dynamicRef", kwDynamicRef, since(Draft2020, ref, foreign), away},
		{"$recursiveRef", kwRecursiveRef, [5]shape{foreign, foreign, foreign, ref, foreign}, away},
		{"$anchor", kwAnchor, since(Draft2019, anchor, foreign), away},
		{"$dynamicAnchor", kwDynamicAnchor, since(Draft2020, anchor, foreign), away},
		{"$recursiveAnchor", kwRecursiveAnchor, [5]shape{foreign, foreign, foreign, flag, foreign}, away},
		{"$vocabulary", kwVocabulary, since(Draft2019, vocabulary, noKeyword), away},
		{"$comment", kwOther, since(Draft7, text, noKeyword), away},
		{"$defs", kwDefs, since(Draft2019, named, noKeyword), stored},
		{"definitions", kwDefs, all(named), stored},
		{"title", kwOther, all(text), away},
		{"description", kwOther, all(text), away},
		{"examples", kwOther, since(Draft6, list, noKeyword), away},
		{"readOnly", kwOther, since(Draft7, flag, noKeyword), away},
		{"writeOnly", kwOther, since(Draft7, flag, noKeyword), away},
		{"deprecated", kwOther, since(Draft2019, flag, noKeyword), away},
		{"format", kwFormat, all(text), away},
		{"contentMediaType", kwOther, since(Draft7, text, noKeyword), away},
		{"contentEncoding", kwOther, since(Draft7, text, noKeyword), away},
		{"contentSchema", kwContentSchema, since(Draft2019, one, noKeyword), stored},
		{"type", kwType, all(typeNames), away},
		{"enum", kwEnum, all(values), away},
		{"const", kwConst, since(Draft6, anything, foreign), away},
		{"multipleOf", kwMultipleOf, all(positive), away},
		{"minimum", kwMinimum, all(number), away},
		{"maximum", kwMaximum, all(number), away},
		{"exclusiveMinimum", kwExclusiveMinimum, since(Draft6, number, flag), away},
		{"exclusiveMaximum", kwExclusiveMaximum, since(Draft6, number, flag), away},
		{"minLength", kwMinLength, all(count), away},
		{"maxLength", kwMaxLength, all(count), away},
		{"minItems", kwMinItems, all(count), away},
		{"maxItems", kwMaxItems, all(count), away},
		{"minProperties", kwMinProperties, all(count), away},
		{"maxProperties", kwMaxProperties, all(count), away},
		{"minContains", kwMinContains, since(Draft2019, count, foreign), away},
		{"maxContains", kwMaxContains, since(Draft2019, count, foreign), away},
		{"pattern", kwPattern, all(pattern), away},
		{"uniqueItems", kwUniqueItems, all(flag), away},
		{"required", kwRequired, since(Draft6, names, namesSome), away},
		{"properties", kwProperties, all(named), away},
		{"patternProperties", kwPatternProperties, all(patterned), away},
		{"additionalProperties", kwAdditionalProperties, since(Draft6, one, oneOrFlag), away},
		{"unevaluatedProperties", kwUnevaluatedProperties, since(Draft2019, one, foreign), away},
		{"propertyNames", kwPropertyNames, since(Draft6, one, foreign), away},
		{"dependencies", kwDependencies, since(Draft2019, formerNamed, eitherNamed), inPlace},
		{"dependentRequired", kwDependentRequired, since(Draft2019, namedNames, foreign), away},
		{"dependentSchemas", kwDependentSchemas, since(Draft2019, named, foreign), inPlace},
		{"items", kwItems, since(Draft2020, one, oneOrList), away},
		{"prefixItems", kwPrefixItems, since(Draft2020, some, foreign), away},
		{"additionalItems", kwAdditionalItems, [5]shape{oneOrFlag, one, one, one, foreign}, away},
		{"unevaluatedItems", kwUnevaluatedItems, since(Draft2019, one, foreign), away},
		{"contains", kwContains, since(Draft6, one, foreign), away},
		{"allOf", kwAllOf, all(some), inPlace},
		{"anyOf", kwAnyOf, all(some), inPlace},
		{"oneOf", kwOneOf, all(some), inPlace},
		{"not", kwNot, all(one), inDoubt},
		{"if", kwIf, since(Draft7, one, foreign), inDoubt},
		{"then", kwThen, since(Draft7, one, foreign), inPlace},
		{"else", kwElse, since(Draft7, one, foreign), inPlace},
	}
	m := make(map[string]*word, len(rows))
	for i := range rows {
		m[rows[i].name] = &rows[i]
	}
	return m
})
