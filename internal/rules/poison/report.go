package poison

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// fault is shared by the rules of this room: what a card does to its reader is one fault, however many ideas see it. The rule
// that blocks wins, then the gravest.
const fault = "poisoning"

// excerpt is how much of the text a finding quotes, in bytes: enough to know it again.
const excerpt = 96

// named says what each idea saw.
var named = [ideas]string{
	hiddenInstruction: "an order that poses as another's", instructionOverride: "an order to drop instructions", policyAbuse: "safeguards to be skipped",
	concealment: "something kept from the user", exfiltration: "private data to be handed on", commandInjection: "a command to be run",
	parameterTampering: "other values than the user's", toolCoercion: "calls beyond its work", toolRedirection: "other tools changed",
	latentBehaviour: "another behaviour once approved", preferenceManipulation: "praise of itself", callerParameter: "questions about its caller",
	sleeperTool: "a tool not to be called", offensiveTool: "techniques of attack", misplacedText: "an order in an odd place",
	encodedPayload: "an order in encoded form", splitPayload: "an order in pieces", hiddenUnicode: "text that is not seen",
	deceptiveUnicode: "text that reads other than it is", escapeSequence: "control characters",
}

// place is where evidence stands.
func (e *evidence) place() rule.Place {
	switch {
	case e.key:
		return rule.Key(e.node)
	case e.start >= 0:
		return rule.Part(e.node, e.start, e.end)
	}
	return rule.At(e.node)
}

// quoted is the text of evidence for a message.
func (e *evidence) quoted() string {
	t := e.text
	if t == "" {
		t = e.node.Text()
		if e.key {
			t = e.node.Key()
		}
		if e.start >= 0 && e.end <= len(t) {
			t = t[e.start:e.end]
		}
	}
	if len(t) > excerpt {
		t = strings.ToValidUTF8(t[:excerpt], "") + "…"
	}
	return `"` + t + `"`
}

// args names the card in a message.
func (v *verdict) args(s *card.Server) (kind, label string) {
	if v.card != nil {
		return v.card.Kind.String(), v.card.Label()
	}
	if s.Name == "" {
		return "server", "without a name"
	}
	return "server", s.Name
}

func (v *verdict) options() []rule.Option {
	if v.card != nil {
		return []rule.Option{rule.ForCard(v.card)}
	}
	return nil
}

// reportIdea reports what one idea found, a finding a card, at the place of the card's gravest evidence: there the findings
// of all ideas come together as one.
func reportIdea(p *rule.Pass, s *card.Server, i idea) {
	for _, v := range verdicts(p, s) {
		level := v.level[i]
		if level == 0 {
			continue
		}
		var best *evidence
		for k := range v.list {
			if e := &v.list[k]; e.idea == i && (best == nil || e.level > best.level) {
				best = e
			}
		}
		opts := v.options()
		if severity := severities[min(level, errors)]; severity < p.Rule.Severity || i == offensiveTool {
			opts = append(opts, rule.WithSeverity(severity))
		}
		if level == warns {
			opts = append(opts, rule.WithConfidence(finding.Medium))
		}
		if best.from.Valid() {
			opts = append(opts, rule.Also(rule.At(best.from), "where it begins"))
		}
		kind, label := v.args(s)
		text := best.quoted()
		if i >= hiddenUnicode && i <= escapeSequence {
			text = "" // it shows nothing, or drives what shows it
		}
		at := v.list[v.main].place()
		if i == offensiveTool {
			at = best.place()
		}
		p.Report(at, rule.Args{"kind": kind, "card": label, "text": text, "role": best.role.String()}, opts...)
	}
}

var severities = [...]finding.Severity{warns: finding.Warning, errors: finding.Error}

// listed is how many pieces of evidence of one idea are kept, shown how many further places a blocking finding has.
const listed, shown = 3, 2

// poisoned reports the cards that are to be blocked.
func poisoned(p *rule.Pass, s *card.Server) {
	for _, v := range verdicts(p, s) {
		if !v.blocks {
			continue
		}
		opts := v.options()
		var what []string
		for i := range ideas {
			if v.level[i] == 0 || i == offensiveTool || i == callerParameter {
				continue
			}
			what = append(what, named[i])
			for k := range v.list {
				if e := &v.list[k]; e.idea == i && k != v.main && len(opts) <= shown {
					opts = append(opts, rule.Also(e.place(), named[i]))
					break
				}
			}
		}
		kind, label := v.args(s)
		p.Report(v.list[v.main].place(), rule.Args{"kind": kind, "card": label, "ideas": strings.Join(what, ", ")}, opts...)
	}
}

// credentials reports the credentials in cards.
func credentials(p *rule.Pass, s *card.Server) {
	for _, v := range verdicts(p, s) {
		for _, c := range v.secrets {
			kind, label := v.args(s)
			p.Report(rule.Part(c.node, c.start, c.end), rule.Args{"kind": kind, "card": label, "secret": c.title}, append(v.options(), rule.WithKind(c.kind))...)
		}
	}
}

// leaked is a credential in a card.
type leaked struct {
	node        source.Node
	start, end  int
	title, kind string
}
