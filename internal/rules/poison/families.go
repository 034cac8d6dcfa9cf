package poison

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
)

// idea is one way in which a card serves somebody else than its user. Each is a rule.
type idea uint8

const (
	hiddenInstruction idea = iota
	instructionOverride
	policyAbuse
	concealment
	exfiltration
	commandInjection
	parameterTampering
	toolCoercion
	toolRedirection
	latentBehaviour
	preferenceManipulation
	callerParameter
	sleeperTool
	offensiveTool
	misplacedText
	encodedPayload
	splitPayload
	hiddenUnicode
	deceptiveUnicode
	escapeSequence
	ideas
)

// family joins the ideas that are the same kind of evidence: two of one family prove no more than one.
func (i idea) family() uint32 {
	switch i {
	case policyAbuse:
		i = instructionOverride
	case encodedPayload, deceptiveUnicode, escapeSequence:
		i = hiddenUnicode
	case splitPayload, misplacedText:
		return 0 // where it stands, and no kind of its own
	}
	return 1 << i
}

// The levels: a warning, an error, and what blocks by itself.
const (
	warns  = 1
	errors = 2
	blocks = 3
)

// view is a sentence as the families look at it.
type view struct {
	*judge
	scan *scanned
	sentence
	at      int // its index in scan.sentences
	h       []hit
	lowered string
	reason  int8 // 1: it says why something is looked up, -1: it does not, 0: nobody asked
	// wide is what this sentence and its neighbours hold.
	wide     bits
	wideMore class
}

// find is the first hit from i on that means any of is, in a form that has all of form. -1: none.
func (v *view) find(is, form bits, i int) int {
	if v.is&is == 0 {
		return -1
	}
	for ; i < len(v.h); i++ {
		if v.h[i].is&is != 0 && v.h[i].is&form == form {
			return i
		}
	}
	return -1
}

// act is the first verb from i on that means any of is and stands as a command: not denied, not quoted alone.
func (v *view) act(is bits, i int) int {
	for i = v.find(is, base, i); i >= 0; i = v.find(is, base, i+1) {
		if !v.denied(i) {
			return i
		}
	}
	return -1
}

// denied says whether a command forbids: "do not include". Words that deny twice take it away again.
func (v *view) denied(i int) bool {
	k := v.ahead(i, denying, 0, 3)
	if k < 0 || v.h[k].is&obliging != 0 && v.h[i].is&overriding != 0 && v.h[i].word-v.h[k].word > 1 {
		return false
	}
	if v.h[k].start >= v.h[i].start { // a part of the phrase itself
		return false
	}
	between := lower(v.part(v.h[k].start, v.h[i].start))
	for _, w := range [...]string{"forget", "fail", "omit", "hesitate", "until", "only", "without", ",", "instead", "rather", "neglect", "skip", "miss"} {
		if strings.Contains(between, w) {
			return false
		}
	}
	return true
}

// near is the first hit behind i that means any of is and lies at most n words away.
func (v *view) near(i int, is, form bits, n int32) int {
	for k := i + 1; k < len(v.h) && v.h[k].word-v.h[i].word <= n; k++ {
		if v.h[k].is&is != 0 && v.h[k].is&form == form {
			return k
		}
	}
	return -1
}

// ahead is the last hit before i that means any of is and lies at most n words away.
func (v *view) ahead(i int, is, form bits, n int32) int {
	for k := i - 1; k >= 0 && v.h[i].word-v.h[k].word <= n; k-- {
		if v.h[k].is&is != 0 && v.h[k].is&form == form {
			return k
		}
	}
	return -1
}

// low is the sentence in small letters.
func (v *view) low() string {
	if v.lowered == "" {
		v.lowered = lower(v.part(v.start, v.end))
	}
	return v.lowered
}

func (v *view) word(i int) string { return single(v.scan.text[v.h[i].start:v.h[i].end]) }

// part is a stretch of the text; hits may overlap, so it may be empty.
func (v *view) part(from, to int32) string {
	from, to = max(from, 0), min(to, int32(len(v.scan.text)))
	if from >= to {
		return ""
	}
	return single(v.scan.text[from:to])
}

// has says whether the sentence means all of these.
func (v *view) has(all ...bits) bool {
	for _, b := range all {
		if v.is&b == 0 {
			return false
		}
	}
	return true
}

