package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidSchema is card/invalid-schema.
var InvalidSchema = &rule.Rule{
	ID:       "card/invalid-schema",
	Title:    "a schema that is no JSON Schema",
	Trigger:  "A keyword of inputSchema or outputSchema has a value that the dialect which the schema declares does not allow.",
	Message:  `{names}: "{what}" must be {want}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"INVALID_ADDITIONAL_PROPERTIES", "INVALID_ENUM", "INVALID_FORMAT", "INVALID_JSON_SCHEMA_2020_12", "INVALID_MULTIPLE_OF", "INVALID_NUMERIC_BOUND", "INVALID_PATTERN", "INVALID_PREFIX_ITEMS", "INVALID_PROPERTIES", "INVALID_PROPERTY_NAME", "INVALID_REQUIRED", "INVALID_REQUIRED_ENTRY", "INVALID_SCHEMA_ANNOTATION", "INVALID_SCHEMA_COMPOSITION", "INVALID_SCHEMA_DIALECT", "INVALID_SCHEMA_MAP", "INVALID_SCHEMA_REF", "INVALID_SCHEMA_TYPE", "INVALID_SIZE_BOUND", "INVALID_SUBSCHEMA", "INVALID_UNIQUE_ITEMS", "DUPLICATE_REQUIRED_ENTRY", "DUPLICATE_SCHEMA_TYPE", "SCHEMA_NODE_NOT_OBJECT"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write the keyword as JSON Schema has it.",
	Surface: tell,
}
