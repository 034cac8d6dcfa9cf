package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
)

// exfil: what is private leaves.
func (v *view) exfil() {
	if v.has(secretPath) {
		p := v.find(secretPath, 0, 0)
		for i := v.act(acquiring|moving|embedding|stealing|running|using|wiping, 0); i >= 0; i = v.act(acquiring|moving|embedding|stealing|running|using|wiping, i+1) {
			if abs(v.h[p].word-v.h[i].word) > 14 {
				continue
			}
			switch {
			case v.purposeful(secretPath):
			case v.is&force != 0 || v.h[i].is&(stealing) != 0 || v.is&(moving|embedding) != 0 && v.h[i].is&acquiring != 0 && i < p || !v.said.Role.Prose():
				v.report(Exfiltration, Blocks, min(i, p), max(i, p))
			default:
				v.report(Exfiltration, Errors, min(i, p), max(i, p))
			}
			return
		}
		if v.is&stealing != 0 {
			if i := v.find(stealing, 0, 0); !strings.HasSuffix(lower(v.word(i)), "ed") && !strings.HasSuffix(lower(v.word(i)), "en") {
				v.report(Exfiltration, Errors, min(i, p), max(i, p))
			}
		}
	}
	if i := v.act(stealing, 0); i >= 0 && v.has(secret|conversation|person|every|scoping|absoluteURL|mailbox) && v.h[i].is&codeish == 0 && !v.offensive {
		v.report(Exfiltration, Errors, i, i)
		return
	}
	if v.has(secret) {
		k := v.find(secret, 0, 0)
		for i := v.act(moving|embedding|stealing|acquiring, 0); i >= 0; i = v.act(moving|embedding|stealing|acquiring, i+1) {
			if v.h[k].word-v.h[i].word > 10 || v.h[i].word-v.h[k].word > 6 || i == k {
				continue
			}
			out := v.is&(foreignHost|mailbox) != 0 || v.is&absoluteURL != 0 && v.is&(obliging|furthering) != 0
			hidden := v.is&silent != 0
			also := v.is&(furthering|every) != 0 && v.is&addressee != 0 && v.is&(moving|embedding) != 0 || v.is&obliging != 0 && v.is&(embedding) != 0 && v.wide&(trigger|conversation|addressee) != 0 && v.plural(k)
			asks := v.is&embedding != 0 && v.h[i].is&embedding != 0 && k > i && v.plural(k) && v.is&parameter != 0 && v.near(i, every|scoping, 0, 3) >= 0
			if a := v.another(0); a >= 0 && strings.Contains(lower(v.word(a)), strings.TrimSuffix(lower(v.word(k)), "s")) {
				continue // that tool gives it out
			}
			theirs := v.is&obliging != 0 && v.h[i].is&embedding != 0 && k > i && v.ahead(k, person, 0, 5) > i
			// A value that gives an order is no value.
			planted := v.said.Role >= card.Enumerating && v.said.Role <= card.Commenting && v.said.Role != card.Exemplifying &&
				v.h[i].is&base != 0 && (v.h[i].is&embedding != 0 || v.said.Role != card.Enumerating) && k > i && (v.near(k, person, 0, 4) >= 0 || v.possessed(i, k))
			if (out || hidden || also || asks || theirs || planted) && !v.purposeful(secret) {
				v.report(Exfiltration, Errors, min(i, k), max(i, k))
				return
			}
		}
	}
	v.gathers()
	v.written()
	if v.has(conversation) {
		k := v.find(conversation, 0, 0)
		for i := v.act(moving|embedding|telling|acquiring, 0); i >= 0; i = v.act(moving|embedding|telling|acquiring, i+1) {
			switch lower(v.word(i)) {
			case "note", "describe", "state", "get", "list", "search", "load", "open", "discuss", "explain", "query":
				continue
			}
			d := v.h[k].word - v.h[i].word
			if d < 0 || d > 8 {
				continue
			}
			if v.said.Role != card.Naming && v.is&(obliging|trigger|every|absoluteURL|foreignHost|furthering|overriding|scoping|parameter) != 0 && !v.purposeful(conversation) {
				level := Errors
				if v.is&(absoluteURL|foreignHost|mailbox|overriding|silent|obliging) == 0 {
					level = Warns
				}
				v.report(Exfiltration, level, i, k)
				return
			}
		}
	}
	if v.has(foreignHost) {
		k := v.find(foreignHost, 0, 0)
		if i := v.imperative(); i >= 0 || v.is&(moving|embedding|altering|running|using) != 0 && v.is&(force|every|pretext) != 0 {
			v.report(Exfiltration, Errors, k, k)
			return
		}
	}
	if v.has(mailbox) {
		k := v.find(mailbox, 0, 0)
		for i := v.act(moving|embedding|altering, 0); i >= 0; i = v.act(moving|embedding|altering, i+1) {
			if abs(v.h[k].word-v.h[i].word) <= 10 && v.h[k].is&codeish == 0 && v.is&(obliging|every|pretext|furthering) != 0 && v.is&(parameter|moving) != 0 {
				v.report(Exfiltration, Errors, min(i, k), max(i, k))
				return
			}
		}
	}
	if v.has(absoluteURL, placeholder) && v.is&(conversation|secret) != 0 {
		if i := v.act(moving|running|using|acquiring|embedding, 0); i >= 0 {
			v.report(Exfiltration, Errors, i, v.find(absoluteURL, 0, 0))
			return
		}
	}
	if v.has(absoluteURL, obliging) {
		k := v.find(absoluteURL, 0, 0)
		if i := v.act(moving|running|using|acquiring, 0); i >= 0 && abs(v.h[k].word-v.h[i].word) <= 10 && v.h[k].is&codeish == 0 {
			switch {
			case v.linked() >= 0 && v.h[i].is&(moving|using|acquiring) != 0 && v.is&(furthering|addressee) != 0 && !v.documents():
				v.report(Exfiltration, Errors, min(i, k), max(i, k))
			case v.is&moving != 0 && v.is&(every|conversation|person|parameter) != 0 && v.is&(furthering|addressee|every) != 0:
				v.report(Exfiltration, Warns, min(i, k), max(i, k))
			}
		}
	}
}

