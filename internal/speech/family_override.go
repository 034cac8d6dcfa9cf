package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
)

// override: "ignore all previous instructions", in any words.
func (v *view) override() {
	for i := v.act(overriding, 0); i >= 0; i = v.act(overriding, i+1) {
		k := v.near(i, instruction, 0, 7)
		if k < 0 && (v.scan.text[v.h[i].start] >= 0x80 || lastVerb(lower(v.word(i)))) {
			if k = v.ahead(i, instruction, 0, 8); k >= 0 && v.has(scoping) {
				v.report(InstructionOverride, Blocks, k, i)
				return
			}
		}
		if k < 0 && strings.IndexByte(v.word(i), ' ') > 0 { // "the instructions above are void"
			if b := v.ahead(i, instruction, 0, 8); b >= 0 {
				for n := max(0, b-2); n < i; n++ {
					if v.h[n].is&scoping != 0 && (backward(lower(v.word(n))) || lower(v.word(n)) == "your") && abs(v.h[n].word-v.h[b].word) <= 3 {
						v.report(InstructionOverride, Errors, b, i)
						return
					}
				}
			}
		}
		if k >= 0 && v.h[i].is&codeish != 0 && v.h[k].is&codeish == 0 {
			continue
		}
		if k >= 0 {
			word := lower(v.word(k))
			strong, weak := true, false
			switch word {
			case "rule", "rules", "limit", "limits", "message", "messages", "request", "task", "tasks", "context", "order", "orders", "restriction", "restrictions",
				"requirements", "protocol", "protocols", "commands", "principles", "boundaries", "constraint", "constraints", "limitation", "limitations", "policy", "policies", "instructions.":
				strong, weak = false, true
			}
			scope := v.near(i, scoping, 0, v.h[k].word-v.h[i].word+3)
			if scope >= 0 && v.h[scope].is&codeish != 0 && v.h[i].is&codeish == 0 {
				scope = -1
			}
			back := false
			for n := i + 1; n < len(v.h) && v.h[n].word <= v.h[k].word+3 && !back; n++ {
				back = v.h[n].is&scoping != 0 && v.h[n].is&codeish == v.h[i].is&codeish && backward(lower(v.word(n)))
			}
			if v.heard {
				back = back && !idle(lower(v.word(i))) && v.points(i, k, strong)
			}
			switch {
			case v.heard && !back && (idle(lower(v.word(i))) || scope >= 0 && v.h[k].word-v.h[scope].word != 1 || scope < 0 || !strong || !ordering(word) || !sweeping(lower(v.word(scope)))):
				if scope >= 0 && strong && ordering(word) {
					v.report(InstructionOverride, Errors, i, k)
				}
				return
			case scope >= 0 && (strong || back):
				v.report(InstructionOverride, Blocks, i, k)
				return
			case scope >= 0 && weak && v.is&(addressee|obliging|safety) != 0:
				v.report(InstructionOverride, Errors, i, k)
				return
			case strong && v.is&(safety|secret|stealing|obeying) != 0:
				v.report(InstructionOverride, Errors, i, k)
				return
			}
		}
		if k := v.near(i, safety, 0, 5); k >= 0 && v.near(i, scoping|every, 0, 4) >= 0 && v.h[i].is&codeish == 0 {
			v.report(PolicyAbuse, Errors, i, k)
			return
		}
	}
}

// idle says whether a verb of dropping is one that programs do to what they read.
func idle(w string) bool {
	switch w {
	case "skip", "drop", "discard", "cancel", "suspend", "overlook", "let", "note":
		return true
	}
	return false
}

// points says whether a word of scope that points back stands between verb and noun, or behind a noun that can mean nothing else.
func (v *view) points(i, k int, strong bool) bool {
	end := v.h[k].word
	if strong {
		end += 3
	}
	for n := i + 1; n < len(v.h) && v.h[n].word <= end; n++ {
		if v.h[n].is&scoping != 0 && backward(lower(v.word(n))) {
			return true
		}
	}
	return false
}

