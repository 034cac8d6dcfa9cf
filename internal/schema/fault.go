package schema

import (
	"fmt"

	"github.com/mcpassay/mcpassay/internal/source"
)

// Kind is what is wrong with a schema.
type Kind uint8

// The kinds. Those before Inverted break the dialect's metaschema, unless the fault is Legal.
const (
	// NotSchema is a value where a schema must stand: neither an object nor (since draft-06) a boolean.
	NotSchema Kind = iota
	// WrongType is a keyword's value of another type than Want.
	WrongType
	// UnknownType is a type, Name, that is none of the seven.
	UnknownType
	// Empty is a list that must hold something. An empty enum is Legal since draft-07, and matches nothing.
	Empty
	// Duplicate is an item that stands in its list before, at Other. In an enum it is Legal since draft-07.
	Duplicate
	// OutOfRange is a number that is not Want: a multipleOf of 0, a negative or fractional count.
	OutOfRange
	// TupleItems is an array of items in 2020-12, where it is called prefixItems.
	TupleItems
	// BadName is an $anchor, $dynamicAnchor or $id that the dialect does not allow.
	BadName
	// BadPattern is an expression that does not compile: Want says why.
	BadPattern

	// Inverted is a lower bound that no value can meet together with the upper bound at Other.
	Inverted
	// Undefined is a required property, Name, that no schema for the same value defines: likely a mistake.
	Undefined
	// OtherDialect is a keyword of another dialect, which this one ignores.
	OtherDialect
	// UnknownDialect is a $schema, Name, that names no dialect known here: the structure was not judged.
	UnknownDialect
	// NestedDialect is a $schema below the root, where no dialect reads it.
	NestedDialect
	// LoosePattern is an expression that compiles only without the u flag: Want says why.
	LoosePattern
	// UnsafePattern is an expression that can take time exponential in the length of a text: a repeated group that
	// can match one text in several ways.
	UnsafePattern
	// Dangling is a reference, Name, to a place of this document that is not there.
	Dangling
	// Elsewhere is a relative reference, Name, to a document that is not here.
	Elsewhere
	// Network is a reference, Name, to a document elsewhere by an absolute URI: nobody may fetch it (MCP 2026-07-28).
	Network
	// BadURI is a reference or an identifier, Name, that is no URI, or one longer than the limit.
	BadURI
	// SameName is an identifier or an anchor, Name, that another schema of the document, at Other, has too.
	SameName
	// Endless is a reference that leads back to itself without a step into the value: judging it never ends.
	Endless
	// Maze is a schema that references blow up beyond the limit when they are expanded.
	Maze
	// TooMany is the first schema beyond the limit of schemas, or the first of so many required names: neither it nor
	// what comes after it was judged.
	TooMany
	// TooDeep is a schema, or a pattern with groups, nested below the limit: what is in it was not judged.
	TooDeep
	// MoreFaults is the schema itself when it has more faults than are listed.
	MoreFaults
)

func (k Kind) String() string {
	return [...]string{"not a schema", "wrong type", "unknown type", "empty", "duplicate", "out of range", "tuple items",
		"bad name", "bad pattern", "inverted bounds", "undefined property", "other dialect", "unknown dialect",
		"nested dialect", "loose pattern", "unsafe pattern", "dangling reference", "reference elsewhere",
		"network reference", "bad URI", "same name", "endless reference", "maze", "too many schemas", "too deep",
		"more faults"}[k]
}

// Unjudged says that a fault of the kind means that a part of the schema was not looked at.
func (k Kind) Unjudged() bool { return k >= TooMany || k == UnknownDialect }

// Fault is one thing that is wrong, and where.
type Fault struct {
	Kind Kind
	// Node is the value that is wrong, and with Key its name.
	Node source.Node
	Key  bool
	// Legal says that the dialect allows it all the same.
	Legal bool
	// Want is what should be there, in words without an article of their own ("a boolean", "an integer from 0"), or
	// for a pattern what is wrong with it.
	Want string
	// Name is the text that the kind speaks of, as the document has it: untrusted.
	Name string
	// Other is the second value that the kind speaks of.
	Other source.Node
}

// BreaksMeta says that the dialect's metaschema would refuse the schema for it.
func (f Fault) BreaksMeta() bool { return f.Kind < Inverted && !f.Legal }

func (f Fault) String() string {
	s := fmt.Sprintf("%s: %s", f.Node.Pointer(), f.Kind)
	if f.Key {
		s = fmt.Sprintf("%s#: %s", f.Node.Pointer(), f.Kind)
	}
	if f.Want != "" {
		s += ", " + f.Want
	}
	if f.Name != "" {
		s += fmt.Sprintf(" %q", f.Name)
	}
	return s
}
