package client

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
)

// InURL says that the secret is part of a URL: user information, query, path or fragment.
func (x *Secret) InURL() bool {
	switch x.Kind {
	case secret.UserInfo, secret.URLQuery, secret.URLPath, secret.URLFragment:
		return true
	}
	return x.Field == "url"
}

// Place names where the secret stands, for people: env "API_KEY", the arguments.
func (x *Secret) Place() string {
	switch x.Field {
	case "env":
		return `env "` + x.Key + `"`
	case "headers":
		return `header "` + x.Key + `"`
	case "url", "other":
		return `"` + x.Key + `"`
	case "input":
		return `the default of input "` + x.Key + `"`
	case "run":
		return x.Key
	}
	return x.Field
}

// Move is how a secret leaves its file: a variable takes its value, and a reference its place.
type Move struct {
	Variable string
	Edits    []finding.Edit
}

// Move plans how a secret of the file becomes a reference to the environment in the spelling of the file's client. Over
// the whole file one value gives one variable, and two values give two. ok is false where the client reads no
// reference in that place, and for a value that is too long to be looked at once a secret.
func (f *File) Move(x Secret) (m Move, ok bool) {
	if x.Value.Node.Shared() || len(x.Value.Value) > limits.Default.MatchUnit {
		return m, false
	}
	m.Variable = f.variables()[spot{x.Value.Node, x.Start}]
	start, end := x.Start, x.End
	if r, in := defaultAround(x); in {
		start, end = r.Start, r.End
	}
	text, ok := f.Reference(x.Field, m.Variable, x.Value.Value[end:])
	if m.Variable == "" || !ok {
		return m, false
	}
	m.Edits = x.Value.Rewrite(Splice{start, end, text})
	return m, len(m.Edits) > 0
}

// Splice puts Text in the place of bytes Start to End of a string's text.
type Splice struct {
	Start, End int
	Text       string
}

// Rewrite makes splices, given in order, that bring no quote, backslash or control character. It edits inside of the
// quotes where these hold the text as it is, and writes the whole value anew where they do not: but never another
// secret in it, since reports show edits. It answers none then.
func (s Str) Rewrite(parts ...Splice) []finding.Edit {
	if in, ok := s.Node.Inner(); ok && in != s.Node.Span() {
		edits := make([]finding.Edit, 0, len(parts))
		for _, p := range parts {
			edits = append(edits, finding.Edit{Offset: in.Start + p.Start, Length: p.End - p.Start, Text: p.Text})
		}
		return edits
	}
	var b strings.Builder
	from := 0
	for _, p := range parts {
		b.WriteString(s.Value[from:p.Start])
		b.WriteString(p.Text)
		from = p.End
	}
	b.WriteString(s.Value[from:])
	key, text := nameOf(s.Node), b.String()
	if len(secret.Value(key, text))+len(secret.Header(key, text))+len(secret.URL(text))+len(line(text)) > 0 {
		return nil
	}
	return []finding.Edit{s.Node.Replace(source.Quote(text))}
}

// defaultAround is the reference whose default the secret is: ${TOKEN:-secret}.
func defaultAround(x Secret) (Ref, bool) {
	for _, r := range Refs(x.Value.Value) {
		if r.Default && r.Start < x.Start && x.End < r.End {
			return r, true
		}
	}
	return Ref{}, false
}

// spot is the place of one secret in its file.
type spot struct {
	node  source.Node
	start int
}

// variables names a variable for every secret of the file.
func (f *File) variables() map[spot]string {
	if f.vars != nil {
		return f.vars
	}
	f.vars = map[spot]string{}
	n := namer{referred: map[string]*Server{}, entries: map[string]bool{}, given: map[string]bool{}, last: map[string]int{}}
	for _, s := range f.Servers {
		for _, u := range s.Refs() {
			if by, ok := n.referred[u.Name]; ok && by != s {
				n.referred[u.Name] = nil // by several
				continue
			}
			n.referred[u.Name] = s
		}
		for _, p := range s.Env {
			n.entries[p.Key] = true
		}
	}
	byValue := map[string]string{}
	for _, s := range f.Servers {
		for _, x := range s.Secrets() {
			if len(x.Value.Value) > limits.Default.MatchUnit {
				continue
			}
			value := x.Value.Value[x.Start:x.End]
			name, known := byValue[value]
			if !known {
				name = n.name(s, x)
				byValue[value], n.given[name] = name, true
			}
			f.vars[spot{x.Value.Node, x.Start}] = name
		}
	}
	return f.vars
}

