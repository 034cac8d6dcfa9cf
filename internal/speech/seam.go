package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/source"
)

// seam is the end of a string that may go on in another, or the beginning of one.
type seam struct {
	text string // whole sentences, as far as a quotation reaches
	is   bits   // what the sentence at the seam means
	node source.Node
	// describes says that it is of the description of the card, which begins with no small letter.
	describes bool
	// broken says that it ends with a word that ends nothing, or is the beginning of a command.
	broken bool
	// open says that it holds a sentence and the beginning of another one.
	open bool
	// carried says that it is of the card before.
	carried bool
}

// seams judges what begins in one string and ends in another, in whichever order the document has them.
func (j *judge) seams(s *scanned) {
	if j.said.Role == card.Naming || len(s.sentences) == 0 || len(j.list) > 0 && j.list[len(j.list)-1].Node == j.said.Node {
		return
	}
	t := strings.TrimRight(s.text, " \n\t")
	first, last := s.sentences[0], s.sentences[len(s.sentences)-1]
	from := min(int(first.start), len(t))
	head := seam{text: strings.TrimLeft(t[from:min(len(t), from+quotation)], " \n\t"), is: first.is, node: j.said.Node, describes: j.said.Role == card.Describing}
	tail := seam{text: s.ending(t), is: last.is, node: j.said.Node}
	tail.open = j.said.Role <= card.Explaining && int(last.end) >= len(t) && (s.count > 1 || strings.Contains(t, ". ")) && !ended(t)
	tail.broken = dangling(tail.text[strings.LastIndexAny(tail.text, " \n\t")+1:]) || strings.HasSuffix(tail.text, ",") || program(t)
	mute := int(last.end) < len(t) // what follows means nothing
	if j.tail.text != "" {
		j.join(j.tail, head, true)
	}
	for _, one := range j.tails {
		j.join(one, head, false)
	}
	if j.tail = tail; mute {
		j.tail = seam{}
	} else {
		if j.said.Role == card.Titling && j.described.text != "" { // clients show the title first
			j.join(tail, j.described, true)
		}
		if tail.broken || tail.is&overriding != 0 {
			for _, h := range j.heads {
				j.join(tail, h, false)
			}
			j.tails = keep(j.tails, tail)
		}
	}
	if j.said.Role == card.Describing {
		j.described = head
	}
	j.heads = keep(j.heads, head)
}

// ending is the last sentences of t, with a mark that stands before them: as much as a quotation holds.
func (s *scanned) ending(t string) string {
	n := len(s.sentences) - 1
	from := max(int(s.sentences[n].start), len(t)-quotation)
	for n > 0 && int(s.sentences[n-1].start) >= len(t)-quotation {
		n--
		from = int(s.sentences[n].start)
	}
	for k := len(s.marks) - 1; k >= 0 && int(s.marks[k].sentence) >= n; k-- {
		if at := int(s.marks[k].start); at < from && at >= len(t)-quotation {
			from = at
		}
	}
	return strings.TrimLeft(t[min(from, len(t)):], " \n\t")
}

// ended says whether a text ends as sentences do.
func ended(t string) bool {
	return t != "" && strings.IndexByte(".!?", t[len(t)-1]) >= 0
}

// keep adds a piece; the oldest gives way.
func keep(list []seam, one seam) []seam {
	if one.is&^forms == 0 {
		return list
	}
	if len(list) == seamsKept {
		copy(list, list[1:])
		list = list[:seamsKept-1]
	}
	return append(list, one)
}

// carry keeps what the card before left open, for the one card that follows it in the list.
func (j *judge) carry() {
	kept := j.tails[:0]
	for _, t := range j.tails {
		if !t.carried {
			t.carried = true
			kept = append(kept, t)
		}
	}
	if j.tails = kept; j.tail.text != "" && !j.tail.carried {
		j.tail.carried = true
	} else {
		j.tail = seam{}
	}
}

// seamsKept bounds the pieces that are tried with each other.
const seamsKept = 8

// join judges two pieces as one sentence. A piece that breaks off within a phrase is worth more than two that could follow
// each other.
func (j *judge) join(a, b seam, next bool) {
	if a.node == b.node {
		return
	}
	broken := a.broken
	cut := next && (b.describes && begins(b.text) || a.open) // no description begins so
	if broken && !next && (a.is|b.is)&(anchors|obliging|disabled|safety|obeying|approved|regardless) == 0 {
		return
	}
	if !broken && !cut && !divided(a.is, b.is) && (!next || !begins(b.text) || (a.is|b.is)&anchors == 0 && !b.describes) {
		return
	}
	before, layer := len(j.list), j.layer
	j.layer = true
	if j.joined += len(a.text) + len(b.text); j.joined > j.joinable { // what is not looked at is not clean
		j.note(SplitPayload, Warns, -1, -1)
		j.layer = layer
		return
	}
	j.other.scan(a.text + " " + b.text)
	j.look(&j.other)
	j.injected(j.other.text)
	grave := -1
	for k := before; k < len(j.list); k++ {
		e := &j.list[k]
		if !cut && (!broken && !(b.describes && begins(b.text)) && e.Level < Errors || e.Idea.Family() == InstructionOverride.Family() && e.Level < Blocks) {
			continue // two strings say as much by chance
		}
		if grave < 0 || e.Level > j.list[grave].Level {
			grave = k
		}
	}
	var found Evidence
	if grave >= 0 {
		found = j.list[grave]
	}
	if j.list = j.list[:before]; grave >= 0 {
		e := j.whole(SplitPayload, Errors)
		e.From = a.node
		j.add(e)
		j.list = append(j.list, found)
	}
	j.layer = layer
}

// anchors are meanings that carry a sentence over the end of a string.
const anchors = secretPath | foreignHost | mailbox | secret | conversation | command | silent | overriding | stealing

// begins says whether a text begins as the middle of a sentence does.
func begins(t string) bool {
	if t == "" {
		return false
	}
	switch kinds[t[0]] {
	case kLetter:
		return t[0] >= 'a' && t[0] <= 'z'
	case kPath, kOther, kStop: // "- item" begins a list
		return len(t) > 1 && kinds[t[1]] != kBlank || t[0] == '|' || t[0] == '&'
	}
	return t[0] == '`'
}

// divided says whether two sentences hold together what neither of them holds alone.
func divided(a, b bits) bool {
	both := a | b
	for _, need := range [...][3]bits{
		{overriding, instruction, scoping}, {denying, telling, person}, {secretPath, acquiring | moving | embedding, ^bits(0)},
		{obliging, command | systemPath | absoluteURL | foreignHost, ^bits(0)}, {altering, regardless, parameter},
	} {
		has := func(is bits) bool { return is&need[0] != 0 && is&need[1] != 0 && is&need[2] != 0 }
		if has(both) && !has(a) && !has(b) {
			return true
		}
	}
	return false
}
