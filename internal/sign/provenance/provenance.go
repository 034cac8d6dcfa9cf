// Package provenance says who made a package: it verifies the attestations that a registry holds about its files, with
// internal/sign/bundle and without a network, and takes the identity from the certificate, never from the statement, which is
// the signer's own word.
//
// Sources: npm/attestation (SLSA provenance of a version); PEP 740 (attestations of the files of an index); in-toto
// Attestation Framework, Statement v1; Fulcio, "OIDC information".
package provenance

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/sign/bundle"
)

// issuers are who vouches for the workflows of a forge. Anybody may have a certificate of Sigstore for an address of his own.
var issuers = []string{"https://token.actions.githubusercontent.com", "https://gitlab.com"}

// The kinds of statements that name a build.
const (
	slsa1   = "https://slsa.dev/provenance/v1"
	slsa02  = "https://slsa.dev/provenance/v0.2"
	publish = "https://docs.pypi.org/attestations/publish/v1"
)

// Of says who made a package, by the attestations of its files (effect/registry: by the name of the file). All files must
// be attested by one signer, each by every digest that the statement's algorithm has among those of the file.
func Of(pin *pkg.Pin, docs map[string][]byte, root *bundle.Root, lim limits.Set) lock.Provenance {
	var all *lock.Provenance
	if len(pin.Files) == 0 {
		return failed(lock.CouldNotVerify, "nothing is known of its bytes")
	}
	for _, f := range pin.Files {
		one := ofFile(pin, f, docs[f.Name], root, lim)
		switch {
		case one.Status != lock.Verified:
			return one
		case all == nil:
			all = &one
		case !all.Same(one):
			return failed(lock.CouldNotVerify, "its files are attested by different signers")
		}
	}
	return *all
}

func failed(status lock.ProvenanceStatus, reason string) lock.Provenance {
	return lock.Provenance{Status: status, Reason: reason}
}

// attestation is a bundle and what its statement says that it is, which is only a hint.
type attestation struct {
	predicate string
	bundle    []byte
}

func ofFile(pin *pkg.Pin, f pkg.File, doc []byte, root *bundle.Root, lim limits.Set) lock.Provenance {
	read, about := npm, npmName(pin)
	if pin.Type == pkg.PyPI {
		read, about = pypi, ""
	}
	all, err := read(doc, lim)
	if err != nil {
		return failed(lock.CouldNotVerify, err.Error())
	}
	if len(all) == 0 {
		return failed(lock.Unsupported, "none of its attestations is of a kind that is known")
	}
	out := failed(lock.CouldNotVerify, "")
	for _, a := range all {
		one := verify(a, f, about, root, lim)
		if one.Status == lock.Verified {
			return one
		}
		if out.Reason == "" {
			out = one
		}
	}
	return out
}

func verify(a attestation, f pkg.File, about string, root *bundle.Root, lim limits.Set) lock.Provenance {
	b, err := bundle.Read(a.bundle, lim)
	if err != nil {
		return failed(lock.CouldNotVerify, err.Error())
	}
	var held *bundle.Verified
	for _, sum := range digests(f.Hashes) {
		if held, err = b.Verify(sum, root, lim); err != nil {
			return failed(lock.CouldNotVerify, err.Error())
		}
	}
	switch {
	case held == nil:
		return failed(lock.CouldNotVerify, "no digest of the package is one that attestations are about")
	case held.Payload == nil || !slices.Contains([]string{slsa1, slsa02, publish}, held.PredicateType):
		return failed(lock.Unsupported, "the attestation is no provenance")
	case !slices.Contains(issuers, held.Issuer):
		return failed(lock.Unsupported, "the attestation is of nobody whose builds are known")
	case about != "" && !names(held.Payload, about):
		return failed(lock.CouldNotVerify, "the attestation is about a package of another name")
	}
	c := held.Certificate
	p := lock.Provenance{Status: lock.Verified, Issuer: held.Issuer, Signer: held.Identity, RepositoryID: c.SourceRepositoryIdentifier,
		OwnerID: c.SourceRepositoryOwnerIdentifier, Commit: c.SourceRepositoryDigest, Predicate: held.PredicateType}
	p.Repository, p.Workflow = split(held.Identity)
	if c.SourceRepositoryURI != "" { // a workflow that many repositories share stands in another one than what is built
		if p.Repository != c.SourceRepositoryURI {
			p.Workflow = strings.TrimSuffix(held.Identity[:max(strings.LastIndexByte(held.Identity, '@'), 0)], "@")
		}
		p.Repository = c.SourceRepositoryURI
	}
	return p
}

