package speech

import (
	"strings"
)

// roleWord says whether a word is one of those of which a pseudo-tag is made: names of those who give orders, and of orders.
func roleWord(w string) bool {
	switch w {
	case "important", "system", "hidden", "secret", "instruction", "instructions", "inst", "sys", "admin", "assistant", "critical", "directive", "override", "prompt",
		"information", "command", "internal", "urgent", "developer", "agent", "llm", "ai", "model", "sysadmin", "priority", "mandatory", "confidential", "attention",
		"im_start", "im_end", "im", "start", "end", "context", "injection", "sudo", "root", "role", "rule", "rules", "policy", "task", "message", "msg", "contradiction", "configuration", "note", "warning", "user":
		return true
	}
	return false
}

// grave are role words that no honest tag has.
func grave(w string) bool {
	switch w {
	case "important", "system", "hidden", "secret", "inst", "sys", "admin", "critical", "directive", "override", "urgent", "sysadmin", "sudo", "root",
		"instruction", "instructions", "assistant", "im_start", "im_end", "im", "confidential", "mandatory", "priority":
		return true
	}
	return false
}

// htmlName says whether a tag is one of HTML's, of XML documentation, or a placeholder's usual name.
func htmlName(w string) bool {
	return strings.Contains(" a abbr address article aside audio b bdi blockquote body br button canvas caption cite code col dd del details div dl dt em embed example examples fieldset figure footer form h1 h2 h3 h4 h5 h6 head header hint hints hr html i iframe img input ins kbd label li link main mark meta nav note notes ol option p param parameter parameters args arguments path picture pre progress q returns s samp script section select small source span strong style sub summary svg table tbody td template text textarea tfoot th thead time title tr u ul usage usecase var video wbr id name value url key type file ", " "+w+" ")
}

// markup judges tags, brackets and comments, and what stands behind them.
func (j *judge) markup(s *scanned) {
	for n := range s.marks {
		m := &s.marks[n]
		words, serious := 0, 0
		name := lower(single(strings.Trim(s.name(m), " \t|/!?\\:[")))
		if m.kind == '<' || m.kind == '/' {
			name, _, _ = strings.Cut(name, " ")
		}
		if m.kind == '[' && toModel(name) {
			j.directive(s, m)
		}
		for w := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == ':' || r == '=' || r == '"' }) {
			if filler(w) {
				continue
			}
			if !roleWord(w) {
				words = -99
			}
			words++
			if grave(w) {
				serious++
			}
		}
		if j.heard {
			j.foreign(s, n, words, serious)
			continue
		}
		switch m.kind {
		case '<':
			special := strings.HasPrefix(s.name(m), "|") || strings.HasPrefix(s.name(m), "<")
			switch {
			case words > 0 && (serious > 0 || special):
				level := Errors
				if !special && (!j.acts(s, m, 3) || words == 1 && j.closedAt(s, n) < 0) && j.spoken(s, m) {
					continue
				}
				if special && serious > 0 || j.acts(s, m, 3) {
					level = Blocks
				}
				j.mark(level, m)
			case words > 0 && j.acts(s, m, 3) && !j.explained(s, n):
				j.mark(Blocks, m)
			case !htmlName(name) && len(name) > 2 && j.closed(s, n, name) && j.speaks(s, m):
				j.mark(Blocks, m)
			}
		case '[':
			if twofold(s, m) && words > 0 && j.acts(s, m, 3) && j.shut(s, n, name) {
				j.mark(Blocks, m)
				continue
			}
			if words > 0 && serious > 0 && j.acts(s, m, 2) {
				level := Warns
				if words > 1 || name == "inst" || name == "system" || name == "hidden" || name == "admin" {
					level = Blocks
				}
				j.mark(level, m)
			}
		case '{':
			if words > 0 && serious > 0 {
				j.mark(Errors, m)
			}
		case '#':
			if words > 0 && serious > 0 && (words > 1 || name == "instruction" || name == "system") && j.orders(s, m) {
				j.mark(Errors, m)
			} else if serious > 0 && strings.HasPrefix(name, "new ") {
				j.mark(Errors, m)
			}
		case '!':
			if j.commands(s, m) {
				j.mark(Blocks, m)
			}
		}
	}
	j.beacon(s)
}

