package speech

import (
	"strings"
)

// longestCompound bounds a word with dots or hyphens in it: a host name has at most 253 characters. In one that is longer than
// longestPart no part is looked for.
const longestCompound, longestPart = 253, 48

// compound reads a word with dots or hyphens in it: a file, a host, a call, a word of the lexicon. It answers 0 where the
// parts are words of their own.
func (s *scanned) compound(i, j int, h uint32) int {
	t := s.text
	if i < s.noCompound {
		return 0
	}
	end, dots := j, 0
	for end < len(t) {
		if end-j > longestCompound {
			s.noCompound = end
			return 0
		}
		c := t[end]
		k := kinds[c]
		if k == kLetter || k == kDigit {
		} else if (c == '.' || c == '-') && end+1 < len(t) && (kinds[t[end+1]] == kLetter || kinds[t[end+1]] == kDigit) {
			if c == '.' {
				dots++
			}
		} else {
			break
		}
		h = (h ^ uint32(small(c))) * hashPrime
		end++
	}
	if end == j {
		return 0
	}
	if end < len(t) && t[end] == '@' && end+1 < len(t) && kinds[t[end+1]] == kLetter {
		return s.mailAt(i, end)
	}
	word := t[i:end]
	var is bits
	var more class
	if e := s.vocabulary.find(h, word); e != nil {
		is, more = e.is, e.more
	}
	known := i < s.noPath // it was looked at as a part of a longer one
	if !known && unguarded(word) {
		more |= automatic
	} else if t[i] >= '0' && t[i] <= '9' && j-i >= figureDigits {
		more |= figure // a date
	}
	if dots > 0 {
		if !known {
			is |= file(word)
		}
		if is == 0 && strings.IndexByte(word, '_') > 0 {
			is = identifier
		}
	} else if !known && hostileName(word) {
		is |= foreignHost
	}
	if is == 0 && more == 0 {
		if s.noPath = max(s.noPath, end); end-i > longestPart {
			s.noCompound = end
		}
		return 0
	}
	if end-i >= codeRun {
		s.codes += end - i
	}
	s.addAs(i, end, is, more)
	s.leave(word, h)
	return end
}

// unguarded says whether a setting's name is one that lets tools run without a question.
func unguarded(word string) bool {
	if len(word) < len("auto-run") {
		return false
	}
	w := lower(word)
	for _, part := range [...]string{"autoapprove", "auto-approve", "alwaysallow", "always-allow", "skip-permissions", "skippermissions", "bypasspermissions", "auto-accept", "autoaccept", "auto-run"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

// stretch ends at a blank or at what closes around it, reach is the same with the stops at its end.
func stretch(t string, from int) (end, reach int) {
	for reach = from; reach < len(t) && !closing[t[reach]]; reach++ {
	}
	for end = reach; end > from && (t[end-1] == '.' || t[end-1] == ':'); end-- {
	}
	return end, reach
}

// closing are the bytes that no path and no address holds.
var closing = func() (t [256]bool) {
	for _, c := range " \t\r\n\"'`<>,;)|" {
		t[c] = true
	}
	return
}()

// pathOf says what the path at i is, and where it ends. What was looked at once, and is none, is not looked at again from
// another place within.
func (s *scanned) pathOf(i int) (end int, is bits) {
	if i < s.noPath {
		return i, 0
	}
	end, reach := stretch(s.text, i)
	if is = file(s.text[i:end]); is == 0 {
		s.noPath = reach
	}
	return end, is
}

func (s *scanned) urlAt(i, j int) int {
	end, _ := stretch(s.text, j)
	end = max(end, j+len("://"))
	url := s.text[i:end]
	is := absoluteURL
	if hostileName(url) || numericHost(url[j-i+3:]) {
		is |= foreignHost
	}
	if strings.ContainsAny(url, "{$[") || strings.HasSuffix(url, "=") && end < len(s.text) && s.text[end] == '<' {
		is |= placeholder
	}
	s.add(i, end, is)
	s.leave(url[:j-i], 0)
	return end
}

func (s *scanned) mailAt(i, j int) int {
	end, _ := stretch(s.text, j)
	end = max(end, j+1)
	is := mailbox
	if hostileName(s.text[i:end]) {
		is |= foreignHost
	}
	s.add(i, end, is)
	s.leave(s.text[i:j], 0)
	return end
}

// pathAt reads a path that begins with a slash, a dot, a tilde or a variable, or a stop.
func (s *scanned) pathAt(i int) int {
	t := s.text
	next := byte(' ')
	if i+1 < len(t) {
		next = t[i+1]
	}
	before := byte(' ')
	if i > 0 {
		before = t[i-1]
	}
	k := kinds[next]
	begins := kinds[before] != kLetter && kinds[before] != kDigit && before != ')' && before != ']'
	if t[i] == '.' && (k == kBlank || k == kLine || k == kQuote || next == ')' || next == '<' || next == '[' || k == kHigh || !begins && capital(next) && !(capital(before) && (i+2 >= len(t) || !letter(t[i+2])))) {
		if s.words-s.began > 1 { // one word alone is no sentence
			s.end(i + 1)
		}
		return i + 1
	}
	if !begins || k != kLetter && k != kPath && next != '{' && next != '(' {
		return i + 1
	}
	if end, is := s.pathOf(i); is != 0 {
		if strings.Contains(t[i:end], "$(") {
			is |= command
		}
		s.add(i, end, is)
		s.leave(t[i:end], 0)
		return end
	}
	if t[i] == '$' && next == '(' {
		s.add(i, i+2, command)
	}
	return i + 1
}
