package lock

import (
	_ "embed"
	"slices"
)

//go:embed lock.schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of the file. It says what a lock holds; Read says whether one is whole.
func Schema() []byte { return slices.Clone(schema) }