// ordering says whether a noun is of orders alone: people skip prompts and override rules, on a command line.
func ordering(w string) bool {
	switch w {
	case "prompt", "prompts", "guidance", "directions", "brief", "briefing", "guideline", "guidelines", "training", "programming", "told", "instruction":
		return false
	}
	return true
}

// sweeping says whether a word of scope leaves nothing out.
func sweeping(w string) bool {
	switch w {
	case "all", "any", "your", "every", "everything", "anything", "whatever":
		return true
	}
	return backward(w)
}

// lastVerb says whether a verb is of a language whose verbs stand behind their objects.
func lastVerb(w string) bool {
	switch w {
	case "yoksay", "yok say", "yok sayin", "unut", "unutun", "bosver", "gormezden", "gormezden gel", "goz ardi", "dikkate alma", "ignorieren", "missachten", "vergessen", "nicht beachten", "negeren", "vergeten":
		return true
	}
	return false
}

// lifted: earlier instructions are said to hold no more, in the passive or by leave.
func (v *view) lifted() {
	for i := v.find(instruction|conversation, 0, 0); i >= 0; i = v.find(instruction|conversation, 0, i+1) {
		if v.h[i].is&codeish != 0 {
			continue
		}
		own := v.ahead(i, scoping, 0, 2)
		yours := own >= 0 && worded(lower(v.part(v.h[i].start-20, v.h[i].start)), "your")
		past := own >= 0 && backward(lower(v.word(own))) && !worded(" any all every ", lower(v.word(own)))
		if k := v.near(i, overriding, 0, 7); k >= 0 && v.h[k].is&base == 0 && (yours || past) && strings.Contains(lower(v.part(v.h[k].end, v.h[k].end+12)), " by ") {
			v.report(InstructionOverride, Errors, i, k)
			return
		}
		if k := v.ahead(i, feigning, base, 4); k >= 0 && (yours || past) {
			v.report(InstructionOverride, Errors, k, i)
			return
		}
		if k := v.near(i, disabled, 0, 4); k >= 0 && yours {
			v.report(InstructionOverride, Errors, i, k)
			return
		}
		if k := v.ahead(i, obeying, 0, 5); k >= 0 && v.h[i].is&instruction != 0 {
			before := " " + lower(v.part(max(v.start, v.h[k].start-26), v.h[k].start))
			no := strings.Contains(before, "no longer") || strings.Contains(before, " stop ") || strings.Contains(before, "need not") || strings.Contains(before, "not have to") || strings.Contains(before, "not need to") || strings.Contains(before, "n't have to") || strings.Contains(before, " never ") || strings.Contains(before, " not ") && (past || yours)
			rest := lower(v.part(v.h[i].end, v.h[i].end+48))
			given := strings.Contains(rest, "for you") || strings.Contains(rest, "to you") || strings.Contains(rest, "you were") || strings.Contains(rest, "you have been") || strings.Contains(rest, "earlier") || strings.Contains(rest, "before")
			if no && (past || yours || given) {
				v.report(InstructionOverride, Errors, k, i)
				return
			}
		}
	}
	if i := v.find(overriding, 0, 0); i >= 0 && v.h[i].is&codeish == 0 && v.says("you were told", "you were instructed", "you were asked", "you were given", "you were taught", "you have been told") {
		v.report(InstructionOverride, Errors, i, i)
		return
	}
	for i := v.act(overriding, 0); i >= 0; i = v.act(overriding, i+1) {
		if k := v.near(i, instruction, 0, 5); k >= 0 && v.h[i].is&codeish == 0 {
			rest := lower(v.part(v.h[k].end, v.h[k].end+56))
			for _, w := range [...]string{"developer", "operator", "host application", "vendor", "system prompt", "platform", "anthropic", "openai", "company", "you were given", "given to you", "set for you"} {
				if strings.Contains(rest, w) && (strings.Contains(rest, " by ") || strings.Contains(rest, " of ") || strings.Contains(rest, " from ") || strings.Contains(rest, "you")) {
					v.report(InstructionOverride, Errors, i, k)
					return
				}
			}
		}
	}
}

