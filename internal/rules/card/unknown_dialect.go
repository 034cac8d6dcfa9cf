package card

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// UnknownDialect is card/unknown-dialect.
var UnknownDialect = &rule.Rule{
	ID:       "card/unknown-dialect",
	Title:    "a schema in a dialect that nobody knows",
	Trigger:  "$schema names no dialect of JSON Schema that is known here: the schema was not judged.",
	Message:  `{names}: $schema names the unknown dialect {is}: the schema was not judged`,
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Name https://json-schema.org/draft/2020-12/schema, or leave $schema out.",
	Surface: tell,
}
