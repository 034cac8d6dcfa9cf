package card

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// InvalidArgument is card/invalid-argument.
var InvalidArgument = &rule.Rule{
	ID:       "card/invalid-argument",
	Title:    "an argument of a prompt that is none",
	Trigger:  "An argument of a prompt is no object, has no name, has the name of another one, or a field of a wrong type.",
	Message:  "{names}: an argument {what}",
	Severity: finding.Error,
	Tags:     []string{rule.Schema},
	Since:    "0.1.0",
	Fix:      finding.Manual, FixDescription: "Give every argument a name that no other has, and its fields the right types.",
	Surface: tell,
}

func (v *survey) invalidArgument(c *card.Card, m *members) {
	if m.arguments.Kind() != source.Array {
		return
	}
	wrong := func(n source.Node, what, is string) {
		v.add(c, rule.At(n), fault{rule: "card/invalid-argument", what: what, is: is, message: "{names}: an argument " + what})
	}
	seen := map[string]bool{}
	for a := range m.arguments.Children() {
		if a.Kind() != source.Object {
			wrong(a, "is {is}, not an object", a.Kind().String())
			continue
		}
		name := a.Get("name")
		switch text, ok := name.Str(); {
		case !name.Valid():
			wrong(a, "has no name", "")
		case !ok:
			wrong(name, "has a name that is {is}, not a string", name.Kind().String())
		case strings.TrimSpace(text) == "":
			wrong(name, "has an empty name", "")
		case seen[text]:
			wrong(name, "has the name of another one", "")
		default:
			seen[text] = true
		}
		if n := a.Get("description"); n.Valid() && n.Kind() != source.String {
			wrong(n, "has a description that is {is}, not a string", n.Kind().String())
		}
		if n := a.Get("title"); n.Valid() && n.Kind() != source.String && v.server.Since(rev202506) {
			wrong(n, "has a title that is {is}, not a string", n.Kind().String())
		}
		if n := a.Get("required"); n.Valid() && n.Kind() != source.Bool {
			wrong(n, "says required with {is}, not a boolean", n.Kind().String())
		}
	}
}
