package poison

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/speech"
)

// fault is shared by the rules of this room: what a card does to its reader is one fault, however many ideas see it. The rule
// that blocks wins, then the gravest.
const fault = "poisoning"

// named says what each idea saw.
var named = [speech.Ideas]string{
	speech.HiddenInstruction: "an order that poses as another's", speech.InstructionOverride: "an order to drop instructions", speech.PolicyAbuse: "safeguards to be skipped",
	speech.Concealment: "something kept from the user", speech.Exfiltration: "private data to be handed on", speech.CommandInjection: "a command to be run",
	speech.ParameterTampering: "other values than the user's", speech.ToolCoercion: "calls beyond its work", speech.ToolRedirection: "other tools changed",
	speech.LatentBehaviour: "another behaviour once approved", speech.PreferenceManipulation: "praise of itself", speech.CallerParameter: "questions about its caller",
	speech.SleeperTool: "a tool not to be called", speech.OffensiveTool: "techniques of attack", speech.MisplacedText: "an order in an odd place",
	speech.EncodedPayload: "an order in encoded form", speech.SplitPayload: "an order in pieces", speech.HiddenUnicode: "text that is not seen",
	speech.DeceptiveUnicode: "text that reads other than it is", speech.EscapeSequence: "control characters",
}

// place is where evidence stands.
func place(e *speech.Evidence) rule.Place {
	switch {
	case e.Key:
		return rule.Key(e.Node)
	case e.Start >= 0:
		return rule.Part(e.Node, e.Start, e.End)
	}
	return rule.At(e.Node)
}

// args names the card in a message.
func args(v *speech.Verdict, s *card.Server) (kind, label string) {
	if v.Card != nil {
		return v.Card.Kind.String(), v.Card.Label()
	}
	if s.Name == "" {
		return "server", "without a name"
	}
	return "server", s.Name
}

func options(v *speech.Verdict) []rule.Option {
	if v.Card != nil {
		return []rule.Option{rule.ForCard(v.Card)}
	}
	return nil
}

// reportIdea reports what one idea found, a finding a card, at the place of the card's gravest evidence: there the findings
// of all ideas come together as one.
func reportIdea(p *rule.Pass, s *card.Server, i speech.Idea) {
	for _, v := range speech.Verdicts(s, p.Limits) {
		level := v.Level[i]
		if level == 0 {
			continue
		}
		var best *speech.Evidence
		for k := range v.List {
			if e := &v.List[k]; e.Idea == i && (best == nil || e.Level > best.Level) {
				best = e
			}
		}
		opts := options(v)
		if severity := severities[min(level, speech.Errors)]; severity < p.Rule.Severity || i == speech.OffensiveTool {
			opts = append(opts, rule.WithSeverity(severity))
		}
		if level == speech.Warns {
			opts = append(opts, rule.WithConfidence(finding.Medium))
		}
		if best.From.Valid() {
			opts = append(opts, rule.Also(rule.At(best.From), "where it begins"))
		}
		kind, label := args(v, s)
		text := best.Quoted()
		if i >= speech.HiddenUnicode && i <= speech.EscapeSequence {
			text = "" // it shows nothing, or drives what shows it
		}
		at := place(&v.List[v.Main])
		if i == speech.OffensiveTool {
			at = place(best)
		}
		p.Report(at, rule.Args{"kind": kind, "card": label, "text": text, "role": best.Role.String()}, opts...)
	}
}

var severities = [...]finding.Severity{speech.Warns: finding.Warning, speech.Errors: finding.Error}

// shown is how many further places a blocking finding has.
const shown = 2

// poisoned reports the cards that are to be blocked.
func poisoned(p *rule.Pass, s *card.Server) {
	for _, v := range speech.Verdicts(s, p.Limits) {
		if !v.Blocks {
			continue
		}
		opts := options(v)
		var what []string
		for i := range speech.Ideas {
			if v.Level[i] == 0 || i == speech.OffensiveTool || i == speech.CallerParameter {
				continue
			}
			what = append(what, named[i])
			for k := range v.List {
				if e := &v.List[k]; e.Idea == i && k != v.Main && len(opts) <= shown {
					opts = append(opts, rule.Also(place(e), named[i]))
					break
				}
			}
		}
		kind, label := args(v, s)
		p.Report(place(&v.List[v.Main]), rule.Args{"kind": kind, "card": label, "ideas": strings.Join(what, ", ")}, opts...)
	}
}

// credentials reports the credentials in cards.
func credentials(p *rule.Pass, s *card.Server) {
	for _, v := range speech.Verdicts(s, p.Limits) {
		for _, c := range v.Secrets {
			kind, label := args(v, s)
			p.Report(rule.Part(c.Node, c.Start, c.End), rule.Args{"kind": kind, "card": label, "secret": c.Title}, append(options(v), rule.WithKind(c.Kind))...)
		}
	}
}
