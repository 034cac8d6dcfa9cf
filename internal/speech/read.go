package speech

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/card"
	secrets "github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// string judges one string.
func (j *judge) string(one said) {
	j.said = one
	t := one.Text
	if !j.heard {
		j.credentials(one)
	}
	if j.settled() {
		return
	}
	if (one.Role == card.Naming || one.Role == card.Keying || one.Role == card.Unknown) && strings.IndexByte(t, ' ') < 0 {
		t = strings.ReplaceAll(t, "_", " ") // as many bytes
	}
	j.layer, j.changed = false, false
	j.folded = text.Fold(t)
	if j.folded.Signs.Any() && !j.heard {
		j.signs()
	}
	if j.folded.Cut { // the rest is not looked at
		j.note(DeceptiveUnicode, Warns, -1, -1)
	}
	s := &j.scanned
	raw, escapes := j.read(s, t, j.folded.Text)
	if escapes >= escapesInProse {
		j.note(EncodedPayload, Warns, -1, -1)
	}
	j.look(s)
	j.place(s)
	for _, hidden := range j.folded.Smuggled {
		j.deeper(hidden, HiddenUnicode, -1, -1)
	}
	if s.codes >= codeRun {
		for _, p := range text.Encoded(raw) {
			if raw != t {
				p.Start, p.End = -1, -1
			}
			j.deeper(p.Text, EncodedPayload, p.Start, p.End)
		}
	}
	j.seams(s)
}

// read takes a text apart once what lies over its letters is off: escapes, blanks between letters, digits for them. plain is
// the text without escapes and blanks, as it was before folding; escapes counts those that stand for letters.
func (j *judge) read(s *scanned, source, folded string) (plain string, escapes int) {
	plain = source
	t := folded
	for range layers {
		if plainEscapes(t) {
			if out, n := text.Unescape(t); out != t {
				escapes += n
				plain, _ = text.Unescape(plain)
				t, j.changed = text.Fold(out).Text, true
			}
		}
		if s.scan(t); s.spaced < lettersInARow {
			break
		}
		closed := closeUp(plain) // whole words are folded otherwise than letters
		if closed == plain {
			closed = closeUp(t)
		}
		if closed == t {
			break
		}
		plain, t, j.changed = closed, text.Fold(closed).Text, true
		s.scan(t)
	}
	if s.leet >= leetWords {
		if letters := unleet(t); letters != t {
			s.scan(letters)
		}
	}
	return plain, escapes
}

// layers is how often escapes and blanks may lie over each other.
const layers = 2

// escapesInProse is how many escapes of letters are a fault by themselves; lettersInARow how many single letters are spaced
// out writing; leetWords how many words must be meant by a change of digits.
const escapesInProse, lettersInARow, leetWords = 6, 6, 2

// credentials looks for those that are known wherever they stand, and in a default for those that a name gives away.
func (j *judge) credentials(one said) {
	var hits []secrets.Hit
	if one.Role == card.Defaulting && one.Node.IsMember() {
		hits = secrets.Value(one.Node.Parent().Key(), one.Text)
	} else if len(one.Text) >= shortestSecret {
		hits = secrets.Text(one.Text)
	}
	for _, h := range hits {
		if len(j.secrets) < j.places {
			j.secrets = append(j.secrets, Leaked{one.Node, h.Start, h.End, h.Title, string(h.Kind)})
		}
	}
}

// shortestSecret is what no vendor's credential is shorter than.
const shortestSecret = 16

// shortestHidden is the length of hidden text that can say something.
const shortestHidden = 4

// plainEscapes says whether a text holds what looks like an escape.
func plainEscapes(t string) bool {
	return strings.IndexByte(t, '\\') >= 0 || strings.IndexByte(t, '%') >= 0 || strings.IndexByte(t, '&') >= 0
}

// deeper judges text that was hidden in the string at hand. What it holds is evidence of hiding as well.
func (j *judge) deeper(t string, how Idea, start, end int) {
	if j.decoded += len(t); j.decoded > j.decodable { // what is not looked at is no clean text
		j.note(how, Warns, start, end)
		return
	}
	if len(strings.TrimSpace(t)) < shortestHidden {
		return
	}
	before := len(j.list)
	layer, changed := j.layer, j.changed
	j.layer = true
	plain, escapes := j.read(&j.other, t, text.Fold(t).Text)
	if escapes >= escapesInProse {
		j.note(EncodedPayload, Warns, -1, -1)
	}
	j.look(&j.other)
	j.place(&j.other)
	if len(j.list) == before {
		j.seams(&j.other)
	}
	for _, p := range text.Encoded(plain) { // once more, and no deeper
		j.read(&j.other, p.Text, text.Fold(p.Text).Text)
		j.look(&j.other)
	}
	if len(j.list) > before {
		e := j.whole(how, Blocks)
		e.Start, e.End = start, end
		j.add(e)
	}
	j.layer, j.changed = layer, changed
}
