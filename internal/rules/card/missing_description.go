package card

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// MissingDescription is card/missing-description.
var MissingDescription = &rule.Rule{
	ID:       "card/missing-description",
	Title:    "a tool that says nothing of what it does",
	Trigger:  "A tool has no description, or an empty one.",
	Message:  "{names}: no description, so that a model has only the name to go by",
	Severity: finding.Info,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"MISSING_DESCRIPTION"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Say what it does, and when to use it.",
	Surface: tell,
}

// vague are names that say nothing alone.
var vague = []string{"action", "call", "create", "delete", "do", "exec", "execute", "function", "get", "main", "process", "query", "request",
	"run", "search", "send", "set", "tool", "update"}

func (v *survey) missingDescription(c *card.Card) {
	at := c.Description
	if at.Kind() == source.String && strings.TrimSpace(at.Text()) == "" || !at.Valid() && c.Node.Valid() {
		if !at.Valid() {
			at = c.Node
		}
		k := fault{rule: "card/missing-description"}
		if !c.Title.Valid() && !c.Annotations.Get("title").Valid() && (len(c.Name) < 3 || slices.Contains(vague, strings.ToLower(c.Name))) {
			k.severity, k.message = finding.Warning, "{names}: no description and no title, and the name alone says nothing"
		}
		v.add(c, rule.At(at), k)
	}
}
