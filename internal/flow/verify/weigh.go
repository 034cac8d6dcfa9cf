package verify

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// Weigh gives every change its severity: an error, but for words without a new cue and for order. Strict knows no such thing.
// sides are the documents of a server before and after, nil where there is none: what
// stands in a text is judged by the rules on cards, in both.
func Weigh(all []drift.Change, strict bool, facts rule.Facts, lim limits.Set, sides func(server string) (before, after *card.Server)) {
	rules := slices.DeleteFunc(policy.Default().Rules(), func(r *rule.Rule) bool { return r.Card == nil && r.Surface == nil })
	found := map[string][2][]finding.Finding{}
	unjudged := map[string]bool{}
	for i := range all {
		c := &all[i]
		c.Severity = finding.Error.String()
		switch c.Class {
		case drift.Reordered:
		case drift.Text:
			pair, done := found[c.Server]
			if !done {
				before, after := sides(c.Server)
				olds, news := reworded(all[i:], c.Server)
				for side, s := range []*card.Server{only(before, olds), only(after, news)} {
					if s != nil {
						var incomplete []finding.Incomplete
						pair[side], incomplete = engine.Judge(engine.Input{Cards: []*card.File{s.File}, Rules: rules, Facts: facts, Limits: lim, All: true})
						unjudged[c.Server] = unjudged[c.Server] || len(incomplete) > 0
					}
				}
				found[c.Server] = pair
			}
			c.Cues = cues(c, pair[0], pair[1])
			if unjudged[c.Server] {
				c.Cues = append(c.Cues, "a text that could not be judged")
			}
		default:
			continue
		}
		if !strict && len(c.Cues) == 0 {
			c.Severity = finding.Info.String()
		}
	}
}

// reworded are the items of a server whose text changed, by where they stand in the documents before and after.
func reworded(all []drift.Change, server string) (olds, news map[string]bool) {
	olds, news = map[string]bool{}, map[string]bool{}
	for _, c := range all {
		if c.Server == server && c.Class == drift.Text && c.Old != nil && c.New != nil {
			olds[c.Old.Name], news[c.New.Name] = true, true
		}
	}
	return olds, news
}

// only is a server with some of its cards, alone in a file: no rule on cards hangs on what stands beside one.
func only(s *card.Server, names map[string]bool) *card.Server {
	if s == nil {
		return nil
	}
	one := *s
	one.File = &card.File{Path: s.File.Path, Doc: s.File.Doc, Client: s.File.Client, Servers: []*card.Server{&one}}
	one.Cards = nil
	for _, c := range s.Cards {
		if names[c.Name] {
			own := *c
			own.Server = &one
			one.Cards = append(one.Cards, &own)
		}
	}
	return &one
}

// evidence are the tags of rules whose every finding says that a text is up to something.
var evidence = [...]string{rule.Poisoning, rule.Unicode, rule.Secret}

// cues are the rules that find something in the text of a change after it that they did not before: anything from a warning
// on, and whatever evidence. What they find about the server as a whole counts for each of its texts.
func cues(c *drift.Change, before, after []finding.Finding) (rules []string) {
	old, now := "", ""
	if c.Old != nil {
		old = c.Old.Name
	}
	if c.New != nil {
		now = c.New.Name
	}
	known := map[string]bool{}
	for i := range before {
		if f := &before[i]; f.Tool == "" || f.Tool == old {
			known[cue(f)] = true
		}
	}
	for i := range after {
		f := &after[i]
		if key := cue(f); (f.Tool == "" || f.Tool == now) && key != "" && (!known[key] || blocks(f)) && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// blocks says whether a finding is one that blocks: who accepted it accepted the text that it was found in, and no other.
func blocks(f *finding.Finding) bool {
	r, _ := catalog.ByID(f.Rule)
	return r != nil && slices.Contains(r.Tags, rule.Block)
}

// cue is what tells one cue from another, "" for a finding that is none.
func cue(f *finding.Finding) string {
	r, _ := catalog.ByID(f.Rule)
	switch {
	case r != nil && slices.ContainsFunc(evidence[:], func(tag string) bool { return slices.Contains(r.Tags, tag) }):
		return f.Rule + " " + f.Kind + " " + f.Message
	case f.Severity >= finding.Warning:
		return f.Rule + " " + f.Kind
	}
	return ""
}
