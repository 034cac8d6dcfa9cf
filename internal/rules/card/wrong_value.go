package card

import (
	"strconv"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// WrongValue is card/wrong-value.
var WrongValue = &rule.Rule{
	ID:       "card/wrong-value",
	Title:    "a value that the protocol does not know",
	Trigger:  "execution.taskSupport, or an annotation, size or mimeType of a resource, has a value that the specification does not allow.",
	Message:  "{names}: {what} is not {want}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"INVALID_TASK_SUPPORT"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write one of the values that the specification has.",
	Surface: tell,
}

func (v *survey) wrongValue(c *card.Card, m *members) {
	wrong := func(n source.Node, severity finding.Severity, what, want string) {
		v.add(c, rule.At(n), fault{rule: "card/wrong-value", severity: severity, what: what, want: want})
	}
	if c.Kind == card.Tool {
		if n := m.execution.Get("taskSupport"); n.Valid() && v.server.Since(rev202511) && !(v.server.Revision >= rev202607) {
			switch n.Text() {
			case "forbidden", "optional", "required":
			default:
				wrong(n, finding.Error, "execution.taskSupport", "forbidden, optional or required")
			}
		}
		return
	}
	if m.mime.Kind() == source.String && !mediaType(m.mime.Text()) {
		wrong(m.mime, finding.Warning, "mimeType", "a media type such as text/plain")
	}
	if size, ok := m.size.Number(); ok && strings.HasPrefix(size, "-") {
		wrong(m.size, finding.Warning, "size", "a number of bytes")
	}
	if !c.Annotations.Valid() || c.Kind == card.Prompt {
		return
	}
	if n := c.Annotations.Get("audience"); n.Valid() {
		if n.Kind() != source.Array {
			wrong(n, finding.Error, "annotations.audience", "an array")
		}
		for one := range n.Children() {
			if text := one.Text(); text != "user" && text != "assistant" {
				wrong(one, finding.Error, "annotations.audience", "user or assistant")
			}
		}
	}
	if n := c.Annotations.Get("priority"); n.Valid() {
		text, _ := n.Number()
		if f, err := strconv.ParseFloat(text, 64); err != nil || f < 0 || f > 1 {
			wrong(n, finding.Error, "annotations.priority", "a number from 0 to 1")
		}
	}
	if n := c.Annotations.Get("lastModified"); n.Valid() && v.server.Since(rev202506) && !iso8601(n.Text()) {
		wrong(n, finding.Warning, "annotations.lastModified", "a time such as 2026-01-31T12:00:00Z")
	}
}

// iso8601 says whether a text is a date, or a time with its zone.
func iso8601(s string) bool {
	for _, form := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05"} {
		if _, err := time.Parse(form, s); err == nil {
			return true
		}
	}
	return false
}

// mediaType says whether a text has the form of one: type/subtype and parameters (RFC 6838, RFC 2045).
func mediaType(s string) bool {
	s, _, _ = strings.Cut(s, ";")
	kind, sub, ok := strings.Cut(strings.TrimRight(s, " \t"), "/")
	return ok && token(kind) && token(sub)
}

// token says whether a text is a token of HTTP (RFC 9110, section 5.6.2), as the names of headers and media types are.
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}