// told counts the signs that what stands at i is told about and not said: a detector's verb before it, quotation marks.
// An obligation between takes them away.
func (v *view) told(i int) int {
	n := 0
	if k := v.ahead(i, detecting, 0, 24); k >= 0 && (v.h[k].is&colon != 0 || !v.between(k, i, obliging|colon)) {
		n++
		if v.h[i].is&codeish != 0 || k+1 < len(v.h) && v.word(k) == "sample" {
			n++
		}
	} else if v.h[i].is&codeish != 0 {
		n++
	}
	if n == 0 && narrates(v.part(v.start, min(v.end, v.start+24))) && !v.between(-1, i, obliging) {
		n++ // a verb of reporting reaches all that it lists
		if v.watches {
			n++
		}
	}
	return n
}

// narrates says whether a sentence begins with what a tool does that looks at texts: each thing of the list behind it is told
// about.
func narrates(s string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(lower(s), " \n\t-*•."), " ")
	switch first {
	case "audits", "audit", "reports", "detects", "detect", "flags", "flag", "reviews", "examines", "inspects", "lints", "lint", "classifies", "scores", "rates", "grades", "spots", "catches", "finds", "looks",
		"searches", "scans", "scan", "checks", "identifies", "recognises", "recognizes", "highlights", "names", "explains", "teaches", "describes", "documents", "illustrates", "simulates", "covers", "warns", "blocks", "rejects",
		"removes", "strips", "redacts", "masks", "filters", "labels", "categorises", "categorizes", "matches", "tests", "counts", "lists":
		return true
	}
	return false
}

// between says whether a hit behind a and before b means any of is.
func (v *view) between(a, b int, is bits) bool {
	for k := a + 1; k < b; k++ {
		if v.h[k].is&is != 0 {
			return true
		}
	}
	return false
}

// report notes evidence from hit a to hit b.
func (v *view) report(i idea, level int, a, b int) {
	switch v.told(a) {
	case 0:
	case 1:
		if level = min(level, warns); v.defends {
			return
		}
	default:
		return
	}
	v.note(i, level, int(v.h[a].start), int(v.h[max(a, b)].end))
}

// other says whether hit i names a tool, or anything else with a name, that is neither this card nor a part of it.
func (v *view) other(i int) bool { return v.h[i].is&identifier != 0 && !v.own(v.word(i)) }

// another finds a mention of another tool: by its name, or as "the … tool".
func (v *view) another(i int) int {
	for ; i < len(v.h); i++ {
		if v.other(i) {
			return i
		}
	}
	return -1
}

