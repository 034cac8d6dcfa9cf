// Package schema judges the JSON Schemas of strangers: their structure against the dialect that they declare (Check),
// what they would cost whoever expands them, and values against them under a budget of steps (Schema.Validate).
//
// Nothing here trusts a schema. Everything works on the tree of source, so that each fault names its bytes; nothing
// is fetched; loops, mazes and patterns that never end are faults, and what was too large to look at is said.
//
// The dialects are those of json-schema.org: draft-04, draft-06, draft-07, 2019-09 and 2020-12. Patterns are those of
// ECMA-262 with the u flag, which JSON Schema names (2020-12 core, section 6.4).
package schema
