package speech

import (
	"strings"
	"unicode/utf8"
)

// wordAt reads the word at i.
func (s *scanned) wordAt(i int) int {
	t := s.text
	h := uint32(hashStart)
	j := i
	bars, humps, digits, high := 0, 0, 0, 0
	for j < len(t) {
		c := t[j]
		switch kinds[c] {
		case kLetter:
			if c == '_' {
				bars++
			} else if c <= 'Z' && j > i && t[j-1] >= 'a' {
				humps++
			}
		case kDigit:
			digits++
		case kHigh:
			high++
		default:
			if c != '\'' || j+1 == len(t) || kinds[t[j+1]] != kLetter || j == i {
				goto out
			}
		}
		h = (h ^ uint32(small(c))) * hashPrime
		j++
	}
out:
	word := t[i:j]
	s.at = i
	if j == i+1 && j+1 < len(t) && t[j] == ':' && t[j+1] == '\\' { // a drive
		if end, is := s.pathOf(i); is != 0 {
			s.add(i, end, is)
			s.leave(word, h)
			return end
		}
	}
	if j < len(t) {
		switch t[j] {
		case '.', '-':
			if n := s.compound(i, j, h); n > 0 {
				return n
			}
		case ':':
			if strings.HasPrefix(t[j:], "://") {
				return s.urlAt(i, j)
			}
		case '@':
			if j+1 < len(t) && kinds[t[j+1]] == kLetter {
				return s.mailAt(i, j)
			}
		}
	}
	n := j - i
	if digits == 0 && (n == 1 || high == n && n <= utf8.UTFMax && utf8.RuneCountInString(word) == 1) {
		if s.lone++; s.lone > s.spaced {
			s.spaced = s.lone
		}
	} else {
		s.lone = 0
		if n >= codeRun || humps+digits > 0 {
			s.codes += n
		}
		if digits > 0 && digits < n && n > 3 && bars == 0 {
			s.leet++
		}
	}
	if digits >= figureDigits && bars == 0 {
		s.addAs(i, j, 0, figure)
	}
	if digits == n {
		s.leave(word, h)
		return j
	}
	if bars >= sentenceBars {
		return s.parts(i, j)
	}
	e := s.vocabulary.find(h, word)
	var is bits
	var more class
	start := i
	if e != nil {
		is, more = e.is, e.more
		for k := range e.phrases {
			if p := &e.phrases[k]; s.follows(p.before) {
				is |= p.is | base
				more |= p.more
				start = s.back(i, len(p.before))
			}
		}
	}
	switch {
	case is != 0:
		is = s.standing(is, i, j)
	case (bars > 0 || humps > 0 && word[0] >= 'a') && n > 3 && high == 0: // GitHub is a name, getIssue a tool
		is = identifier
	}
	if high > 0 && is&^forms == 0 {
		s.anywhere(i, j)
	}
	if humps > 0 && unguarded(word) {
		more |= automatic
	}
	if bars > 0 && more == 0 && (shouted(word) || bars > 1 && whispered(word)) {
		more = environment
	}
	if is&^forms != 0 || more != 0 {
		s.addAs(start, j, is, more)
	}
	s.leave(word, h)
	return j
}

// figureDigits is from how many digits on a number is taken for one that somebody fixed: an account, a telephone, a date.
const figureDigits = 4