// override: "ignore all previous instructions", in any words.
func (v *view) override() {
	for i := v.act(overriding, 0); i >= 0; i = v.act(overriding, i+1) {
		k := v.near(i, instruction, 0, 7)
		if k < 0 && (v.scan.text[v.h[i].start] >= 0x80 || lastVerb(lower(v.word(i)))) {
			if k = v.ahead(i, instruction, 0, 8); k >= 0 && v.has(scoping) {
				v.report(instructionOverride, blocks, k, i)
				return
			}
		}
		if k < 0 && strings.IndexByte(v.word(i), ' ') > 0 { // "the instructions above are void"
			if b := v.ahead(i, instruction, 0, 8); b >= 0 {
				for n := max(0, b-2); n < i; n++ {
					if v.h[n].is&scoping != 0 && (backward(lower(v.word(n))) || lower(v.word(n)) == "your") && abs(v.h[n].word-v.h[b].word) <= 3 {
						v.report(instructionOverride, errors, b, i)
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
			switch {
			case scope >= 0 && (strong || back):
				v.report(instructionOverride, blocks, i, k)
				return
			case scope >= 0 && weak && v.is&(addressee|obliging|safety) != 0:
				v.report(instructionOverride, errors, i, k)
				return
			case strong && v.is&(safety|secret|stealing|obeying) != 0:
				v.report(instructionOverride, errors, i, k)
				return
			}
		}
		if k := v.near(i, safety, 0, 5); k >= 0 && v.near(i, scoping|every, 0, 4) >= 0 && v.h[i].is&codeish == 0 {
			v.report(policyAbuse, errors, i, k)
			return
		}
	}
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
			v.report(instructionOverride, errors, i, k)
			return
		}
		if k := v.ahead(i, feigning, base, 4); k >= 0 && (yours || past) {
			v.report(instructionOverride, errors, k, i)
			return
		}
		if k := v.near(i, disabled, 0, 4); k >= 0 && yours {
			v.report(instructionOverride, errors, i, k)
			return
		}
		if k := v.ahead(i, obeying, 0, 5); k >= 0 && v.h[i].is&instruction != 0 {
			before := " " + lower(v.part(max(v.start, v.h[k].start-26), v.h[k].start))
			no := strings.Contains(before, "no longer") || strings.Contains(before, " stop ") || strings.Contains(before, "need not") || strings.Contains(before, "not have to") || strings.Contains(before, "not need to") || strings.Contains(before, "n't have to") || strings.Contains(before, " never ") || strings.Contains(before, " not ") && (past || yours)
			rest := lower(v.part(v.h[i].end, v.h[i].end+48))
			given := strings.Contains(rest, "for you") || strings.Contains(rest, "to you") || strings.Contains(rest, "you were") || strings.Contains(rest, "you have been") || strings.Contains(rest, "earlier") || strings.Contains(rest, "before")
			if no && (past || yours || given) {
				v.report(instructionOverride, errors, k, i)
				return
			}
		}
	}
	if i := v.find(overriding, 0, 0); i >= 0 && v.h[i].is&codeish == 0 && v.says("you were told", "you were instructed", "you were asked", "you were given", "you were taught", "you have been told") {
		v.report(instructionOverride, errors, i, i)
		return
	}
	for i := v.act(overriding, 0); i >= 0; i = v.act(overriding, i+1) {
		if k := v.near(i, instruction, 0, 5); k >= 0 && v.h[i].is&codeish == 0 {
			rest := lower(v.part(v.h[k].end, v.h[k].end+56))
			for _, w := range [...]string{"developer", "operator", "host application", "vendor", "system prompt", "platform", "anthropic", "openai", "company", "you were given", "given to you", "set for you"} {
				if strings.Contains(rest, w) && (strings.Contains(rest, " by ") || strings.Contains(rest, " of ") || strings.Contains(rest, " from ") || strings.Contains(rest, "you")) {
					v.report(instructionOverride, errors, i, k)
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
				v.report(policyAbuse, errors, i, k)
				return
			}
		}
		if i := v.find(denying, 0, 0); i >= 0 && v.act(running|obeying, 0) >= 0 && v.act(running|obeying, 0) < i {
			if k := v.near(i, safety, 0, 4); k >= 0 && v.has(every|addressee|scoping) && v.has(instruction|command|approved|obeying) {
				v.report(policyAbuse, errors, v.act(running|obeying, 0), k)
			}
		}
	}
	v.waived()
	if v.has(role) {
		if i := v.find(role, 0, 0); v.plays(i) {
			// a prompt's purpose
		} else if v.h[i].is&codeish == 0 || v.find(obliging|safety, 0, 0) >= 0 {
			if v.is&(safety|obliging|obeying|overriding|denying) != 0 && v.is&(addressee|colon) != 0 || strings.HasPrefix(lower(v.word(i)), "you") || v.h[i].is&colon != 0 || v.count(role) > 1 && v.h[i].is&codeish == 0 {
				v.report(policyAbuse, errors, i, i)
			}
		}
	}
	if i := v.act(obeying, 0); i >= 0 && v.has(instruction|command) {
		if k := v.near(i, instruction|running, 0, 8); k >= 0 && found(v.low()) {
			v.report(policyAbuse, errors, i, k)
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
			v.report(policyAbuse, errors, 0, len(v.h)-1)
			return
		}
	}
	if v.has(safety, addressee) && v.says("every ", "any ", "all ") && v.says("without asking", "without further", "without confirm", "without check") && v.says("you have ", "you may", "you are allowed", "you can") {
		v.report(policyAbuse, errors, 0, len(v.h)-1)
		return
	}
	if strings.Contains(s, "pre-authori") || strings.Contains(s, "pre-approved") || strings.Contains(s, "preauthori") || strings.Contains(s, "preapproved") || strings.Contains(s, "already approved by") {
		if strings.Contains(s, "every ") || strings.Contains(s, "all ") || strings.Contains(s, "any ") {
			v.report(policyAbuse, errors, 0, len(v.h)-1)
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
			if w := lower(v.word(i)); senders(w) || w == "agents" || w == "assistants" || w == "models" || i > 0 && v.h[i-1].is&label != 0 && v.h[i].word-v.h[i-1].word <= 3 && (senders(lower(v.word(i-1))) || orders(w)) {
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
			v.report(hiddenInstruction, errors, i, act)
		case v.outside() || v.is&(overriding|obeying|role|silent) != 0 || v.is&obliging != 0 && act > i:
			v.report(hiddenInstruction, errors, i, act)
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
			v.report(hiddenInstruction, errors, i, k)
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
			v.report(hiddenInstruction, errors, i, i)
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
		v.report(hiddenInstruction, errors, min(i, k), max(i, k))
	}
}

func abs(n int32) int32 { return max(n, -n) }

// conceal: the user is not to know.
func (v *view) conceal() {
	if v.has(denying, telling, person) {
		if i := v.find(telling, 0, 0); v.scan.text[v.h[i].start] >= 0x80 && v.scan.text[v.h[v.find(denying, 0, 0)].start] >= 0x80 {
			v.report(concealment, blocks, i, i)
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
				v.report(concealment, blocks, i, i)
				return
			}
			continue
		}
		switch lower(v.word(k)) {
		case "display", "displayed", "return", "describe", "described", "state", "stated", "flag", "let", "lets", "note", "noted", "warn", "report", "reported", "surface", "showing", "show", "shown":
			// A user interface may well not show things: only to hide them from a person is meant here.
			if rest := lower(v.part(v.h[k].end, v.h[k].end+40)); referent(rest) && (strings.Contains(rest, "in the conversation") || strings.Contains(rest, "in the chat") || strings.Contains(rest, "in your ")) {
				v.report(concealment, errors, i, k)
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
				v.report(concealment, blocks, i, max(k, to))
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
				v.report(concealment, errors, min(i, k), max(i, k))
				return
			}
		}
	}
	if i := v.act(feigning, 0); i >= 0 && v.h[i].is&codeish == 0 {
		for k := v.find(feigning, 0, i+1); k >= 0; k = v.find(feigning, 0, k+1) {
			if strings.Contains(v.word(k), " ") && v.h[k].word-v.h[i].word <= 6 && v.is&(secret|obliging|addressee|embedding|person) != 0 {
				v.report(concealment, errors, i, k)
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
				v.report(concealment, blocks, i, n)
				return
			}
		}
	}
	s := v.low()
	if v.has(person, denying, telling) {
		for i := v.find(person, 0, 0); i >= 0; i = v.find(person, 0, i+1) {
			if k := v.near(i, denying, 0, 3); k >= 0 {
				if n := v.near(k, telling, 0, 5); n >= 0 && v.h[n].is&base == 0 && (worded("told informed notified alerted warned", lower(v.word(n)))) && !v.third(i) {
					v.report(concealment, errors, i, n)
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
					v.report(concealment, errors, i, n)
					return
				}
			}
		}
	}
	if v.has(person) && v.says("remain unaware", "stay unaware", "kept unaware", "be unaware", "in the dark", "none the wiser") {
		v.report(concealment, errors, 0, len(v.h)-1)
		return
	}
	if strings.Contains(s, "no mention of") && v.is&(addressee|obliging|person) != 0 || v.has(silent) && (strings.Contains(s, "quiet about") || strings.Contains(s, "silent about") || strings.Contains(s, "nothing happened") || strings.Contains(s, "say nothing")) {
		v.report(concealment, errors, 0, len(v.h)-1)
		return
	}
	if v.has(person) && (v.is&(obliging|furthering) != 0 || v.says("keep ", "remain ", "stay ")) {
		for _, w := range [...]string{"invisible to", "hidden from", "secret from", "kept from", "concealed from", "unseen by", "unnoticed by", "away from the user", "unknown to"} {
			if at := strings.Index(s, w); at >= 0 {
				for k := v.find(person, 0, 0); k >= 0; k = v.find(person, 0, k+1) {
					if d := int(v.h[k].start-v.start) - at; d > 0 && d < len(w)+24 {
						v.report(concealment, errors, k, k)
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
			v.report(concealment, errors, 0, len(v.h)-1)
			return
		}
	}
	if v.has(telling, addressee) && strings.Contains(s, "if asked") || strings.Contains(s, "when asked") || strings.Contains(s, "if questioned") {
		if i := v.act(telling|feigning, 0); i >= 0 && strings.Contains(s, "you did") {
			v.report(concealment, warns, i, i)
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
				v.report(exfiltration, blocks, min(i, p), max(i, p))
			default:
				v.report(exfiltration, errors, min(i, p), max(i, p))
			}
			return
		}
		if v.is&stealing != 0 {
			if i := v.find(stealing, 0, 0); !strings.HasSuffix(lower(v.word(i)), "ed") && !strings.HasSuffix(lower(v.word(i)), "en") {
				v.report(exfiltration, errors, min(i, p), max(i, p))
			}
		}
	}
	if i := v.act(stealing, 0); i >= 0 && v.has(secret|conversation|person|every|scoping|absoluteURL|mailbox) && v.h[i].is&codeish == 0 && !v.offensive {
		v.report(exfiltration, errors, i, i)
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
			if (out || hidden || also || asks || theirs) && !v.purposeful(secret) {
				v.report(exfiltration, errors, min(i, k), max(i, k))
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
				level := errors
				if v.is&(absoluteURL|foreignHost|mailbox|overriding|silent|obliging) == 0 {
					level = warns
				}
				v.report(exfiltration, level, i, k)
				return
			}
		}
	}
	if v.has(foreignHost) {
		k := v.find(foreignHost, 0, 0)
		if i := v.imperative(); i >= 0 || v.is&(moving|embedding|altering|running|using) != 0 && v.is&(force|every|pretext) != 0 {
			v.report(exfiltration, errors, k, k)
			return
		}
	}
	if v.has(mailbox) {
		k := v.find(mailbox, 0, 0)
		for i := v.act(moving|embedding|altering, 0); i >= 0; i = v.act(moving|embedding|altering, i+1) {
			if abs(v.h[k].word-v.h[i].word) <= 10 && v.h[k].is&codeish == 0 && v.is&(obliging|every|pretext|furthering) != 0 && v.is&(parameter|moving) != 0 {
				v.report(exfiltration, errors, min(i, k), max(i, k))
				return
			}
		}
	}
	if v.has(absoluteURL, placeholder) && v.is&(conversation|secret) != 0 {
		if i := v.act(moving|running|using|acquiring|embedding, 0); i >= 0 {
			v.report(exfiltration, errors, i, v.find(absoluteURL, 0, 0))
			return
		}
	}
	if v.has(absoluteURL, obliging) {
		k := v.find(absoluteURL, 0, 0)
		if i := v.act(moving|running|using|acquiring, 0); i >= 0 && abs(v.h[k].word-v.h[i].word) <= 10 && v.h[k].is&codeish == 0 {
			switch {
			case v.linked() >= 0 && v.h[i].is&(moving|using|acquiring) != 0 && v.is&(furthering|addressee) != 0 && !v.documents():
				v.report(exfiltration, errors, min(i, k), max(i, k))
			case v.is&moving != 0 && v.is&(every|conversation|person|parameter) != 0 && v.is&(furthering|addressee|every) != 0:
				v.report(exfiltration, warns, min(i, k), max(i, k))
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
			level := warns
			if v.is&(obliging|silent|absoluteURL) != 0 {
				level = errors
			}
			v.report(exfiltration, level, 0, len(v.h)-1)
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
		v.report(exfiltration, errors, min(i, k), max(i, k))
	}
}

// plural says whether a secret is spoken of as many: one token may well be handed on.
func (v *view) plural(i int) bool { w := v.word(i); return strings.HasSuffix(w, "s") }

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
				v.report(commandInjection, errors, i, k)
				return
			}
			if i >= 0 && v.is&(systemPath|secretPath|absoluteURL|foreignHost) != 0 && v.is&force != 0 {
				v.report(commandInjection, errors, i, k)
				return
			}
		}
	}
	if v.has(systemPath) && v.is&(obliging|label) != 0 {
		k := v.find(systemPath, 0, 0)
		for i := v.act(wiping|running, 0); i >= 0; i = v.act(wiping|running, i+1) {
			if abs(v.h[k].word-v.h[i].word) <= 14 && v.h[i].is&codeish == 0 && (v.is&obliging != 0 && v.is&(addressee|furthering|pretext) != 0) {
				v.report(commandInjection, errors, min(i, k), max(i, k))
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
					v.report(commandInjection, warns, i, k)
					return
				}
			}
		}
	}
	if v.has(anyPath) && v.is&embedding != 0 && v.wide&(first|obliging) != 0 && v.another(0) >= 0 && v.wide&toolNoun != 0 {
		i, k := v.act(wiping|embedding|altering, 0), v.find(anyPath, 0, 0)
		if i >= 0 && i < k && v.is&obliging != 0 {
			v.report(commandInjection, warns, i, k)
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
			v.report(parameterTampering, errors, min(i, k), max(i, k))
			return
		}
	}
	if i := v.act(overriding, 0); i >= 0 && v.has(person) {
		if k := v.near(i, person, 0, 3); k >= 0 {
			if p := v.near(k, parameter|instruction|safety, 0, 4); p >= 0 && v.h[i].is&codeish == 0 {
				level := warns
				if v.is&(obliging|altering|running) != 0 {
					level = errors
				}
				v.report(parameterTampering, level, i, p)
				return
			}
		}
	}
	if i := v.act(overriding, 0); i >= 0 && v.has(person) && v.h[i].is&codeish == 0 {
		if u := v.near(i, person, 0, 6); u >= 0 && given(lower(v.part(v.h[u].end, v.h[u].end+24))) && v.says("that the user", "which the user", "the user gave", "the user's") && v.is&(altering|obliging|parameter) != 0 {
			v.report(parameterTampering, errors, i, u)
			return
		}
	}
	if i := v.act(overriding|altering, 0); i >= 0 && v.has(person, parameter) {
		if k := v.near(i, parameter, 0, 4); k >= 0 && v.h[i].is&overriding != 0 {
			if u := v.near(k, person, 0, 5); u >= 0 && given(lower(v.part(v.h[u].end, v.h[u].end+24))) && v.h[u].word-v.h[i].word <= 9 {
				v.report(parameterTampering, errors, i, u)
				return
			}
		}
	}
	if v.has(obliging, regardless, parameter) && (v.is&person != 0 || strings.Contains(v.low(), " asks ")) {
		o, r := v.find(obliging, 0, 0), v.find(regardless, 0, 0)
		if k := v.find(parameter, 0, 0); abs(v.h[o].word-v.h[k].word) <= 4 && r > o && strings.Contains(lower(v.part(v.h[o].start, v.h[r].start)), " be ") {
			v.report(parameterTampering, errors, o, r)
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
					v.report(parameterTampering, warns, i, u)
					return
				}
			}
		}
	}
	if v.has(obliging, regardless, person) {
		for i := v.act(altering|embedding|using|wiping, 0); i >= 0; i = v.act(altering|embedding|using|wiping, i+1) {
			if v.ahead(i, obliging, 0, 3) >= 0 {
				v.report(parameterTampering, warns, i, v.find(regardless, 0, 0))
				return
			}
		}
		if v.says("user declines", "user refuses", "user objects", "user disagrees", "user says no", "user did not ask", "user asks for another", "user wants another") {
			o := v.find(obliging, 0, 0)
			v.report(parameterTampering, errors, o, v.find(regardless, 0, 0))
			return
		}
	}
	if v.has(altering, parameter, trigger) {
		for i := v.act(altering, 0); i >= 0; i = v.act(altering, i+1) {
			k := v.near(i, parameter, 0, 3)
			if k >= 0 && worded("substitute replace swap", lower(v.word(i))) && worded("payee recipient beneficiary destination account sender", lower(v.word(k))) && v.says(" with ", " by ") && v.says("before ") {
				v.report(parameterTampering, warns, i, k)
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
				v.report(parameterTampering, warns, i, v.find(regardless, 0, 0))
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
			v.report(parameterTampering, warns, i, p)
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
				v.report(parameterTampering, warns, i, k)
				return
			}
		}
	}
	if v.is&(obliging|regardless) != 0 && v.has(regardless) {
		s := v.low()
		if i := v.find(obliging, 0, 0); i >= 0 && (strings.Contains(s, "suggest") || strings.Contains(s, "recommend") || strings.Contains(s, "answer") || strings.Contains(s, "respond")) && strings.Contains(s, "regardless") {
			v.report(parameterTampering, warns, i, v.find(regardless, 0, 0))
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
				v.report(parameterTampering, warns, k, k)
				return
			}
		}
	}
}

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
			v.report(toolCoercion, errors, min(o, p), i)
			return
		}
	}
	v.foremost()
	v.halts()
	a := v.another(0)
	if a < 0 {
		if k := v.nameless(); k >= 0 && p >= 0 && v.ahead(k, furthering, 0, 5) >= 0 && v.ahead(k, obliging, 0, 6) >= 0 {
			v.report(toolCoercion, warns, o, k)
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
		v.report(toolCoercion, warns, must, a)
	case v.flows(a):
	case p >= 0, also && v.wide&pretext != 0, also && v.unrelated(a):
		v.report(toolCoercion, warns, must, a)
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
			v.report(toolRedirection, warns, o, o)
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
			v.report(toolCoercion, warns, i, a)
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
				v.report(toolCoercion, errors, k, n)
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
				v.report(toolRedirection, errors, min(t, a), i)
				return
			case strong && object, strong && forced:
				v.report(toolRedirection, errors, min(t, a, i), max(a, i))
				return
			case forced && object && i > a && v.is&(pretext|every|obliging) != 0 && (lower(v.word(i)) == "reroute" || lower(v.word(i)) == "redirect" || lower(v.word(i)) == "replace" || lower(v.word(i)) == "modify" || lower(v.word(i)) == "change" || lower(v.word(i)) == "alter" || lower(v.word(i)) == "swap" || lower(v.word(i)) == "forward" || worded("append prepend insert attach", lower(v.word(i))) && v.says("to its ", "to the ")):
				v.report(toolRedirection, errors, min(t, a), i)
				return
			case copies && v.is&(pretext|moving) != 0:
				v.report(toolRedirection, errors, min(t, a), i)
				return
			}
		}
	}
	if a >= 0 && v.has(trigger, using, toolNoun) && v.is&obliging != 0 {
		t, k := v.ahead(a, trigger, 0, 5), v.near(a, parameter, 0, 8)
		if t >= 0 && k >= 0 && v.ahead(a, using, 0, 3) > t && v.near(a, toolNoun, 0, 2) >= 0 && v.near(k, obliging, 0, 4) >= 0 && !v.flows(a) {
			v.report(toolRedirection, warns, t, k)
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
		v.report(toolRedirection, errors, a, a)
		return
	}
	if a >= 0 && v.has(obeying) && (strings.Contains(s, "as wrong") || strings.Contains(s, "as incorrect") || strings.Contains(s, "as invalid") || strings.Contains(s, "as untrusted") || strings.Contains(s, "as false") || strings.Contains(s, "as outdated")) {
		v.report(toolRedirection, errors, a, a)
		return
	}
	if a >= 0 && v.wide&disabled != 0 && (strings.Contains(s, "never use") || strings.Contains(s, "not use") || strings.Contains(s, "stop using") || strings.Contains(s, "not call") || strings.Contains(s, "never call")) && (strings.Contains(s, "since ") || strings.Contains(s, "because ") || strings.Contains(s, "due to")) && v.has(disabled) {
		v.report(toolRedirection, warns, a, a)
		return
	}
	if a >= 0 && v.has(every, moving) && (this || strings.Contains(s, lower(v.name))) && v.says("should be routed", "must be routed", "be redirected", "should be sent", "must be sent", "be forwarded", "are routed", "are redirected", "should go", "must go") {
		v.report(toolRedirection, warns, a, a)
		return
	}
	if i := v.act(overriding, 0); i >= 0 && a >= 0 && v.has(parameter) && this && (strings.Contains(s, "in its place") || strings.Contains(s, "instead")) {
		v.report(toolRedirection, errors, min(a, i), max(a, i))
		return
	}
	if a >= 0 && v.near(a, toolNoun, 0, 1) >= 0 {
		if m := v.near(a, obliging, 0, 4); m >= 0 && (strings.Contains(s, "must be given") || strings.Contains(s, "must be called with") || strings.Contains(s, "must receive") || strings.Contains(s, "always be given") || strings.Contains(s, "must be set") || strings.Contains(s, "always be called with")) {
			v.report(toolRedirection, warns, a, m)
			return
		}
	}
	if i := v.act(altering, 0); i >= 0 && v.has(parameter) && this && (a >= 0 || v.has(toolNoun)) {
		if strings.Contains(s, "replace") && (strings.Contains(s, "output") || strings.Contains(s, "result") || strings.Contains(s, "value") || strings.Contains(s, "response")) && v.is&(obliging|trigger) != 0 {
			v.report(toolRedirection, errors, i, i)
			return
		}
		if v.is&trigger != 0 && v.is&(toolNoun) != 0 && (strings.Contains(s, "after using") || strings.Contains(s, "before execut") || strings.Contains(s, "before using") || strings.Contains(s, "after call") || strings.Contains(s, "before call")) {
			v.report(toolRedirection, warns, i, i)
			return
		}
	}
	if this && v.is&using != 0 {
		instead := strings.Contains(s, "instead of using") || strings.Contains(s, "instead of calling") || strings.Contains(s, "rather than other") || strings.Contains(s, "instead of other") ||
			strings.Contains(s, "rather than any other") || strings.Contains(s, "rather than the") && v.has(toolNoun)
		if i := v.act(using, 0); instead && i >= 0 && v.is&(obliging|furthering|trigger) != 0 && v.is&(every|obliging) != 0 && (v.is&(obliging|label) != 0) {
			v.report(toolRedirection, warns, i, i)
			return
		}
		if strings.Contains(s, "call this tool") && v.is&furthering != 0 || strings.Contains(s, "always call this") {
			if a >= 0 && v.is&trigger != 0 && v.is&(person|every) != 0 {
				v.report(toolCoercion, warns, a, a)
			}
		}
	}
	if i := v.find(trigger, 0, 0); i >= 0 && v.is&moving != 0 && v.is&pretext != 0 && strings.Contains(s, "instead of call") && v.act(moving|altering, 0) >= 0 {
		v.report(toolRedirection, errors, i, v.act(moving|altering, 0))
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
		v.report(toolRedirection, warns, i, i)
	}
}