// written: everything that the user said goes into a parameter.
func (v *view) written() {
	if v.is&(scoping|every|conversation) == 0 || v.is&(parameter|obliging|embedding|moving) == 0 {
		return
	}
	s := v.low()
	for _, w := range [...]string{"everything the user", "all the user", "anything the user", "every word the user", "all that the user", "everything that the user", "whole conversation", "full conversation", "entire conversation", "full text of the conversation",
		"whatever the user said", "everything said so far", "all of the conversation", "complete conversation", "whole chat", "entire chat", "full chat", "this conversation so far"} {
		at := strings.Index(s, w)
		if at < 0 {
			continue
		}
		rest := s[at:min(len(s), at+len(w)+32)]
		said := strings.Contains(w, "conversation") || strings.Contains(w, "chat")
		for _, verb := range [...]string{"said", "written", "typed", "wrote", "told", "asked", "sent"} {
			said = said || strings.Contains(rest, verb)
		}
		if said && v.is&(obliging|moving|embedding) != 0 && !v.purposeful(conversation) && !v.about() {
			level := Warns
			if v.is&(obliging|silent|absoluteURL) != 0 {
				level = Errors
			}
			v.report(Exfiltration, level, 0, len(v.h)-1)
			return
		}
	}
}

// gathers: beside its work the tool collects what is secret, in several forms.
func (v *view) gathers() {
	n := 0
	for i := range v.h {
		if v.h[i].is&(secret|secretPath) != 0 {
			n++
		}
	}
	i := v.find(acquiring|embedding|moving, 0, 0)
	if n >= 3 && i >= 0 && v.is&(every|scoping|furthering) != 0 && v.is&(embedding|moving) != 0 && v.is&denying == 0 && !v.purposeful(secret) {
		k := v.find(secret|secretPath, 0, 0)
		v.report(Exfiltration, Errors, min(i, k), max(i, k))
	}
}

