package speech

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// parts are the words of a name: snake_case, kebab-case, dots, camelCase.
func parts(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i <= len(name); i++ {
			if i < len(name) && (kinds[name[i]] == kLetter || kinds[name[i]] == kDigit || kinds[name[i]] == kHigh) && name[i] != '_' {
				if i == from || name[i] > 'Z' || name[i] < 'A' || name[i-1] < 'a' {
					continue
				}
				if !yield(name[from:i]) { // a hump
					return
				}
				from = i
				continue
			}
			if i > from && !yield(name[from:i]) {
				return
			}
			from = i + 1
		}
	}
}

// single is a text with one blank for every run of blanks, tabs and line ends.
func single(s string) string {
	for i := range len(s) {
		if k := kinds[s[i]]; k == kLine || k == kBlank && (s[i] != ' ' || i > 0 && s[i-1] == ' ') {
			out := make([]byte, 0, len(s))
			for j := range len(s) {
				if k := kinds[s[j]]; k != kLine && k != kBlank {
					out = append(out, s[j])
				} else if j == 0 || len(out) > 0 && out[len(out)-1] != ' ' {
					out = append(out, ' ')
				}
			}
			return string(out)
		}
	}
	return s
}

// closeUp joins characters that were spaced out: "i g n o r e". Where only single blanks stand between them, the words are
// those of the lexicon that fit.
func closeUp(t string) string {
	var b strings.Builder
	b.Grow(len(t))
	for i := 0; i < len(t); {
		run, next, n := spacedRun(t, i)
		if n < lettersInARow {
			end := i
			for end < len(t) && kinds[t[end]] != kBlank && kinds[t[end]] != kLine {
				end++
			}
			b.WriteString(t[i:end])
			for end < len(t) && (kinds[t[end]] == kBlank || kinds[t[end]] == kLine) {
				b.WriteByte(t[end])
				end++
			}
			i = end
			continue
		}
		if strings.IndexByte(run, ' ') >= 0 || run[0] >= utf8.RuneSelf {
			b.WriteString(run)
		} else {
			segment(&b, run)
		}
		b.WriteByte(' ')
		i = next
	}
	return b.String()
}

// spacedRun reads single characters with blanks between them. More than one blank is a blank of the text.
func spacedRun(t string, i int) (run string, next, n int) {
	var b []byte
	for i < len(t) {
		_, size := utf8.DecodeRuneInString(t[i:])
		if kinds[t[i]] == kBlank || kinds[t[i]] == kLine || i+size < len(t) && kinds[t[i+size]] != kBlank && kinds[t[i+size]] != kLine {
			break
		}
		for k := range size {
			b = append(b, small(t[i+k]))
		}
		n++
		i += size
		gap := i
		for gap < len(t) && (kinds[t[gap]] == kBlank || kinds[t[gap]] == kLine) {
			gap++
		}
		if gap-i > 1 {
			b = append(b, ' ')
		}
		i = gap
	}
	return string(b), i, n
}

// glued are the short words that stand between those of the lexicon, when letters without blanks are taken apart.
func glued(w string) bool {
	switch w {
	case "the", "a", "an", "to", "of", "in", "and", "or", "is", "are", "be", "with", "from", "for", "on", "at", "by", "as", "into", "do", "it", "this", "that":
		return true
	}
	return false
}

const longestWord = 24

// segment writes letters without blanks as words: the longest known one first, a letter where none fits.
func segment(b *strings.Builder, w string) {
	v := words()
	for i := 0; i < len(w); {
		n, h := 1, uint32(hashStart)
		for k := 0; k < longestWord && i+k < len(w); k++ {
			h = (h ^ uint32(w[i+k])) * hashPrime
			part := w[i : i+k+1]
			if k > 0 && (v.find(h, part) != nil || k < 4 && glued(part)) {
				n = k + 1
			}
		}
		if n > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(w[i : i+n])
		if n > 1 {
			b.WriteByte(' ')
		}
		i += n
	}
}

// plainer writes letters for the digits of a word, as a word of the lexicon if there is one: 1 may be an l or an i, and the
// last digit may be one. It answers 1 where the lexicon knows the word.
func plainer(v *vocabulary, w string, out []byte) int {
	for _, last := range [...]int{len(w), len(w) - 1} {
		for _, one := range [...]byte{'l', 'i'} {
			for k := range w {
				switch c := leetLetters[w[k]]; {
				case k >= last:
					out[k] = w[k]
				case w[k] == '1':
					out[k] = one
				case c != 0:
					out[k] = c
				}
			}
			if v.known(string(out)) != nil {
				return 1
			}
		}
	}
	digits := 0
	for k := range w {
		if kinds[w[k]] == kDigit {
			digits++
		}
	}
	for k := range w {
		if c := leetLetters[w[k]]; c != 0 && (digits < figureDigits || digits*2 < len(w)) { // more make a number
			out[k] = c
		} else {
			out[k] = w[k]
		}
	}
	return 0
}

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g'}

// unleet writes letters for digits. It takes two words that the lexicon then knows; the bytes stay as many.
func unleet(t string) string {
	v := words()
	out := []byte(t)
	known := 0
	for i := 0; i < len(t); {
		if k := kinds[t[i]]; k != kLetter && k != kDigit {
			i++
			continue
		}
		j, digits := i, 0
		for j < len(t) && (kinds[t[j]] == kLetter || kinds[t[j]] == kDigit) {
			if kinds[t[j]] == kDigit {
				digits++
			}
			j++
		}
		if n := j - i; digits > 0 && digits < n && n <= longestWord {
			known += plainer(v, t[i:j], out[i:j])
		}
		i = j
	}
	if known < leetWords {
		return t
	}
	return string(out)
}
