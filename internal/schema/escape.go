package schema

import (
	"strconv"
	"strings"
	"unicode"
)

const (
	digitSet = `0-9`
	wordSet  = `0-9A-Za-z_`
	// spaceSet is WhiteSpace and LineTerminator of ECMA-262, otherSet all but those.
	spaceSet = "\t-\r \u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF"
	otherSet = "\x00-\x08\x0E-\x1F!-\u009F\u00A1-\u167F\u1681-\u1FFF\u200B-\u2027\u202A-\u202E\u2030-\u205E\u2060-\u2FFF\u3001-\uFEFE\uFF00-\U0010FFFF"
	notDigit = "\x00-/:-\U0010FFFF"
	notWord  = "\x00-/:-@\\[-\\^`{-\U0010FFFF"
)

// set is what \d \D \w \W \s \S hold, as the inside of a class.
func set(c rune) string {
	switch c {
	case 'd':
		return digitSet
	case 'D':
		return notDigit
	case 'w':
		return wordSet
	case 'W':
		return notWord
	case 's':
		return spaceSet
	case 'S':
		return otherSet
	}
	return ""
}

// asciiSet is what they hold below 128, nothing for a property.
func asciiSet(c rune) (a ascii) {
	switch c {
	case 'd', 'D':
		a = span('0', '9')
	case 'w', 'W':
		a = span('0', '9').with(span('A', 'Z')).with(span('a', 'z')).with(span('_', '_'))
	case 's', 'S':
		a = span('\t', '\r').with(span(' ', ' '))
	case 'p', 'P':
		return a
	}
	if c < 'a' {
		a = a.not()
	}
	return a
}

