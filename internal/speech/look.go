package speech

import (
	"github.com/mcpassay/mcpassay/internal/model/card"
)

// look asks every family about every sentence that has what it needs.
func (j *judge) look(s *scanned) {
	if len(s.sentences) == 0 && len(s.marks) == 0 || j.settled() {
		return
	}
	var v *view // most texts need none
	j.at = s
	for i := range s.sentences {
		one := &s.sentences[i]
		if one.is&detecting != 0 && one.is&codeish != 0 && j.said.Role == card.Describing {
			j.defends = true
		}
		if one.is&candidates == 0 && one.more == 0 {
			continue
		}
		if v == nil {
			v = &view{judge: j, scan: s}
		}
		v.sentence, v.at, v.h, v.lowered = *one, i, s.hits[one.first:one.last], ""
		v.reason = 0
		v.wide, v.wideMore = one.is, one.more
		if i > 0 && s.sentences[i-1].after+1 >= one.after {
			v.wide |= s.sentences[i-1].is
			v.wideMore |= s.sentences[i-1].more
		}
		if i+1 < len(s.sentences) {
			v.wide |= s.sentences[i+1].is
			v.wideMore |= s.sentences[i+1].more
		}
		before := len(j.list)
		if one.is&candidates != 0 {
			v.ask()
		}
		if v.match(); len(j.list) == before {
			continue
		}
		if j.settled() {
			return
		}
		if len(j.list) > before && !j.said.Role.Prose() && !j.layer && j.said.Role != card.Naming {
			j.odd(before)
		}
	}
	j.markup(s)
}

// settled says that the card will be blocked whatever else it says, and that a finding has enough to show.
func (j *judge) settled() bool {
	if j.heard {
		return j.served != nil
	}
	if len(j.list) < 2*listed {
		return false
	}
	var grave uint32
	for _, e := range j.list {
		if e.Level == Blocks {
			grave |= e.Idea.Family()
		}
	}
	return grave&(grave-1) != 0 && !j.defends
}

// candidates are the meanings of which a sentence needs one to be looked at.
const candidates = overriding | telling | stealing | secret | secretPath | systemPath | absoluteURL | foreignHost | mailbox | conversation | command |
	identifier | role | obeying | safety | noticing | promoting | person | silent | feigning | regardless | superior | approved | disabled | obliging | first | placeholder | colon | toolNoun

func (v *view) ask() {
	is := v.is
	if is&overriding != 0 {
		v.override()
	}
	if is&(instruction|conversation|addressee) != 0 && is&(overriding|disabled|obeying|feigning) != 0 {
		v.lifted()
	}
	if is&(safety|role|obeying|approved) != 0 {
		v.policy()
	}
	if is&(colon|addressee) != 0 {
		v.addressed()
	}
	if is&first != 0 {
		v.ordered()
	}
	if is&(denying|silent|feigning|person|addressee) != 0 {
		v.conceal()
	}
	if is&(secret|secretPath|conversation|foreignHost|mailbox|absoluteURL|stealing|person) != 0 {
		v.exfil()
	}
	if is&(command|systemPath|anyPath|altering|overriding|obliging|regardless) != 0 {
		v.tamper()
	}
	if is&(obliging|identifier) != 0 {
		v.coerce()
	}
	if is&(identifier|toolNoun|disabled|trigger) != 0 {
		v.shadow()
	}
	if is&approved != 0 {
		v.latent()
	}
	if is&superior != 0 {
		v.prefer()
	}
	if is&denying != 0 {
		v.sleeper()
	}
}

// odd notes that the evidence stands where people do not look for text.
func (j *judge) odd(from int) {
	for _, e := range j.list[from:] {
		if e.Level >= Errors {
			j.note(MisplacedText, Errors, e.Start, e.End)
			return
		}
	}
}
