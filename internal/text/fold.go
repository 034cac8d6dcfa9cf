package text

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Sign is something in a text that a person does not see, or takes for something else.
type Sign uint8

// The signs.
const (
	TagBlock     Sign = iota // letters of the tag block (U+E0000), which no font draws
	Selectors                // variation selectors that select nothing
	ZeroWidth                // zero-width and other ignorable characters
	BidiOverride             // a forced direction: the text reads other than it is
	BidiMark                 // other signs of direction in a text without right-to-left letters
	Escape                   // control characters: terminal sequences
	MixedScript              // letters of another script in a word that reads as Latin
	Padding                  // many blank lines or blanks, and text behind them
	signs
)

// Signs says how often each sign stands in a text and where the first one is.
type Signs struct {
	Count [signs]int
	First [signs]int
}

func (s *Signs) add(k Sign, at int) {
	if s.Count[k] == 0 {
		s.First[k] = at
	}
	s.Count[k]++
}

// Any says whether there is a sign of the kinds.
func (s *Signs) Any() bool { return s.Count != [signs]int{} }

// Folded is a text as it is searched: compatibility forms resolved, accents and what is not seen taken out, letters that
// pretend to be Latin replaced, in small letters.
type Folded struct {
	Text string
	// from holds where each byte of Text came from; nil where Text has the same offsets as the source.
	from  []int32
	Signs Signs
	// Smuggled is text that was written in characters that are not seen.
	Smuggled []string
	// Cut says that the text grew beyond limits.FoldGrowth and was cut.
	Cut bool
}

// At is the offset in the source of an offset in Text.
func (f *Folded) At(i int) int {
	if f.from == nil {
		return i
	}
	if i >= len(f.from) {
		if len(f.from) == 0 {
			return 0
		}
		return int(f.from[len(f.from)-1]) + 1
	}
	return int(f.from[i])
}

// blankLines and blanks are what padding has: nobody puts as many between two sentences.
const blankLines, blanks = 25, 200

// plain marks the bytes that folding leaves alone but for case.
var plain = func() (t [256]bool) {
	for c := range 0x7F {
		t[c] = c >= ' ' || c == '\t' || c == '\n' || c == '\r'
	}
	return
}()

// Fold makes a text searchable. Text of plain ASCII is returned as it is, with its capitals.
func Fold(s string) Folded {
	i := 0
	for i < len(s) && plain[s[i]] {
		i++
	}
	if i < len(s) {
		return foldAll(s)
	}
	f := Folded{Text: s}
	f.padding(s)
	return f
}

// widest is how many bytes one byte of a text becomes at most when it is folded: U+FDFA is a sentence of 18 letters.
const widest = 11

// Outgrows says whether a text grows so much that Fold cuts it. Most are told by what they are made of.
func Outgrows(s string) bool {
	wide := 0
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			wide++
		}
	}
	lim := &limits.Default
	return len(s)+widest*wide > lim.FoldGrowth*len(s)+lim.FoldRoom && foldAll(s).Cut
}

// foldAll is Fold for what is not plain. It stands apart since its result begins on the heap.
func foldAll(s string) Folded {
	f := Folded{Text: s}
	f.fold(s)
	f.padding(s)
	return f
}

// folder is the work of fold.
type folder struct {
	*Folded
	out  []byte
	word int // where the current word began in out
	// latin and other count the letters of the word; foreign are those of scripts that are mistaken for Latin.
	latin, foreign int
	rtl            bool
	tags, sels     []byte
	bits           []byte
	memory         *[remembered]character
	longest        int // what out may become
}

// memories are kept for the next text: it has the same letters, mostly.
var memories = sync.Pool{New: func() any { return new([remembered]character) }}

// remembered is how many characters' properties are kept at hand: a text has few different ones, and the tables are slow.
const remembered = 128

// character is what is known of one that is not ASCII.
type character struct {
	r     rune
	shown bool // it is seen wherever it stands
	parts []part
}

// part is a letter, or what else a character falls apart into.
type part struct {
	r    rune
	kind uint8
}

// What parts are.
const (
	ascii  = iota
	twin   // it passes for a Latin letter
	latin  // a Latin one
	letter // one that resembles none
	mark   // an accent
	sign   // none of these
)

