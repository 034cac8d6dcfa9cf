package poison

import (
	"iter"
	"strings"
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

// closeUp joins letters that were spaced out: "i g n o r e". Where only single blanks stand between them, the words are
// those of the lexicon that fit.
func closeUp(t string) string {
	var b strings.Builder
	b.Grow(len(t))
	for i := 0; i < len(t); {
		end, n := i, 0
		for j := i; ; {
			if j >= len(t) || kinds[t[j]] != kLetter || j+1 < len(t) && kinds[t[j+1]] == kLetter {
				break
			}
			n++
			end = j + 1
			j = end
			for j < len(t) && j < end+3 && (t[j] == ' ' || t[j] == '.' || t[j] == '-' || t[j] == '\t') {
				j++
			}
			if j == end {
				break
			}
		}
		if n < lettersInARow || i > 0 && kinds[t[i-1]] == kLetter {
			b.WriteByte(t[i])
			i++
			continue
		}
		word := make([]byte, 0, n)
		for k := i; k < end; k++ {
			switch {
			case kinds[t[k]] == kLetter:
				word = append(word, small(t[k]))
			case k+1 < end && kinds[t[k+1]] != kLetter && t[k] == t[k+1]:
				word = append(word, ' ')
			}
		}
		for w := range strings.FieldsSeq(string(word)) {
			segment(&b, w)
		}
		b.WriteByte(' ')
		i = end
	}
	return b.String()
}

// short words that stand between those of the lexicon, when letters without blanks are taken apart.
const glue = " the a an to of in and or is are be with from for on at by as into do it this that "

const longestWord = 24

// segment writes letters without blanks as words: the longest known one first, a letter where none fits.
func segment(b *strings.Builder, w string) {
	v := words()
	for i := 0; i < len(w); {
		n := min(len(w)-i, longestWord)
		for ; n > 1; n-- {
			part := w[i : i+n]
			if v.find(hash(part), part) != nil || n <= 4 && strings.Contains(glue, " "+part+" ") {
				break
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

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g'}

// unleet writes letters for digits in words that the lexicon then knows. It takes two such words; the bytes stay as many.
func unleet(t string) string {
	v := words()
	out := []byte(nil)
	changed := 0
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
		if n := j - i; digits > 0 && n > 1 && n <= longestWord {
			word := []byte(t[i:j])
			for _, one := range [...]byte{'i', 'l'} {
				for k := range word {
					switch c := leetLetters[t[i+k]]; {
					case t[i+k] == '1':
						word[k] = one
					case c != 0:
						word[k] = c
					default:
						word[k] = small(t[i+k])
					}
				}
				if v.find(hash(string(word)), string(word)) != nil {
					if out == nil {
						out = []byte(t)
					}
					copy(out[i:j], word)
					changed++
					break
				}
			}
		}
		i = j
	}
	if changed < leetWords {
		return t
	}
	return string(out)
}
