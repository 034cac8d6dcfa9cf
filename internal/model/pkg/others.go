package pkg

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// word says that a name holds letters, digits and the marks that are given, and does not begin with one of those.
func word(name, marks string) bool {
	const longest = 100
	return name != "" && len(name) <= longest && !strings.ContainsRune(marks, rune(name[0])) && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(marks, r))
	})
}

// GoodNuGet says that a name may be the id of a NuGet package.
func GoodNuGet(id string) bool { return word(id, "._-") }

// GoodCargo says that a name may be that of a crate.
func GoodCargo(name string) bool { return word(name, "_-") }

// NuGetResources are the addresses that a service index names (NuGet API, version 3).
func NuGetResources(raw []byte, lim limits.Set) (content, registrations string, err error) {
	root, err := object(raw, lim)
	if err != nil {
		return "", "", err
	}
	for r := range root.Get("resources").Children() {
		kind, at := r.Get("@type").Text(), r.Get("@id").Text()
		switch {
		case kind == "PackageBaseAddress/3.0.0":
			content = at
		case kind == "RegistrationsBaseUrl/3.6.0" || registrations == "" && strings.HasPrefix(kind, "RegistrationsBaseUrl"):
			registrations = at
		}
	}
	if content == "" || registrations == "" {
		return "", "", errors.New("it names no addresses of packages")
	}
	return content, registrations, nil
}

// NuGetVersions are the versions that the content address lists.
func NuGetVersions(raw []byte, lim limits.Set) (all []string, err error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	for v := range root.Get("versions").Children() {
		if s, ok := v.Str(); ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// NuGetLeaf is where the catalog's entry on a version stands, and the file.
func NuGetLeaf(raw []byte, lim limits.Set) (entry, content string, err error) {
	root, err := object(raw, lim)
	if err != nil {
		return "", "", err
	}
	entry, content = root.Get("catalogEntry").Text(), root.Get("packageContent").Text()
	if entry == "" {
		return "", "", errors.New("it names no entry of the catalog")
	}
	return entry, content, nil
}

// ReadNuGet reads an entry of the catalog.
func ReadNuGet(raw []byte, id, version, file string, lim limits.Set) (*Pin, error) {
	root, err := object(raw, lim)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(root.Get("id").Text(), id) || Compare(NuGet, root.Get("version").Text(), version) != 0 {
		return nil, errors.New("it is about another package or version")
	}
	p := &Pin{Type: NuGet, Name: id, Version: version}
	p.Published, _ = time.Parse(time.RFC3339, root.Get("created").Text())
	if listed, ok := root.Get("listed").Bool(); ok && !listed {
		p.Yanked = true
	}
	if d := root.Get("deprecation"); d.Kind() == source.Object {
		p.Deprecated = "deprecated"
		if m := d.Get("message").Text(); m != "" {
			p.Deprecated = m
		}
	}
	digits := root.Get("packageHash").Text()
	if digits == "" {
		return nil, &Unenforceable{"the catalog knows its bytes by no digest"}
	}
	h, err := Base64(strings.ToLower(root.Get("packageHashAlgorithm").Text()), digits)
	if err != nil {
		return nil, err
	}
	p.Files = []File{{Name: strings.ToLower(id) + "." + strings.ToLower(version) + ".nupkg", URL: file, Hashes: []Hash{h}}}
	return p, nil
}

// CargoPath is where a sparse index has a crate (Cargo book, "Index Format").
func CargoPath(name string) string {
	name = strings.ToLower(name)
	switch len(name) {
	case 1, 2:
		return fmt.Sprint(len(name)) + "/" + name
	case 3:
		return "3/" + name[:1] + "/" + name
	}
	return name[:2] + "/" + name[2:4] + "/" + name
}

// ReadCargo reads the lines of a crate in an index, one a version, and chooses the one that want means: one that is yanked
// only by its name.
func ReadCargo(raw []byte, name, want string, lim limits.Set) (*Pin, error) {
	byVersion := map[string]*Pin{}
	var all, live []string
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		n, err := object(line, lim)
		if err != nil {
			return nil, err
		}
		if !strings.EqualFold(n.Get("name").Text(), name) {
			return nil, fmt.Errorf("it is about %q", wire.Excerpt([]byte(n.Get("name").Text()), lim))
		}
		v := n.Get("vers").Text()
		h, err := Hex("sha256", n.Get("cksum").Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", wire.Excerpt([]byte(v), lim), err)
		}
		p := &Pin{Type: Cargo, Name: n.Get("name").Text(), Version: v, Files: []File{{Name: name + "-" + v + ".crate", Hashes: []Hash{h}}}}
		p.Yanked, _ = n.Get("yanked").Bool()
		all = append(all, v)
		byVersion[v] = p
		if !p.Yanked {
			live = append(live, v)
		}
	}
	if slices.Contains(all, want) {
		return byVersion[want], nil
	}
	v, err := Best(Cargo, live, want)
	if err != nil {
		return nil, err
	}
	return byVersion[v], nil
}

// Image is a reference to an image: [host[:port]/]path[:tag][@digest]. Host is "" where none stands there.
type Image struct{ Host, Path, Tag, Digest string }

// ParseImage reads a reference (OCI distribution specification 1.1, "Pulling manifests").
func ParseImage(ref string) (im Image, err error) {
	no := errors.New("no reference of an image")
	name, digest, pinned := strings.Cut(ref, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, im.Tag = name[:i], name[i+1:]
		if !word(im.Tag, "._-") && !(im.Tag != "" && im.Tag[0] == '_' && word(im.Tag[1:], "._-")) {
			return im, no
		}
	}
	if first, rest, ok := strings.Cut(name, "/"); ok && (strings.ContainsAny(first, ".:") || first == "localhost") {
		im.Host, name = first, rest
		if !word(im.Host, ".:-") || strings.Contains(im.Host, "..") {
			return im, no
		}
	}
	im.Path = name
	for part := range strings.SplitSeq(name, "/") {
		if !word(part, "._-") || strings.ToLower(part) != part {
			return im, no
		}
	}
	if pinned {
		h, err := ParseHash(digest)
		if err != nil || h.New() == nil {
			return im, errors.New("a digest of an image that is none")
		}
		im.Digest = h.String()
	}
	return im, nil
}

// Challenge reads the WWW-Authenticate header by which a registry of images says where its tokens are had: realm, service
// and scope of a Bearer challenge (distribution specification, token authentication).
func Challenge(header string) (realm, service, scope string, ok bool) {
	scheme, rest, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", "", "", false
	}
	for rest != "" {
		key, after, found := strings.Cut(strings.TrimLeft(rest, " ,"), `="`)
		value, next, closed := strings.Cut(after, `"`)
		if !found || !closed {
			break
		}
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "realm":
			realm = value
		case "service":
			service = value
		case "scope":
			scope = value
		}
		rest = next
	}
	return realm, service, scope, realm != ""
}

// TokenOf is the token in the answer of a registry of images.
func TokenOf(raw []byte, lim limits.Set) (string, error) {
	root, err := object(raw, lim)
	if err != nil {
		return "", err
	}
	for _, key := range []string{"token", "access_token"} {
		if t := root.Get(key).Text(); t != "" && len(t) <= lim.TokenBytes {
			return t, nil
		}
	}
	return "", errors.New("it holds no token")
}
