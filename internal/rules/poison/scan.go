package poison

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hit is a word or a shape of a text that means something.
type hit struct {
	word       int32 // which word of the text it is, counted from 0
	start, end int32
	is         bits
	more       class
}

// sentence is a stretch of text that says one thing.
type sentence struct {
	first, last int32 // hits[first:last]
	start, end  int32
	is          bits
	more        class
	// after counts the sentences, those without a hit too.
	after int32
}

// markup is a tag, a bracket, a heading or a comment.
type markup struct {
	kind       byte // '<' tag, '/' closing tag, '[' bracket, '{' template, '#' heading, '!' comment, '(' image
	start, end int32
	name       string
	sentence   int32 // the first sentence behind it
}

// scanned is a text taken apart in one pass. Its slices are used again for the next text.
type scanned struct {
	text      string
	hits      []hit
	sentences []sentence
	marks     []markup
	words     int32
	leet      int // words that are mixed of letters and of digits that pass for letters
	spaced    int // single letters in a row
	codes     int // letters of words that may be a coding

	vocabulary *vocabulary
	from       int32 // where the sentence at hand began
	first      int32
	count      int32
	quote      int       // where a quotation ends
	comment    int       // where the comment at hand ends
	noCompound int       // up to where no compound word ends
	noPath     int       // up to where no path begins
	block      block     // the lines at hand
	recent     [4]uint32 // hashes of the last words
	prev       string    // the last word
	lone       int
	began      int32 // the word that the sentence at hand began with
	at         int   // where the word at hand begins
}

// kinds of bytes.
const (
	kOther = iota
	kLetter
	kDigit
	kHigh
	kBlank
	kLine
	kStop
	kPath
	kQuote
	kMark
)

var kinds = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			t[c] = kLetter
		case c >= '0' && c <= '9':
			t[c] = kDigit
		case c >= 0x80:
			t[c] = kHigh
		}
	}
	for _, c := range " \t\r" {
		t[c] = kBlank
	}
	t['\n'] = kLine
	for _, c := range "!?;" {
		t[c] = kStop
	}
	for _, c := range "./~$%" {
		t[c] = kPath
	}
	for _, c := range "\"'`" {
		t[c] = kQuote
	}
	for _, c := range "<[{#" {
		t[c] = kMark
	}
	return
}()

// small makes a letter small.
func small(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// scan takes a text apart.
func (s *scanned) scan(t string) {
	*s = scanned{text: t, hits: s.hits[:0], sentences: s.sentences[:0], marks: s.marks[:0], vocabulary: s.vocabulary}
	if s.vocabulary == nil {
		s.vocabulary = words()
	}
	if few := len(t) / bytesOfHit; cap(s.hits) < few { // a long text makes its lists grow once
		s.hits, s.sentences = make([]hit, 0, few), make([]sentence, 0, few/hitsOfSentence)
	}
	for i := 0; i < len(t); {
		switch kinds[t[i]] {
		case kLetter, kHigh, kDigit:
			i = s.wordAt(i)
		case kBlank, kOther:
			i++
		case kLine:
			i = s.line(i)
		case kStop:
			i++
			s.end(i)
		case kPath:
			i = s.pathAt(i)
		case kQuote:
			s.quoteAt(i)
			i++
		case kMark:
			i = s.markAt(i)
		}
	}
	s.end(len(t))
}

// bytesOfHit is how many bytes of an ordinary text have one hit at most, hitsOfSentence how many hits a sentence has.
const bytesOfHit, hitsOfSentence = 16, 4

// end closes the sentence at hand.
func (s *scanned) end(at int) {
	if n := int32(len(s.hits)); n > s.first {
		one := sentence{first: s.first, last: n, start: s.from, end: int32(at), after: s.count}
		for _, h := range s.hits[s.first:] {
			one.is |= h.is
			one.more |= h.more
		}
		s.sentences = append(s.sentences, one)
	}
	s.first, s.from, s.began = int32(len(s.hits)), int32(at), s.words
	s.count++
	s.prev = ""
	s.recent = [4]uint32{}
}

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

func (s *scanned) add(start, end int, is bits) { s.addAs(start, end, is, 0) }

func (s *scanned) addAs(start, end int, is bits, more class) {
	if start < s.quote {
		is |= codeish
	}
	s.hits = append(s.hits, hit{s.words, int32(start), int32(end), is, more})
}

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

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

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
	s.hits = append(s.hits, hit{s.words, int32(i + 1), int32(i + 1 + n), is, 0})
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
				s.mark('!', i, s.comment, "")
			}
			return i + len("<!--")
		}
		end := strings.IndexByte(rest[:min(len(rest), names)], '>')
		if end < 2 || strings.IndexByte(rest[1:end], '<') >= 0 || strings.Count(rest[1:end], "\n") > 1 { // "<>" names nothing
			return i + 1
		}
		name, kind := rest[1:end], byte('<')
		if name[0] == '/' {
			kind, name = '/', name[1:]
		}
		s.end(i)
		s.mark(kind, i, i+end+1, name)
		s.from = int32(i + end + 1)
		return i + end + 1
	case '[':
		end := strings.IndexAny(rest[:min(len(rest), names)], "]:")
		if end > 1 {
			s.mark('[', i, i+end+1, rest[1:end])
		}
	case '{':
		if strings.HasPrefix(rest, "{{") {
			if end := strings.IndexAny(rest[:min(len(rest), names)], "}:"); end > 2 {
				s.mark('{', i, i+end+1, rest[2:end])
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
			s.mark('#', i, i+n+len(line), line)
		}
		return i + n
	}
	return i + 1
}

func (s *scanned) mark(kind byte, start, end int, name string) {
	s.marks = append(s.marks, markup{kind, int32(start), int32(end), name, int32(len(s.sentences))})
}

// lower is a text in small letters. Those beyond ASCII were made small when the text was folded.
func lower(s string) string {
	i := 0
	for i < len(s) && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	if i == len(s) {
		return s
	}
	out := []byte(s)
	for ; i < len(out); i++ {
		out[i] = small(out[i])
	}
	return string(out)
}
