package secret

import (
	"math"
	"strings"
)

// verdict is what a literal value under a name is.
type verdict uint8

const (
	clean verdict = iota
	weak
	certain
	weakHeuristic // mcp-config-lint-spec's heuristic, on a value that may well be words
	heuristic     // mcp-config-lint-spec's heuristic
)

// level says how much the place alone proves.
type level uint8

const (
	strict level = iota // an environment variable: only what is opaque or password-like
	loose               // after a flag, in a header or a JSON field: shorter ones too
	bare                // after "Bearer" or in a query: whatever is written out
)

// The lengths that the judgement turns on, in bytes.
const (
	specLength     = 20 // "> 20 characters" (mcp-config-lint-spec 2.2)
	opaqueLength   = 16 // the shortest key that vendors give out
	passwordLength = 8
	looseLength    = 6
	shortPassword  = 4
	pathSecret     = 20 // "a path segment of 20+ characters" (warden-doctor)
	numberLength   = 16 // longer numbers may be keys
)

// judge says what a value is under a name. The value is one literal, without quotes and references.
func judge(g gate, key, v string, lvl level) verdict {
	if v == "" || IsPlaceholder(key, v) || harmless(v) {
		return clean
	}
	read := readable(v)
	random := !read && lettersAndDigits(v)
	switch {
	case strings.ContainsAny(v, " \t\r\n"):
		if g == passGate && appPassword(v) {
			return weak
		}
		return clean
	case len(v) > specLength && base64ish(v) && !read:
		if !lettersAndDigits(v) || sequence(v) {
			return weakHeuristic
		}
		return heuristic
	case len(v) > specLength && random:
		return certain
	case len(v) >= opaqueLength && random:
		if lvl == strict {
			return weak
		}
		return certain
	case g == passGate && len(v) >= passwordLength && mixed(v),
		g == passGate && lvl != strict && len(v) >= shortPassword,
		lvl != strict && len(v) >= looseLength && random,
		lvl == bare:
		return weak
	}
	return clean
}

// harmless says that a value is of a sort that is no secret under any name: a boolean, a number, a
// duration, a path, a URL (judged by its parts), an e-mail address, a digest.
func harmless(v string) bool {
	switch strings.ToLower(v) {
	case "true", "false", "yes", "no", "on", "off", "auto", "always", "never", "any", "all", "oauth", "oauth2", "basic", "bearer", "jwt", "oidc":
		return true
	}
	return number(v) || path(v) || strings.Contains(v, "://") || email(v) || digest(v)
}

func number(v string) bool {
	t := strings.TrimRight(strings.TrimLeft(v, "+-"), "smhdwKMGTBkb%")
	return len(v) < numberLength && t != "" && strings.Trim(t, "0123456789.,_:") == ""
}

func path(v string) bool {
	rooted := false
	for _, p := range [...]string{"/", "./", "../", "~/", `.\`, `..\`, `\\`, "~\\"} {
		rooted = rooted || strings.HasPrefix(v, p)
	}
	drive := len(v) > 2 && isAlpha(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	if drive {
		return true
	}
	if !rooted && !strings.ContainsAny(v, `/\`) {
		return fileName(v)
	}
	// Standard base64 holds slashes and may begin with one: a path has a segment that can be read.
	segments := strings.FieldsFunc(v, func(r rune) bool { return r == '/' || r == '\\' })
	read := 0
	for _, s := range segments {
		if _, ok := plain(s); ok && len(s) > 2 {
			read += len(s)
		}
	}
	return 2*read >= len(v)-len(segments) || rooted && (read > 3 || !base64ish(v))
}

// fileName: server.key, id.pem, creds.json.
func fileName(v string) bool {
	i := strings.LastIndexByte(v, '.')
	if i <= 0 {
		return false
	}
	switch strings.ToLower(v[i+1:]) {
	case "pem", "key", "crt", "cer", "json", "yaml", "yml", "toml", "txt", "env", "p12", "pfx", "jks", "db", "sqlite", "js", "ts", "py", "sh", "ini", "conf", "cfg", "asc", "gpg", "pub":
		return true
	}
	return false
}

func email(v string) bool {
	local, domain, ok := strings.Cut(v, "@")
	dot := strings.LastIndexByte(domain, '.')
	if !ok || local == "" || dot <= 0 || strings.ContainsAny(domain, "@:/") {
		return false
	}
	tld := domain[dot+1:]
	return len(tld) >= 2 && strings.Trim(strings.ToLower(tld), "abcdefghijklmnopqrstuvwxyz") == ""
}

// digest: sha256:…, sha512-…: what a thing is, not how to get in.
func digest(v string) bool {
	return strings.HasPrefix(v, "sha256:") || strings.HasPrefix(v, "sha512:") || strings.HasPrefix(v, "sha256-") ||
		strings.HasPrefix(v, "sha384-") || strings.HasPrefix(v, "sha512-") || strings.HasPrefix(v, "sha1-") || strings.HasPrefix(v, "md5:")
}

// readable says that a value is made of words: an identifier, a package, a host, a model, a version.
func readable(v string) bool {
	for i := range len(v) {
		if !isAlnum(v[i]) && strings.IndexByte("-_./:@ ,", v[i]) < 0 {
			return false
		}
	}
	_, ok := plain(v)
	return ok
}

// base64ish is the heuristic's alphabet, with the two characters of the URL-safe variant.
func base64ish(v string) bool {
	for i := range len(v) {
		if !isAlnum(v[i]) && strings.IndexByte("+/=_-", v[i]) < 0 {
			return false
		}
	}
	return true
}

func lettersAndDigits(v string) bool {
	letter, digit := false, false
	for i := range len(v) {
		letter = letter || isAlpha(v[i])
		digit = digit || isDigit(v[i])
	}
	return letter && digit
}

// mixed: letters with a digit or with a symbol that words do not hold.
func mixed(v string) bool {
	letter, other := false, false
	for i := range len(v) {
		letter = letter || isAlpha(v[i])
		other = other || !isAlpha(v[i]) && strings.IndexByte("-_. ", v[i]) < 0
	}
	return letter && other
}

// appPassword: four groups of four letters, as Google gives them out.
func appPassword(v string) bool {
	groups := strings.Split(v, " ")
	for _, g := range groups {
		if len(g) != 4 || strings.Trim(g, "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return len(groups) == 4
}

// opaque says that a string by itself, without a name, looks like a capability: one run of letters and
// digits of high entropy that no word explains. For URL paths and fragments only.
func opaque(v string) bool {
	return len(v) >= pathSecret && base64ish(v) && lettersAndDigits(v) && !readable(v) && !filler(v) && !sample(v) && entropy(v) >= pathEntropy
}

// pathEntropy is in bits a byte: a UUID has about 3.5, a word list about 2.5 to 3.
const pathEntropy = 3

func entropy(v string) float64 {
	var count [256]int
	for i := range len(v) {
		count[v[i]]++
	}
	h := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			h -= p * math.Log2(p)
		}
	}
	return h
}