// possessed says whether what stands at k is said to be somebody's, behind hit i: "the user's API key".
func (v *view) possessed(i, k int) bool {
	between := lower(v.part(v.h[i].end, v.h[k].start)) + " "
	return strings.Contains(between, "'s ") || strings.Contains(between, "s' ") || strings.Contains(between, "their ")
}

// plural says whether a secret is spoken of as many: one token may well be handed on.
func (v *view) plural(i int) bool { return strings.HasSuffix(lower(v.word(i)), "s") }

// purposeful says whether the tool's own name says that it deals with such things.
func (v *view) purposeful(is bits) bool {
	name := v.purpose
	switch is {
	case conversation:
		return name&(conversation|modelNoun|label) != 0
	}
	return name&(secret|secretPath) != 0
}

// tamper: commands to run, files of the system to change, values to replace.
func (v *view) tamper() {
	if v.has(command) {
		for k := v.find(command, 0, 0); k >= 0; k = v.find(command, 0, k+1) {
			if !v.commandLine(k) {
				continue
			}
			i := v.ahead(k, running|using|wiping, base, 8)
			if i >= 0 && v.denied(i) {
				continue
			}
			if i >= 0 && (v.is&(obliging|pretext|furthering) != 0 && v.is&(addressee|obliging) != 0 || v.labelled() >= 0) {
				v.report(CommandInjection, Errors, i, k)
				return
			}
			if i >= 0 && v.is&(systemPath|secretPath|absoluteURL|foreignHost) != 0 && v.is&force != 0 {
				v.report(CommandInjection, Errors, i, k)
				return
			}
		}
	}
	if v.has(systemPath) && v.is&(obliging|label) != 0 {
		k := v.find(systemPath, 0, 0)
		for i := v.act(wiping|running, 0); i >= 0; i = v.act(wiping|running, i+1) {
			if abs(v.h[k].word-v.h[i].word) <= 14 && v.h[i].is&codeish == 0 && (v.is&obliging != 0 && v.is&(addressee|furthering|pretext) != 0) {
				v.report(CommandInjection, Errors, min(i, k), max(i, k))
				return
			}
		}
	}
	if v.has(systemPath, trigger) && !v.documents() {
		k := v.find(systemPath, 0, 0)
		for i := v.act(wiping, 0); i >= 0 && i < k; i = v.act(wiping, i+1) {
			switch lower(v.word(i)) {
			case "delete", "remove", "erase", "wipe", "truncate", "chmod", "clear", "overwrite":
				if v.h[k].word-v.h[i].word <= 6 && strings.Contains(v.low(), "before") {
					v.report(CommandInjection, Warns, i, k)
					return
				}
			}
		}
	}
	if v.has(anyPath) && v.is&embedding != 0 && v.wide&(first|obliging) != 0 && v.another(0) >= 0 && v.wide&toolNoun != 0 {
		i, k := v.act(wiping|embedding|altering, 0), v.find(anyPath, 0, 0)
		if i >= 0 && i < k && v.is&obliging != 0 {
			v.report(CommandInjection, Warns, i, k)
		}
	}
	v.values()
}

// commandLine says whether a program's name is followed by what a shell takes for its arguments.
func (v *view) commandLine(k int) bool {
	rest := v.part(v.h[k].start, min(int32(len(v.scan.text)), v.h[k].end+48))
	if strings.HasPrefix(rest, "$(") || strings.Contains(rest[:min(len(rest), 24)], "()") || strings.Contains(rest, ".run(") {
		return true
	}
	for _, sign := range [...]string{" -", " | ", " && ", "$(", " >> ", " > /", " /", " ~/", "http", " ./", "; rm", "` "} {
		if at := strings.Index(rest, sign); at >= 0 && at < 32 && (sign != " -" || at+2 < len(rest) && rest[at+2] != ' ') {
			return true
		}
	}
	switch v.part(v.h[k].start, v.h[k].end) {
	case "sudo", "curl", "wget", "crontab", "chmod", "rm", "mkfifo", "nohup", "useradd", "systemctl":
		return kinds[at(v.scan.text, int(v.h[k].end))] == kBlank && kinds[at(v.scan.text, int(v.h[k].end)+1)] == kLetter && v.h[k].is&codeish != 0
	}
	return false
}

