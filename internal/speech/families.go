package speech

import (
	"strings"
)

// Idea is one way in which a text serves somebody else than its user. Each is a rule on cards.
type Idea uint8

const (
	HiddenInstruction Idea = iota
	InstructionOverride
	PolicyAbuse
	Concealment
	Exfiltration
	CommandInjection
	ParameterTampering
	ToolCoercion
	ToolRedirection
	LatentBehaviour
	PreferenceManipulation
	CallerParameter
	SleeperTool
	OffensiveTool
	MisplacedText
	EncodedPayload
	SplitPayload
	HiddenUnicode
	DeceptiveUnicode
	EscapeSequence
	Ideas
)

// Family joins the ideas that are the same kind of evidence: two of one family prove no more than one.
func (i Idea) Family() uint32 {
	switch i {
	case PolicyAbuse:
		i = InstructionOverride
	case EncodedPayload, DeceptiveUnicode, EscapeSequence:
		i = HiddenUnicode
	case SplitPayload, MisplacedText:
		return 0 // where it stands, and no kind of its own
	}
	return 1 << i
}

// The levels: a warning, an error, and what blocks by itself.
const (
	Warns  = 1
	Errors = 2
	Blocks = 3
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
	inside  int8 // the same for the text, of what is internal
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
func (v *view) report(i Idea, level int, a, b int) {
	switch v.told(a) {
	case 0:
	case 1:
		if level = min(level, Warns); v.defends {
			return
		}
	default:
		return
	}
	if v.heard && i.Family() == InstructionOverride.Family() && v.reported(a) {
		level = min(level, Errors)
	}
	v.note(i, level, int(v.h[a].start), int(v.h[max(a, b)].end))
}

// reported says whether what stands at i is said of a model in the third person: "makes the model forget". A text that is no card
// may be about such orders.
func (v *view) reported(i int) bool {
	return v.ahead(i, modelNoun|attack, 0, 4) >= 0 || v.is&attack != 0 && v.ahead(i, attack, 0, 24) >= 0
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
