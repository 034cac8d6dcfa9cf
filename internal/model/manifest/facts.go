package manifest

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kind is what the registry asks of the packages of one type.
type Kind struct {
	Name string
	// Must are members that a package must have beside those that each has, Never those that it must not have, each with the
	// reason.
	Must  []string
	Never map[string]string
	// Bases are the base URLs that it may name, nil for those that are not checked here. Hosts are those of its identifier.
	Bases []string
	Hosts []string
	// Proof is how a package says which server it is.
	Proof Proof
}

// Proof is a way in which a package says which server it is.
type Proof uint8

// The ways.
const (
	NoProof    Proof = iota
	MCPName          // mcpName of package.json
	ReadmeMark       // a mark in the README
	ImageLabel       // a label of the image
	FileDigest       // the digest in the manifest
)

// Kinds are the types of packages (registry 1.8.9). npm's own address is what the user's npm says it is, so none is written
// here.
func Kinds() []Kind { return kinds() }

var kinds = sync.OnceValue(func() []Kind {
	onlyFiles := "it is for mcpb, where nothing else fixes the bytes"
	inRef := "the identifier of an image holds its registry and its version, as in ghcr.io/owner/image:1.0.0"
	return []Kind{
		{Name: "npm", Must: []string{"version"}, Never: map[string]string{"fileSha256": onlyFiles}, Proof: MCPName},
		{Name: "pypi", Must: []string{"version"}, Never: map[string]string{"fileSha256": onlyFiles}, Bases: []string{"https://pypi.org"}, Proof: ReadmeMark},
		{Name: "nuget", Must: []string{"version"}, Never: map[string]string{"fileSha256": onlyFiles},
			Bases: []string{"https://api.nuget.org/v3/index.json"}, Proof: ReadmeMark},
		{Name: "cargo", Must: []string{"version"}, Never: map[string]string{"fileSha256": onlyFiles}, Bases: []string{"https://crates.io"}, Proof: ReadmeMark},
		{Name: "oci", Never: map[string]string{"fileSha256": onlyFiles, "registryBaseUrl": inRef, "version": inRef},
			Hosts: []string{"docker.io", "ghcr.io", "quay.io", "mcr.microsoft.com", "*.pkg.dev", "*.azurecr.io"}, Proof: ImageLabel},
		{Name: "mcpb", Must: []string{"fileSha256"}, Never: map[string]string{"registryBaseUrl": "the identifier of a bundle is its whole address"},
			Hosts: []string{"github.com", "www.github.com", "gitlab.com", "www.gitlab.com"}, Proof: FileDigest},
	}
})

// KindOf are the facts about one type of packages, nil for a type that the registry does not know.
func KindOf(name string) *Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Takes says whether the registry takes packages of the type from that host.
func (k *Kind) Takes(host string) bool {
	return slices.ContainsFunc(k.Hosts, func(h string) bool {
		suffix, any := strings.CutPrefix(h, "*")
		return h == host || any && strings.HasSuffix(host, suffix) && len(host) > len(suffix)
	})
}

// Image cuts an image reference: its host, with docker.io for none, its tag, and whether it has a digest.
func Image(ref string) (host, tag string, pinned bool) {
	rest, _, pinned := strings.Cut(ref, "@")
	host = "docker.io"
	if first, after, ok := strings.Cut(rest, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		host, rest = strings.ToLower(first), after
	}
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, '/') {
		tag = rest[i+1:]
	}
	if host == "index.docker.io" || host == "registry-1.docker.io" {
		host = "docker.io"
	}
	return host, tag, pinned
}

var ranges = sync.OnceValue(func() []*regexp.Regexp {
	const one = `v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?`
	var all []*regexp.Regexp
	for _, p := range []string{
		`^(?:\^|~|~=|~>|>=|<=|==|===|>|<|=)\s*` + one,
		`^` + one + `\s+-\s+` + one + `$`,
		`\|\|`, `,`,
		`^(?:v?\d+|[xX*])(?:\.(?:\d+|[xX*])){1,2}(?:-[0-9A-Za-z.-]+)?$`,
		`^[xX*]$`,
	} {
		all = append(all, regexp.MustCompile(p))
	}
	return all
})

// LooksRange says whether a version is a range: what a range means changes with every release.
func LooksRange(version string) bool {
	v := strings.TrimSpace(version)
	for i, r := range ranges() {
		if r.MatchString(v) && (i != 4 || strings.ContainsAny(strings.SplitN(v, "-", 2)[0], "xX*")) {
			return true
		}
	}
	return false
}

var (
	nameForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9])/([a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9])$`)
	})
	variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([^{}]+)\}`) })
	github   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^https?://(?:www\.)?github\.com/[\w.-]+/[\w.-]+/?$`)
	})
	gitlab = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^https?://(?:www\.)?gitlab\.com/[\w.-]+(?:/[\w.-]+)+/?$`)
	})
)

// GoodName says whether a name is a namespace and a name: exactly one slash, both parts begin and end with a letter or a digit.
func GoodName(name string) bool { return nameForm().MatchString(name) }

// endings are domains that a name of a server begins with; one that a namespace ends with was written the way in which
// addresses are.
var endings = []string{"com", "org", "net", "io", "dev", "ai", "app", "co", "me", "sh", "cloud", "xyz"}

// Reversed says whether a namespace is a reverse domain name, as com.example is; why says what it is instead.
func Reversed(namespace string) (ok bool, why string) {
	labels := strings.Split(strings.ToLower(namespace), ".")
	switch last := labels[len(labels)-1]; {
	case len(labels) < 2:
		return false, "has no dot"
	case slices.Contains(labels, ""):
		return false, "has an empty part"
	case slices.Contains(endings, last) && !slices.Contains(endings, labels[0]):
		return false, "is written forwards"
	}
	return true, ""
}

// Variables are the {names} in a URL.
func Variables(u string) (names []string) {
	for _, m := range variable().FindAllStringSubmatch(u, -1) {
		names = append(names, m[1])
	}
	return names
}

// ParseURL reads a URL template: each variable stands for a word, or for a port where a port stands.
func ParseURL(template string) (*url.URL, error) {
	filled := variable().ReplaceAllStringFunc(template, func(string) string { return "1" })
	if strings.HasPrefix(template, "{") { // it holds the scheme, or all of the host too
		filled = "https://example.com" + strings.TrimPrefix(filled, "1")
	}
	return url.Parse(filled)
}

// GoodRepository says whether a URL is that of a repository at its source. ok is false for a source that is not known.
func GoodRepository(source, address string) (good, known bool) {
	switch source {
	case "github":
		return github().MatchString(address), true
	case "gitlab":
		return gitlab().MatchString(address) && !strings.Contains(address+"/", "/-/"), true
	}
	return false, false
}

// Loopback says whether a host is this machine.
func Loopback(host string) bool {
	host = strings.ToLower(strings.Trim(host, "[]"))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1" || host == "0.0.0.0"
}
