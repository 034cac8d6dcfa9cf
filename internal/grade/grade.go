// Package grade works out the score card of an endpoint from what a probe took down (model/card: Server.Trials) and from
// what the rules on cards found in its tools. It is a pure function of those: a recorded transcript has one score.
//
// Handshake 30, tools 30, errors 25, discovery 15; a section that does not apply leaves its points to the others. The
// seed of the weights, of the five mistakes and of the documents is the specification of mcp-endpoint-lint; what an answer
// is worth was fitted to nine real servers.
package grade

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// The most that each section gives.
const (
	maxHandshake = 30
	maxTools     = 30
	maxErrors    = 25
	maxDiscovery = 15
)

// Grades are the letters, best first, each with the total from which on it is given.
func Grades() []string { return []string{"A", "B", "C", "D", "F"} }

var floors = []int{90, 75, 60, 40, 0}

// cappedAt is the best grade of a server that strangers can turn against its user.
const cappedAt = "B"

// Of is the score card of a server: the servers are its lanes, of one document. found are the findings of Rules on them,
// whatever a policy says of those. It is nil where nobody probed.
func Of(servers []*card.Server, found []finding.Finding) *score.Card {
	c := &score.Card{Lanes: []score.Lane{}}
	var lanes []*lane
	for _, s := range servers {
		if l := read(s); l != nil {
			lanes = append(lanes, l)
		}
	}
	if len(lanes) == 0 {
		return nil
	}
	c.Target = lanes[0].target()
	worst, graded := 0, false
	for _, l := range lanes {
		c.Requests += l.requests
		c.Gated = c.Gated || l.gated()
		if c.Capped == "" {
			c.Capped = l.capped()
		}
		scored := l.score(found)
		c.Lanes = append(c.Lanes, scored)
		if scored.Grade != "" && l.claimed(lanes) && (!graded || scored.Total < worst) {
			worst, graded = scored.Total, true
		}
	}
	if !graded || c.Gated {
		c.Capped = ""
		for i := range c.Lanes {
			if c.Gated {
				c.Lanes[i].Grade, c.Lanes[i].Total = "", 0
			}
		}
		return c
	}
	c.Total, c.Grade = worst, letter(worst)
	if c.Grade != "A" {
		c.Capped = ""
	}
	if c.Capped != "" {
		c.Grade = cappedAt
	}
	return c
}

// Only leaves of a card what one section says: the others do not apply.
func Only(c *score.Card, name string) {
	c.Capped = ""
	worst := -1
	for i := range c.Lanes {
		l := &c.Lanes[i]
		l.Total, l.Grade = 0, ""
		for _, s := range l.Sections.All() {
			if s.Name != name {
				*s.Section = score.Section{Max: s.Max, Rows: []score.Row{}}
			} else if s.Applies && !c.Gated {
				l.Total = int(math.Round(100 * s.Score / s.Max))
				l.Grade = letter(l.Total)
			}
		}
		if l.Grade != "" && (worst < 0 || l.Total < worst) {
			worst = l.Total
		}
	}
	if c.Total, c.Grade = 0, ""; worst >= 0 {
		c.Total, c.Grade = worst, letter(worst)
	}
}

func letter(total int) string {
	for i, floor := range floors {
		if total >= floor {
			return Grades()[i]
		}
	}
	return "F"
}

// AtLeast says that a grade is as good as another. A card without a grade is as good as none.
func AtLeast(c *score.Card, grade string) bool {
	have := slices.Index(Grades(), c.Grade)
	return have >= 0 && have <= slices.Index(Grades(), grade)
}

// lane is one server of a document with its trials.
type lane struct {
	*card.Server
	trials   []wire.Tried
	gaps     []wire.Gap
	requests int
	modern   bool
	stdio    bool
	endpoint *url.URL
}

func read(s *card.Server) *lane {
	trials, err := wire.ReadTrials(s.Trials, limits.Default)
	if err != nil || s.Trials.Kind() != source.Array {
		return nil
	}
	l := &lane{Server: s, trials: trials, stdio: s.Transport == wire.Stdio}
	l.modern = s.Protocol.Get("era").Text() == wire.EraModern || s.Protocol.Get("era").Text() == "" && s.Protocol.Get("requested").Text() == wire.Modern
	for _, t := range trials {
		if t.Trial != wire.JunkLine && t.Trial != wire.InputClosed {
			l.requests += min(max(t.Tries, 1), 1+limits.Default.ListRetries) // a person may have edited it
		}
	}
	_ = json.Unmarshal(s.Gaps.Raw(), &l.gaps) // checked when it was read
	l.endpoint, _ = url.Parse(s.Node.Get("endpoint").Text())
	return l
}

func (l *lane) target() string {
	if at := l.Node.Get("endpoint").Text(); at != "" {
		return at
	}
	return l.Name
}

