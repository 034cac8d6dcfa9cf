package secret

import (
	"slices"
	"strings"
)

// gate is what a name says about its value.
type gate uint8

const (
	open     gate = iota // says nothing
	keyGate              // a key, a token, a session: opaque and long
	passGate             // a password or a shared secret: people choose these, so they may be short
)

// SecretName says whether a name (an environment variable, a header, a flag without its dashes, a JSON
// key, a query parameter) says that its value is a secret. It looks at words, so MONKEY_NAME, AUTHOR,
// MAX_TOKENS and TOKENIZERS_PARALLELISM are none, and at the last word, so SECRET_NAME, AUTH_MODE,
// TOKEN_URL, API_KEY_FILE and CLIENT_ID are none either.
func SecretName(key string) bool { return gateOf(key) != open }

func gateOf(name string) gate {
	if !mayGate(name) {
		return open
	}
	var buf [8]string
	ws, _ := split(buf[:0], name, lower(name))
	for len(ws) > 1 && allDigits(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1] // API_KEY_2
	}
	if len(ws) == 0 {
		return open
	}
	last := len(ws) - 1
	if ws[last] == "id" && last > 0 && ws[last-1] == "secret" {
		return keyGate // Vault's and Tencent's SECRET_ID
	}
	if last > 0 && describes(ws[last]) {
		return open
	}
	g := open
	for i, w := range ws {
		if i > 0 && (w == "key" || w == "token") && qualifies(ws[i-1]) {
			continue
		}
		if w == "keys" && (i == 0 || ws[i-1] != "api") {
			continue
		}
		g = max(g, gateOfWord(w))
	}
	return g
}

func gateOfWord(w string) gate {
	switch w {
	case "password", "passwd", "passphrase", "pass", "pwd", "pw", "secret", "credential", "credentials",
		"cred", "creds", "dbpass", "userpass":
		return passGate
	case "key", "keys", "apikey", "apikeys", "token", "auth", "authorization", "signing", "session", "cookie",
		"private", "bearer", "pat", "jwt", "authkey", "signingkey", "encryptionkey", "masterkey", "sessionkey":
		return keyGate
	}
	for _, end := range [...]string{"password", "passwd", "secret", "passphrase"} {
		if strings.HasSuffix(w, end) {
			return passGate // PGPASSWORD, CLIENTSECRET
		}
	}
	for _, end := range [...]string{"apikey", "token", "accesskey", "secretkey", "privatekey"} {
		if strings.HasSuffix(w, end) {
			return keyGate // AUTHTOKEN, AWSSECRETKEY
		}
	}
	return open
}

// describes says that a last word turns the name into one about a secret: where it is, what it is
// called, how long it lives.
func describes(w string) bool {
	switch w {
	case "path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder", "root", "location",
		"url", "urls", "uri", "uris", "host", "hostname", "domain", "port", "address", "endpoint", "server", "origin",
		"region", "issuer", "audience", "realm", "scope", "scopes", "provider", "backend", "store", "storage",
		"name", "names", "id", "ids", "user", "username", "email", "label", "alias", "description", "hint",
		"type", "kind", "mode", "method", "strategy", "format", "encoding", "algorithm", "alg", "version", "flow",
		"enabled", "disabled", "required", "optional", "allowed", "policy", "role", "level", "profile",
		"expiry", "expires", "expiration", "ttl", "timeout", "lifetime", "age", "interval", "duration", "refresh",
		"max", "min", "limit", "limits", "count", "size", "length", "len", "budget", "usage", "cost", "tokens",
		"header", "prefix", "suffix", "field", "param", "parameter", "env", "var", "layout", "parallelism",
		"details", "binding", "bindings", "bus", "samesite", "through", "manager", "command", "cmd", "helper", "script":
		return true
	}
	return false
}

// qualifies says that the word before "key" or "token" makes it one that is no secret.
func qualifies(w string) bool {
	switch w {
	case "public", "publishable", "pub", "sort", "primary", "partition", "foreign", "cache", "row", "group", "routing",
		"hot", "shortcut", "idempotency", "map", "object", "storage", "max", "min", "num", "next", "page", "stop", "eos", "pad":
		return true
	}
	return false
}

// words splits an identifier at everything that is no letter or digit and at the humps of camel case, in
// lower case: "openai_api-key", "openaiApiKey" and "OPENAI_API_KEY" are the same three words.
func words(s string) []string {
	ws, _ := split(nil, s, lower(s))
	return ws
}

// split appends the words of s to ws, as text has them at the same offsets; humps counts the splits that
// only camel case asked for.
func split(ws []string, s, text string) (_ []string, humps int) {
	start := -1
	flush := func(i int) {
		if start >= 0 && i > start {
			ws = append(ws, text[start:i])
		}
	}
	for i := 0; i < len(s); i++ {
		b := s[i]
		if !isAlnum(b) {
			flush(i)
			start = -1
			continue
		}
		if start < 0 {
			start = i
			continue
		}
		prev := s[i-1]
		nextLower := i+1 < len(s) && isLower(s[i+1])
		if isUpper(b) && (isLower(prev) || nextLower && (isUpper(prev) || isDigit(prev))) {
			flush(i)
			start = i
			humps++
		}
	}
	flush(len(s))
	return ws, humps
}

// lower is s in lower case, byte for byte.
func lower(s string) string {
	for i := range len(s) {
		if isUpper(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				if isUpper(b[i]) {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func allDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// squash is s in lower case without anything but letters and digits, to compare spellings.
func squash(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case isUpper(c):
			b = append(b, c+'a'-'A')
		case isLower(c), isDigit(c):
			b = append(b, c)
		}
	}
	return string(slices.Clip(b))
}
