package speech

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line decides whether the line at i ends a sentence: a wrapped one goes on with a small letter, and is no item of a list.
func (s *scanned) line(i int) int {
	t := s.text
	j := i + 1
	for j < len(t) && kinds[t[j]] == kBlank {
		j++
	}
	if j < len(t) && t[j] >= 'a' && t[j] <= 'z' {
		k := j
		for k < len(t) && (kinds[t[k]] == kLetter || kinds[t[k]] == kDigit) {
			k++
		}
		if k == len(t) || t[k] != ':' && !strings.HasPrefix(t[k:], " (") || strings.HasPrefix(t[k:], "://") {
			return j
		}
	}
	if s.wrapped(i, j) || s.filled(i, j) {
		return j
	}
	s.end(i)
	for j < len(t) && (t[j] == '\n' || kinds[t[j]] == kBlank) {
		j++
	}
	return j
}

// block is a stretch of lines without an empty one.
type block struct {
	end, width    int // where it ends, and the letters of its longest line
	lines, labels int // all lines, and those that begin as an item of a list does
	words         int // those that have no blank in them
}

// narrow and wide are the widths between which text is broken into lines.
const narrow, wide = 16, 160

// column is how many lines of one word each are a text that stands upright.
const column = 6

// filled says whether the line that ends at i has no room for the first word of the next one, at j: whoever breaks prose into
// lines goes on with the next word, whatever it is. Lines of a list end where they end.
func (s *scanned) filled(i, j int) bool {
	t := s.text
	if i >= s.block.end {
		s.block = lines(t, strings.LastIndexByte(t[:i], '\n')+1)
	}
	b := &s.block
	if b.lines < 2 || b.labels*2 >= b.lines || b.width < narrow && b.words < b.lines || b.width > wide || j >= len(t) || t[j] == '\n' {
		return false
	}
	if b.words == b.lines && b.lines >= column {
		return true
	}
	if bullet(t[j:]) || t[j] == '(' { // an item, or a note of its own
		return false
	}
	next := j
	for next < len(t) && next < j+wide && kinds[t[next]] != kBlank && kinds[t[next]] != kLine {
		next++
	}
	line := t[max(0, i-wide*utf8.UTFMax):i]
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	return utf8.RuneCountInString(line)+1+utf8.RuneCountInString(t[j:next]) > b.width
}

// lines measures the block that begins at from.
func lines(t string, from int) block {
	b := block{end: from}
	for b.end < len(t) {
		n := strings.IndexByte(t[b.end:], '\n')
		if n < 0 {
			n = len(t) - b.end
		}
		line := strings.TrimSpace(t[b.end : b.end+n])
		if line == "" {
			b.end++
			break
		}
		b.lines++
		b.width = max(b.width, utf8.RuneCountInString(line))
		if strings.IndexByte(line, ' ') < 0 {
			b.words++
		}
		if name, _, ok := strings.Cut(line, ":"); bullet(line) || ok && strings.IndexByte(name, ' ') < 0 {
			b.labels++
		}
		b.end = min(b.end+n+1, len(t))
	}
	return b
}

// bullet says whether a line begins with the sign of an item, or with its number.
func bullet(line string) bool {
	if len(line) < 2 {
		return false
	}
	switch {
	case line[0] == '-' || line[0] == '*' || line[0] == '#' || line[0] == '|' || line[0] == '>':
		return kinds[line[1]] == kBlank || line[0] == line[1]
	case kinds[line[0]] == kDigit:
		n := 1
		for n < len(line) && kinds[line[n]] == kDigit {
			n++
		}
		return n+1 < len(line) && n < figureDigits && (line[n] == '.' || line[n] == ')') && kinds[line[n+1]] == kBlank
	}
	return strings.HasPrefix(line, "•")
}

// wrapped says whether the line that ends at i is so long, and ends so, that the next one, at j, goes on with it.
func (s *scanned) wrapped(i, j int) bool {
	const long = 32
	t := s.text
	if i == 0 || j >= len(t) || t[j] == '\n' {
		return false
	}
	for i > 1 && kinds[t[i-1]] == kBlank {
		i--
	}
	switch k := kinds[t[i-1]]; {
	case k == kHigh:
		r, _ := utf8.DecodeLastRuneInString(t[:i])
		next, _ := utf8.DecodeRuneInString(t[j:])
		return unicode.IsLetter(r) && unicode.IsLetter(next)
	case k != kLetter && k != kDigit && t[i-1] != ',':
		return false
	}
	if k := kinds[t[j]]; k != kLetter && k != kQuote && k != kPath && t[j] != '(' && t[j] != '<' && (t[j] != '-' || j+1 == len(t) || kinds[t[j+1]] != kLetter) {
		return false
	}
	if dangling(s.prev) {
		return true
	}
	if !hanging(s.prev) && (i < long || strings.IndexByte(t[i-long:i], '\n') >= 0) {
		return false
	}
	k := j
	for k < len(t) && (kinds[t[k]] == kLetter || kinds[t[k]] == kDigit) {
		k++
	}
	return k == len(t) || t[k] != ':' && t[k] != '(' && !strings.HasPrefix(t[k:], " (") || strings.HasPrefix(t[k:], "://")
}

// dangling says whether hardly a text ends with a word.
func dangling(word string) bool {
	switch lower(word) {
	case "it", "first", "then", "also", "all", "previous", "is", "its":
		return false
	}
	return hanging(word)
}

// hanging says whether no line of its own ends with a word.
func hanging(word string) bool {
	if len(word) > 8 {
		return false
	}
	switch lower(word) {
	case "the", "a", "an", "of", "to", "and", "or", "with", "for", "in", "on", "at", "by", "from", "must", "you", "your", "no", "not", "is", "are", "be", "that", "this", "any", "all", "every",
		"first", "then", "also", "call", "invoke", "use", "run", "never", "always", "as", "into", "do", "will", "should", "ignore", "before", "after", "when", "if", "it", "its", "execute", "read", "send", "previous":
		return true
	}
	return false
}