// namer knows the names that a file uses already.
type namer struct {
	referred map[string]*Server // by a reference, of that server alone or (nil) of several
	entries  map[string]bool    // of env entries
	given    map[string]bool    // to secrets
	last     map[string]int     // the number at the end of the last name that was given for one
}

// name names a variable that nothing else in the file names: for the value of an env entry the entry's own name, which
// the same server may refer to, for a default its reference's, else one made of the server and of what stands beside
// the secret.
func (n *namer) name(s *Server, x Secret) string {
	if r, ok := defaultAround(x); ok && !n.given[r.Name] {
		return r.Name
	}
	whole := strings.TrimSpace(x.Value.Value) == x.Value.Value[x.Start:x.End]
	if by, ok := n.referred[x.Key]; x.Field == "env" && whole && launch.IsName(x.Key) && (!ok || by == s) && !n.given[x.Key] {
		return x.Key
	}
	base := capitals(s.Name)
	if len(secret.Text(s.Name)) > 0 { // a variable is printed, and capitals hide nothing
		base = ""
	}
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = "MCP" + strings.TrimSuffix("_"+base, "_")
	}
	name := base
	switch part := label(s, x); {
	case part == "" || part == "AUTHORIZATION" || part == "AUTH" || part == "BEARER" || part == "HEADER":
		name += "_API_KEY"
	case strings.HasPrefix(part, base+"_"):
		name = part
	default:
		name += "_" + part
	}
	for try := name; ; try = name + "_" + strconv.Itoa(n.last[name]) {
		if _, ok := n.referred[try]; !ok && !n.entries[try] && !n.given[try] {
			return try
		}
		n.last[name] = max(n.last[name]+1, 2)
	}
}

// label is what stands beside a secret and says what it is, in capitals: the flag, the KEY of KEY=value, the header,
// the parameter.
func label(s *Server, x Secret) string {
	if x.Kind == secret.UserInfo {
		return "PASSWORD"
	}
	before := strings.TrimRight(x.Value.Value[:x.Start], " \t\"'\\")
	for _, scheme := range [...]string{"bearer", "basic", "token"} {
		if n := len(before) - len(scheme); n >= 0 && strings.EqualFold(before[n:], scheme) {
			before = strings.TrimRight(before[:n], " \t\"'\\")
		}
	}
	if n := len(before); n > 0 && strings.IndexByte("=: ", before[n-1]) >= 0 || x.Field == "args" && before != "" && before[0] == '-' {
		before = strings.TrimRight(before, "=: \t\"'\\")
		word := before[strings.LastIndexAny(before, " \t\"'?&;,{")+1:]
		if plain, err := url.PathUnescape(word); err == nil {
			word = plain
		}
		if word != "" && !strings.Contains(word, "/") {
			return capitals(strings.TrimPrefix(strings.ToUpper(humps(word)), "X-"))
		}
	}
	switch x.Field {
	case "headers":
		return capitals(strings.TrimPrefix(strings.ToUpper(x.Key), "X-"))
	case "env", "other":
		if x.Field == "env" && before != "" {
			return capitals(humps(x.Key)) + "_TOKEN"
		}
		return capitals(humps(x.Key))
	case "args":
		return s.flagBefore(x.Value.Node)
	}
	return ""
}

// flagBefore is the flag in front of an argument, "" for none.
func (s *Server) flagBefore(n source.Node) string {
	i, ok := slices.BinarySearchFunc(s.Args, n.Span().Start, func(a Str, at int) int { return a.Node.Span().Start - at })
	if !ok || i == 0 {
		return ""
	}
	flag := s.Args[i-1].Value
	if !strings.HasPrefix(flag, "-") || strings.ContainsAny(flag, "= ") {
		return ""
	}
	return capitals(humps(strings.TrimLeft(flag, "-")))
}

// humps parts the words of camel case.
func humps(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			b.WriteByte('_')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// capitals writes a text as the name of a variable: ASCII letters and digits in capitals, with one underscore between.
func capitals(s string) string {
	var b strings.Builder
	gap := false
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteByte(c)
	}
	return b.String()
}
