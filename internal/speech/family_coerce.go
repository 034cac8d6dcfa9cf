package speech

import (
	"strings"
)

// quotedSentence is from where a quoted value is a text to be said.
const quotedSentence = 16

// coerce: a pretext or an order sends the model to other tools, addresses, files or programs.
func (v *view) coerce() {
	if v.has(trigger, furthering, using) && v.is&obliging == 0 {
		v.chained()
	}
	if !v.has(obliging) {
		return
	}
	p := v.linked()
	o := v.find(obliging, 0, 0)
	if p >= 0 && v.is&(addressee|furthering) != 0 {
		i := v.imperative()
		if i >= 0 && v.is&(absoluteURL|foreignHost|systemPath|secretPath) != 0 && !v.documents() {
			v.report(ToolCoercion, Errors, min(o, p), i)
			return
		}
	}
	v.foremost()
	v.halts()
	a := v.another(0)
	if a < 0 {
		if k := v.nameless(); k >= 0 && p >= 0 && v.ahead(k, furthering, 0, 5) >= 0 && v.ahead(k, obliging, 0, 6) >= 0 {
			v.report(ToolCoercion, Warns, o, k)
		}
		return
	}
	i := v.ahead(a, using, 0, 5)
	if i < 0 && strings.HasPrefix(strings.TrimLeft(lower(v.part(v.h[a].end, v.h[a].end+12)), "`' "), "be ") {
		i = v.near(a, using|running, 0, 3) // "that it be called"
	}
	if i < 0 || v.h[i].is&codeish != 0 {
		return
	}
	must := v.ahead(i, obliging, 0, 9)
	if must < 0 {
		return
	}
	w := lower(v.word(must))
	strict := p >= 0 && (w == "always" || v.unrelated(a) && w != "please" && !strings.HasPrefix(w, "you should") && w != "make sure" && w != "ensure") || strings.Contains(w, " that") || strings.Contains(w, "you to") || w == "must" || w == "mandatory" || w == "required" || w == "shall" || w == "compulsory" || w == "obliged"
	also := v.near(must, furthering, 0, 3) >= 0 || v.near(a, furthering, 0, 2) >= 0
	message := false // a text to be told to the user
	for k := v.act(telling|feigning, 0); k >= 0 && !message; k = v.act(telling|feigning, k+1) {
		message = v.near(k, literal, 0, 8) >= 0
	}
	switch {
	case !strict:
	case message && (also || v.is&person != 0), p >= 0 && also:
		v.report(ToolCoercion, Warns, must, a)
	case v.flows(a):
	case p >= 0, also && v.wide&pretext != 0, also && v.unrelated(a):
		v.report(ToolCoercion, Warns, must, a)
	}
}

// halts: the tool is said to be restricted, so that the model must stop and tell its user so.
func (v *view) halts() {
	if !v.has(person, telling) || v.is&disabled == 0 && v.wide&disabled == 0 {
		return
	}
	for _, w := range [...]string{"must halt", "must stop", "must abort", "must refuse", "must decline", "must cancel", "must not proceed"} {
		if strings.Contains(v.low(), w) {
			o := v.find(obliging, 0, 0)
			v.report(ToolRedirection, Warns, o, o)
			return
		}
	}
}

// nameless finds another tool that is spoken of by a plain name: "call the fetch function".
func (v *view) nameless() int {
	for i := v.act(using, 0); i >= 0; i = v.act(using, i+1) {
		for k := v.near(i, toolNoun, 0, 3); k >= 0; k = -1 {
			name := strings.Fields(lower(v.part(v.h[i].end, v.h[k].start)))
			if len(name) == 2 && name[0] == "the" && !v.own(name[1]) && len(name[1]) > 2 && !worded("same following other first next above new correct right given", name[1]) {
				return k
			}
		}
	}
	return -1
}

// chained: after every use another tool is called at once, which has nothing to do with this one.
func (v *view) chained() {
	a := v.another(0)
	if a < 0 {
		return
	}
	i := v.ahead(a, using, base, 3)
	if i < 0 || v.denied(i) || v.ahead(i, furthering, 0, 1) < 0 || v.flows(a) || !v.unrelated(a) {
		return
	}
	s := v.low()
	for _, w := range [...]string{"each time", "every time", "whenever", "after each", "after every", "each use", "every use", "on each"} {
		if strings.Contains(s, w) {
			v.report(ToolCoercion, Warns, i, a)
			return
		}
	}
}