// known looks a character up.
func (w *folder) known(r rune) *character {
	one := &w.memory[r%remembered]
	if one.r == r {
		return one
	}
	one.r, one.parts = r, one.parts[:0]
	if r >= 0x4E00 && r <= 0x9FFF { // Han has neither case nor parts
		one.shown, one.parts = true, append(one.parts, part{r, letter})
		return one
	}
	one.shown = r >= 0xA0 && r != utf8.RuneError && !unicode.Is(unicode.Variation_Selector, r) && !ignorable(r) && r != 0x2028 && r != 0x2029
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	d := norm.NFKD.Properties(buf[:n]).Decomposition()
	if d == nil {
		d = buf[:n]
	}
	for len(d) > 0 {
		p, size := utf8.DecodeRune(d)
		one.parts = append(one.parts, part{p, ascii})
		if p >= utf8.RuneSelf {
			one.parts[len(one.parts)-1] = kind(unicode.ToLower(p))
		}
		d = d[size:]
	}
	return one
}

// kind says what a small letter, or no letter, is.
func kind(r rune) part {
	switch {
	case unicode.Is(unicode.Mn, r):
		return part{r, mark}
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		switch _, like := alike()[r]; {
		case like:
			return part{r, twin}
		case unicode.Is(unicode.Latin, r):
			return part{r, latin}
		}
		return part{r, letter} // the word is what it is
	case unicode.IsSpace(r):
		return part{' ', sign}
	}
	return part{r, sign}
}

// alike leads from a foreign letter to the Latin one that it passes for.
var alike = sync.OnceValue(func() map[rune]rune {
	all := map[rune]rune{}
	for k, r := range twins { // the Latin letter stands behind
		if _, has := all[r]; !has && r >= utf8.RuneSelf {
			all[r] = rune(twins[k+utf8.RuneLen(r)])
		}
	}
	return all
})

func (f *Folded) fold(s string) {
	w := folder{Folded: f, out: make([]byte, 0, len(s)+utf8.UTFMax), memory: memories.Get().(*[remembered]character)}
	defer memories.Put(w.memory)
	f.from = make([]int32, 0, len(s)+utf8.UTFMax)
	w.rtl = rightToLeft(s)
	w.longest = limits.Default.FoldGrowth*len(s) + limits.Default.FoldRoom
	var last rune
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if len(w.out) > w.longest {
			f.Cut = true
			break
		}
		if r == 0x1B || r == 0x9B {
			if n := command(s[i:], last); n > 0 {
				w.Signs.add(Escape, i)
				i += n
				continue
			}
		}
		if r >= utf8.RuneSelf {
			if one := w.known(r); !one.shown && w.hidden(s, i, size, r, last) {
				if i += size; r != 0xFE0F || last != 0x1F3F4 || flag(s[i:], last) == 0 { // a flag's base may be said to be a picture
					last = r
				}
				continue
			}
			for _, p := range w.memory[r%remembered].parts {
				w.place(p, i)
			}
		} else if !w.hidden(s, i, size, r, last) {
			w.letter(r, i)
		}
		last = r
		i += size
	}
	w.endWord()
	w.decode()
	f.Text = string(w.out)
}

// command says how many bytes of s, which begins with ESC or U+009B, are a sequence that a terminal takes for a command (ECMA-48, 5.4),
// such as one for colours: it is seen by nobody, and would part a word. One without a parameter may be a bracket before a word, where
// a letter follows and none goes before. What other sequences hold is text to whoever is no terminal, and stays.
func command(s string, last rune) int {
	if !strings.HasPrefix(s, "\x1b[") && !strings.HasPrefix(s, "\u009b") {
		return 0
	}
	end := 2 // both are of two bytes
	for end < len(s) && s[end] >= 0x20 && s[end] <= 0x3F {
		end++
	}
	if end == len(s) || s[end] < 0x40 || s[end] > 0x7E {
		return 0
	}
	if next, _ := utf8.DecodeRuneInString(s[end+1:]); end == 2 && unicode.IsLetter(next) && !unicode.IsLetter(last) {
		return 0
	}
	return end + 1
}

