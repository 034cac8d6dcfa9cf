package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
)

// addressed: a label or a sender's name, and then an order.
func (v *view) addressed() {
	if i := v.labelled(); i >= 0 {
		act := v.order(i + 1)
		if act < 0 {
			act = v.imperative()
		}
		switch {
		case act < 0:
		case strings.HasPrefix(lower(v.word(i)), "end of ") && act > i:
			v.report(HiddenInstruction, Errors, i, act)
		case v.outside() || v.is&(overriding|obeying|role|silent) != 0 || v.is&obliging != 0 && act > i:
			v.report(HiddenInstruction, Errors, i, act)
		}
	}
	if !v.has(person | label) {
		return
	}
	for i := v.find(label, 0, 0); i >= 0; i = v.find(label, 0, i+1) {
		if w := lower(v.word(i)); w != "message" && w != "note" && w != "instruction" && w != "instructions" && w != "notice" {
			continue
		}
		if k := v.near(i, person|addressee, 0, 4); k >= 0 && v.near(k, addressee, 0, 4) >= 0 && worded(v.part(v.h[i].end, v.h[k].start), "from") {
			v.report(HiddenInstruction, Errors, i, k)
			return
		}
	}
}

// worded says whether a word stands in a stretch of text.
func worded(s, word string) bool { return strings.Contains(" "+lower(s)+" ", " "+word+" ") }

// ordered: the first person speaks to the model of a task: nobody describes a tool so.
func (v *view) ordered() {
	if v.card != nil && v.card.Kind == card.Prompt { // there it is the user who speaks
		return
	}
	for i := v.find(first, 0, 0); i >= 0; i = v.find(first, 0, i+1) {
		if strings.IndexByte(v.word(i), ' ') > 0 && v.h[i].is&codeish == 0 && v.is&(trigger|furthering|obliging|moving|person) != 0 {
			v.report(HiddenInstruction, Errors, i, i)
			return
		}
	}
	if !v.has(first, addressee) {
		return
	}
	i := v.find(first, 0, 0)
	k := v.find(addressee, 0, 0)
	if a := abs(v.h[i].word - v.h[k].word); a > 10 {
		return
	}
	if v.is&(trigger|furthering|obliging) != 0 && (v.is&instruction != 0 && v.find(trigger, 0, 0) < max(i, k)) {
		v.report(HiddenInstruction, Errors, min(i, k), max(i, k))
	}
}

func abs(n int32) int32 { return max(n, -n) }

