package endpoint

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// rootMetadata is where the resource metadata of a whole host stands (RFC 9728, 3.1).
const rootMetadata = "/.well-known/oauth-protected-resource"

// served says that a document is there. On a host that serves every path, what looks like a path that can not exist is not.
func (p *probed) served(t *trial) bool {
	if t == nil || t.Status < 200 || t.Status > 299 || t.Cause != "" {
		return false
	}
	random := p.one(wire.RandomPath)
	if random == nil || random.Status != t.Status {
		return true
	}
	return t.Body != random.Body && !(t.Page() && random.Page())
}

// object is a document that is a JSON object.
func (t *trial) object() (m map[string]any, ok bool) {
	err := json.Unmarshal([]byte(strings.TrimPrefix(t.Body, "\uFEFF")), &m)
	return m, err == nil && m != nil
}

// documents are those of some names that are there, and JSON objects.
func (p *probed) documents(names ...wire.Trial) func(func(*trial, map[string]any) bool) {
	return func(yield func(*trial, map[string]any) bool) {
		for t := range p.of(names...) {
			if m, ok := t.object(); ok && p.served(t) && !yield(t, m) {
				return
			}
		}
	}
}

// endpoint is the URL that was probed. The host is "" where the document does not say, and on this machine: what is served
// there stands for a host whose name it has in its documents.
func (p *probed) endpoint() *url.URL {
	u, err := url.Parse(p.server.Node.Get("endpoint").Text())
	if err != nil || u.Host == "" {
		u = &url.URL{}
		if t := p.one(wire.ResourceAtPath); t != nil {
			u.Path = strings.TrimPrefix(t.Detail, rootMetadata)
		}
	}
	if _, ok := wire.Origin(u); !ok || p.loopback() {
		u.Scheme, u.Host = "", ""
	}
	return u
}

// covers says that a URL of a document is that of the endpoint, or one above it.
func covers(text string, endpoint *url.URL) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Fragment != "" {
		return false
	}
	if endpoint.Host != "" {
		a, okA := wire.Origin(u)
		b, okB := wire.Origin(endpoint)
		if !okA || !okB || a != b {
			return false
		}
	}
	path := strings.TrimSuffix(u.Path, "/")
	return endpoint.Path == path || strings.HasPrefix(endpoint.Path, path+"/") || path == ""
}

// challenge says that an answer with 401 names the resource metadata.
func (p *probed) challenge() (gated, named bool) {
	for t := range p.every() {
		if t.Status == 401 {
			gated = true
			named = named || strings.Contains(strings.ToLower(strings.Join(t.Header["www-authenticate"], ",")), "resource_metadata=")
		}
	}
	return gated, named
}

// word is a member that is a text, "" for none.
func word(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return strings.TrimSpace(s)
}
