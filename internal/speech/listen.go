package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Listener judges texts that are no part of a card: results, requests, notices. Characters that are not seen are no evidence there,
// since texts of strangers hold them; what is written in them is. Its buffers are used again. A Listener is not safe for concurrent
// use.
type Listener struct{ j *judge }

// NewListener makes a listener.
func NewListener(lim *limits.Set) *Listener {
	j := newJudge(lim)
	j.heard = true
	return &Listener{j}
}

// Begin turns to other texts.
func (l *Listener) Begin() {
	l.j.tails, l.j.tail = l.j.tails[:0], seam{}
	l.j.begin("", nil)
}

// Hear judges one text: of the string at n, or with key of its name.
func (l *Listener) Hear(n source.Node, key bool, t string) {
	role := card.Describing
	if key {
		role = card.Keying
	}
	l.j.string(said{Node: n, Role: role, Text: t})
}

// Verdict is what the texts since Begin come to, nil where there is no evidence.
func (l *Listener) Verdict() *Verdict { return l.j.settle(nil) }

// Serves says whether a text which is no card steers its reader against the user: with an order that no honest text gives, or with two
// kinds of evidence close to each other. Commands, calls and praise are what honest texts are full of, and long ones hold a little of
// everything; that something was hidden counts by what it says.
func (v *Verdict) Serves() bool { return v.served != nil }

// Steers says whether there is evidence of that which is worth a note.
func (v *Verdict) Steers() bool {
	for i := range v.List {
		if e := &v.List[i]; e.Idea == InstructionOverride && e.Level >= Errors {
			return true
		}
	}
	return v.served != nil
}

// Grave is the piece of that evidence which weighs most.
func (v *Verdict) Grave() *Evidence {
	if v.served != nil {
		return v.served
	}
	for i := range v.List {
		if e := &v.List[i]; e.Idea == InstructionOverride && e.Level >= Errors {
			return e
		}
	}
	return &v.List[v.Main]
}

// together is how many bytes may lie between two pieces of evidence that are one order.
const together = 320

// weigh looks at a piece of evidence of a text that is no card, and at what came shortly before it.
func (j *judge) weigh(e *Evidence) {
	if j.served != nil || e.Level < Errors {
		return
	}
	switch e.Idea {
	case HiddenInstruction, InstructionOverride:
		if e.Level == Blocks {
			j.serve(e)
			return
		}
	case PolicyAbuse, Concealment, Exfiltration:
		if e.Idea == PolicyAbuse && e.Level == Blocks || e.Idea == Concealment && secretive(strings.ToLower(e.Quoted())) {
			j.serve(e)
			return
		}
	default:
		return
	}
	for i := range j.near {
		o := &j.near[i]
		if o.Node != e.Node || o.Start >= 0 && e.Start >= 0 && e.Start-o.Start > together {
			continue
		}
		if o.Idea+e.Idea == PolicyAbuse+Exfiltration && !hostileName(e.Quoted()) && !hostileName(o.Quoted()) {
			continue // manuals speak of both
		}
		if o.Idea+e.Idea == InstructionOverride+PolicyAbuse && o.Idea != e.Idea && o.Start != e.Start || o.Idea.Family() != e.Idea.Family() || o.Idea == PolicyAbuse && e.Idea == PolicyAbuse && o.Start != e.Start && addresses(o) != addresses(e) {
			j.serve(e)
			return
		}
	}
	copy(j.near[1:], j.near[:len(j.near)-1])
	j.near[0] = *e
}

// secretive says whether evidence is a plain order to keep something from the user.
func secretive(quoted string) bool {
	quoted = strings.TrimPrefix(quoted, `"`)
	for _, w := range [...]string{"do not ", "don't ", "never ", "dont "} {
		if rest, ok := strings.CutPrefix(quoted, w); ok && strings.Contains(rest, "user") {
			verb, _, _ := strings.Cut(rest, " ")
			switch verb {
			case "tell", "inform", "mention", "notify", "alert", "reveal", "report", "disclose":
				return true
			}
		}
	}
	return false
}

// addresses says whether evidence begins with whom it speaks to: a role is given to the model, a safeguard is dropped.
func addresses(e *Evidence) bool { return strings.HasPrefix(strings.ToLower(e.Quoted()), `"you`) }

func (j *judge) serve(e *Evidence) {
	kept := *e
	kept.Text = strings.Clone(e.Text)
	j.served = &kept
}

// Orders says whether the evidence against a card is more than that it holds characters which are not seen.
func (v *Verdict) Orders() bool {
	for i := range v.List {
		if e := &v.List[i]; e.Level >= Errors && e.Idea.Family() != HiddenUnicode.Family() && e.Idea.Family() != 0 {
			return v.Blocks
		}
	}
	return false
}

// SecretPath says whether a path is one where people and programs keep what nobody else may read.
func SecretPath(path string) bool {
	const shortest = 4 // .env
	return len(path) >= shortest && secretFile(lower(slashed(path)))
}