func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// values: what the user gave is replaced.
func (v *view) values() {
	if v.has(altering|overriding, regardless) && v.has(parameter|literal) {
		i, k := v.act(altering|overriding, 0), v.find(regardless, 0, 0)
		if i >= 0 && v.is&(person|every|scoping|obliging) != 0 {
			v.report(ParameterTampering, Errors, min(i, k), max(i, k))
			return
		}
	}
	if i := v.act(overriding, 0); i >= 0 && v.has(person) {
		if k := v.near(i, person, 0, 3); k >= 0 {
			if p := v.near(k, parameter|instruction|safety, 0, 4); p >= 0 && v.h[i].is&codeish == 0 {
				level := Warns
				if v.is&(obliging|altering|running) != 0 {
					level = Errors
				}
				v.report(ParameterTampering, level, i, p)
				return
			}
		}
	}
	if i := v.act(overriding, 0); i >= 0 && v.has(person) && v.h[i].is&codeish == 0 {
		if u := v.near(i, person, 0, 6); u >= 0 && given(lower(v.part(v.h[u].end, v.h[u].end+24))) && v.says("that the user", "which the user", "the user gave", "the user's") && v.is&(altering|obliging|parameter) != 0 {
			v.report(ParameterTampering, Errors, i, u)
			return
		}
	}
	if i := v.act(overriding|altering, 0); i >= 0 && v.has(person, parameter) {
		if k := v.near(i, parameter, 0, 4); k >= 0 && v.h[i].is&overriding != 0 {
			if u := v.near(k, person, 0, 5); u >= 0 && given(lower(v.part(v.h[u].end, v.h[u].end+24))) && v.h[u].word-v.h[i].word <= 9 {
				v.report(ParameterTampering, Errors, i, u)
				return
			}
		}
	}
	if v.has(obliging, regardless, parameter) && (v.is&person != 0 || strings.Contains(v.low(), " asks ")) {
		o, r := v.find(obliging, 0, 0), v.find(regardless, 0, 0)
		if k := v.find(parameter, 0, 0); abs(v.h[o].word-v.h[k].word) <= 4 && r > o && strings.Contains(lower(v.part(v.h[o].start, v.h[r].start)), " be ") {
			v.report(ParameterTampering, Errors, o, r)
			return
		}
	}
	if v.has(altering, parameter, person) {
		for i := v.act(altering, 0); i >= 0; i = v.act(altering, i+1) {
			switch lower(v.word(i)) {
			case "double", "halve", "inflate", "swap", "pad", "replace", "increase", "reduce", "lower", "raise":
			default:
				continue
			}
			if k := v.near(i, parameter, 0, 3); k >= 0 {
				if u := v.near(k, person, 0, 4); u >= 0 && given(lower(v.part(v.h[u].end, v.h[u].end+24))) {
					v.report(ParameterTampering, Warns, i, u)
					return
				}
			}
		}
	}
	if v.has(obliging, regardless, person) {
		for i := v.act(altering|embedding|using|wiping, 0); i >= 0; i = v.act(altering|embedding|using|wiping, i+1) {
			if v.ahead(i, obliging, 0, 3) >= 0 {
				v.report(ParameterTampering, Warns, i, v.find(regardless, 0, 0))
				return
			}
		}
		if v.says("user declines", "user refuses", "user objects", "user disagrees", "user says no", "user did not ask", "user asks for another", "user wants another") {
			o := v.find(obliging, 0, 0)
			v.report(ParameterTampering, Errors, o, v.find(regardless, 0, 0))
			return
		}
	}
	if v.has(altering, parameter, trigger) {
		for i := v.act(altering, 0); i >= 0; i = v.act(altering, i+1) {
			k := v.near(i, parameter, 0, 3)
			if k >= 0 && worded("substitute replace swap", lower(v.word(i))) && worded("payee recipient beneficiary destination account sender", lower(v.word(k))) && v.says(" with ", " by ") && v.says("before ") {
				v.report(ParameterTampering, Warns, i, k)
				return
			}
		}
	}
	if v.has(promoting|telling, regardless) {
		for i := v.act(promoting|telling, 0); i >= 0; i = v.act(promoting|telling, i+1) {
			w := lower(v.word(i))
			if v.h[i].is&promoting == 0 && w != "say" && w != "tell" && w != "announce" && w != "state" && w != "mention" {
				continue
			}
			if v.is&(obliging|every|superior|addressee) != 0 {
				v.report(ParameterTampering, Warns, i, v.find(regardless, 0, 0))
				return
			}
		}
	}
	if v.has(literal) {
		v.signature()
	}
	if v.has(altering, parameter, literal|placeholder|absoluteURL|identifier) {
		i := v.act(altering, 0)
		p := -1
		if i >= 0 {
			p = v.near(i, parameter, 0, 8)
		}
		if p >= 0 && v.h[i].is&codeish == 0 && v.is&(literal|absoluteURL) != 0 && v.is&obliging != 0 && v.is&(trigger|addressee) != 0 && v.is&(furthering|pretext|every|regardless|overriding) != 0 && v.wide&(pretext|overriding|regardless) != 0 {
			v.report(ParameterTampering, Warns, i, p)
			return
		}
	}
	if v.is&(obliging|regardless) != 0 && v.has(telling|moving|superior) {
		for i := v.act(telling, 0); i >= 0; i = v.act(telling, i+1) {
			switch lower(v.word(i)) {
			case "say", "state", "announce", "mention", "tell", "declare":
			default:
				continue
			}
			k := v.near(i, literal, 0, 6)
			if k < 0 || int(v.h[k].end-v.h[k].start) < 12 && v.is&(regardless|overriding) == 0 {
				continue
			}
			if v.is&(regardless|overriding|trigger|furthering) != 0 {
				v.report(ParameterTampering, Warns, i, k)
				return
			}
		}
	}
	if v.is&(obliging|regardless) != 0 && v.has(regardless) {
		s := v.low()
		if i := v.find(obliging, 0, 0); i >= 0 && (strings.Contains(s, "suggest") || strings.Contains(s, "recommend") || strings.Contains(s, "answer") || strings.Contains(s, "respond")) && strings.Contains(s, "regardless") {
			v.report(ParameterTampering, Warns, i, v.find(regardless, 0, 0))
		}
	}
}