// count is how many hits mean any of is.
func (v *view) count(is bits) (n int) {
	for i := range v.h {
		if v.h[i].is&is != 0 {
			n++
		}
	}
	return n
}

// next says whether another tool is named in this sentence behind i, or in the two that follow.
func (v *view) next(is bits, i int) bool {
	for k := i; k < len(v.h); k++ {
		if v.other(k) {
			return true
		}
	}
	for n := v.at + 1; n < len(v.scan.sentences) && n <= v.at+2; n++ {
		s := v.scan.sentences[n]
		for _, h := range v.scan.hits[s.first:s.last] {
			if h.is&is != 0 && !v.own(v.part(h.start, h.end)) {
				return true
			}
		}
	}
	return false
}

// latent: what comes after the approval is something else.
func (v *view) latent() {
	if !v.has(approved) || v.wide&later == 0 || v.defends {
		return
	}
	s := lower(v.part(v.start, v.end+160))
	after := false
	for _, w := range [...]string{"once ", "after ", "post-approval", "until ", "during review", "as soon as", "afterwards"} {
		after = after || strings.Contains(s, w)
	}
	bad := v.is&(silent|secret|stealing|command|foreignHost|secretPath) != 0 || v.wide&(silent|stealing) != 0
	for _, w := range [...]string{"swap", "arbitrary", "exfiltrat", "clipboard", "private", "executes", "downloads"} {
		bad = bad || strings.Contains(s, w)
	}
	if after && bad {
		i := v.find(approved, 0, 0)
		for k := i; k >= 0; k = v.find(later, 0, k+1) {
			if v.ahead(k, denying, 0, 5) >= 0 {
				return
			}
		}
		v.report(latentBehaviour, errors, i, i)
	}
}