// digests are those that a statement must hold. Where the registry names several of one algorithm, each must be attested.
func digests(hashes []pkg.Hash) (all []bundle.Digests) {
	for _, algorithm := range []string{"sha512", "sha384", "sha256"} {
		for _, h := range hashes {
			if h.Algorithm == algorithm {
				all = append(all, bundle.Digests{algorithm: h.Sum})
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// split takes the URL of a workflow apart: .../owner/repository/.github/workflows/x.yml@ref, or GitLab's
// .../group/project//.gitlab-ci.yml@ref.
func split(identity string) (repository, workflow string) {
	at := strings.LastIndexByte(identity, '@')
	if at < 0 {
		return identity, ""
	}
	where := identity[:at]
	if i := strings.LastIndex(where, "//"); i > len("https://") {
		return where[:i], where[i+2:]
	}
	if repository, workflow, ok := strings.Cut(where, "/.github/"); ok {
		return repository, ".github/" + workflow
	}
	return where, ""
}

// npm reads what the attestations endpoint of a registry answers. The attestation of the publishing is signed by the registry's
// own key and names nobody.
func npm(doc []byte, lim limits.Set) (all []attestation, err error) {
	var w struct {
		Attestations []struct {
			PredicateType string          `json:"predicateType"`
			Bundle        json.RawMessage `json:"bundle"`
		} `json:"attestations"`
	}
	if err := json.Unmarshal(doc, &w); err != nil {
		return nil, errors.New("the registry's attestations are not the JSON of any")
	}
	if len(w.Attestations) > lim.BundleParts {
		return nil, fmt.Errorf("the registry has more than %d attestations", lim.BundleParts)
	}
	for _, a := range w.Attestations {
		if a.PredicateType == slsa1 || a.PredicateType == slsa02 {
			all = append(all, attestation{a.PredicateType, a.Bundle})
		}
	}
	return all, nil
}

// pypi reads the provenance of a file and makes a bundle of each attestation (PEP 740, "Attestation objects").
func pypi(doc []byte, lim limits.Set) (all []attestation, err error) {
	var w struct {
		Version int `json:"version"`
		Bundles []struct {
			Attestations []struct {
				Version  int `json:"version"`
				Material struct {
					Certificate []byte            `json:"certificate"`
					Entries     []json.RawMessage `json:"transparency_entries"`
				} `json:"verification_material"`
				Envelope struct {
					Statement []byte `json:"statement"`
					Signature []byte `json:"signature"`
				} `json:"envelope"`
			} `json:"attestations"`
		} `json:"attestation_bundles"`
	}
	if err := json.Unmarshal(doc, &w); err != nil {
		return nil, errors.New("the index's provenance is not the JSON of any")
	}
	if w.Version != 1 {
		return nil, nil
	}
	for _, b := range w.Bundles {
		for _, a := range b.Attestations {
			if len(all) == lim.BundleParts {
				return nil, fmt.Errorf("the index has more than %d attestations", lim.BundleParts)
			}
			var st struct {
				PredicateType string `json:"predicateType"`
			}
			if json.Unmarshal(a.Envelope.Statement, &st) != nil || a.Version != 1 || st.PredicateType != publish && st.PredicateType != slsa1 {
				continue
			}
			raw, err := json.Marshal(map[string]any{
				"mediaType":            "application/vnd.dev.sigstore.bundle.v0.3+json",
				"verificationMaterial": map[string]any{"certificate": map[string]any{"rawBytes": a.Material.Certificate}, "tlogEntries": a.Material.Entries},
				"dsseEnvelope":         map[string]any{"payload": a.Envelope.Statement, "payloadType": "application/vnd.in-toto+json", "signatures": []any{map[string]any{"sig": a.Envelope.Signature}}},
			})
			if err != nil {
				return nil, errors.New("the index's provenance is not the JSON of any")
			}
			all = append(all, attestation{st.PredicateType, raw})
		}
	}
	return all, nil
}

// npmName is a package as statements of npm name it (purl).
func npmName(pin *pkg.Pin) string {
	return "pkg:npm/" + strings.Replace(pin.Name, "@", "%40", 1) + "@" + pin.Version
}

// names says that one of the subjects of a statement, whose signature holds, has a name.
func names(payload []byte, name string) bool {
	var st struct {
		Subject []struct {
			Name string `json:"name"`
		} `json:"subject"`
	}
	if json.Unmarshal(payload, &st) != nil {
		return false
	}
	plain := func(s string) string {
		if u, err := url.PathUnescape(s); err == nil {
			return u
		}
		return s
	}
	for _, s := range st.Subject {
		if plain(s.Name) == plain(name) {
			return true
		}
	}
	return false
}