// AsksCaller says whether the name of a parameter asks for what only the caller knows: the conversation, the system prompt.
func AsksCaller(name string) bool { return new(judge).caller(name) }

// OfModels says whether the name of a tool says that its own work is with models and conversations.
func OfModels(name string) bool { return (&judge{name: name}).about() }

// Quiet says that a text holds none of the words, marks and codings of which Serves needs one. It is a fraction of the work, and
// most texts are quiet.
func Quiet(t string) bool {
	v := words()
	var is bits
	var recent [4]uint32
	lone, leet, run := 0, 0, 0
	var low, high, digit bool
	for i := 0; i < len(t); {
		c := t[i]
		switch kinds[c] {
		case kHigh:
			return false
		case kLetter, kDigit:
			h, from, digits := uint32(hashStart), i, 0
			for i < len(t) {
				c := t[i]
				switch k := kinds[c]; {
				case k == kLetter:
					low, high = low || c >= 'a', high || c < 'a'
				case k == kDigit:
					digits++
				case c == '\'' && i+1 < len(t) && kinds[t[i+1]] == kLetter:
				default:
					goto out
				}
				h = (h ^ uint32(small(c))) * hashPrime
				i++
			}
		out:
			n := i - from
			run += n
			if digits > 0 {
				digit = true
				if digits < n && n > 3 {
					leet++
				}
			} else if n == 1 {
				if lone++; lone >= lettersInARow {
					return false
				}
			}
			if n > 1 {
				lone = 0
			}
			if digits == n {
				continue
			}
			if e := v.find(h, t[from:i]); e != nil {
				is |= e.is
				for k := range e.phrases {
					p := &e.phrases[k]
					ok := true
					for b, want := range p.before {
						ok = ok && recent[len(p.before)-1-b] == want
					}
					if ok {
						is |= p.is
					}
				}
				if e.is&label != 0 && i < len(t) && t[i] == ':' {
					is |= colon
				}
			}
			recent[3], recent[2], recent[1], recent[0] = recent[2], recent[1], recent[0], h
			continue
		case kMark:
			if i+1 < len(t) && tagged(t[i:]) || c == '[' && i > 0 && t[i-1] == '!' {
				return false
			}
		}
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
		switch c {
		case '+', '/', '=', '-':
			run++
		case '\\':
			if i+1 < len(t) && (t[i+1] == 'x' || t[i+1] == 'u') {
				return false
			}
			run = 0
		case '%', '&':
			if i+2 < len(t) && (t[i+1] == '#' || kinds[t[i+1]] == kDigit && (kinds[t[i+2]] == kDigit || kinds[t[i+2]] == kLetter)) {
				return false
			}
			run = 0
		default:
			if run >= codedRun && low && digit && high {
				return false
			}
			run, low, high, digit = 0, false, false, false
		}
		i++
	}
	if run >= codedRun && low && digit && high || leet >= leetWords && leeted(t) {
		return false
	}
	return !loud(is)
}

// codedRun is from how many letters and digits without a blank on a text may be coded.
const codedRun = 24

// leeted says whether digits that stand for letters make words of the lexicon.
func leeted(t string) bool { return unleet(t) != t }

// loud says whether words that mean this, in one text, may make an order.
func loud(is bits) bool {
	has := func(all ...bits) bool {
		for _, one := range all {
			if is&one == 0 {
				return false
			}
		}
		return true
	}
	return is&(stealing|role|foreignHost) != 0 || has(overriding, instruction|safety|conversation) || has(disabled|feigning|obeying, instruction|conversation) ||
		has(secret|conversation, moving|embedding|acquiring, obliging|person|addressee|silent) || has(denying, telling, person|addressee) ||
		has(silent|feigning, moving|acquiring|embedding|altering|wiping) || has(safety|approved, every|scoping, denying|obliging|addressee) || is&colon != 0 || has(first, addressee, instruction)
}

// tagged says whether what opens with a tag, a bracket or a heading names somebody who gives orders.
func tagged(t string) bool {
	if strings.HasPrefix(t, "<!--") || strings.HasPrefix(t, "<|") {
		return true
	}
	i := 1
	for i < len(t) && i < names && (kinds[t[i]] == kMark || t[i] == '/' || t[i] == ' ' || t[i] == '|') {
		i++
	}
	from := i
	for i < len(t) && i < from+names && kinds[t[i]] == kLetter {
		i++
	}
	if i == from || i-from > longestWord {
		return false
	}
	for w := range strings.FieldsFuncSeq(lower(t[from:i]), func(r rune) bool { return r == '_' }) {
		if roleWord(w) {
			return true
		}
	}
	return t[0] == '<' && !htmlName(lower(t[from:i])) && strings.Contains(t[i:], "</")
}

// Cut says that of what was heard last a part was not looked at.
func (l *Listener) Cut() bool { return l.j.folded.Cut }

// Signs are those of what was heard last.
func (l *Listener) Signs() *text.Signs { return &l.j.folded.Signs }