// foremost: the tool wants to be called before all others, with more than its work needs.
func (v *view) foremost() {
	if !v.has(trigger, toolNoun, every, using) {
		return
	}
	s := v.low()
	if !strings.Contains(s, "before any") && !strings.Contains(s, "before every") && !strings.Contains(s, "before all") && !strings.Contains(s, "prior to any") {
		return
	}
	if (strings.Contains(s, "this tool") || strings.Contains(s, lower(v.name))) && v.is&(conversation|secret|parameter) != 0 && v.find(toolNoun, 0, 0) >= 0 {
		for k := v.find(every, 0, 0); k >= 0; k = v.find(every, 0, k+1) {
			if n := v.near(k, toolNoun, 0, 2); n >= 0 && v.ahead(k, trigger, 0, 2) >= 0 && v.is&conversation != 0 {
				v.report(ToolCoercion, Errors, k, n)
				return
			}
		}
	}
}

// unrelated says whether a tool's name shares no word with this card's name: what hands over an id mostly shares its object.
func (v *view) unrelated(a int) bool {
	for part := range strings.FieldsFuncSeq(lower(v.word(a)), func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if len(part) > 3 && strings.Contains(lower(v.name), part) {
			return false
		}
	}
	return true
}

// linked finds a pretext with the link that makes it one: "for compliance", "to ensure …".
func (v *view) linked() int {
	for i := v.find(pretext, 0, 0); i >= 0; i = v.find(pretext, 0, i+1) {
		if v.h[i].is&codeish != 0 {
			continue
		}
		before := lower(v.part(max(v.start, v.h[i].start-48), v.h[i].start))
		for _, w := range [...]string{"for ", "to ensure", "to maintain", "to prevent", "due to", "because of", "in order to", "to comply", "required by", "to support", "to meet",
			"to guarantee", "to improve", "to optimize", "to preserve", "to satisfy", "part of", "per ", "under "} {
			if strings.Contains(before, w) {
				return i
			}
		}
	}
	return -1
}

// flows says whether the sentence hands an id, a name or a list from tool a to this one: the way tools work together.
func (v *view) flows(a int) bool {
	if looksUp(v.word(a)) && v.learns() {
		return true // what only looks comes first with reason
	}
	for k := v.near(a, ownFlow, 0, 14); k >= 0; k = v.near(k, ownFlow, 0, 14-(v.h[k].word-v.h[a].word)) {
		if v.between(a, k, acquiring) || v.between(a, k, ownFlow) || strings.Contains(lower(v.word(a)), lower(v.word(k))) {
			return true
		}
		rest := lower(v.part(v.h[a].end, v.h[k].start))
		for _, w := range [...]string{"find", "resolve", "determine", "discover", "see ", "look up", "lookup", "identify", "for the", "returns", "know", "choose", "pick", "check"} {
			if strings.Contains(rest, w) {
				return true
			}
		}
	}
	if g := v.near(a, acquiring, base, 5); g >= 0 && v.near(g, identifier|ownFlow, 0, 8) >= 0 {
		return true // "to obtain a valid moduleID"
	}
	k := v.ahead(a, ownFlow, 0, 6)
	return k >= 0 && (v.ahead(k, acquiring|obeying, 0, 5) >= 0 || worded(lower(v.part(v.h[k].end, v.h[a].start)), "from") || worded(lower(v.part(v.h[k].end, v.h[a].start)), "with"))
}

// learns says whether the sentence gives a reason to look something up first, and no pretext.
func (v *view) learns() bool {
	if v.reason == 0 {
		v.reason = -1
		if v.linked() < 0 && v.says("to learn", "to know", "to find", "to obtain", "to look up", "to discover", "to determine", "to list", "to identify", "to choose", "to pick", "to resolve") {
			v.reason = 1
		}
	}
	return v.reason > 0
}