// shouted says whether a word is a name of a secret variable: OPENAI_API_KEY.
func shouted(word string) bool {
	for i := range len(word) {
		if c := word[i]; c >= 'a' && c <= 'z' {
			return false
		}
	}
	for _, end := range [...]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "CREDENTIALS", "PASSWD", "KEYS", "TOKENS"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// whispered is shouted in small letters, where it says which secret.
func whispered(word string) bool {
	for _, end := range [...]string{"_access_key", "_api_key", "_private_key", "_secret_key", "_access_token", "_auth_token", "_client_secret", "_password"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// codeRun is from where a run of letters may be a coding, sentenceBars from how many underscores a word reads like a sentence.
const codeRun, sentenceBars = 12, 4

func (s *scanned) leave(word string, h uint32) {
	s.recent[3], s.recent[2], s.recent[1], s.recent[0] = s.recent[2], s.recent[1], s.recent[0], h
	s.prev = word
	s.words++
	if s.words-s.began > longestSentence {
		s.end(s.at)
	}
}

// longestSentence bounds what is looked at together, in words.
const longestSentence = 300

// follows says whether the last words are those.
func (s *scanned) follows(before []uint32) bool {
	for k, h := range before {
		if s.recent[len(before)-1-k] != h {
			return false
		}
	}
	return true
}

// back is where the word n words before i begins.
func (s *scanned) back(i, n int) int {
	for ; n > 0 && i > 0; n-- {
		for i > 0 && kinds[s.text[i-1]] != kLetter && kinds[s.text[i-1]] != kHigh && kinds[s.text[i-1]] != kDigit {
			i--
		}
		for i > 0 && (kinds[s.text[i-1]] == kLetter || kinds[s.text[i-1]] == kHigh || kinds[s.text[i-1]] == kDigit || s.text[i-1] == '\'') {
			i--
		}
	}
	return i
}

var youHash = hash("you")

// standing adds how a word stands: a verb behind an article is a noun, one behind "can" tells what a tool does.
func (s *scanned) standing(is bits, i, j int) bits {
	if is&base != 0 && i > 1 && kinds[s.text[i-2]] == kLetter && noun(s.prev) && !(s.recent[1] == youHash && len(s.prev) == 3) { // "you may" permits
		is &^= base
	}
	if j < len(s.text) {
		switch s.text[j] {
		case ':':
			if j+1 == len(s.text) || kinds[s.text[j+1]] == kBlank || kinds[s.text[j+1]] == kLine {
				is |= colon
			}
		case '-', '_':
			is &^= base
		}
	}
	if int32(len(s.hits)) == s.first && s.prev == "" {
		is |= lead
	}
	if i > 0 && s.text[i-1] == '-' {
		is &^= base
	}
	return is
}

// noun says whether the word before a verb makes it a noun, or a description.
func noun(prev string) bool {
	if len(prev) > 6 {
		return false
	}
	switch lower(prev) {
	case "the", "a", "an", "this", "that", "its", "their", "can", "may", "might", "could", "would", "api", "for", "of", "per", "no", "tool", "it", "they", "which", "these", "those", "who", "users":
		return true
	}
	return false
}

// anywhere looks for words of scripts without blanks, each of which is a hit of its own.
func (s *scanned) anywhere(from, to int) {
	t := s.text
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(t[i:])
		if r == '。' || r == '।' || r == '۔' {
			s.end(i + size)
		}
		if s.vocabulary.firsts[r>>6&(1<<10-1)]&(1<<(r&63)) == 0 {
			i += size
			continue
		}
		var is bits
		n := size
		for _, e := range s.vocabulary.others[r] {
			if strings.HasPrefix(t[i:to], e.word) {
				is |= e.is
				n = max(n, len(e.word))
			}
		}
		if is != 0 {
			s.add(i, i+n, is)
			s.words++
		}
		i += n
	}
}

// parts reads the words of one that is joined with underscores.
func (s *scanned) parts(i, j int) int {
	for i < j {
		for i < j && s.text[i] == '_' {
			i++
		}
		k, h := i, uint32(hashStart)
		for k < j && s.text[k] != '_' {
			h = (h ^ uint32(small(s.text[k]))) * hashPrime
			k++
		}
		if k > i {
			if e := s.vocabulary.find(h, s.text[i:k]); e != nil {
				is, more := e.is, e.more
				for n := range e.phrases {
					if s.follows(e.phrases[n].before) {
						is |= e.phrases[n].is | base
						more |= e.phrases[n].more
					}
				}
				if is&^forms != 0 || more != 0 {
					s.addAs(i, k, is, more)
				}
			}
			s.leave(s.text[i:k], h)
		}
		i = k
	}
	return j
}
