package traffic

import (
	"github.com/mcpassay/mcpassay/internal/model/traffic"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/speech"
	"github.com/mcpassay/mcpassay/internal/text"
)

// ears are what the rules of this room know of the message at hand.
type ears struct {
	number   int
	listener *speech.Listener
	// verdicts are those on the texts of each carrier.
	verdicts [traffic.Notice + 1]*speech.Verdict
	// tags and selectors are the texts with characters that are not seen.
	tags, selectors []unseen
	// cut is a text of which a part was not looked at, not Valid for none.
	cut source.Node
}

// unseen is a place of characters that are not seen.
type unseen struct {
	text  *traffic.Text
	first int
}

// hear judges the texts of a message that a server sent, once.
func hear(p *rule.Pass, m *traffic.Message) *ears {
	e := rule.Share(p.Scene, func() *ears { return &ears{listener: speech.NewListener(p.Limits)} })
	if e.number == m.Number {
		return e
	}
	e.number = m.Number
	clear(e.verdicts[:])
	e.tags, e.selectors, e.cut = e.tags[:0], e.selectors[:0], source.Node{}
	if !m.FromServer {
		return e
	}
	for c := traffic.Result; c <= traffic.Notice; c++ {
		if c == traffic.Instructions {
			continue // judged with the cards
		}
		begun := false
		for i := range m.Texts {
			t := &m.Texts[i]
			if t.Carrier != c || speech.Quiet(t.Text) {
				continue
			}
			if !begun {
				e.listener.Begin()
				begun = true
			}
			e.listener.Hear(t.Node, t.Key, t.Text)
			if e.listener.Cut() {
				e.cut = t.Node
			}
			signs := e.listener.Signs()
			if signs.Count[text.TagBlock] > 0 {
				e.tags = append(e.tags, unseen{t, signs.First[text.TagBlock]})
			}
			if signs.Count[text.Selectors] > 0 {
				e.selectors = append(e.selectors, unseen{t, signs.First[text.Selectors]})
			}
		}
		if begun {
			e.verdicts[c] = e.listener.Verdict()
		}
	}
	return e
}

// injected reports that the texts of a carrier steer their reader. What is only noted is noted on less evidence.
func injected(p *rule.Pass, m *traffic.Message, c traffic.Carrier) {
	v := hear(p, m).verdicts[c]
	if v != nil && (v.Serves() || p.Rule.Action == rule.ActNote && v.Steers()) {
		p.Report(place(v.Grave()), rule.Args{"carrier": c.String()})
	}
}

// place is where evidence stands.
func place(e *speech.Evidence) rule.Place {
	switch {
	case e.Key:
		return rule.Key(e.Node)
	case e.Start >= 0:
		return rule.In(e.Node, e.Node.Within(e.Start, e.End, false))
	}
	return rule.At(e.Node)
}

// at is where a text stands.
func at(t *traffic.Text) rule.Place {
	if t.Key {
		return rule.Key(t.Node)
	}
	return rule.At(t.Node)
}