// prefer: the tool praises itself to the model.
func (v *view) prefer() {
	if !v.has(superior) || !v.has(toolNoun) {
		return
	}
	n := 0
	for i := v.find(superior, 0, 0); i >= 0 && n < listed; i = v.find(superior, 0, i+1) {
		n++
		k := v.near(i, toolNoun, 0, 4)
		w := lower(v.word(i))
		switch w {
		case "best", "greatest", "finest", "ultimate", "superior", "unbeatable", "unmatched", "number one", "fastest", "most reliable", "most trusted", "most accurate", "favourite", "favorite":
			if k < 0 || v.h[k].word-v.h[i].word > 3 || !v.says("this is the", "in the world", " ever", "this tool is", "than any", "than all", "of all tools", "over any other") || v.says("best practice", " for ", "to use when") {
				continue
			}
		case "over any other", "above all other", "only trusted", "only official", "better than":
			if k < 0 || !v.says("any other", "all other", "only trusted", "every other") {
				continue
			}
		case "always prefer", "always choose", "always pick", "prefer this":
			if !v.says("this tool") || !v.says("any other", "all other", "other tools") {
				continue
			}
		default:
			continue
		}
		v.report(preferenceManipulation, warns, i, max(i, k))
		return
	}
}

// says says whether the sentence holds one of these.
func (v *view) says(any ...string) bool {
	s := v.low()
	for _, w := range any {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// sleeper: a tool that is listed and should never be called.
func (v *view) sleeper() {
	if !v.has(denying) || v.is&(using|running) == 0 || v.said.Role > 2 && v.said.Role != 4 {
		return
	}
	for i := v.find(denying, 0, 0); i >= 0; i = v.find(denying, 0, i+1) {
		k := v.near(i, using|running, 0, 5)
		if k < 0 || v.h[k].is&base != 0 || v.h[k].is&codeish != 0 {
			continue
		}
		switch lower(v.word(k)) {
		case "invoked", "called", "used", "executed", "run":
		default:
			continue
		}
		tail := lower(v.part(v.h[i].start, min(v.end, v.h[k].end+40)))
		head := lower(v.part(v.start, v.h[i].start))
		if v.is&disabled != 0 || v.wide&disabled != 0 {
			continue
		}
		alone := strings.HasPrefix(tail, "never") || strings.Contains(tail, "during normal") || strings.Contains(lower(v.scan.text), "internal")
		if alone && (strings.Contains(head, "this tool") || strings.Contains(head, "tool should") || strings.Contains(head, " that ") || strings.Contains(head, "tool that")) && (strings.Contains(head, "should") || strings.Contains(tail, "needs to be") || strings.Contains(head, "must")) {
			v.report(sleeperTool, warns, i, k)
			return
		}
	}
}