// foreign judges the mark at n in a text that is no card. Pages and code are full of tags: one that is meant for a model names who
// gives orders, is closed, and speaks to somebody in between.
func (j *judge) foreign(s *scanned, n, words, serious int) {
	m := &s.marks[n]
	if words <= 0 || serious == 0 || m.kind == '!' || m.kind == '/' || !j.acts(s, m, 3) {
		return
	}
	var seen bits
	for k := int(m.sentence); k < len(s.sentences) && k < int(m.sentence)+3; k++ {
		seen |= s.sentences[k].is
	}
	switch {
	case m.kind == '<' && j.closedAt(s, n) >= 0 && seen&obliging != 0 && seen&(addressee|denying|person|secret|mailbox) != 0 && !j.spoken(s, m):
		j.mark(Blocks, m)
	case m.kind != '#' || j.orders(s, m):
		if seen&(addressee|overriding) != 0 {
			j.mark(Errors, m)
		}
	}
}

// closedAt is the mark that closes the tag at n. -1: none.
func (j *judge) closedAt(s *scanned, n int) int {
	for k := n + 1; k < len(s.marks) && k < n+8; k++ {
		if s.marks[k].kind == '/' && strings.EqualFold(strings.TrimSpace(s.name(&s.marks[k])), strings.TrimSpace(s.name(&s.marks[n]))) {
			return k
		}
	}
	return -1
}

// filler says whether a word of a tag's name says nothing by itself.
func filler(w string) bool {
	switch w {
	case "only", "for", "to", "the", "notes", "eyes", "your", "of":
		return true
	}
	return false
}

// explained says whether the text speaks of the tag at n: it is closed at once, or around dots, or a verb of writing stands
// before it.
func (j *judge) explained(s *scanned, n int) bool {
	m := &s.marks[n]
	const few = 6
	if n+1 < len(s.marks) && s.marks[n+1].kind == '/' && int(s.marks[n+1].start-m.end) <= few {
		return true
	}
	return j.spoken(s, m)
}

// twofold says whether a bracket stands within another one.
func twofold(s *scanned, m *markup) bool {
	return m.start > 0 && s.text[m.start-1] == '[' || int(m.start)+1 < len(s.text) && s.text[m.start+1] == '['
}

// shut says whether the bracket at n has a second one that closes it.
func (j *judge) shut(s *scanned, n int, name string) bool {
	for k := n + 1; k < len(s.marks) && k < n+8; k++ {
		other := strings.TrimLeft(lower(s.name(&s.marks[k])), " [")
		if s.marks[k].kind == '[' && (strings.HasPrefix(other, "/") || strings.HasPrefix(other, "end")) && strings.Contains(other, name) {
			return true
		}
	}
	return false
}

func (j *judge) mark(level int, m *markup) {
	if j.defends {
		level = min(level, Warns)
	}
	j.note(HiddenInstruction, level, int(m.start), int(m.end))
}

// toModel says whether a bracket names whom it is for.
func toModel(name string) bool {
	name = " " + name + " "
	for _, w := range [...]string{" model ", " assistant ", " ai ", " llm ", " agent ", " agents ", " models ", " assistants "} {
		if strings.Contains(name, w) {
			return strings.Contains(name, " for ") || strings.Contains(name, " to ") || strings.Contains(name, "only") || strings.Contains(name, "note") || strings.Contains(name, "instruction")
		}
	}
	return false
}

// directive judges a bracket that names the model.
func (j *judge) directive(s *scanned, m *markup) {
	if j.acts(s, m, 2) {
		j.mark(Errors, m)
	}
}

// spoken says whether a tag is spoken of: what stands before it in its line says so.
func (j *judge) spoken(s *scanned, m *markup) bool {
	before := lower(s.text[max(0, int(m.start)-24):m.start])
	behind := strings.TrimLeft(lower(s.text[m.end:min(len(s.text), int(m.end)+16)]), " `'\"")
	for _, w := range [...]string{"element", "tag", "block", "section", "node"} {
		if strings.HasPrefix(behind, w) {
			return true
		}
	}
	for _, w := range [...]string{" use ", "tag", "element", "like ", "such as", " a ", " an ", " the ", "e.g", "wrap", "inside", "put ", "enclose", "between", "within", "mark", "surround", "replaced"} {
		if strings.Contains(before, w) {
			return true
		}
	}
	return false
}