// escape reads what follows a backslash outside a class.
func (r *reader) escape() (item piece, repeatable bool) {
	if r.at == len(r.s) {
		r.fail("it ends in a backslash")
		return piece{}, false
	}
	item = piece{size: 1}
	switch c := r.peek(); {
	case c == 'b' || c == 'B':
		switch {
		case r.form != backForm:
			r.write(r.s[r.at-1 : r.at+1])
		case c == 'b':
			r.write("(?:(?<=[" + wordSet + "])(?![" + wordSet + "])|(?<![" + wordSet + "])(?=[" + wordSet + "]))")
		default:
			r.write("(?:(?<=[" + wordSet + "])(?=[" + wordSet + "])|(?<![" + wordSet + "])(?![" + wordSet + "]))")
		}
		r.at++
		return piece{nullable: true, size: 1}, false
	case c >= '1' && c <= '9':
		n, _ := r.digits()
		if n > int64(len(r.s)) {
			n = int64(len(r.s)) // no expression has that many groups
		}
		r.backRef = max(r.backRef, int(n))
		r.portable = false
		r.write(`(?:\` + strconv.FormatInt(n, 10) + `)`)
		return piece{nullable: true, size: 1}, true
	case c == 'k':
		r.at++
		r.hasK = true
		if !r.has("<") {
			r.loosely(`\k stands for k`)
			r.writeRune('k')
			return item, true
		}
		if name, ok := r.name(); ok {
			r.nameRefs = append(r.nameRefs, name)
			r.portable = false
			r.write(`(?:\` + strconv.Itoa(r.names[name]) + `)`)
			if r.names[name] == 0 {
				r.inert = true // a reference ahead of its group, or to none
			}
		}
		return piece{nullable: true, size: 1}, true
	}
	c, class := r.escaped(false)
	switch {
	case class != "":
		r.one = asciiSet(c)
		r.write("[" + class + "]")
	default:
		r.one = span(c, c)
		r.writeRune(c)
	}
	return item, true
}

// escaped reads an escape that stands for a character, or for a set as the inside of a class.
func (r *reader) escaped(inClass bool) (c rune, class string) {
	if r.at == len(r.s) {
		r.fail("it ends in a backslash")
		return 0, ""
	}
	switch c = r.next(); c {
	case 'd', 'D', 'w', 'W', 's', 'S':
		return c, set(c)
	case 'p', 'P':
		return c, r.property(c)
	case 't':
		return '\t', ""
	case 'n':
		return '\n', ""
	case 'v':
		return '\v', ""
	case 'f':
		return '\f', ""
	case 'r':
		return '\r', ""
	case '0':
		if r.peek()-'0' <= 9 {
			r.loosely("an octal escape")
			r.inert = true
		}
		return 0, ""
	case 'c':
		if l := r.peek(); 'a' <= l|0x20 && l|0x20 <= 'z' {
			r.at++
			return rune(l & 0x1F), ""
		}
		r.loosely(`\c stands for a backslash and c`)
		r.inert = true
		return 'c', ""
	case 'x':
		return r.hex(2, 'x'), ""
	case 'u':
		return r.unicode(), ""
	case '^', '$', '\\', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '/':
		return c, ""
	case '-':
		if inClass {
			return c, ""
		}
	case 'b':
		if inClass {
			return '\b', ""
		}
	}
	if inClass && '1' <= c && c <= '9' {
		r.loosely("an octal escape")
		r.inert = true
		return c, ""
	}
	r.loosely(`\%s stands for %[1]s`, shown(string(c)))
	return c, ""
}

// hex reads n hexadecimal digits; without them the letter stands for itself.
func (r *reader) hex(n int, letter rune) rune {
	if r.at+n <= len(r.s) {
		if v, err := strconv.ParseUint(r.s[r.at:r.at+n], 16, 32); err == nil && r.peek() != '+' {
			r.at += n
			return rune(v)
		}
	}
	r.loosely(`\%c stands for %[1]c`, letter)
	return letter
}

// unicode reads what follows \u.
func (r *reader) unicode() rune {
	if r.peek() == '{' {
		end := strings.IndexByte(r.s[r.at:min(len(r.s), r.at+len("{000000010FFFF}"))], '}')
		if end > 1 {
			if v, err := strconv.ParseUint(r.s[r.at+1:r.at+end], 16, 32); err == nil && v <= unicode.MaxRune {
				r.at += end + 1
				r.coded = true
				return rune(v)
			}
		}
		r.loosely(`\u stands for u`)
		r.inert = true // u{5} is five of them
		return 'u'
	}
	c := r.hex(4, 'u')
	if c >= 0xD800 && c < 0xDC00 && strings.HasPrefix(r.s[r.at:], `\u`) {
		from := r.at
		r.at += len(`\u`)
		if low := r.hex(4, 'u'); low >= 0xDC00 && low < 0xE000 {
			return (c-0xD800)<<10 + (low - 0xDC00) + 0x10000
		}
		r.at = from
	}
	return c
}

// property reads what follows \p, and is the inside of a class.
func (r *reader) property(letter rune) string {
	end := -1
	if r.peek() == '{' {
		end = strings.IndexByte(r.s[r.at:min(len(r.s), r.at+longestProperty)], '}')
	}
	if end < 0 {
		r.loosely(`\%c stands for %[1]c`, letter)
		r.inert = true
		return "p"
	}
	name := r.s[r.at+1 : r.at+end]
	known, ours := property(name)
	if !known {
		r.loosely(`\%c{%s} names no Unicode property`, letter, name)
		r.inert = true
		return "p"
	}
	r.at += end + 1
	if ours == "" {
		r.inert = true
		return "p"
	}
	return `\` + string(letter) + "{" + ours + "}"
}

// longestProperty is more than the longest \p{…} of ECMA-262 takes.
const longestProperty = 64

// property says whether ECMA-262 knows a property, as far as this program does, and by which name RE2 and regexp2 do.
func property(name string) (known bool, ours string) {
	key, value, pair := strings.Cut(name, "=")
	if pair {
		switch key {
		case "General_Category", "gc":
			return category(value)
		case "Script", "sc":
			if _, ok := unicode.Scripts[value]; ok {
				return true, value
			}
			return isName(value), ""
		case "Script_Extensions", "scx":
			return isName(value), ""
		}
		return false, ""
	}
	if known, ours = category(name); known {
		return known, ours
	}
	if _, ok := unicode.Properties[name]; ok {
		return true, ""
	}
	switch name {
	case "ASCII", "Alphabetic", "Alpha", "Any", "Assigned", "Bidi_Control", "Bidi_Mirrored", "Case_Ignorable", "CI", "Cased",
		"Changes_When_Lowercased", "CWL", "Changes_When_Uppercased", "CWU", "Default_Ignorable_Code_Point", "DI",
		"Emoji", "Emoji_Component", "EComp", "Emoji_Modifier", "EMod", "Emoji_Modifier_Base", "EBase", "Emoji_Presentation", "EPres",
		"Extended_Pictographic", "ExtPict", "Grapheme_Base", "Gr_Base", "Grapheme_Extend", "Gr_Ext", "ID_Start", "IDS",
		"ID_Continue", "IDC", "Lowercase", "Lower", "Math", "Uppercase", "Upper", "XID_Start", "XIDS", "XID_Continue", "XIDC", "space":
		return true, ""
	}
	return false, ""
}

func category(name string) (known bool, ours string) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	_, known = unicode.Categories[name]
	if name == "LC" || name == "Cn" { // regexp2 knows neither
		return known, ""
	}
	if !known {
		return false, ""
	}
	return true, name
}

func isName(s string) bool {
	for _, c := range []byte(s) {
		if c != '_' && !('a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return s != ""
}

// class reads a class after its opening bracket.
func (r *reader) class() {
	negated := r.has("^")
	if r.has("]") {
		if negated {
			r.write("[\x00-\U0010FFFF]")
		} else {
			r.write("[^\x00-\U0010FFFF]")
		}
		return
	}
	if negated {
		r.write("[^")
	} else {
		r.write("[")
	}
	low, isSet := rune(-1), false // what a - may stand after
	var holds ascii
	for r.at < len(r.s) {
		if r.has("]") {
			r.write("]")
			if r.one = holds; negated {
				r.one = holds.not()
			}
			return
		}
		if r.peek() == '-' && low >= 0 && !strings.HasPrefix(r.s[r.at:], "-]") {
			r.at++
			c, class := r.member()
			if class != "" || isSet {
				r.loosely("a range of a class ends in a set")
				r.writeRune('-')
				r.writeMember(c, class)
				low = -1
				continue
			}
			if c < low {
				r.fail("a range of a class is out of order")
				return
			}
			holds = holds.with(span(low, c))
			r.write("-")
			r.writeRune(c)
			low = -1
			continue
		}
		c, class := r.member()
		if r.bad != "" {
			return
		}
		r.writeMember(c, class)
		if low, isSet = c, class != ""; isSet {
			holds = holds.with(asciiSet(c))
		} else {
			holds = holds.with(span(c, c))
		}
	}
	r.fail("a class does not end")
}

func (r *reader) writeMember(c rune, class string) {
	if class != "" {
		r.write(class)
	} else {
		r.writeRune(c)
	}
}

// member reads one character or set of a class.
func (r *reader) member() (c rune, class string) {
	if r.has(`\`) {
		return r.escaped(true)
	}
	return r.next(), ""
}

// references judges what could not be known before the end.
func (r *reader) references() {
	if r.backRef > r.groups {
		r.loosely("a reference to group %d of %d", r.backRef, r.groups)
		r.inert = true
	}
	if !r.hasK {
		return
	}
	for _, name := range r.nameRefs {
		if _, ok := r.names[name]; !ok {
			if r.names != nil {
				r.fail("a reference to a group that has no such name")
			} else {
				r.loosely(`\k stands for k`)
			}
			r.inert = true
		}
	}
}
