package secret

import "strings"

// piece is a stretch of a value that is written out, as opposed to a reference to what is kept elsewhere.
type piece struct {
	start, end int
	// quoted: the text of a command or an address in a secret store. Only a vendor's shape counts in it.
	quoted bool
}

// IsReference says whether a value carries nothing itself: it is made of references, in the grammar of
// any client, shell, template language or secret store, of authorization schemes, and of separators.
// A reference with a literal default carries that literal, unless the literal is a placeholder.
func IsReference(value string) bool {
	if reference(value) || borne(value) {
		return true
	}
	ps := pieces(value)
	if len(ps) == 1 && ps[0] == (piece{0, len(value), false}) || value == "" {
		return false
	}
	for _, p := range ps {
		if p.quoted {
			continue
		}
		t := strings.Trim(value[p.start:p.end], " \t\r\n\"'`:;,/_.-+=|")
		if t != "" && !isScheme(t) && !IsPlaceholder("", t) {
			return false
		}
	}
	return true
}

// pieces cuts a value at its references and returns what is written out, in order: the text between
// references, the default of `${T:-text}`, and (quoted) commands and addresses. It is one pass: what is
// opened and never closed is text.
func pieces(v string) []piece {
	if v == "" {
		return nil
	}
	if whole(v) {
		return []piece{{0, len(v), false}}
	}
	if isAddress(v) {
		return []piece{{0, len(v), true}}
	}
	r := refs{v: v, braces: braces(v)}
	return r.cut()
}

// whole says that a value is one piece of text, which most are.
func whole(v string) bool { return !strings.ContainsAny(v, "${%`") && !isAddress(v) }

type refs struct {
	v      string
	braces []brace // every "${" by its offset
	out    []piece
	from   int // start of the text that is open
	// unclosed remembers closers that do not occur any more, so that looking for them stays linear.
	unclosed [3]bool
}

const (
	noCurly = iota
	noParen
	noTick
)

func (r *refs) emit(end int, quoted bool) {
	if end > r.from {
		r.out = append(r.out, piece{r.from, end, quoted})
	}
}

// jump closes the text at i and reopens it at next; the part between them is a reference, of which
// s[lo:hi] is judged for vendors' shapes.
func (r *refs) jump(i, next, lo, hi int) int {
	r.emit(i, false)
	if hi > lo {
		r.out = append(r.out, piece{lo, hi, true})
	}
	r.from = next
	return next
}

func (r *refs) cut() []piece {
	var ends []int // the "}" of the references whose default is being read
	v := r.v
	for i := 0; i < len(v); {
		if n := len(ends); n > 0 && i == ends[n-1] {
			ends = ends[:n-1]
			r.emit(i, false)
			i++
			r.from = i
			continue
		}
		switch {
		case strings.HasPrefix(v[i:], "${"):
			end := r.closer(i)
			if end < 0 {
				i += 2
				continue
			}
			r.emit(i, false)
			if def := defaultOf(v, i+2, end); def < end {
				ends = append(ends, end)
				i, r.from = def, def
				continue
			}
			i = end + 1
			r.from = i
		case strings.HasPrefix(v[i:], "{{"):
			i = r.until(i, i+2, "}}", noCurly, false)
		case strings.HasPrefix(v[i:], "$("):
			i = r.until(i, i+2, ")", noParen, true)
		case v[i] == '`':
			i = r.until(i, i+1, "`", noTick, true)
		case v[i] == '{':
			if end := braceRef(v, i); end > 0 {
				i = r.jump(i, end, 0, 0)
				continue
			}
			i++
		case v[i] == '$':
			if end := shellVar(v, i); end > 0 {
				i = r.jump(i, end, 0, 0)
				continue
			}
			i++
		case v[i] == '%':
			if end := cmdVar(v, i); end > 0 {
				i = r.jump(i, end, 0, 0)
				continue
			}
			i++
		default:
			i++
		}
	}
	r.emit(len(v), false)
	return r.out
}

// until jumps over a reference that ends with stop; the text inside is kept as quoted when keep is set.
func (r *refs) until(i, body int, stop string, which int, keep bool) int {
	if r.unclosed[which] {
		return body
	}
	n := strings.Index(r.v[body:], stop)
	if n < 0 {
		r.unclosed[which] = true
		return body
	}
	end := body + n
	if keep {
		return r.jump(i, end+len(stop), body, end)
	}
	return r.jump(i, end+len(stop), 0, 0)
}

// brace is a "${" and its "}", or -1.
type brace struct{ open, close int }

// braces pairs every "${" with its "}", nested ones too.
func braces(v string) []brace {
	var out []brace
	var open []int // indexes into out; -1 for a "{" alone
	for i := 0; i < len(v); i++ {
		switch {
		case v[i] == '$' && i+1 < len(v) && v[i+1] == '{':
			open = append(open, len(out))
			out = append(out, brace{i, -1})
			i++
		case v[i] == '{' && len(open) > 0:
			open = append(open, -1)
		case v[i] == '}' && len(open) > 0:
			if n := open[len(open)-1]; n >= 0 {
				out[n].close = i
			}
			open = open[:len(open)-1]
		}
	}
	return out
}