// backward says whether a word of scope points at what was said before.
func backward(w string) bool {
	switch w {
	case "all", "any", "your", "the", "my", "other", "our", "these", "those", "original", "existing", "default", "given", "their", "his", "her", "current", "every":
		return false
	}
	return true
}

// policy: safety is to be skipped, content is to be obeyed, the model is to be somebody else.
func (v *view) policy() {
	if v.has(safety) {
		for i := v.act(wiping|overriding, 0); i >= 0; i = v.act(wiping|overriding, i+1) {
			k := v.near(i, safety, 0, 5)
			if k < 0 && v.near(i, every|scoping, 0, 2) >= 0 && v.says("all of them", "every one of them", "bypass them", "skip them") {
				k = v.ahead(i, safety, 0, 9)
			}
			if k < 0 {
				continue
			}
			switch lower(v.word(i)) {
			case "disable", "remove", "skip", "bypass", "ignore", "suspend", "circumvent", "drop", "disregard":
			default:
				continue
			}
			if v.is&(every|obliging|role|addressee|regardless|scoping) != 0 && v.near(i, scoping|every, 0, 4) >= 0 || v.labelled() >= 0 {
				v.report(PolicyAbuse, Errors, i, k)
				return
			}
		}
		if i := v.find(denying, 0, 0); i >= 0 && v.act(running|obeying, 0) >= 0 && v.act(running|obeying, 0) < i {
			if k := v.near(i, safety, 0, 4); k >= 0 && v.has(every|addressee|scoping) && v.has(instruction|command|approved|obeying) {
				v.report(PolicyAbuse, Errors, v.act(running|obeying, 0), k)
			}
		}
	}
	v.waived()
	if v.has(role) {
		if i := v.find(role, 0, 0); v.plays(i) {
			// a prompt's purpose
		} else if v.h[i].is&codeish == 0 || v.find(obliging|safety, 0, 0) >= 0 {
			if v.is&(safety|obliging|obeying|overriding|denying) != 0 && v.is&(addressee|colon) != 0 || strings.HasPrefix(lower(v.word(i)), "you") || v.h[i].is&colon != 0 || v.count(role) > 1 && v.h[i].is&codeish == 0 {
				level := Errors
				if v.heard && v.has(safety) && v.is&(denying|overriding) != 0 && strings.HasPrefix(lower(v.word(i)), "you") {
					level = Blocks
				}
				v.report(PolicyAbuse, level, i, i)
			}
		}
	}
	if i := v.act(obeying, 0); i >= 0 && v.has(instruction|command) {
		if k := v.near(i, instruction|running, 0, 8); k >= 0 && found(v.low()) {
			v.report(PolicyAbuse, Errors, i, k)
		}
	}
}

// plays says whether a role is played for the work's sake: "act as a strict reviewer", with no safeguard to drop.
func (v *view) plays(i int) bool {
	switch lower(v.word(i)) {
	case "act as", "behave as", "assume the role", "take on the role", "roleplay as":
	default:
		return v.card != nil && v.card.Kind == card.Prompt && v.count(role) == 1 && v.is&(safety|secret|overriding) == 0 && strings.HasPrefix(lower(v.word(i)), "you")
	}
	return v.count(role) == 1 && v.is&(safety|secret|secretPath|regardless) == 0 && (v.is&obliging == 0 || v.card != nil && v.card.Kind == card.Prompt)
}