// hidden takes a character that is not seen, or that moves others, out of the text.
func (w *folder) hidden(s string, i, size int, r, last rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < ' ' || r >= 0x7F && r < 0xA0:
		w.Signs.add(Escape, i)
		return true
	case r < 0xAD:
		return false
	case r >= 0xE0000 && r <= 0xE007F:
		if n := flag(s[i:], last); n == 0 {
			w.Signs.add(TagBlock, i)
			if r >= 0xE0020 && r < 0xE007F {
				w.tags = append(w.tags, byte(r-0xE0000))
			}
		}
		return true
	case r >= 0xE0100 && r <= 0xE01EF:
		if !unicode.Is(unicode.Han, last) {
			w.Signs.add(Selectors, i)
			w.sels = append(w.sels, byte(r-0xE0100))
		}
		return true
	case unicode.Is(unicode.Variation_Selector, r):
		if unicode.Is(unicode.Variation_Selector, last) {
			w.Signs.add(Selectors, i)
		}
		return true
	case r == 0x202D || r == 0x202E:
		w.Signs.add(BidiOverride, i)
		return true
	case r == 0x200E || r == 0x200F || r == 0x061C || r >= 0x202A && r <= 0x202C || r >= 0x2066 && r <= 0x2069:
		if !w.rtl {
			w.Signs.add(BidiMark, i)
		}
		return true
	case r == 0x2028 || r == 0x2029:
		w.put('\n', i)
		w.endWord()
		return true
	case ignorable(r):
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		if !joins(r, i, last, next) {
			w.Signs.add(ZeroWidth, i)
			switch r {
			case 0x200B:
				w.bits = append(w.bits, '0')
			case 0x200C, 0x200D:
				w.bits = append(w.bits, '1')
			}
		}
		return true
	case r == utf8.RuneError && size == 1:
		return true
	}
	return false
}

// ignorable says whether a character is drawn as nothing: Default_Ignorable_Code_Point, and format characters.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf) || r >= 0xE0000 && r <= 0xE0FFF
}

// joins says whether an ignorable character stands where writing needs it: between emoji, in scripts that join letters or
// are written without blanks, and as a byte order mark at the start.
func joins(r rune, at int, last, next rune) bool {
	switch r {
	case 0xFEFF:
		return at == 0
	case 0x200D:
		return pictured(last) || joining(last) || joining(next)
	case 0x200C:
		return joining(last) || joining(next)
	case 0x200B:
		return unspaced(last) || unspaced(next)
	case 0x115F, 0x1160:
		return unicode.Is(unicode.Hangul, next)
	case 0x180E:
		return unicode.Is(unicode.Mongolian, last)
	}
	return r >= 0x0600 && r <= 0x0605 || r == 0x06DD || r == 0x070F || r == 0x08E2 || r == 0x110BD || r == 0x110CD // drawn signs of Cf
}

func joining(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Thai)
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Tibetan)
}

func pictured(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk) || r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF
}

// twins are small letters that pass for Latin ones in a word that holds no other foreign letter: the doubles, what capitals
// that look alike become when they are made small, small capitals, and Latin letters with a stroke.
const twins = doubles + "вbнhтtьbѐeїiүyғfһhԛqьbзeυuτtηnγyωwεeδdσoςcλlɪiɩiɑaɢgɴnʀrʟlʏyʙbʜhᴀaᴄcᴅdᴇeᴊjᴋkᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢzꜱsꜰfıiȷjłløođdħhŧtɨiʉuɵoƶz"

// flags are the three sequences of tag characters that fonts draw (emoji-sequences.txt, RGI_Emoji_Tag_Sequence).
var flags = [...]string{"gbeng\x7f", "gbsct\x7f", "gbwls\x7f"}

// flag says how many bytes of s, which begins with a tag character, are left of a flag. Only the last characters of one may
// stand alone at the start of s, which the caller comes to one by one.
func flag(s string, last rune) int {
	if last != 0x1F3F4 && (last < 0xE0000 || last > 0xE007F) {
		return 0
	}
	const tag = "\U000E0061"
	for _, f := range flags {
		for from := range len(f) {
			if (last == 0x1F3F4) != (from == 0) || from > 0 && last != 0xE0000+rune(f[from-1]) {
				continue
			}
			n := 0
			for from+n/len(tag) < len(f) {
				r, size := utf8.DecodeRuneInString(s[n:])
				if r != 0xE0000+rune(f[from+n/len(tag)]) {
					n = 0
					break
				}
				n += size
			}
			if n > 0 {
				if r, _ := utf8.DecodeRuneInString(s[n:]); r < 0xE0000 || r > 0xE007F {
					return n
				}
			}
		}
	}
	return 0
}