// conceal: the user is not to know.
func (v *view) conceal() {
	if v.has(denying, telling, person) {
		if i := v.find(telling, 0, 0); v.scan.text[v.h[i].start] >= 0x80 && v.scan.text[v.h[v.find(denying, 0, 0)].start] >= 0x80 {
			v.report(Concealment, Blocks, i, i)
			return
		}
	}
	for i := v.find(denying, 0, 0); i >= 0; i = v.find(denying, 0, i+1) {
		k := v.near(i, telling, 0, 4)
		if k >= 0 && (v.between(i, k, denying) || v.h[k].is&base == 0 && strings.HasSuffix(lower(v.word(k)), "s")) {
			continue // never do it without telling; never add notes
		}
		if k < 0 || v.h[k].is&codeish != 0 {
			if k = v.near(i, safety, 0, 4); k >= 0 && v.near(k, person, 0, 3) < 0 && v.near(i, person, 0, 3) < 0 {
				k = -1
			}
			if w := lower(v.part(v.h[i].start, min(v.end, v.h[i].end+40))); strings.HasPrefix(w, "without") && (strings.Contains(w, "knowledge") || strings.Contains(w, "awareness") || strings.Contains(w, "knowing") || strings.Contains(w, "noticing")) && v.imperative() >= 0 {
				v.report(Concealment, Blocks, i, i)
				return
			}
			continue
		}
		switch lower(v.word(k)) {
		case "display", "displayed", "return", "describe", "described", "state", "stated", "flag", "let", "lets", "note", "noted", "warn", "report", "reported", "surface", "showing", "show", "shown":
			// A user interface may well not show things: only to hide them from a person is meant here.
			if rest := lower(v.part(v.h[k].end, v.h[k].end+40)); referent(rest) && (strings.Contains(rest, "in the conversation") || strings.Contains(rest, "in the chat") || strings.Contains(rest, "in your ")) {
				v.report(Concealment, Errors, i, k)
				return
			}
			if v.near(k, person, 0, 3) < 0 || v.is&(secret|silent|addressee|furthering|moving) == 0 && !stepWord(v.part(v.start, v.h[i].start)) {
				continue
			}
		}
		to := v.near(k, person, 0, 6)
		if to >= 0 && v.third(to) {
			continue
		}
		this := referent(v.part(v.h[k].end, min(v.end, v.h[k].end+30)))
		if v.h[k].is&base == 0 && v.is&obliging == 0 && !strings.HasPrefix(lower(v.word(i)), "without") && to < 0 {
			continue
		}
		if lower(v.word(i)) == "without" && (v.ahead(i, denying, 0, 14) >= 0 || v.near(i, trigger, 0, 1) >= 0) {
			continue // never do it without telling them
		}
		rest := lower(v.part(v.h[max(k, to)].end, v.end))
		if strings.HasPrefix(rest, " that ") && !strings.Contains(rest, "you") && (strings.Contains(rest, " if ") || strings.Contains(rest, " unless ") || strings.Contains(rest, " until ")) ||
			strings.HasPrefix(rest, " that you used a tool") || strings.HasPrefix(rest, " that you used tools") {
			continue // what is not so is not to be said
		}
		if v.h[i].is&obliging != 0 || strings.HasPrefix(lower(v.word(i)), "never") || to >= 0 || this {
			if to >= 0 || this || v.near(k, instruction|secret|conversation|addressee, 0, 4) >= 0 {
				v.report(Concealment, Blocks, i, max(k, to))
				return
			}
		}
	}
	if v.has(person) && !v.third(v.find(person, 0, 0)) || !v.has(person) {
		v.unnoticed()
	}
	if v.has(silent) {
		i := v.find(silent, 0, 0)
		for k := v.find(moving|acquiring|embedding|altering|stealing|wiping, 0, 0); k >= 0; k = v.find(moving|acquiring|embedding|altering|stealing|wiping, 0, k+1) {
			if abs(v.h[k].word-v.h[i].word) <= 4 && k != i && v.h[k].is&base != 0 && (v.outside() || v.is&(person|conversation) != 0) {
				v.report(Concealment, Errors, min(i, k), max(i, k))
				return
			}
		}
	}
	if i := v.act(feigning, 0); i >= 0 && v.h[i].is&codeish == 0 {
		for k := v.find(feigning, 0, i+1); k >= 0; k = v.find(feigning, 0, k+1) {
			if strings.Contains(v.word(k), " ") && v.h[k].word-v.h[i].word <= 6 && v.is&(secret|obliging|addressee|embedding|person) != 0 {
				v.report(Concealment, Errors, i, k)
				return
			}
		}
	}
}

// third says whether somebody is not the one whom the model serves: a customer of theirs, who need not be told everything.
func (v *view) third(i int) bool {
	switch lower(v.word(i)) {
	case "customer", "client", "clients", "owner":
	default:
		return false
	}
	return v.is&(silent|secretPath|secret|modelNoun) == 0 && !v.says("you ", "your ") && !v.says(" user")
}

