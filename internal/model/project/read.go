package project

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// The keys of a server, in the order in which they are written.
const (
	keyServer    = "server"
	keyPackage   = "package"
	keyVersion   = "version"
	keyURL       = "url"
	keyTransport = "transport"
	keyCommand   = "command"
	keyArgs      = "args"
	keyProfiles  = "profiles"
	keyEnv       = "env"
	keyHeaders   = "headers"
	keyRequired  = "required"
	keySecret    = "secret"
	keyDefault   = "default"
	keyValue     = "value"
)

var serverKeys = []string{keyServer, keyPackage, keyVersion, keyURL, keyTransport, keyCommand, keyArgs, keyProfiles, keyEnv, keyHeaders}

// The keys of install.
const (
	keyMinTrust = "minTrust"
	keyMinAge   = "minReleaseAge"
	keyScripts  = "blockInstallScripts"
	keyURLs     = "allowUrlServers"
	keyAllow    = "allow"
	keyDeny     = "deny"
)

var installKeys = []string{keyMinTrust, keyMinAge, keyScripts, keyURLs, keyAllow, keyDeny}

// Types are the package types that a server may name.
var Types = []string{"npm", "pypi", "oci", "nuget", "cargo"}

// transports are the words for how a remote server is spoken with.
var transports = []string{string(client.HTTP), string(client.SSE)}

// Read gives the servers of a project file, nil where it has no such key, and what it says of installing. Faults are all
// that is wrong with both, in their order.
func Read(root source.Node) (servers []Server, install Install, faults []Fault) {
	r := &reader{}
	if v := root.Get("servers"); v.Valid() {
		servers = r.servers(v)
	}
	install = r.install(root.Get("install"))
	slices.SortStableFunc(r.faults, func(a, b Fault) int { return a.At.Start - b.At.Start })
	return servers, install, r.faults
}

type reader struct{ faults []Fault }

func (r *reader) fail(n source.Node, hint, format string, args ...any) {
	r.failAt(n.Span(), hint, format, args...)
}

