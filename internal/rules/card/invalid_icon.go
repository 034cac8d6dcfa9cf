package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// InvalidIcon is card/invalid-icon.
var InvalidIcon = &rule.Rule{
	ID:       "card/invalid-icon",
	Title:    "an icon that clients must not show",
	Trigger:  "An icon has no src, or one that is neither https: nor data:; or its mimeType, sizes or theme are not what the specification allows.",
	Message:  "{names}: {what} of an icon is {is}, not {want}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"INVALID_TOOL_ICONS", "INVALID_TOOL_ICON_MIME_TYPE", "INVALID_TOOL_ICON_SIZE", "INVALID_TOOL_ICON_SRC"},
	Since:    "0.1.0",
	Surface:  tell,
}

func (v *survey) invalidIcon(c *card.Card, m *members) {
	if m.icons.Kind() != source.Array || !v.server.Since(rev202511) {
		return
	}
	wrong := func(n source.Node, severity finding.Severity, what, is, want string) {
		v.add(c, rule.At(n), fault{rule: "card/invalid-icon", severity: severity, what: what, is: is, want: want})
	}
	for icon := range m.icons.Children() {
		src := icon.Get("src")
		switch text, ok := src.Str(); {
		case icon.Kind() != source.Object:
			v.add(c, rule.At(icon), fault{rule: "card/invalid-icon", is: icon.Kind().String(), message: "{names}: an icon is {is}, not an object"})
			continue
		case !src.Valid():
			v.add(c, rule.At(icon), fault{rule: "card/invalid-icon", message: "{names}: an icon has no src"})
		case !ok:
			wrong(src, finding.Error, "the src", src.Kind().String(), "a string")
		default:
			scheme, _, _ := strings.Cut(text, ":")
			switch scheme = strings.ToLower(scheme); scheme {
			case "https", "data":
			case "http":
				wrong(src, finding.Warning, "the src", "an http: address", "https: or data:")
			default:
				wrong(src, finding.Error, "the src", "neither", "https: or data:")
			}
		}
		if n := icon.Get("mimeType"); n.Valid() && !(strings.HasPrefix(strings.ToLower(n.Text()), "image/") && mediaType(n.Text())) {
			wrong(n, finding.Warning, "the mimeType", "another", "an image's")
		}
		if n := icon.Get("theme"); n.Valid() && n.Text() != "light" && n.Text() != "dark" {
			wrong(n, finding.Warning, "the theme", "another", "light or dark")
		}
		sizes := icon.Get("sizes")
		if sizes.Valid() && sizes.Kind() != source.Array {
			wrong(sizes, finding.Warning, "sizes", sizes.Kind().String(), `an array of "any" or such as "48x48"`)
		}
		for n := range sizes.Children() {
			if sizes.Kind() == source.Array && n.Text() != "any" && !iconSize(n.Text()) {
				wrong(n, finding.Warning, "a size", "another", `"any" or such as "48x48"`)
			}
		}
	}
}

// iconSize says whether a text is WIDTHxHEIGHT.
func iconSize(s string) bool {
	w, h, ok := strings.Cut(s, "x")
	return ok && digits(w) && digits(h)
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
