package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsPlaceholder says whether a value only stands where a secret belongs: YOUR_X, your-x, <X>, {x},
// [YOUR-PASSWORD], X_HERE, xoxb-your-token, ghp_xxxx, get-from-console, changeme, "...", and a value that
// is its own name in any spelling. An authorization scheme before it is skipped. A value with a random
// part is no placeholder, whatever words stand around it. The empty value is none.
func IsPlaceholder(key, value string) bool {
	lo, hi := trimmed(value, 0, len(value))
	v := value[lo:hi]
	if scheme, rest, ok := strings.Cut(v, " "); ok && isScheme(scheme) {
		v = strings.TrimSpace(rest)
	}
	if v == "" {
		return false
	}
	if bracketed(v) || filler(v) || foreign(v) || verb(v) || strings.EqualFold(v, "n/a") {
		return true
	}
	if k := squash(key); k != "" && k == squash(v) {
		return true
	}
	ws, ok := plain(v)
	if !ok {
		return sample(v)
	}
	if len(ws) == 0 {
		return strings.Trim(v, ".-_*#?•…") == "" // "...", "---"
	}
	for _, w := range ws {
		if standsIn(w) || standsIn(strings.TrimRight(w, "0123456789")) {
			return true
		}
	}
	// "openai-api-key", "PERPLEXITY_API_KEY", "github token": words that end in what is asked for.
	last := ws[len(ws)-1]
	return gateOfWord(last) != open || last == "value" || last == "string"
}

// verb: "%s", as in a format.
func verb(v string) bool { return v[0] == '%' && len(v) <= len("%0.2f") && isLower(v[len(v)-1]) }

// bracketed: <X> among words, and {x}, [x], (x), __X__ and @@X@@ as the whole value.
func bracketed(v string) bool {
	if strings.HasPrefix(v, "<secret:") {
		return true // what this package writes; it may be cut at its space
	}
	if i := strings.IndexByte(v, '<'); i >= 0 {
		if j := strings.IndexByte(v[i:], '>'); j > 1 && phrase(v[i+1:i+j]) && phrase(v[:i]) && phrase(v[i+j+1:]) {
			return true
		}
	}
	for _, p := range [...][2]string{{"{", "}"}, {"[", "]"}, {"(", ")"}, {"__", "__"}, {"@@", "@@"}, {"##", "##"}, {"|", "|"}, {"$", "$"}} {
		if len(v) > len(p[0])+len(p[1]) && strings.HasPrefix(v, p[0]) && strings.HasSuffix(v, p[1]) &&
			phrase(v[len(p[0]):len(v)-len(p[1])]) {
			return true
		}
	}
	return false
}