// waived: confirmation is said to be given already, for whatever comes.
func (v *view) waived() {
	if v.is&(safety|approved|overriding) == 0 || v.is&(every|scoping) == 0 {
		return
	}
	s := lower(v.part(v.start, v.end+80))
	for _, w := range [...]string{"no confirmation", "no approval", "no permission", "not needed", "not required", "not necessary", "unnecessary", "already given", "is waived", "are waived", "can be skipped", "can be dismissed", "be dismissed", "is implied", "is granted", "already granted", "skip all", "skip every"} {
		if v.is&safety != 0 && strings.Contains(s, w) && v.is&(addressee|furthering|person|denying) != 0 && (strings.Contains(s, "automatically") || strings.Contains(s, "do not ask") || strings.Contains(s, "without asking") || strings.Contains(s, "proceed") || strings.Contains(s, "without reading") || strings.Contains(s, "on behalf") || strings.Contains(s, "don't ask")) {
			v.report(PolicyAbuse, Errors, 0, len(v.h)-1)
			return
		}
	}
	if v.has(safety, addressee) && v.says("every ", "any ", "all ") && v.says("without asking", "without further", "without confirm", "without check") && v.says("you have ", "you may", "you are allowed", "you can") {
		v.report(PolicyAbuse, Errors, 0, len(v.h)-1)
		return
	}
	if strings.Contains(s, "pre-authori") || strings.Contains(s, "pre-approved") || strings.Contains(s, "preauthori") || strings.Contains(s, "preapproved") || strings.Contains(s, "already approved by") {
		if strings.Contains(s, "every ") || strings.Contains(s, "all ") || strings.Contains(s, "any ") {
			v.report(PolicyAbuse, Errors, 0, len(v.h)-1)
		}
	}
}

// found says whether a sentence speaks of what is found in content.
func found(s string) bool {
	s = lower(s)
	for _, w := range [...]string{"inside", "embedded", "as trusted", "as instructions", "as commands", "as orders", "found in", "find in", "in the retrieved", "on the page", "on a page", "in the web", "in the document", "in the file", "in the results", "in the email", "appears in", "appearing in", "that the page", "that a page", "contained within", "returned by", "comes from", "contained in", "within the", "in the page", "in the content", "in its", "in the text"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// labelled finds a label that a message to the model begins with: "SYSTEM:", "Note to assistant:".
func (v *view) labelled() int {
	for i := range v.h {
		if v.h[i].is&label != 0 && strings.HasPrefix(lower(v.word(i)), "end of ") && v.h[i].is&codeish == 0 {
			return i
		}
		if v.h[i].is&(label|colon) == label|colon && v.h[i].is&codeish == 0 && !v.own(v.word(i)) {
			if w := lower(v.word(i)); senders(w) && !(v.heard && stored(w)) || w == "agents" || w == "assistants" || w == "models" || i > 0 && v.h[i-1].is&label != 0 && v.h[i].word-v.h[i-1].word <= 3 && (senders(lower(v.word(i-1))) || orders(w)) {
				return i
			}
		}
	}
	return -1
}

// senders are labels that stand for somebody who may give orders.
func senders(w string) bool {
	switch w {
	case "system", "assistant", "admin", "developer", "sysadmin", "administrator", "root", "hidden", "secret", "ai", "llm", "directive", "override", "agent", "instruction":
		return true
	}
	return false
}

// stored says whether a sender's name stands before a colon in files too.
func stored(w string) bool {
	switch w {
	case "root", "secret", "hidden", "admin", "administrator", "developer":
		return true
	}
	return false
}

func orders(w string) bool {
	switch w {
	case "instruction", "instructions", "directive", "override", "message", "update", "command", "policy", "prompt", "alert":
		return true
	}
	return false
}

// action says whether the sentence asks for an act, and whose object lies outside of the tool.
func (v *view) outside() bool {
	return v.is&(secret|secretPath|systemPath|absoluteURL|foreignHost|mailbox|conversation|command|stealing) != 0 || v.another(0) >= 0
}

func (v *view) imperative() int { return v.order(0) }

// order is the first command from hit i on.
func (v *view) order(i int) int {
	for ; i < len(v.h); i++ {
		if v.h[i].is&base != 0 && v.h[i].is&(acquiring|moving|embedding|running|altering|wiping|stealing|using|overriding|obeying|telling) != 0 && v.h[i].is&codeish == 0 {
			return i
		}
	}
	return -1
}