func (r *reader) failAt(at finding.Span, hint, format string, args ...any) {
	r.faults = append(r.faults, Fault{At: at, Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// quote shows a stranger's word. A key can be a credential that was put into the wrong place.
func quote(s string) string {
	return strconv.Quote(text.Safe(secret.Mask(s), limits.Default.ShownRunes))
}

// mapping says whether a value has members to read. An empty value has none and is no fault.
func (r *reader) mapping(key string, v source.Node) bool {
	switch v.Kind() {
	case source.Object:
		return true
	case source.Null, source.Invalid:
		return false
	}
	r.fail(v, "write its keys below it", "%s is %s, not a mapping", quote(key), v.Kind())
	return false
}

// members visits what a mapping holds and refuses names that stand twice, and, where known says which there are, others.
func (r *reader) members(n source.Node, known []string, visit func(key string, v source.Node)) {
	for c := range n.Children() {
		switch {
		case c.Overridden():
			r.failAt(c.KeySpan(), "keep one of the two", "the key %s stands twice", quote(c.Key()))
		case known != nil && !slices.Contains(known, c.Key()):
			r.failAt(c.KeySpan(), oneOf(c.Key(), known), "unknown key %s", quote(c.Key()))
		default:
			visit(c.Key(), c)
		}
	}
}

func oneOf(word string, known []string) string {
	if near := text.Nearest(word, known, 1); len(near) > 0 {
		return "did you mean " + strconv.Quote(near[0]) + "?"
	}
	return "use " + strings.Join(known, ", ")
}

func (r *reader) servers(v source.Node) []Server {
	all := []Server{}
	if !r.mapping("servers", v) {
		return all
	}
	seen := map[string]string{}
	r.members(v, nil, func(key string, c source.Node) {
		if why, hint := BadName(key); why != "" {
			r.failAt(c.KeySpan(), hint, "the name of a server %s", why)
			return
		}
		if other, twice := seen[strings.ToLower(key)]; twice {
			r.failAt(c.KeySpan(), "give one of them another name", "the names %s and %s differ by case alone", quote(other), quote(key))
			return
		}
		seen[strings.ToLower(key)] = key
		if !r.mapping(key, c) && c.Kind() != source.Null {
			return
		}
		all = append(all, r.server(key, c))
	})
	return all
}

// BadName says why a server can not have a name, and what to do; "" where it can.
func BadName(name string) (why, hint string) {
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty", "give it one"
	case slices.Contains([]string{"__proto__", "constructor", "prototype"}, name):
		return "is " + strconv.Quote(name) + ", which clients written in JavaScript do not take for a name", "give it another"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, text.Unsafe) || strings.TrimSpace(name) != name:
		return quote(name) + " has characters that nobody sees", "write it with letters, digits, and . _ - /"
	case utf8.RuneCountInString(name) > limits.Default.ShownRunes:
		return quote(name) + fmt.Sprintf(" has more than %d characters", limits.Default.ShownRunes), "give it a shorter one"
	}
	return "", ""
}

func (r *reader) server(name string, n source.Node) Server {
	s := Server{Name: name, Node: n, Kind: Named}
	if registry.GoodName(name) {
		s.Kind, s.Of = Registry, name
	}
	how := ""
	r.members(n, serverKeys, func(key string, v source.Node) {
		if v.Kind() == source.Null {
			return
		}
		if kind, ok := map[string]Kind{keyServer: Registry, keyPackage: Package, keyURL: Remote, keyCommand: Command}[key]; ok {
			if how != "" {
				r.failAt(v.KeySpan(), "keep one of the two", "a server has %s or %s, not both", how, key)
				return
			}
			how, s.Kind = key, kind
		}
		switch key {
		case keyServer:
			if of, ok := r.str(key, v); ok {
				if !registry.GoodName(of) {
					r.fail(v, "write it like io.github.example/files", "%s is no name of the registry", quote(of))
				}
				s.Of = of
			}
		case keyPackage:
			r.pack(&s, v)
		case keyVersion:
			s.Version, _ = r.str(key, v)
		case keyURL:
			s.URL = r.url(v)
		case keyTransport:
			if s.Transport, _ = r.str(key, v); s.Transport != "" && !slices.Contains(transports, s.Transport) {
				r.fail(v, oneOf(s.Transport, transports), "unknown transport %s", quote(s.Transport))
			}
		case keyCommand:
			s.Command, _ = r.str(key, v)
		case keyArgs:
			s.Args = r.args(v)
		case keyProfiles:
			s.Profiles = r.list(key, v)
		case keyEnv:
			s.Env = r.variables(key, v)
		case keyHeaders:
			s.Headers = r.variables(key, v)
		}
	})
	r.fits(&s, n)
	return s
}

// fits refuses keys that say nothing of a server of its kind.
func (r *reader) fits(s *Server, n source.Node) {
	if s.Kind != Registry {
		s.Of = ""
	}
	useless := map[Kind][]string{
		Remote:  {keyVersion, keyArgs, keyEnv},
		Command: {keyVersion, keyHeaders, keyTransport},
		Package: {keyHeaders, keyTransport},
		Named:   {keyVersion, keyArgs, keyEnv, keyHeaders, keyTransport},
	}[s.Kind]
	hint := "take it out"
	if s.Kind == Named {
		hint = `say how it is had: server, package, url or command`
	}
	for _, key := range useless {
		if v := n.Get(key); v.Valid() {
			r.failAt(v.KeySpan(), hint, "%s says nothing of a server with %s", key, map[Kind]string{Remote: "a url", Command: "a command", Package: "a package", Named: "a name alone"}[s.Kind])
		}
	}
	if s.Kind == Remote && s.Transport == "" {
		s.Transport = string(client.HTTP)
	}
}

// coordinate is a type and a name there.
var coordinate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + strings.Join(Types, "|") + `):([A-Za-z0-9@][A-Za-z0-9._/:@+-]*)$`)
})