// phrase says that s is a name or a phrase, and not a secret between brackets.
func phrase(s string) bool {
	if strings.ContainsAny(s, `"\`) {
		return false
	}
	_, ok := plain(s)
	return ok
}

// filler: "xxxx", "****", "0000 0000", "...", "sk-...", and bodies of one or two characters.
func filler(v string) bool {
	if strings.Contains(v, "...") || strings.Contains(v, "…") {
		return true
	}
	run, longest := 1, 1
	for i := 1; i < len(v); i++ {
		if v[i]|0x20 != v[i-1]|0x20 {
			run = 1
			continue
		}
		run++
		longest = max(longest, run)
		if run >= fillRun && strings.IndexByte("xX*#?", v[i]) >= 0 {
			return true
		}
	}
	// One character nearly throughout, as in ghp_000000. A real token may hold a long run: Twitter's begin
	// with 22 times A.
	return longest >= fillRun && 2*longest >= len(v) || strings.Contains(v, "••") || oneCharacter(v)
}

// oneCharacter: 00000000-0000-0000-0000-000000000000.
func oneCharacter(v string) bool {
	n := 0
	var first byte
	for i := range len(v) {
		switch {
		case !isAlnum(v[i]):
		case n == 0:
			first, n = v[i], 1
		case v[i] != first:
			return false
		default:
			n++
		}
	}
	return n >= fillRun
}

const fillRun = 4 // "xxxx"

// foreign: a phrase in a script that no token uses ("你的密钥").
func foreign(v string) bool {
	if isASCII(v) {
		return false
	}
	for _, r := range v {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Arabic, unicode.Greek, unicode.Hebrew, unicode.Thai, unicode.Devanagari) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// sample: published example credentials and words that no generator writes, inside an otherwise random
// value (AKIAIOSFODNN7EXAMPLE).
func sample(v string) bool {
	low := strings.ToLower(v)
	for _, w := range [...]string{
		"example", "placeholder", "changeme", "change_me", "change-me", "redacted", "replaceme", "replace_me", "replace-with", "replace_with",
		"your_", "your-", "_here", "-here", "insert_", "insert-", "yourtoken", "yourkey", "yourapikey", "your_api", "<your", "dummy", "notreal", "not-a-real", "not_a_real",
		"sflkxwrjsmekkf2qt4fwpmejf36pok6yjv_adqssw5c", // the signature of the token on jwt.io
	} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// plain splits a value into words and says whether all of them are readable: letters that can be
// pronounced with at most two digits, or a short number. A random value is cut by camel case into
// crumbs; those are not words.
func plain(v string) (ws []string, ok bool) {
	ws, humps := split(nil, v, lower(v))
	size, long := 0, 0
	for _, w := range ws {
		if !readableWord(w) {
			return nil, false
		}
		size += len(w)
		if n := len(strings.TrimRight(w, "0123456789")); n > abbreviates {
			long += n
		}
	}
	// In camel case, words are not short on average, and most of the text is no abbreviation.
	if humps > 0 && (size < meanHump*len(ws) || 3*long < 2*size) {
		return nil, false
	}
	return ws, true
}

const (
	meanHump    = 4  // letters a word, on average, in an identifier in camel case
	longWord    = 20 // "internationalization"
	abbreviates = 4  // "http", "npm": needs no vowel
	consonants  = 5  // "lengths"
	wordDigits  = 3  // "api03", "s3", "sha256"
	shortNumber = 4  // "2025"
)

func readableWord(w string) bool {
	stem := strings.TrimRight(w, "0123456789")
	number := w[len(stem):]
	switch {
	case stem == "":
		return len(number) <= shortNumber || sequence(number) ||
			len(number) == len("20060102") && (strings.HasPrefix(number, "20") || strings.HasPrefix(number, "19"))
	case len(number) > wordDigits && !sequence(number): // "key123", "password12345"
		return false
	case len(stem) > longWord:
		return false
	}
	digits, run, longest, vowel := 0, 0, 0, false
	for i := range len(stem) {
		switch b := stem[i] | 0x20; {
		case isDigit(stem[i]):
			digits++
			run = 0
		case strings.IndexByte("aeiouy", b) >= 0:
			vowel, run = true, 0
		default:
			run++
			longest = max(longest, run)
		}
	}
	if digits > 0 { // "k8s", "i18n", "2nd"
		return digits <= wordDigits && len(w) <= abbreviates
	}
	return len(stem) <= abbreviates || strings.EqualFold(stem, "https") || vowel && longest <= consonants
}

// sequence says that most characters follow the one before, or repeat it: 12345678, abcdefgh1234.
func sequence(s string) bool {
	if len(s) < 2 {
		return false
	}
	steps := 0
	for i := 1; i < len(s); i++ {
		a, b := s[i-1]|0x20, s[i]|0x20
		if b == a || b == a+1 || isDigit(s[i-1]) && s[i] == '0' && s[i-1] == '9' {
			steps++
		}
	}
	return 4*steps >= 3*(len(s)-1)
}

// standsIn says that a word is one that people write where a secret belongs.
func standsIn(w string) bool {
	switch w {
	case "your", "yours", "my", "our", "some", "any", "actual", "real", "this", "the",
		"example", "examples", "sample", "dummy", "fake", "mock", "placeholder", "foo", "foobar", "foobarbaz", "test", "testing", "demo", "tests",
		"dev", "development", "local", "localhost", "change", "changeme", "changethis", "replace", "replaceme", "replaced",
		"insert", "enter", "paste", "put", "fill", "add", "get", "got", "goes", "obtain", "create", "generate", "generated", "here", "from", "see", "use", "need", "needed", "set",
		"todo", "fixme", "tbd", "tba", "redacted", "removed", "hidden", "masked", "censored", "sanitized", "omitted",
		"none", "null", "nil", "undefined", "unset", "empty", "blank", "na", "default", "optional", "required", "unused", "disabled", "enabled",
		"xx", "xxx", "yourapikey", "yourtoken", "yourkey", "youtoken", "mytoken", "mykey", "mysecret", "mypassword", "yourpassword", "yoursecret", "apikeyhere", "keyhere", "tokenhere",
		"tu", "su", "seu", "sua", "votre", "dein", "deine", "ihr", "ihre", "aqui", "ici", "hier", "cole", "mi", "mein":
		return true
	}
	return false
}
