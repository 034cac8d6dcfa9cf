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
	Message:  "{names}: an icon {what}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Aliases:  []string{"INVALID_TOOL_ICONS", "INVALID_TOOL_ICON_MIME_TYPE", "INVALID_TOOL_ICON_SIZE", "INVALID_TOOL_ICON_SRC"},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give the icon an https: or data: address.",
	Surface: tell,
}

func (v *survey) invalidIcon(c *card.Card, m *members) {
	if m.icons.Kind() != source.Array || !v.server.Since(rev202511) {
		return
	}
	wrong := func(n source.Node, severity finding.Severity, what string) {
		v.add(c, rule.At(n), fault{rule: "card/invalid-icon", severity: severity, what: what})
	}
	for icon := range m.icons.Children() {
		if icon.Kind() != source.Object {
			wrong(icon, finding.Error, "is no object")
			continue
		}
		src := icon.Get("src")
		text, ok := src.Str()
		scheme, _, _ := strings.Cut(text, ":")
		switch scheme = strings.ToLower(scheme); {
		case !src.Valid():
			wrong(icon, finding.Error, "has no src")
		case !ok:
			wrong(src, finding.Error, "has a src that is no string")
		case scheme == "http":
			wrong(src, finding.Warning, "is loaded over http:, not https:")
		case scheme != "https" && scheme != "data":
			wrong(src, finding.Error, "is neither at https: nor in a data: URI")
		}
		if n := icon.Get("mimeType"); n.Valid() && !(strings.HasPrefix(strings.ToLower(n.Text()), "image/") && mediaType(n.Text())) {
			wrong(n, finding.Warning, "has a mimeType that is no image's")
		}
		if n := icon.Get("theme"); n.Valid() && n.Text() != "light" && n.Text() != "dark" {
			wrong(n, finding.Warning, "has a theme that is neither light nor dark")
		}
		sizes := icon.Get("sizes")
		if sizes.Valid() && sizes.Kind() != source.Array {
			wrong(sizes, finding.Warning, "has sizes that are no array")
			continue
		}
		for n := range sizes.Children() {
			if n.Text() != "any" && !iconSize(n.Text()) {
				wrong(n, finding.Warning, `has a size that is neither "any" nor such as "48x48"`)
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