func (r *reader) pack(s *Server, v source.Node) {
	word, ok := r.str(keyPackage, v)
	if !ok {
		return
	}
	m := coordinate().FindStringSubmatch(word)
	if m == nil {
		r.fail(v, "write it like npm:@example/files", "%s is no package", quote(word))
		return
	}
	s.Type, s.Identifier = m[1], m[2]
	if at := strings.LastIndex(s.Identifier, "@"); s.Type != "oci" && at > 0 {
		r.fail(v, "write the version beside it, as version", "the package %s holds a version", quote(word))
	}
}

func (r *reader) url(v source.Node) string {
	s, ok := r.str(keyURL, v)
	if !ok {
		return ""
	}
	switch a, ok := client.RemoteURL(s); {
	case !ok || a.Scheme != "https" && a.Scheme != "http" || a.Host == "":
		r.fail(v, "write it like https://mcp.example.com/mcp", "%s is no address of a server", quote(secret.MaskURL(s)))
	case len(secret.URL(s)) > 0:
		r.fail(v, "put it into headers, as a variable", "the url holds a secret")
	}
	return s
}

// str is the text of a value that must be a string and say something.
func (r *reader) str(key string, v source.Node) (string, bool) {
	s, ok := v.Str()
	switch {
	case !ok && v.Kind() == source.Number:
		r.fail(v, "write it in quotes", "%s is a number", quote(key))
	case !ok:
		r.fail(v, "write it as a string", "%s is %s", quote(key), v.Kind())
	case strings.TrimSpace(s) == "":
		r.fail(v, "write something, or leave the key out", "%s is empty", quote(key))
		ok = false
	case strings.ContainsFunc(s, text.Unsafe):
		r.fail(v, "write it anew", "%s has characters that nobody sees", quote(key))
		ok = false
	}
	return s, ok
}

// list is a list of strings that say something.
func (r *reader) list(key string, v source.Node) (all []string) {
	if v.Kind() != source.Array {
		r.fail(v, "write it as a list, ["+`"…"`+"]", "%s is %s, not a list", quote(key), v.Kind())
		return nil
	}
	for c := range v.Children() {
		if s, ok := r.str(key, c); ok {
			all = append(all, s)
		}
	}
	return all
}

// args are arguments: one may be empty or a number, and none may be a secret, since the file is shared.
func (r *reader) args(v source.Node) (all []string) {
	if v.Kind() != source.Array {
		r.fail(v, `write it as a list, ["--flag"]`, "%s is %s, not a list", quote(keyArgs), v.Kind())
		return nil
	}
	for c := range v.Children() {
		switch c.Kind() {
		case source.String, source.Number, source.Bool:
		default:
			r.fail(c, "write it as a string", "an argument is %s", c.Kind())
			all = append(all, "")
			continue
		}
		if strings.ContainsFunc(scalar(c), text.Unsafe) {
			r.fail(c, "write it anew", "an argument has characters that nobody sees")
		}
		all = append(all, scalar(c))
	}
	for _, hit := range secret.Args(all) {
		r.fail(v.At(hit.Index), "take it out, and give the server a variable in its place", "an argument holds a secret")
	}
	return all
}

func scalar(v source.Node) string { return source.ValueOf(v).Text }

var (
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	headerName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") })
)

