package guard

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/text"
)

// writes are the words that make a statement change something, wherever they stand in it: some databases want nothing between two
// statements.
var writes = []string{"exec", "execute", "insert", "update", "delete", "merge", "drop", "alter", "create", "truncate", "grant", "revoke"}

// sqlOutside says why a text is not of the verbs that are allowed, "" where it is. Databases differ about quotes, escapes and
// comments: what they read in different ways is taken for the worst of it. What a function does that a statement calls is not seen.
func sqlOutside(v string, allowed []string) string {
	lets := func(word string) bool { return slices.Contains(allowed, word) }
	words, comments, parts, ok := sqlWords(v)
	switch {
	case !ok:
		return "holds quotes or numbers that databases read in different ways"
	case comments && !lets(project.SQLComments):
		return "holds a comment, or what some databases take for one"
	case parts > 1 && !lets(project.SQLMultiple):
		return "holds more than one statement"
	case parts == 0:
		return "holds no statement"
	}
	first, with := true, false
	for _, w := range words {
		verb := w
		switch w {
		case ";":
			first, with = true, false
			continue
		case "desc":
			verb = "describe"
		case "exec":
			verb = "execute"
		}
		switch {
		case first && !slices.Contains(project.SQLVerbs, verb):
			return "begins with no verb that the policy knows"
		case first && !lets(verb), (slices.Contains(writes, w) || with && w == "select") && !lets(verb):
			return "has a verb that the policy does not allow"
		case w == "into" && !lets("insert") && !lets("merge") && !lets("replace"):
			return "writes what it selects"
		}
		with = with || first && w == project.SQLWith
		first = false
	}
	return ""
}

// sqlWords parts a text into its words in small letters, without what is quoted, with ";" between statements. comments says that one
// is in it, parts how many statements there are. ok is false where a quote does not end, or could end elsewhere.
func sqlWords(v string) (words []string, comments bool, parts int, ok bool) {
	if strings.ContainsFunc(v, func(r rune) bool { return r > ' ' && (unicode.IsSpace(r) || text.Unsafe(r)) || r == 0 }) {
		return nil, false, 0, false
	}
	begun := false
	begin := func() {
		if !begun {
			parts++
			words = append(words, "?") // what begins with no word
		}
		begun = true
	}
	for i := 0; i < len(v); {
		c := v[i]
		switch {
		case c == '[' && strings.ContainsAny(v[i:i+1+max(strings.IndexByte(v[i+1:], ']'), 0)], "'\"`"):
			return nil, false, 0, false // a name in brackets, to those who know it
		case c == '\'' && i > 0 && v[i-1]|0x20 == 'q':
			return nil, false, 0, false // Oracle ends such a quote elsewhere
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(v[i+1:], c) // two quotes within are an end and a beginning: all the same here
			if end < 0 {
				return nil, false, 0, false
			}
			if inner := v[i+1 : i+1+end]; strings.ContainsAny(inner, `\`) {
				return nil, false, 0, false
			}
			i += end + 2
			begin()
		case c == '$' && i+1 < len(v) && (v[i+1] == '$' || v[i+1] == '_' || letter(v[i+1])):
			return nil, false, 0, false // a quote in dollars, to those who know it
		case c == '#': // to others it is an operator: what follows is read on
			comments = true
			i++
		case strings.HasPrefix(v[i:], "--"):
			comments = true
			i += 2
			if i == len(v) || v[i] <= ' ' { // else MySQL reads on
				if end := strings.IndexAny(v[i:], "\r\n"); end >= 0 {
					i += end
				} else {
					i = len(v)
				}
			}
		case strings.HasPrefix(v[i:], "/*"):
			comments = true
			end := strings.Index(v[i+2:], "*/")
			if end < 0 || strings.HasPrefix(v[i:], "/*!") || strings.HasPrefix(v[i:], "/*+") || strings.Contains(v[i+2:i+2+end], "/*") {
				return nil, false, 0, false // it runs for some, and ends elsewhere for others
			}
			i += end + 4
		case c == ';':
			words = append(words, ";")
			begun = false
			i++
		case c >= '0' && c <= '9':
			begin()
			if i += number(v[i:]); i < len(v) && (letter(v[i]) || v[i] == '_' || v[i] >= 0x80 || v[i] == '$') {
				return nil, false, 0, false // a name to some, a number and a word to others
			}
		case letter(c) || c == '_' || c >= 0x80:
			from := i
			for i < len(v) && (letter(v[i]) || v[i] == '_' || v[i] >= 0x80 || v[i] >= '0' && v[i] <= '9' || v[i] == '$') {
				i++
			}
			if !begun {
				parts++
			}
			begun = true
			words = append(words, strings.ToLower(v[from:i]))
		default:
			if c > ' ' && c != '(' && c != ')' {
				begin()
			}
			i++
		}
	}
	return words, comments, parts, true
}

// number is how long the number is with which a text begins.
func number(v string) int {
	digits := func(from int, of string) int {
		for from < len(v) && strings.IndexByte(of, v[from]) >= 0 {
			from++
		}
		return from
	}
	const decimal = "0123456789"
	if len(v) > 2 && v[0] == '0' && v[1]|0x20 == 'x' {
		return digits(2, decimal+"abcdefABCDEF")
	}
	n := digits(0, decimal)
	if n < len(v) && v[n] == '.' {
		n = digits(n+1, decimal)
	}
	if n < len(v) && v[n]|0x20 == 'e' {
		exponent := n + 1
		if exponent < len(v) && (v[exponent] == '+' || v[exponent] == '-') {
			exponent++
		}
		if end := digits(exponent, decimal); end > exponent {
			n = end
		}
	}
	return n
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
