package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// OldOutputDialect is card/old-output-dialect.
var OldOutputDialect = &rule.Rule{
	ID:       "card/old-output-dialect",
	Title:    "an outputSchema in an old dialect",
	Trigger:  "outputSchema declares another JSON Schema dialect than 2020-12, as SDKs with draft-07 do: some clients then refuse every call.",
	Message:  "{names}: outputSchema declares {what}. {by}: {is}",
	Severity: finding.Info,
	Tags:     []string{rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Leave $schema out of outputSchema, or emit 2020-12.",
	Surface: tell,
}

func (v *survey) oldOutputDialect(c *card.Card) {
	if !c.Output.Valid() {
		return
	}
	n := c.Output.Get("$schema")
	text, ok := n.Str()
	_, draft, found := strings.Cut(text, "://json-schema.org/")
	if !ok || !found || strings.HasPrefix(draft, "draft/2020-12/") {
		return
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(draft, "draft/"), "/")
	v.shape(c, client.Draft07Output, rule.At(n), "card/old-output-dialect", name, "leave $schema out, or emit 2020-12")
}
