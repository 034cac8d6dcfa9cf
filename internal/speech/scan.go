package speech

import "slices"

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
	kind       byte // '<' tag, '/' closing tag, '[' bracket, '{' template, '#' heading, '!' comment
	start, end int32
	from, to   int32 // its name in the text: a string here is more than all the rest, and is looked through by the collector
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
		s.sentences = append(doubled(s.sentences), one)
	}
	s.first, s.from, s.began = int32(len(s.hits)), int32(at), s.words
	s.count++
	s.prev = ""
	s.recent = [4]uint32{}
}

func (s *scanned) add(start, end int, is bits) { s.addAs(start, end, is, 0) }

func (s *scanned) addAs(start, end int, is bits, more class) {
	if start < s.quote {
		is |= codeish
	}
	s.hits = append(doubled(s.hits), hit{s.words, int32(start), int32(end), is, more})
}

// doubled makes room for one more. What a slice outgrows is left behind before the collector runs, so it grows by its own size.
func doubled[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, max(1, len(s)))
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

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
