package sign

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Trust is whose signatures count: the consumer's file (verify --trust), which must not be in the hands of who writes the lock.
type Trust struct {
	Signers []Signer
}

// Signer is one entry: a name of the consumer's choice and one key, or the identity of somebody who signs without one.
type Signer struct {
	Name string
	Key  ed25519.PublicKey
	// Identity and Issuer are those of the certificate in a Sigstore bundle, to the letter: an address or the URL of a workflow, and
	// who vouched for it. They are "" beside a key.
	Identity, Issuer string
	// Expires is the last day (2006-01-02, UTC) on which the key counts, "" for no such day.
	Expires string
	// Revoked says why the key counts no more, for whatever it ever signed; "" for one that counts.
	Revoked string
}

// TrustError says what is wrong with a trust file, and where.
type TrustError struct {
	Path string
	Line int
	Msg  string
}

func (e *TrustError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg) }

// ReadTrust reads a trust file:
//
//	version: "1"
//	signers:
//	  - name: ada
//	    key: ssh-ed25519 AAAA… ada@example.com     # or PEM, in a block
//	    expires: 2027-12-31
//	  - name: grace
//	    key: …
//	    revoked: the laptop was stolen
//	  - name: release
//	    identity: https://github.com/example/shop/.github/workflows/approve.yml@refs/heads/main
//	    issuer: https://token.actions.githubusercontent.com
//
// The error joins a *TrustError for each fault. What is not understood is a fault: a misspelt "revoked" must not be passed over.
func ReadTrust(doc *source.Doc, lim limits.Set) (*Trust, error) {
	r := &trustReader{doc: doc, names: map[string]bool{}, keys: map[string]string{}}
	root := doc.Root()
	r.known(root, "version", "signers")
	if root.Get("version").Text() != "1" {
		r.fault(root.Get("version"), `version is not "1"`)
	}
	list := root.Get("signers")
	switch {
	case list.Kind() != source.Array || list.Len() == 0:
		r.fault(list, "signers is no list of those who are trusted: name and key of each")
	case list.Len() > lim.TrustSigners:
		r.fault(list, "signers lists %d, and %d is the most", list.Len(), lim.TrustSigners)
	default:
		for n := range list.Children() {
			r.signer(n)
		}
	}
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	return &r.trust, nil
}

type trustReader struct {
	doc    *source.Doc
	trust  Trust
	names  map[string]bool
	keys   map[string]string // the name that has the key or the identity, by key id or by identity and issuer
	faults []error
}

func (r *trustReader) fault(n source.Node, format string, args ...any) {
	line := 1
	if n.Valid() {
		line = r.doc.Locate(n.Span(), "").Line
	}
	r.faults = append(r.faults, &TrustError{r.doc.Path, line, fmt.Sprintf(format, args...)})
}

// known refuses members that mean nothing here.
func (r *trustReader) known(n source.Node, names ...string) {
	if n.Kind() != source.Object {
		r.fault(n, "it is %s, not a mapping", n.Kind())
		return
	}
	seen := map[string]bool{}
	for m := range n.Children() {
		switch key := m.Key(); {
		case seen[key]:
			r.fault(m, "%s stands here twice", key)
		case !strings.Contains(" "+strings.Join(names, " ")+" ", " "+key+" "):
			r.fault(m, "%q means nothing here: it may be %s", key, strings.Join(names, ", "))
		default:
			seen[key] = true
		}
	}
}

func (r *trustReader) signer(n source.Node) {
	before := len(r.faults)
	r.known(n, "name", "key", "identity", "issuer", "expires", "revoked")
	if len(r.faults) > before {
		return
	}
	s := Signer{Name: n.Get("name").Text(), Expires: n.Get("expires").Text()}
	switch {
	case strings.TrimSpace(s.Name) == "":
		r.fault(n, "a signer has no name")
	case r.names[s.Name]:
		r.fault(n.Get("name"), "there are two signers named %q", s.Name)
	}
	r.names[s.Name] = true
	s.Identity, s.Issuer = n.Get("identity").Text(), n.Get("issuer").Text()
	if n.Get("identity").Valid() || n.Get("issuer").Valid() {
		who := s.Identity + " " + s.Issuer
		switch of, twice := r.keys[who]; {
		case n.Get("key").Valid():
			r.fault(n.Get("key"), "%q has a key and an identity: make two signers of it", s.Name)
		case s.Identity == "" || s.Issuer == "":
			r.fault(n, "%q needs both: an identity, and the issuer who vouches for it", s.Name)
		case twice:
			r.fault(n.Get("identity"), "%q has the identity of %q: one identity is one signer", s.Name, of)
		}
		r.keys[who] = s.Name
	} else if key, err := ReadPublic([]byte(n.Get("key").Text())); err != nil {
		at := n.Get("key")
		if !at.Valid() {
			at = n
		}
		r.fault(at, "the key of %q: %s", s.Name, err)
	} else {
		id := KeyID(key)
		if of, twice := r.keys[id]; twice {
			r.fault(n.Get("key"), "%q has the key of %q: one key is one signer", s.Name, of)
		}
		r.keys[id] = s.Name
		s.Key = key
	}
	if at := n.Get("expires"); at.Valid() {
		if _, err := time.Parse(time.DateOnly, s.Expires); err != nil {
			r.fault(at, "expires is no date: write 2027-12-31")
		}
	}
	switch at := n.Get("revoked"); at.Kind() {
	case source.String:
		s.Revoked = at.Text()
		if strings.TrimSpace(s.Revoked) == "" {
			r.fault(at, "revoked says nothing: write why, or true")
		}
	case source.Bool:
		if string(at.Raw()) == "true" {
			s.Revoked = "revoked"
		}
	default:
		if at.Valid() {
			r.fault(at, "revoked is a reason, true or false")
		}
	}
	r.trust.Signers = append(r.trust.Signers, s)
}