// documents says whether the sentence sends to something to read: documentation and terms are honest addresses.
func (v *view) documents() bool {
	s := v.low()
	for _, w := range [...]string{"see ", "docs", "documentation", "refer to", "read more", "schema", "format", "example", "e.g", "such as", "valid", "starts with", "start with", "full url", "url must", "must be"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// shadow: the card speaks for another tool.
func (v *view) shadow() {
	a := v.another(0)
	if a >= 0 && v.is&(trigger|toolNoun) != 0 {
		for i := v.act(altering|moving|embedding|stealing, 0); i >= 0; i = v.act(altering|moving|embedding|stealing, i+1) {
			if v.h[i].is&codeish != 0 {
				continue
			}
			t := v.ahead(a, trigger, 0, 8)
			if t < 0 {
				continue
			}
			strong := v.is&(mailbox|foreignHost|absoluteURL|silent) != 0
			forced := v.is&(obliging|furthering) != 0
			object := v.near(i, parameter|mailbox|person|conversation, 0, 12) >= 0
			copies := worded(v.part(v.start, v.end), "copy") || worded(v.part(v.start, v.end), "copies")
			named := v.near(a, toolNoun, 0, 2) >= 0 || v.near(t, using, 0, 2) >= 0
			named = named || v.is&trigger != 0 && strings.Contains(v.low(), " is ")
			if !named || v.flows(a) && !strong {
				continue
			}
			passive := false // "when X is called"
			for _, w := range [...]string{" is called", " is used", " is invoked", " runs", " is run", " is executed", " is available", " gives", " returns", " fires", " gets called"} {
				passive = passive || strings.HasPrefix(strings.TrimLeft(lower(v.part(v.h[a].end, v.h[a].end+24)), "`'\""), w) || strings.HasPrefix(lower(v.part(v.h[a].end, v.h[a].end+30)), " tool"+w)
			}
			switch {
			case passive && i > a && object && (v.h[i].is&altering != 0 || v.is&every != 0 || forced || strong):
				v.report(ToolRedirection, Errors, min(t, a), i)
				return
			case strong && object, strong && forced:
				v.report(ToolRedirection, Errors, min(t, a, i), max(a, i))
				return
			case forced && object && i > a && v.is&(pretext|every|obliging) != 0 && (lower(v.word(i)) == "reroute" || lower(v.word(i)) == "redirect" || lower(v.word(i)) == "replace" || lower(v.word(i)) == "modify" || lower(v.word(i)) == "change" || lower(v.word(i)) == "alter" || lower(v.word(i)) == "swap" || lower(v.word(i)) == "forward" || worded("append prepend insert attach", lower(v.word(i))) && v.says("to its ", "to the ")):
				v.report(ToolRedirection, Errors, min(t, a), i)
				return
			case copies && v.is&(pretext|moving) != 0:
				v.report(ToolRedirection, Errors, min(t, a), i)
				return
			}
		}
	}
	if a >= 0 && v.has(trigger, using, toolNoun) && v.is&obliging != 0 {
		t, k := v.ahead(a, trigger, 0, 5), v.near(a, parameter, 0, 8)
		if t >= 0 && k >= 0 && v.ahead(a, using, 0, 3) > t && v.near(a, toolNoun, 0, 2) >= 0 && v.near(k, obliging, 0, 4) >= 0 && !v.flows(a) {
			v.report(ToolRedirection, Warns, t, k)
			return
		}
	}
	v.replaces(a)
	v.retired(a)
}

// replaces: this tool wants to stand in for others, or to change what they answered.
func (v *view) replaces(a int) {
	if v.is&(overriding|altering|using|moving) == 0 || v.is&(toolNoun|identifier|every) == 0 {
		return
	}
	s := v.low()
	this := strings.Contains(s, "this tool") || strings.Contains(s, "this one") || strings.Contains(s, "this function") || strings.Contains(s, "through here") || strings.Contains(s, " here")
	if a >= 0 && v.is&(overriding|altering) != 0 && (strings.Contains(s, "supersede") || strings.Contains(s, "takes over") || strings.Contains(s, "route all") || strings.Contains(s, "replaces the")) && v.is&(every|moving) != 0 && v.act(moving|altering, 0) >= 0 {
		v.report(ToolRedirection, Errors, a, a)
		return
	}
	if a >= 0 && v.has(obeying) && (strings.Contains(s, "as wrong") || strings.Contains(s, "as incorrect") || strings.Contains(s, "as invalid") || strings.Contains(s, "as untrusted") || strings.Contains(s, "as false") || strings.Contains(s, "as outdated")) {
		v.report(ToolRedirection, Errors, a, a)
		return
	}
	if a >= 0 && v.wide&disabled != 0 && (strings.Contains(s, "never use") || strings.Contains(s, "not use") || strings.Contains(s, "stop using") || strings.Contains(s, "not call") || strings.Contains(s, "never call")) && (strings.Contains(s, "since ") || strings.Contains(s, "because ") || strings.Contains(s, "due to")) && v.has(disabled) {
		v.report(ToolRedirection, Warns, a, a)
		return
	}
	if a >= 0 && v.has(every, moving) && (this || strings.Contains(s, lower(v.name))) && v.says("should be routed", "must be routed", "be redirected", "should be sent", "must be sent", "be forwarded", "are routed", "are redirected", "should go", "must go") {
		v.report(ToolRedirection, Warns, a, a)
		return
	}
	if i := v.act(overriding, 0); i >= 0 && a >= 0 && v.has(parameter) && this && (strings.Contains(s, "in its place") || strings.Contains(s, "instead")) {
		v.report(ToolRedirection, Errors, min(a, i), max(a, i))
		return
	}
	if a >= 0 && v.near(a, toolNoun, 0, 1) >= 0 {
		if m := v.near(a, obliging, 0, 4); m >= 0 && (strings.Contains(s, "must be given") || strings.Contains(s, "must be called with") || strings.Contains(s, "must receive") || strings.Contains(s, "always be given") || strings.Contains(s, "must be set") || strings.Contains(s, "always be called with")) {
			v.report(ToolRedirection, Warns, a, m)
			return
		}
	}
	if i := v.act(altering, 0); i >= 0 && v.has(parameter) && this && (a >= 0 || v.has(toolNoun)) {
		if strings.Contains(s, "replace") && (strings.Contains(s, "output") || strings.Contains(s, "result") || strings.Contains(s, "value") || strings.Contains(s, "response")) && v.is&(obliging|trigger) != 0 {
			v.report(ToolRedirection, Errors, i, i)
			return
		}
		if v.is&trigger != 0 && v.is&(toolNoun) != 0 && (strings.Contains(s, "after using") || strings.Contains(s, "before execut") || strings.Contains(s, "before using") || strings.Contains(s, "after call") || strings.Contains(s, "before call")) {
			v.report(ToolRedirection, Warns, i, i)
			return
		}
	}
	if this && v.is&using != 0 {
		instead := strings.Contains(s, "instead of using") || strings.Contains(s, "instead of calling") || strings.Contains(s, "rather than other") || strings.Contains(s, "instead of other") ||
			strings.Contains(s, "rather than any other") || strings.Contains(s, "rather than the") && v.has(toolNoun)
		if i := v.act(using, 0); instead && i >= 0 && v.is&(obliging|furthering|trigger) != 0 && v.is&(every|obliging) != 0 && (v.is&(obliging|label) != 0) {
			v.report(ToolRedirection, Warns, i, i)
			return
		}
		if strings.Contains(s, "call this tool") && v.is&furthering != 0 || strings.Contains(s, "always call this") {
			if a >= 0 && v.is&trigger != 0 && v.is&(person|every) != 0 {
				v.report(ToolCoercion, Warns, a, a)
			}
		}
	}
	if i := v.find(trigger, 0, 0); i >= 0 && v.is&moving != 0 && v.is&pretext != 0 && strings.Contains(s, "instead of call") && v.act(moving|altering, 0) >= 0 {
		v.report(ToolRedirection, Errors, i, v.act(moving|altering, 0))
	}
}

// retired: the tool calls itself or another unfit, for a reason, and sends to another one.
func (v *view) retired(int) {
	if v.wide&disabled == 0 || !v.has(disabled) {
		return
	}
	i := v.find(disabled, 0, 0)
	s := lower(v.part(v.start, min(v.end+280, int32(len(v.scan.text)))))
	reason := (v.has(pretext) || v.count(disabled) > 1 && v.says("secur", "vulnerab", "unsafe", "compromised", "unreliable")) && (strings.Contains(s, "due to") || strings.Contains(s, "because") || strings.Contains(s, "for security") || strings.Contains(s, "pending") || strings.Contains(s, "under ") || strings.Contains(s, "for maintenance") || strings.Contains(s, "following a") || strings.Contains(s, "owing to"))
	for _, w := range [...]string{"removed in", "be removed", "sunset", "as of version", "since version", "since v"} {
		reason = reason && !strings.Contains(s, w)
	}
	if reason && (strings.Contains(s, "instead") || strings.Contains(s, "use ") || strings.Contains(s, "redirect") || strings.Contains(s, "switch")) && v.next(identifier, i) {
		v.report(ToolRedirection, Warns, i, i)
	}
}
