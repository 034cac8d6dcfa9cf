package lock

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

// Package is the package that a launch starts, and by what its bytes are known.
type Package struct {
	// Type is npm, pypi, oci, nuget; Identifier the package as its record names it, an image without its tag; Version its
	// version, which need not be that of the record.
	Type       pkg.Type `json:"type"`
	Identifier string   `json:"identifier"`
	Version    string   `json:"version"`
	// Registry is the base URL of the registry that was asked, without a user.
	Registry string `json:"registry"`
	// Files are in the order of their names, each with its digests in their order. None are the baseline that was never had.
	Files      []PackageFile `json:"files"`
	Provenance Provenance    `json:"provenance,omitzero"`
}

// PackageFile is one file of a package that may be installed. Hashes are written "sha512:<hex>".
type PackageFile struct {
	Name   string   `json:"name"`
	Hashes []string `json:"hashes"`
}

// ProvenanceStatus says what is known of who made a package.
type ProvenanceStatus string

// The states. Only a verified one names anybody.
const (
	Verified       ProvenanceStatus = "verified"
	Unsigned       ProvenanceStatus = "unsigned"         // the registry has no attestations of it
	Unsupported    ProvenanceStatus = "unsupported"      // it has some, and none of a kind that is known; or it never has any
	CouldNotVerify ProvenanceStatus = "could-not-verify" // nobody could tell
)

// Provenance is who made a package, as the certificate of an attestation says it, never the attestation's own text.
type Provenance struct {
	Status ProvenanceStatus `json:"status"`
	// Issuer vouched for the signer; Signer is the identity of the certificate (the URL of a workflow and its ref).
	Issuer string `json:"issuer,omitempty"`
	Signer string `json:"signer,omitempty"`
	// Repository and Workflow are where the build ran, without the ref; RepositoryID and OwnerID the numbers that stay when a
	// name is given to somebody else. Commit is what was built.
	Repository   string `json:"repository,omitempty"`
	Workflow     string `json:"workflow,omitempty"`
	RepositoryID string `json:"repositoryId,omitempty"`
	OwnerID      string `json:"ownerId,omitempty"`
	Commit       string `json:"commit,omitempty"`
	Predicate    string `json:"predicate,omitempty"`
	// Reason is why nothing is verified.
	Reason string `json:"reason,omitempty"`
}

// Same says whether two are one signer, to the ref and the commit.
func (p Provenance) Same(o Provenance) bool {
	p.Reason, o.Reason, p.Predicate, o.Predicate = "", "", "", ""
	return p == o
}

// Precedes says whether a later version of a package is of the signer of an earlier one: the ref and the commit are other ones,
// and a repository may have another name as long as it is the same one.
func (p Provenance) Precedes(o Provenance) bool {
	if p.Issuer != o.Issuer || p.Workflow != o.Workflow {
		return false
	}
	if p.RepositoryID != "" && o.RepositoryID != "" {
		return p.RepositoryID == o.RepositoryID && p.OwnerID == o.OwnerID
	}
	return p.Repository == o.Repository
}

// Record is the record of the MCP registry that an entry was made of. Status is what the registry called it then. Digest is
// that of its server.json, in the canonical form (canon.Digest).
type Record struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Registry string `json:"registry"`
	Status   string `json:"status"`
	Digest   string `json:"digest"`
	// Values are those that it gives to variables and headers of the launch; the others are for the user to give.
	Values map[string]string `json:"values,omitempty"`
}

// encode writes a file a line.
func (p *Package) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type": %s, "identifier": %s, "version": %s, "registry": %s, "files": `, must(p.Type), must(p.Identifier), must(p.Version), must(p.Registry))
	list(&b, "      ", p.Files, func(f PackageFile) []byte { return must(f) })
	if p.Provenance != (Provenance{}) {
		fmt.Fprintf(&b, `, "provenance": %s`, must(p.Provenance))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Locked says in words what an entry was locked as: its package, or its record.
func (s *Server) Locked() string {
	switch {
	case s.Package != nil:
		return string(s.Package.Type) + " " + s.Package.Identifier + " " + s.Package.Version
	case s.Record != nil:
		return s.Record.Name + " " + s.Record.Version
	case s.Launch.URL != "":
		return s.Launch.URL
	}
	return s.Launch.Command
}

// check refuses what no verb would write: a lock that says nothing clear pins nothing.
func (p *Package) check() error {
	if p == nil {
		return nil
	}
	if p.Type == "" || p.Identifier == "" {
		return errors.New("package names none")
	}
	if strings.EqualFold(strings.TrimSpace(p.Version), "latest") || p.Version == "" {
		return fmt.Errorf("the version of its package is %q, which is none", p.Version)
	}
	if u, err := url.Parse(p.Registry); err != nil || u.User != nil {
		return errors.New("the registry of its package is no URL that a lock may hold")
	}
	if !slices.IsSortedFunc(p.Files, func(a, b PackageFile) int { return strings.Compare(a.Name, b.Name) }) {
		return errors.New("the files of its package are not in the order of their names")
	}
	for i, f := range p.Files {
		if i > 0 && p.Files[i-1].Name == f.Name {
			return fmt.Errorf("the file %q of its package stands here twice", f.Name)
		}
		if len(f.Hashes) == 0 || !slices.IsSorted(f.Hashes) {
			return fmt.Errorf("the file %q of its package has no digests in their order", f.Name)
		}
		for _, h := range f.Hashes {
			if got, err := pkg.ParseHash(h); err != nil || got.String() != h || got.New() == nil {
				return fmt.Errorf("a digest of the file %q of its package is none", f.Name)
			}
		}
	}
	switch p.Provenance.Status {
	case Verified:
		if p.Provenance.Signer == "" || p.Provenance.Issuer == "" {
			return errors.New("the provenance of its package is verified, and names nobody")
		}
	case "", Unsigned, Unsupported, CouldNotVerify:
		if p.Provenance.Signer != "" {
			return errors.New("the provenance of its package is not verified, and names somebody")
		}
	default:
		return fmt.Errorf("the provenance of its package has a status that is not known")
	}
	return nil
}

func (r *Record) check() error {
	switch {
	case r == nil:
		return nil
	case r.Name == "" || r.Version == "":
		return errors.New("record names none")
	case strings.EqualFold(strings.TrimSpace(r.Version), "latest"):
		return fmt.Errorf("the version of its record is %q, which is none", r.Version)
	}
	return nil
}

// PackageOf is a pin as a lock holds it. identifier and registry are those that are written down, provenance what is known
// of who made it.
func PackageOf(pin *pkg.Pin, identifier, registry string, provenance Provenance) *Package {
	p := &Package{Type: pin.Type, Identifier: identifier, Version: pin.Version, Registry: registry, Provenance: provenance}
	for _, f := range pin.Files {
		one := PackageFile{Name: f.Name}
		for _, h := range f.Hashes {
			if h.New() != nil { // a SHA-1 proves nothing, and is not written down as if it did
				one.Hashes = append(one.Hashes, h.String())
			}
		}
		slices.Sort(one.Hashes)
		one.Hashes = slices.Compact(one.Hashes)
		if len(one.Hashes) > 0 {
			p.Files = append(p.Files, one)
		}
	}
	slices.SortFunc(p.Files, func(a, b PackageFile) int { return strings.Compare(a.Name, b.Name) })
	return p
}

// Sums are the digests of a file, which the reader checked.
func (f PackageFile) Sums() (all []pkg.Hash) {
	for _, s := range f.Hashes {
		if h, err := pkg.ParseHash(s); err == nil {
			all = append(all, h)
		}
	}
	return all
}
