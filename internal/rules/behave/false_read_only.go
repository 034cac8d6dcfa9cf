package behave

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// FalseReadOnly is card/false-read-only.
var FalseReadOnly = &rule.Rule{
	ID:      "card/false-read-only",
	Title:   "a tool that says it only reads, and does not",
	Trigger: "A tool says that it is read-only, in readOnlyHint or in its description, and its name or its description says that it deletes, pays, sends, runs or writes.",
	Message: "The tool {tool} says that it is read-only, and its {why} says that it can {does}",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	Aliases:    []string{"ANNOTATION_CONFLICT_READ_ONLY"},
	OWASP:      "MCP03",
	CWE:        []int{451},
	Since:      "0.1.0",
	Once:       once,
	Card:       falseReadOnly,
}

func falseReadOnly(p *rule.Pass, c *card.Card) {
	does := c.Does()
	if does == nil {
		return
	}
	ability, severity := belies(does)
	if severity == 0 {
		return
	}
	at := rule.At(c.Annotations.Get("readOnlyHint"))
	if claimed, _ := c.Hint("readOnlyHint"); !claimed {
		start, end := readOnlyClaim(head(p, c))
		if start < 0 {
			return
		}
		at = rule.Part(c.Description, start, end)
	}
	confidence := finding.Medium
	if severity == finding.Error {
		confidence = finding.High
	}
	p.Report(at, rule.Args{"tool": c.Label(), "why": does.Why(ability), "does": ability.String()}, rule.WithSeverity(severity), rule.WithConfidence(confidence))
}

// belies is what the tool does beside reading, and how grave it is to deny that: an error where its name says so plainly
// and description or parameters agree, and what was done can not be taken back. To write may mean to give back something
// written, so that is never more than a warning.
func belies(does *card.Capabilities) (card.Ability, finding.Severity) {
	for _, a := range []card.Ability{card.Deletes, card.Pays, card.Sends, card.Runs} {
		switch plainly := does.Plainly(a, card.ByName); {
		case plainly && does.Agree(a) > 1:
			return a, finding.Error
		case plainly, does.Says(a, card.ByName) && does.Agree(a) > 1, does.First == a && does.Plainly(a, card.ByText):
			return a, finding.Warning
		}
	}
	if does.Plainly(card.Writes, card.ByName) && does.Plainly(card.Writes, card.ByText) {
		return card.Writes, finding.Warning
	}
	return card.Nothing, 0
}

// readOnlyClaim finds where a description says of the whole tool that it only reads.
func readOnlyClaim(text string) (start, end int) {
	text = lower(text)
	for from := 0; ; {
		i := strings.Index(text[from:], "read")
		if i < 0 {
			return -1, 0
		}
		start = from + i
		from = start + len("read")
		if rest := text[from:]; !strings.HasPrefix(rest, "-only") && !strings.HasPrefix(rest, " only") {
			continue
		}
		end = start + len("read-only")
		before := strings.TrimRight(text[:start], " ")
		after := strings.TrimLeft(text[end:], " ")
		for _, lead := range []string{" is a", " is", "only for", "strictly", "purely"} {
			if strings.HasSuffix(before, lead) && !strings.HasPrefix(after, "mode") {
				return start, end
			}
		}
		if (before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "(")) && (strings.HasPrefix(after, "tool") || strings.HasPrefix(after, ".") || strings.HasPrefix(after, ")") || strings.HasPrefix(after, ":")) {
			return start, end
		}
	}
}

// head is the part of a description that says what its tool does.
func head(p *rule.Pass, c *card.Card) string {
	text := c.Description.Text()
	return text[:min(len(text), p.Limits.ClaimBytes)]
}

// lower writes ASCII letters small: places in the text stay what they are.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