func (r *reader) variables(key string, v source.Node) (all []Variable) {
	if !r.mapping(key, v) {
		return nil
	}
	good := variableName()
	if key == keyHeaders {
		good = headerName()
	}
	r.members(v, nil, func(name string, c source.Node) {
		if !good.MatchString(name) {
			r.failAt(c.KeySpan(), "write its name as the server reads it", "%s is no name for one of %s", quote(name), key)
			return
		}
		x := Variable{Name: name}
		switch k := c.Kind(); k {
		case source.String:
			x.Value = r.value(key, name, c)
			all = append(all, x)
			return
		case source.Object, source.Null:
		default:
			r.fail(c, "write it in quotes, or {default: …}, or {required: true, secret: true}", "%s is %s", quote(name), k)
			return
		}
		r.members(c, []string{keyRequired, keySecret, keyDefault, keyValue}, func(field string, v source.Node) {
			switch field {
			case keyRequired:
				x.Required = r.yes(field, v)
			case keySecret:
				x.Secret = r.yes(field, v)
			case keyValue:
				if v.Kind() != source.Null {
					x.Value = r.value(key, name, v)
				}
			default:
				switch v.Kind() {
				case source.String, source.Number, source.Bool:
					x.Default, x.Defaulted = scalar(v), true
				case source.Null:
				default:
					r.fail(v, "write it as a string", "the default of %s is %s", quote(name), v.Kind())
				}
			}
		})
		if d := c.Get(keyDefault); x.Defaulted && (x.Secret || len(secret.Value(name, x.Default)) > 0) {
			r.fail(d, "leave the default out: who runs it sets the variable", "the default of %s is a secret", quote(name))
		} else if x.Defaulted && x.Value != "" {
			r.fail(d, "keep one of the two", "%s has a value and a default", quote(name))
		}
		all = append(all, x)
	})
	return all
}

// value is what a variable or a header is made of.
func (r *reader) value(key, name string, v source.Node) string {
	s, ok := r.str(name, v)
	if !ok {
		return ""
	}
	judge := secret.Value
	if key == keyHeaders {
		judge = secret.Header
	}
	if len(judge(name, s)) > 0 {
		r.fail(v, `write a reference in its place, like "${API_TOKEN}"`, "the value of %s is a secret", quote(name))
	}
	return s
}

func (r *reader) yes(key string, v source.Node) bool {
	b, ok := v.Bool()
	if !ok && v.Kind() != source.Null {
		r.fail(v, "write true or false", "%s is %s", quote(key), v.Kind())
	}
	return b
}

func (r *reader) install(v source.Node) Install {
	in := Install{URLServers: true}
	if !v.Valid() || !r.mapping("install", v) {
		return in
	}
	r.members(v, installKeys, func(key string, v source.Node) {
		if v.Kind() == source.Null {
			return
		}
		switch key {
		case keyMinTrust:
			n, err := strconv.Atoi(scalar(v))
			if v.Kind() != source.Number || err != nil || n < 0 || n > 100 {
				r.fail(v, "write a whole number of per cent, 0 to 100", "%s is none that can be reached", key)
				return
			}
			in.MinTrust = n
		case keyMinAge:
			d, err := Duration(source.ValueOf(v).Text)
			if v.Kind() != source.String || err != nil {
				r.fail(v, "write a number and a unit: 90s, 30m, 24h, 7d", "%s is no time", key)
				return
			}
			in.MinReleaseAge = d
		case keyScripts:
			in.BlockInstallScripts = r.yes(key, v)
		case keyURLs:
			in.URLServers = r.yes(key, v)
		case keyAllow:
			in.Allow = r.list(key, v)
			if v.Kind() == source.Array && v.Len() > len(in.Allow) {
				in.Allow = append(in.Allow, "") // what could not be read lets nothing in
			}
		case keyDeny:
			in.Deny = r.list(key, v)
		}
	})
	return in
}

// Duration reads a number and a unit, 90s to 10 years (mcpm-contracts: ^\d+(s|m|h|d)$).
func Duration(s string) (time.Duration, error) {
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	if s == "" || units[s[len(s)-1:]] == 0 {
		return 0, fmt.Errorf("%s is no time: a number and a unit, 90s, 30m, 24h, 7d", quote(s))
	}
	digits := s[:len(s)-1]
	n, err := strconv.ParseUint(digits, 10, 32)
	unit := units[s[len(s)-1:]]
	if err != nil || n == 0 || n > uint64(limits.Default.LongestAge/unit) {
		return 0, fmt.Errorf("%s is no time between 1s and %dd", quote(s), limits.Default.LongestAge/(24*time.Hour))
	}
	return time.Duration(n) * unit, nil
}
