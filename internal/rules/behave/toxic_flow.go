package behave

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// ToxicFlow is card/toxic-flow.
var ToxicFlow = &rule.Rule{
	ID:      "card/toxic-flow",
	Title:   "strangers' text, private data and a way out, over several servers",
	Trigger: "The servers of one file together bring what strangers wrote, read what is private, and send text out, and no server does all of it alone.",
	Message: "What strangers write ({source}) can reach private data ({private}) and carry it away ({sink})",

	Severity:   finding.Warning,
	Confidence: finding.Medium,
	Tags:       []string{rule.Behaviour},
	OWASP:      "MCP06",
	CWE:        []int{200},
	Since:      "0.1.0",
	Cards:      toxicFlow,
}

// part is a tool that plays a part in a flow.
type part struct {
	*card.Card
	sign card.Sign
}

// parts are the surest tools of one role: the first, and the first of another server.
type parts struct{ first, other part }

func (p *parts) add(c *card.Card, s card.Sign) {
	switch {
	case s == card.None:
	case s > p.first.sign:
		if p.first.Card != nil && p.first.Server != c.Server {
			p.other = p.first
		}
		p.first = part{c, s}
	case p.first.Server != c.Server && s > p.other.sign:
		p.other = part{c, s}
	}
}

func toxicFlow(p *rule.Pass, f *card.File) {
	if len(f.Servers) < 2 {
		return
	}
	var roles [3]parts // source, private, sink
	for _, s := range f.Servers {
		for c := range s.Of(card.Tool) {
			does := c.Does()
			roles[0].add(c, does.Brings())
			roles[1].add(c, does.Holds())
			roles[2].add(c, does.Leaks())
		}
	}
	path, ok := flow(roles)
	if !ok {
		return
	}
	severity := finding.Warning
	for _, one := range path {
		if one.sign != card.Strong {
			severity = finding.Info
		}
	}
	name := func(one part) string { return serverName(one.Server) + ": " + one.Label() }
	p.Report(rule.At(path[2].Node), rule.Args{"source": name(path[0]), "private": name(path[1]), "sink": name(path[2])},
		rule.WithSeverity(severity), rule.Also(rule.At(path[0].Node), "what strangers write"), rule.Also(rule.At(path[1].Node), "private data"))
}

// flow picks a tool for each role, the surest ones that are not all of one server. A server that has the whole flow in
// itself was taken in by whoever installed it: it is what servers add up to that nobody looked at.
func flow(roles [3]parts) (path [3]part, ok bool) {
	for i := range roles {
		if path[i] = roles[i].first; path[i].Card == nil {
			return path, false
		}
	}
	if path[0].Server != path[1].Server || path[1].Server != path[2].Server {
		return path, true
	}
	best := -1
	for i := range roles {
		if o := roles[i].other; o.Card != nil && (best < 0 || o.sign > roles[best].other.sign) {
			best = i
		}
	}
	if best < 0 {
		return path, false
	}
	path[best] = roles[best].other
	return path, true
}
