package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// InvalidAddress is card/invalid-address.
var InvalidAddress = &rule.Rule{
	ID:       "card/invalid-address",
	Title:    "a resource whose address is none",
	Trigger:  "A resource's uri is no URI with a scheme (RFC 3986), or a template's uriTemplate can not be expanded (RFC 6570).",
	Message:  "{names}: {what}",
	Severity: finding.Warning,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Write an absolute URI, or a template of RFC 6570.",
	Surface: tell,
}

func (v *survey) invalidAddress(c *card.Card) {
	why := ""
	switch c.Kind {
	case card.Resource:
		why = badURI(c.Name)
	case card.Template:
		why = badTemplate(c.Name)
	}
	if why != "" && c.Name != "" {
		v.add(c, rule.At(c.NameNode), fault{rule: "card/invalid-address", what: why})
	}
}

// badURI says what keeps a text from being an absolute URI, "" for nothing. Letters of other scripts are let through:
// servers write IRIs, and clients take them.
func badURI(s string) string {
	scheme, rest, ok := strings.Cut(s, ":")
	switch {
	case !ok || !schemeName(scheme):
		return "the uri has no scheme"
	case rest == "":
		return "the uri is a scheme and nothing else"
	}
	return badLiteral(rest, "the uri")
}

func schemeName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && strings.IndexByte("+-.", c) < 0) {
			return false
		}
	}
	return s != ""
}

// badLiteral says what of a text may not stand in a URI.
func badLiteral(s, what string) string {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c <= ' ' || c == 0x7F || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			return what + " holds a character that must be escaped"
		case c == '%' && !(i+2 < len(s) && hex(s[i+1]) && hex(s[i+2])):
			return what + " holds a % without two hexadecimal digits"
		}
	}
	return ""
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// badTemplate says what keeps a text from being a URI template.
func badTemplate(s string) string {
	const what = "the uriTemplate"
	for s != "" {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			return badLiteral(s, what)
		}
		if why := badLiteral(s[:open], what); why != "" {
			return why
		}
		end := strings.IndexByte(s, '}')
		if end < open {
			return what + " has a { without its }"
		}
		if why := badExpression(s[open+1 : end]); why != "" {
			return what + " " + why
		}
		s = s[end+1:]
	}
	return ""
}

// badExpression says what is wrong between braces (RFC 6570, section 2.2).
func badExpression(s string) string {
	if s != "" {
		switch {
		case strings.IndexByte("+#./;?&", s[0]) >= 0:
			s = s[1:]
		case strings.IndexByte("=,!@|", s[0]) >= 0:
			return "uses an operator that RFC 6570 keeps for later"
		}
	}
	for _, name := range strings.Split(s, ",") {
		rest, whole := strings.CutSuffix(name, "*")
		name, length, cut := strings.Cut(rest, ":")
		if cut && (whole || !digits(length) || length[0] == '0' || len(length) > len("9999")) {
			return "cuts a variable at no number from 1 to 9999"
		}
		if !variable(name) {
			return "has a variable without a name that RFC 6570 allows"
		}
	}
	return ""
}

func variable(s string) bool {
	if s == "" || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && hex(s[i+1]) && hex(s[i+2]):
			i += 2
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