// one is the first trial of a name, nil for none.
func (l *lane) one(name wire.Trial) *wire.Tried {
	for i := range l.trials {
		if l.trials[i].Trial == name {
			return &l.trials[i]
		}
	}
	return nil
}

// gap is the gap of a part, nil for none.
func (l *lane) gap(part string) *wire.Gap {
	for i := range l.gaps {
		if l.gaps[i].Part == part {
			return &l.gaps[i]
		}
	}
	return nil
}

// gated says that the endpoint wants credentials before it talks.
func (l *lane) gated() bool {
	for _, part := range []string{wire.PartHandshake, wire.Tools.String()} {
		if g := l.gap(part); g != nil && g.Cause == wire.CauseAuth {
			return true
		}
	}
	return false
}

// claimed says that the server itself says it has the lane's era: a list of revisions with modern ones alone disowns the
// legacy lane, which some servers answer all the same.
func (l *lane) claimed(all []*lane) bool {
	if l.modern && !l.began() { // it was asked for, and the server knows nothing of it
		return false
	}
	if l.modern || !slices.ContainsFunc(all, func(o *lane) bool { return o.modern }) {
		return true
	}
	claims := l.Protocol.Get("supportedVersions")
	for v := range claims.Children() {
		if v.Text() < wire.Modern {
			return true
		}
	}
	return claims.Len() == 0
}

// reached says that the server answered, whatever it said.
func (l *lane) reached() bool {
	return slices.ContainsFunc(l.trials, func(t wire.Tried) bool { return !unchecked(&t) && (t.Status != 0 || t.Answered()) })
}

// began says that the handshake led to a conversation.
func (l *lane) began() bool { return l.Protocol.Get("negotiated").Text() != "" }

// capped is why the lane's grade can not be the best, "" for no reason.
func (l *lane) capped() string {
	local := l.endpoint != nil && wire.Loopback(l.endpoint)
	taken := func(names ...wire.Trial) bool {
		return local && slices.ContainsFunc(l.trials, func(t wire.Tried) bool {
			return slices.Contains(names, t.Trial) && t.Status == 200 && result(&t).Valid()
		})
	}
	switch {
	case taken(wire.HostEvil, wire.HostOriginEvil):
		return "it answers to the Host of another site: a web page can reach it through DNS rebinding"
	case taken(wire.OriginEvil):
		return "it answers requests from the Origin of another site: a web page can reach it"
	case slices.ContainsFunc(l.trials, func(t wire.Tried) bool { _, found := t.Trace(); return found }):
		return "it sends a stack trace to whoever makes a mistake"
	}
	return ""
}

// score is the lane's part of the card.
func (l *lane) score(found []finding.Finding) score.Lane {
	out := score.Lane{Era: wire.EraLegacy, Revision: l.Protocol.Get("negotiated").Text()}
	if l.modern {
		out.Era = wire.EraModern
	}
	out.Sections = score.Sections{Handshake: l.handshake(), Tools: l.tools(found), Errors: l.errors(), Discovery: l.discovery()}
	if l.gated() { // what was not seen has no points, and lost none
		for _, s := range out.Sections.All() {
			s.Applies = s.Applies && s.Name == "discovery"
		}
	}
	got, most := 0.0, 0.0
	for _, s := range out.Sections.All() {
		if s.Applies {
			got, most = got+s.Score, most+s.Max
		}
	}
	if most == 0 || !l.reached() {
		return out
	}
	out.Total = int(math.Round(100 * got / most))
	out.Grade = letter(out.Total)
	return out
}

// section adds up rows: what they give of what they could, scaled to the section's most. Rows that could not be checked
// count for nothing, and a section of those alone does not apply.
func section(most float64, rows []score.Row) score.Section {
	s := score.Section{Max: most, Rows: rows}
	got, could := 0.0, 0.0
	for _, r := range rows {
		got, could = got+r.Points, could+r.Max
	}
	if s.Applies = could > 0; s.Applies {
		s.Score = tenth(most * got / could)
	}
	return s
}

func tenth(x float64) float64 { return math.Round(x*10) / 10 }

// unchecked says that a trial tells nothing of the server: it did not get so far, or the server had no time.
func unchecked(t *wire.Tried) bool {
	switch t.Cause {
	case wire.CauseRefused, wire.CauseUnresolved, wire.CauseUnreachable, wire.CauseTLS, wire.CauseCanceled, wire.CauseTruncated, wire.CauseEncoded:
		return true
	}
	return t.Status == 429 || t.Status == 503
}

// result is the result in a reply, not Valid for an error.
func result(t *wire.Tried) source.Node { return reply(t).Get("result") }

// reply is the reply as a tree.
func reply(t *wire.Tried) source.Node {
	if t == nil || len(t.Reply) == 0 {
		return source.Node{}
	}
	doc, err := source.Parse("", t.Reply, source.JSON, limits.Default)
	if err != nil {
		return source.Node{}
	}
	return doc.Root()
}
