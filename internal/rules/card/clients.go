package card

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// verdict is what the clients that a server is judged for do with a shape of a card.
type verdict struct {
	severity finding.Severity
	clients  string
	effect   string
}

// effects are what a person sees when a client does not take a shape, by what is lost, the worst first.
var effects = []struct{ loses, effect string }{
	{"session", "no request is answered while the server is on"},
	{"server", "none of the server's tools is offered"},
	{"tool", "the tool is not offered"},
	{"call", "every call is refused"},
}

// grade is how grave a fact of the client table is.
func grade(c client.Confidence) finding.Severity {
	switch c {
	case client.High:
		return finding.Error
	case client.Medium:
		return finding.Warning
	}
	return finding.Info
}

// judges are the clients that cards are judged for, and whether somebody asked for them. Where nobody did, those whose
// facts are sure are worth a note, on a server and not on a list of cards that may be a part of one.
func judges(s *card.Server, named []*client.Client) (clients []*client.Client, asked bool) {
	if len(named) > 0 {
		return named, true
	}
	if !s.Introduced() {
		return nil, false
	}
	return client.Table(), false
}

// on is the verdict on a shape, nil for none.
func (v *survey) on(shape client.CardShape) *verdict {
	if known, ok := v.verdict[shape]; ok {
		return known
	}
	var to *verdict
	var names, by []string // who does not take it, and what part of it
	worst := len(effects)
	clients, asked := judges(v.server, v.clients)
	for _, c := range clients {
		b := c.BreaksOn(shape)
		if b == nil || !asked && b.Confidence != client.High {
			continue
		}
		if to == nil {
			to = &verdict{severity: finding.Info}
		}
		if asked {
			to.severity = max(to.severity, grade(b.Confidence))
		}
		names, by = append(names, c.Name), append(by, b.By)
		if i := slices.IndexFunc(effects, func(e struct{ loses, effect string }) bool { return e.loses == b.Loses }); i < worst {
			worst = i
		}
	}
	if to != nil {
		after := ""
		if one := len(slices.Compact(slices.Clone(by))) == 1; one && by[0] != "" {
			after = " (" + by[0] + ")"
		} else if !one { // what is true of a part of one client is not said of another
			for i := range names {
				if by[i] != "" {
					names[i] += " (" + by[i] + ")"
				}
			}
		}
		to.clients, to.effect = shortList(names, v.pass.Limits.ShownNames), effects[worst].effect
		switch {
		case !asked:
		case to.severity == finding.Warning:
			to.effect = "reports say that " + to.effect
		case to.severity == finding.Info: // nobody is sure of it
			to.effect = "may not take it"
		}
		to.effect += after
	}
	if v.verdict == nil {
		v.verdict = map[client.CardShape]*verdict{}
	}
	v.verdict[shape] = to
	return to
}

func shortList(names []string, most int) string {
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "others")
	}
	return strings.Join(names, ", ")
}

// shape notes that a card has a shape, where a client is known that does not take it.
func (v *survey) shape(c *card.Card, shape client.CardShape, at rule.Place, id, what, remedy string) {
	if to := v.on(shape); to != nil {
		v.add(c, at, fault{rule: id, severity: to.severity, what: what, by: to.clients, is: to.effect, remedy: remedy})
	}
}

// portable looks for shapes of a tool that the specification allows and that a client does not take.
func (v *survey) portable(c *card.Card) {
	v.rootCombinator(c)
	v.oldOutputDialect(c)
	v.propertyNames(c)
	if len(v.clients) > 0 {
		if c.Input.Kind() == source.Object && !c.Input.Get("properties").Valid() {
			v.shape(c, client.NoProperties, rule.At(c.Input), unportable, "inputSchema has no properties", `add "properties": {}`)
		}
		v.shapes(c, c.Input, false)
	}
}