// closer returns the offset of the "}" for the "${" at i, or -1. Offsets are asked for in order.
func (r *refs) closer(i int) int {
	for len(r.braces) > 0 && r.braces[0].open < i {
		r.braces = r.braces[1:]
	}
	return r.braces[0].close
}

// defaultOf returns where the default of the reference whose name starts at i begins, or end without one:
// ${V:-d}, ${V-d}, ${V:=d}, ${V=d}, ${V:+d} and ${V+d} have one; ${V:?message}, ${env:V}, ${input:id} and
// ${config:a.b} have none.
func defaultOf(v string, i, end int) int {
	if i < end && v[i] == '{' {
		return end // ${{ secrets.V }}
	}
	for i < end && isWord(v[i]) {
		i++
	}
	if i < end && (v[i] == ':' || v[i] == '.') {
		if v[i] == ':' && i+1 < end && strings.IndexByte("-=+", v[i+1]) >= 0 {
			return i + 2
		}
		// ${env:V:-d} and ${env:V}: the name goes on
		for i < end && (isWord(v[i]) || v[i] == ':' || v[i] == '.' || v[i] == '-') {
			if v[i] == ':' && i+1 < end && strings.IndexByte("-=+", v[i+1]) >= 0 {
				return i + 2
			}
			i++
		}
		return end
	}
	if i < end && strings.IndexByte("-=+", v[i]) >= 0 {
		return i + 1
	}
	return end
}

// braceRef recognises {env:V}, {file:path} and the like at i and returns its end, or 0.
func braceRef(v string, i int) int {
	for _, name := range [...]string{"env:", "file:", "input:", "secret:", "secrets.", "env."} {
		if !strings.HasPrefix(v[i+1:], name) {
			continue
		}
		for j := i + 1 + len(name); j < len(v); j++ {
			switch v[j] {
			case '}':
				return j + 1
			case '{', '"', '\n':
				return 0
			}
		}
	}
	return 0
}

// shellVar recognises $VAR, $var and $env:VAR at i and returns its end, or 0. A dollar sign inside a word
// is part of a password, and so is one before letters and digits in lower case.
func shellVar(v string, i int) int {
	if i > 0 && (isAlnum(v[i-1]) || v[i-1] == '$') {
		return 0
	}
	j := i + 1
	if strings.HasPrefix(v[j:], "env:") {
		j += len("env:")
	}
	start, lower, digit := j, false, false
	for j < len(v) && isWord(v[j]) {
		lower = lower || isLower(v[j])
		digit = digit || isDigit(v[j])
		j++
	}
	if j == start || isDigit(v[start]) || lower && digit {
		return 0
	}
	if j < len(v) && strings.IndexByte(" \t\r\n:/@,;&\"'?=.-)]}|+$<\\%", v[j]) < 0 {
		return 0
	}
	return j
}

// cmdVar recognises %VAR% at i and returns its end, or 0. Percent-encoded bytes are none.
func cmdVar(v string, i int) int {
	j := i + 1
	for j < len(v) && isWord(v[j]) {
		j++
	}
	if j < len(v) && v[j] == '%' && j-i > len("%XX") && !isDigit(v[i+1]) {
		return j + 1
	}
	return 0
}

// isAddress says that a whole value is an address in a secret store or a named place: op://vault/item.
func isAddress(v string) bool {
	if strings.IndexByte(v, ':') < 0 {
		// Google Secret Manager: projects/p/secrets/s/versions/latest
		return strings.HasPrefix(v, "projects/") && strings.Contains(v, "/secrets/")
	}
	v = strings.TrimSpace(v)
	if strings.HasPrefix(v, "http") {
		return false // as most do
	}
	for _, p := range [...]string{
		"op://", "vault://", "vault:", "keyring:", "keychain:", "awssm://", "aws-sm://", "awsssm://", "aws-ssm://",
		"gcpsm://", "gcp-sm://", "azkv://", "akv://", "azurekv://", "secretref:", "secretref+", "secret://", "secrets://", "pass://",
		"bws://", "bitwarden://", "bw://", "doppler://", "infisical://", "sops://", "ref+", "env://", "file://", "mcpm:keychain:",
		"arn:aws:secretsmanager:", "arn:aws:ssm:", "dashlane://", "lastpass://", "akeyless://", "conjur://", "1password://",
	} {
		if len(v) > len(p) && strings.EqualFold(v[:len(p)], p) && !strings.ContainsAny(v, " \t\r\n") {
			return true
		}
	}
	for _, p := range [...]string{"env:", "file:", "input:"} {
		if rest, ok := strings.CutPrefix(v, p); ok && rest != "" && !strings.ContainsAny(rest, " \t\r\n{}") {
			return true
		}
	}
	return false
}

// isScheme says that a word is an authorization scheme.
func isScheme(w string) bool {
	switch strings.ToLower(w) {
	case "bearer", "basic", "token", "apikey", "api-key", "bot", "digest", "negotiate", "ntlm", "hawk", "ssws",
		"key", "splunk", "sharedkey", "sharedaccesssignature", "aws4-hmac-sha256", "oauth", "jwt", "genie-key",
		"genericapikey", "klaviyo-api-key", "private-token", "privatetoken", "zoho-oauthtoken", "pve":
		return true
	}
	return false
}
