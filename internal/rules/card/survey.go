package card

import (
	"cmp"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/schema"
	"github.com/mcpassay/mcpassay/internal/source"
)

// A fault is what one finding of a server says. All cards of the server that have it are that one finding.
type fault struct {
	rule string
	// severity and message are the rule's own unless they are set. The message may name {names}, {count}, and the fields
	// below.
	severity           finding.Severity
	message            string
	what, is, want, by string
	// remedy is what a person can do where it is not plain, "" where it is.
	remedy     string
	confidence finding.Confidence
}

// survey is what the rules of this room find in one server. They look at its cards together: one walk over the members
// of a card serves them all, and a card that is right costs next to nothing.
type survey struct {
	rule.Gathers[fault]
	pass    *rule.Pass // of the rule that asked first: for its limits
	server  *card.Server
	clients []*client.Client
	options schema.Options
	verdict map[client.CardShape]*verdict
	edits   map[fault][]finding.Edit // of the fixes
}

// tell is the Surface function of every rule here: it reports what the survey found for the rule.
func tell(p *rule.Pass, s *card.Server) {
	v := rule.Share(p.Scene, func() *survey { return look(p, s) })
	for _, k := range v.Kinds {
		if k.rule != p.Rule.ID {
			continue
		}
		opts := []rule.Option{rule.WithSeverity(cmp.Or(k.severity, p.Rule.Severity)), rule.WithConfidence(k.confidence), rule.WithKind(strings.Join([]string{k.what, k.is, k.want, k.by}, "\x00"))}
		if k.remedy != "" {
			opts = append(opts, rule.WithFix(finding.Manual, k.remedy))
		}
		v.Of(k).Report(p, cmp.Or(k.message, p.Rule.Message), rule.Args{"what": k.what, "is": k.is, "want": k.want, "by": k.by}, opts...)
	}
}

func look(p *rule.Pass, s *card.Server) *survey {
	v := &survey{pass: p, server: s, clients: p.Clients, options: schema.NewOptions(*p.Limits)}
	for _, c := range s.Cards {
		m := membersOf(c)
		v.missingName(c, &m)
		v.wrongType(c, &m)
		v.wrongValue(c, &m)
		v.invalidIcon(c, &m)
		v.invalidAddress(c)
		switch c.Kind {
		case card.Tool:
			v.invalidName(c)
			v.missingDescription(c)
			v.missingInputSchema(c)
			v.rootNotObject(c)
			v.invalidHeader(c)
			v.schemas(c)
			v.portable(c)
		case card.Prompt:
			v.invalidArgument(c, &m)
		}
	}
	v.caseDiffers()
	return v
}

// add notes that a card has a fault.
func (v *survey) add(c *card.Card, at rule.Place, k fault) { v.Of(k).AddCard(c, at) }

// members are the members of a card that only rules of this room ask for.
type members struct {
	name, icons, execution, meta, arguments, mime, size source.Node
}

func membersOf(c *card.Card) (m members) {
	for n := range c.Node.Children() {
		switch n.Key() {
		case "name":
			m.name = n
		case "icons":
			m.icons = n
		case "execution":
			m.execution = n
		case "_meta":
			m.meta = n
		case "arguments":
			m.arguments = n
		case "mimeType":
			m.mime = n
		case "size":
			m.size = n
		}
	}
	return m
}

// The revisions that brought, or ended, what the rules here speak of (MCP specification, the changelogs).
const (
	rev202503 = "2025-03-26"
	rev202506 = "2025-06-18"
	rev202511 = "2025-11-25"
	rev202607 = "2026-07-28"
)