// unnoticed: "without the user noticing", "must stay invisible to", "leave it out of your answer", "if asked, say".
func (v *view) unnoticed() {
	if v.has(denying, person, noticing) {
		for i := v.find(denying, 0, 0); i >= 0; i = v.find(denying, 0, i+1) {
			k := v.near(i, person, 0, 5)
			if k < 0 {
				continue
			}
			n := v.near(k, noticing, 0, 7)
			let := lower(v.part(v.h[i].start, v.h[k].start))
			if n >= 0 && v.h[n].word-v.h[i].word <= 11 && (strings.HasPrefix(let, "without") || strings.Contains(let, "let ") || strings.Contains(let, "allow")) && (v.is&(obliging|base) != 0 || v.imperative() >= 0) && v.ahead(i, denying, 0, 10) < 0 {
				v.report(Concealment, Blocks, i, n)
				return
			}
		}
	}
	s := v.low()
	if v.has(person, denying, telling) {
		for i := v.find(person, 0, 0); i >= 0; i = v.find(person, 0, i+1) {
			if k := v.near(i, denying, 0, 3); k >= 0 {
				if n := v.near(k, telling, 0, 5); n >= 0 && v.h[n].is&base == 0 && (worded("told informed notified alerted warned", lower(v.word(n)))) && !v.third(i) {
					v.report(Concealment, Errors, i, n)
					return
				}
			}
		}
	}
	if v.has(person, denying, noticing) {
		for i := v.find(person, 0, 0); i >= 0; i = v.find(person, 0, i+1) {
			k := v.near(i, denying, 0, 3)
			if k < 0 {
				continue
			}
			n := v.near(k, noticing, 0, 3)
			if n < 0 {
				continue
			}
			switch strings.TrimRight(lower(v.word(n)), "s") {
			case "know", "learn", "notice", "realise", "realize", "suspect", "find out", "discover", "aware":
				if v.between(i, k, obliging) || v.ahead(i, obliging, 0, 4) >= 0 {
					v.report(Concealment, Errors, i, n)
					return
				}
			}
		}
	}
	if v.has(person) && v.says("remain unaware", "stay unaware", "kept unaware", "be unaware", "in the dark", "none the wiser") {
		v.report(Concealment, Errors, 0, len(v.h)-1)
		return
	}
	if strings.Contains(s, "no mention of") && v.is&(addressee|obliging|person) != 0 || v.has(silent) && (strings.Contains(s, "quiet about") || strings.Contains(s, "silent about") || strings.Contains(s, "nothing happened") || strings.Contains(s, "say nothing")) {
		v.report(Concealment, Errors, 0, len(v.h)-1)
		return
	}
	if v.has(person) && (v.is&(obliging|furthering) != 0 || v.says("keep ", "remain ", "stay ")) {
		for _, w := range [...]string{"invisible to", "hidden from", "secret from", "kept from", "concealed from", "unseen by", "unnoticed by", "away from the user", "unknown to"} {
			if at := strings.Index(s, w); at >= 0 {
				for k := v.find(person, 0, 0); k >= 0; k = v.find(person, 0, k+1) {
					if d := int(v.h[k].start-v.start) - at; d > 0 && d < len(w)+24 {
						v.report(Concealment, Errors, k, k)
						return
					}
				}
			}
		}
	}
	for _, w := range [...]string{"out of your ", "from your ", "out of the answer", "out of the summary", "out of the reply", "between us", "our secret"} {
		at := strings.Index(s, w)
		if at < 0 {
			continue
		}
		rest := s[at:min(len(s), at+len(w)+24)]
		if (strings.Contains(rest, "summary") || strings.Contains(rest, "answer") || strings.Contains(rest, "reply") || strings.Contains(rest, "response") || strings.Contains(rest, "report") || strings.Contains(rest, "us") && strings.HasPrefix(rest, "between")) &&
			(strings.Contains(s, "leave") || strings.Contains(s, "keep") || strings.Contains(s, "omit") || strings.Contains(s, "exclude") || strings.Contains(s, "strip") || strings.HasPrefix(rest, "between")) {
			v.report(Concealment, Errors, 0, len(v.h)-1)
			return
		}
	}
	if v.has(telling, addressee) && strings.Contains(s, "if asked") || strings.Contains(s, "when asked") || strings.Contains(s, "if questioned") {
		if i := v.act(telling|feigning, 0); i >= 0 && strings.Contains(s, "you did") {
			v.report(Concealment, Warns, i, i)
		}
	}
}

// stepWord says whether what is not shown is something that was done.
func stepWord(s string) bool {
	s = lower(s)
	for _, w := range [...]string{"step", "action", "instruction", "collection", "behavior", "behaviour", "process", "activity", "operation"} {
		if strings.Contains(s, "this ") && strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// referent says whether what follows a verb is "this", "it", "that you …": something that was said before.
func referent(s string) bool {
	s = strings.TrimLeft(lower(s), " ")
	for _, w := range [...]string{"this", "it ", "it.", "that ", "these", "any of this", "anything about"} {
		if strings.HasPrefix(s+" ", w) {
			return true
		}
	}
	return false
}

// force is what turns a description into an obligation.
const force = obliging | furthering | trigger | addressee | label
