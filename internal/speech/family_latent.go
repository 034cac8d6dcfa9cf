package speech

import (
	"strings"
)

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
		v.report(LatentBehaviour, Errors, i, i)
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
		v.report(PreferenceManipulation, Warns, i, max(i, k))
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
		alone := strings.HasPrefix(tail, "never") || strings.Contains(tail, "during normal") || v.internal()
		if alone && (strings.Contains(head, "this tool") || strings.Contains(head, "tool should") || strings.Contains(head, " that ") || strings.Contains(head, "tool that")) && (strings.Contains(head, "should") || strings.Contains(tail, "needs to be") || strings.Contains(head, "must")) {
			v.report(SleeperTool, Warns, i, k)
			return
		}
	}
}

// internal says whether the text, somewhere, speaks of what is not for others. It is asked once a text: there may be many
// sentences.
func (v *view) internal() bool {
	if v.inside == 0 {
		v.inside = -1
		if strings.Contains(lower(v.scan.text), "internal") {
			v.inside = 1
		}
	}
	return v.inside > 0
}
