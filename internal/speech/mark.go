package speech

import (
	"strings"
)

// apostrophes is how many a quotation may hold.
const apostrophes = 4

// linesQuoted is how many lines a quotation may end.
const linesQuoted = 2

// broken counts the lines that end between from and to, and not for want of room.
func (s *scanned) broken(from, to int) (n int) {
	for i := from; i < to; i++ {
		if s.text[i] != '\n' {
			continue
		}
		next := i + 1
		for next < to && kinds[s.text[next]] == kBlank {
			next++
		}
		if !s.filled(i, next) {
			n++
		}
	}
	return n
}

// quotation bounds what is taken for a quoted value.
const quotation = 320

// quoteAt notes a quotation that opens at i and closes soon.
func (s *scanned) quoteAt(i int) {
	t := s.text
	if i < s.quote || i+1 == len(t) || kinds[t[i+1]] == kBlank || i > 0 && (kinds[t[i-1]] == kLetter || kinds[t[i-1]] == kDigit) {
		return
	}
	room := t[i+1 : min(len(t), i+1+quotation)]
	n := strings.IndexByte(room, t[i])
	for tries := 0; t[i] == '\'' && n >= 0 && i+n+2 < len(t) && kinds[t[i+n+2]] == kLetter; tries++ { // an apostrophe
		if tries == apostrophes {
			return
		}
		m := strings.IndexByte(room[n+1:], '\'')
		if m < 0 {
			return
		}
		n += m + 1
	}
	if n <= 0 || strings.Contains(room[:n], "\n\n") || s.broken(i+1, i+1+n) > linesQuoted {
		return
	}
	s.quote = i + 1 + n
	is := literal
	if t[i] == '`' && !strings.ContainsRune(room[:n], ' ') {
		is = identifier
	}
	s.hits = append(doubled(s.hits), hit{s.words, int32(i + 1), int32(i + 1 + n), is, 0})
}

// names bounds a tag's name.
const names = 64

// markAt reads a tag, a bracket, a heading or a comment.
func (s *scanned) markAt(i int) int {
	t := s.text
	rest := t[i:]
	switch t[i] {
	case '<':
		if strings.HasPrefix(rest, "<!--") {
			s.end(i)
			if i >= s.comment { // none stands within another
				s.comment = len(t)
				if end := strings.Index(rest, "-->"); end >= 0 {
					s.comment = i + end
				}
				s.mark('!', i, s.comment, i, i)
			}
			return i + len("<!--")
		}
		end := strings.IndexByte(rest[:min(len(rest), names)], '>')
		if end < 2 || strings.IndexByte(rest[1:end], '<') >= 0 || strings.Count(rest[1:end], "\n") > 1 { // "<>" names nothing
			return i + 1
		}
		kind, from := byte('<'), i+1
		if rest[1] == '/' {
			kind, from = '/', i+2
		}
		s.end(i)
		s.mark(kind, i, i+end+1, from, i+end)
		s.from = int32(i + end + 1)
		return i + end + 1
	case '[':
		end := strings.IndexAny(rest[:min(len(rest), names)], "]:")
		if end > 1 {
			s.mark('[', i, i+end+1, i+1, i+end)
		}
	case '{':
		if strings.HasPrefix(rest, "{{") {
			if end := strings.IndexAny(rest[:min(len(rest), names)], "}:"); end > 2 {
				s.mark('{', i, i+end+1, i+2, i+end)
			}
		}
	case '#':
		n := 0
		for n < len(rest) && rest[n] == '#' {
			n++
		}
		if n >= 2 {
			line := rest[n:min(len(rest), n+names)]
			if end := strings.IndexAny(line, "\n:#"); end > 0 {
				line = line[:end]
			}
			s.end(i)
			s.mark('#', i, i+n+len(line), i+n, i+n+len(line))
		}
		return i + n
	}
	return i + 1
}

func (s *scanned) mark(kind byte, start, end, from, to int) {
	s.marks = append(doubled(s.marks), markup{kind, int32(start), int32(end), int32(from), int32(to), int32(len(s.sentences))})
}

// name is that of a tag, bracket or heading, as it is written.
func (s *scanned) name(m *markup) string { return s.text[m.from:m.to] }