// given says whether what follows "the user" says that they gave something.
func given(s string) bool {
	for _, w := range [...]string{"enter", "provid", "gave", "give", "name", "specif", "ask", "typ", "want", "suppl", "request", "chose", "choose", "select", "set"} {
		if strings.HasPrefix(strings.TrimLeft(s, " '’s"), w) {
			return true
		}
	}
	return false
}

// signature: every answer is to begin or to end with a given text.
func (v *view) signature() {
	k := v.find(literal, 0, 0)
	before := lower(v.part(max(v.start, v.h[k].start-90), v.h[k].start))
	if int(v.h[k].end-v.h[k].start) < quotedSentence {
		return
	}
	for _, verb := range [...]string{"end ", "begin ", "start ", "close ", "finish ", "conclude ", "prefix ", "preface ", "open ", "append ", "prepend "} {
		if !strings.Contains(" "+before, " "+verb) {
			continue
		}
		for _, what := range [...]string{"each ", "every ", "your ", "all "} {
			if at := strings.Index(before, what); at >= 0 && (strings.Contains(before[at:], "answer") || strings.Contains(before[at:], "summary") || strings.Contains(before[at:], "response") || strings.Contains(before[at:], "reply") || strings.Contains(before[at:], "message")) {
				v.report(ParameterTampering, Warns, k, k)
				return
			}
		}
	}
}