func rightToLeft(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0xD6 { // U+0590 and what follows
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s[i:]); unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return true
		}
	}
	return false
}

// letter puts a character of ASCII into the text.
func (w *folder) letter(r rune, i int) {
	switch {
	case r >= 'A' && r <= 'Z':
		r += 'a' - 'A'
		w.latin++
	case r >= 'a' && r <= 'z':
		w.latin++
	case r >= '0' && r <= '9' || r == '_':
	default:
		w.endWord()
		w.put(r, i)
		w.word = len(w.out)
		return
	}
	w.put(r, i)
}

// place puts a part of a character into the text.
func (w *folder) place(p part, i int) {
	switch p.kind {
	case ascii:
		w.letter(p.r, i)
		return
	case mark:
		return
	case twin:
		w.foreign++
	case latin:
		w.latin++
	case letter:
		w.foreign += 1 << 16
	case sign:
		w.endWord()
		w.put(p.r, i)
		w.word = len(w.out)
		return
	}
	w.put(p.r, i)
}

func (w *folder) put(r rune, i int) {
	n := len(w.out)
	if n+utf8.UTFMax > cap(w.out) { // it grows once
		w.out = slices.Grow(w.out, w.longest+limits.Default.FoldRoom-n)
		w.from = slices.Grow(w.from, w.longest+limits.Default.FoldRoom-n)
	}
	w.out = utf8.AppendRune(w.out, r)
	for range len(w.out) - n {
		w.from = append(w.from, int32(i))
	}
}

// endWord replaces letters that look Latin in a word that holds no others.
func (w *folder) endWord() {
	if w.foreign > 0 && w.foreign < 1<<16 {
		word, from := string(w.out[w.word:]), append([]int32(nil), w.from[w.word:]...)
		if w.latin > 0 && len(word) > utf8.UTFMax && cyrillic(word) {
			w.Signs.add(MixedScript, int(from[0]))
		}
		w.out, w.from = w.out[:w.word], w.from[:w.word]
		for i, r := range word {
			if like, has := alike()[r]; has {
				r = like
			}
			w.put(r, int(from[i]))
		}
	}
	w.latin, w.foreign, w.word = 0, 0, len(w.out)
}

// cyrillic says whether a word holds letters of scripts that nobody mixes with Latin in one word. Greek is mixed in
// formulas and units.
func cyrillic(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool {
		return r >= utf8.RuneSelf && unicode.In(r, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee)
	})
}

// decode keeps what was written in tags, selectors or bits. Such letters are gathered over the whole text, since single
// ones are strewn between visible letters.
func (w *folder) decode() {
	if len(w.tags) > 0 {
		w.Smuggled = append(w.Smuggled, string(w.tags))
	}
	if len(w.sels) > 0 {
		w.Smuggled = append(w.Smuggled, printable(w.sels, 0), printable(w.sels, 16))
	}
	const letter = 8
	if len(w.bits) >= letter {
		for _, one := range [...]byte{'1', '0'} {
			b := make([]byte, 0, len(w.bits)/letter)
			for i := 0; i+letter <= len(w.bits); i += letter {
				c := byte(0)
				for _, bit := range w.bits[i : i+letter] {
					c <<= 1
					if bit == one {
						c |= 1
					}
				}
				b = append(b, c)
			}
			w.Smuggled = append(w.Smuggled, printable(b, 0))
		}
	}
}

// printable is the bytes moved up by a number, with blanks for those that are no text.
func printable(b []byte, by byte) string {
	out := make([]byte, len(b))
	for i, c := range b {
		if c += by; c >= ' ' && c < 0x7F {
			out[i] = c
		} else {
			out[i] = ' '
		}
	}
	return string(out)
}

// padding notes blank lines and blanks that push text out of sight. It counts by hand: one look at each byte.
func (f *Folded) padding(s string) {
	lines, run, start := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			lines++
			fallthrough
		case ' ', '\t', '\r':
			if run == 0 {
				start = i
			}
			run++
			continue
		}
		if run > 0 {
			if (lines > blankLines || run > blanks) && start > 0 {
				f.Signs.add(Padding, start)
			}
			lines, run = 0, 0
		}
	}
}