// acts says whether an act or an obligation follows the mark within n sentences.
func (j *judge) acts(s *scanned, m *markup, n int) bool {
	for k := int(m.sentence); k < len(s.sentences) && k < int(m.sentence)+n; k++ {
		one := s.sentences[k]
		if one.is&obliging != 0 && one.is&(addressee|trigger|toolNoun|denying) != 0 {
			return true
		}
		for _, h := range s.hits[one.first:one.last] {
			if h.is&base != 0 && h.is&(acquiring|moving|embedding|running|altering|wiping|stealing|using|overriding|obeying|telling) != 0 {
				return true
			}
			if h.is&role != 0 {
				return true
			}
		}
	}
	return false
}

// orders is acts with an object outside of the tool: headings stand over honest orders too.
func (j *judge) orders(s *scanned, m *markup) bool {
	if !j.acts(s, m, 3) {
		return false
	}
	for k := int(m.sentence); k < len(s.sentences) && k < int(m.sentence)+3; k++ {
		if s.sentences[k].is&(secret|secretPath|stealing|conversation|overriding|role|silent|foreignHost) != 0 {
			return true
		}
	}
	return false
}

// closed says whether the tag at n is closed by one of its name.
func (j *judge) closed(s *scanned, n int, name string) bool {
	for k := n + 1; k < len(s.marks) && k < n+8; k++ {
		if s.marks[k].kind == '/' && lower(strings.TrimSpace(s.name(&s.marks[k]))) == name {
			return true
		}
	}
	return false
}

// speaks says whether the body of a tag speaks to somebody.
func (j *judge) speaks(s *scanned, m *markup) bool {
	n := 0
	var seen bits
	for k := int(m.sentence); k < len(s.sentences) && k < int(m.sentence)+4; k++ {
		seen |= s.sentences[k].is
	}
	for _, is := range [...]bits{addressee, obliging, trigger, denying, overriding, toolNoun, first} {
		if seen&is != 0 {
			n++
		}
	}
	return n >= 3 && seen&(addressee|overriding|obliging) != 0 && j.acts(s, m, 4)
}

// commands says whether a comment holds an order: what is not shown should have none.
func (j *judge) commands(s *scanned, m *markup) bool {
	for _, one := range s.sentences[m.sentence:] {
		if one.start > m.end {
			break
		}
		if one.is&(obliging|overriding|secret|secretPath|conversation|addressee) == 0 || one.last-one.first < 2 {
			continue
		}
		for _, h := range s.hits[one.first:one.last] {
			if h.is&base != 0 && h.is&(acquiring|moving|embedding|running|altering|stealing|overriding|obeying|telling) != 0 {
				return true
			}
		}
	}
	return false
}

// beacon finds an image or a link whose address is to be filled with what was said.
func (j *judge) beacon(s *scanned) {
	for _, h := range s.hits {
		if h.is&(absoluteURL|placeholder) != absoluteURL|placeholder {
			continue
		}
		at := int(h.start)
		if at < 4 || s.text[at-2:at] != "](" {
			continue
		}
		url := lower(s.text[h.start:h.end])
		open := strings.LastIndexByte(s.text[max(0, at-80):at], '[')
		image := open >= 0 && max(0, at-80)+open > 0 && s.text[max(0, at-80)+open-1] == '!'
		for _, w := range [...]string{"conversation", "history", "message", "prompt", "secret", "token", "data", "context", "user", "key", "content", "answer", "env"} {
			if q := strings.IndexAny(url, "{$["); image && strings.Contains(url[q:], w) {
				if j.heard && strings.IndexByte(url, '?') < 0 {
					continue // a badge
				}
				j.note(Exfiltration, Blocks, at, int(h.end))
				if j.heard && j.served == nil {
					j.serve(&j.list[len(j.list)-1])
				}
				return
			}
		}
	}
}
