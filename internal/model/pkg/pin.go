package pkg

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"
)

// Pin is one version of a package, and by what its bytes are known.
type Pin struct {
	Type Type
	// Base is the registry that was asked, Name the package as that registry writes it, Version its version there.
	Base, Name, Version string
	// Files are what may be installed. npm has one, PyPI one a platform.
	Files []File
	// Published is when, zero where it is not said.
	Published time.Time
	// Deprecated is why it should not be used, Yanked whether it was taken back.
	Deprecated string
	Yanked     bool
	// InstallScripts are the names of the scripts that run when it is installed.
	InstallScripts []string
	// Engines are what it needs to run: "node" or "python" and a range.
	Engines map[string]string
	// Attestations is where its attestations are, "" for none; Predicate is what kind the registry says that they are.
	// Whether they hold is not known here.
	Attestations, Predicate string
	// Shadow is a copy of this very version in the folder of the project, which npx runs in place of the registry's; "" for none.
	Shadow string
}

// File is one file of a package. Where several hashes of one algorithm stand there, any of them is right (SRI).
type File struct {
	Name, URL string
	Hashes    []Hash
	// Attestations is where those of this file are, "" for none.
	Attestations string
}

// Digests are all digests of the files, "sha512:<hex>" or with the file behind it where there are several.
func (p *Pin) Digests() (all []string) {
	for _, f := range p.Files {
		h, ok := Strongest(f.Hashes)
		if !ok {
			continue
		}
		s := h.String()
		if len(p.Files) > 1 {
			s += " " + f.Name
		}
		all = append(all, s)
	}
	return all
}

// Unenforceable says that no mechanism holds the bytes of a package to what was written down.
type Unenforceable struct{ Reason string }

func (u *Unenforceable) Error() string { return u.Reason }

// Hash is a digest. Algorithm is sha1, sha256, sha384 or sha512.
type Hash struct {
	Algorithm string
	Sum       []byte
}

func (h Hash) String() string { return h.Algorithm + ":" + hex.EncodeToString(h.Sum) }

// SRI is the hash as npm writes it.
func (h Hash) SRI() string { return h.Algorithm + "-" + base64.StdEncoding.EncodeToString(h.Sum) }

// algorithms are those that bytes can be held to, the strongest first, with their length. SHA-1 is known and is none of them.
var algorithms = []struct {
	name string
	size int
	make func() hash.Hash
}{{"sha512", sha512.Size, sha512.New}, {"sha384", sha512.Size384, sha512.New384}, {"sha256", sha256.Size, sha256.New}}

const sha1Size = 20

// New makes what computes a hash, nil for an algorithm that proves nothing.
func (h Hash) New() hash.Hash {
	for _, a := range algorithms {
		if a.name == h.Algorithm {
			return a.make()
		}
	}
	return nil
}

func sum(algorithm string, raw []byte) (Hash, error) {
	size := sha1Size
	i := slices.IndexFunc(algorithms, func(a struct {
		name string
		size int
		make func() hash.Hash
	}) bool {
		return a.name == algorithm
	})
	if i >= 0 {
		size = algorithms[i].size
	} else if algorithm != "sha1" {
		return Hash{}, fmt.Errorf("%q is no algorithm of a digest", algorithm)
	}
	if len(raw) != size {
		return Hash{}, fmt.Errorf("a %s of %d bytes", algorithm, len(raw))
	}
	return Hash{algorithm, raw}, nil
}

// Hex reads a digest in hexadecimal.
func Hex(algorithm, digits string) (Hash, error) {
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return Hash{}, fmt.Errorf("a %s that is not hexadecimal", algorithm)
	}
	return sum(algorithm, raw)
}

// Base64 reads a digest in base64.
func Base64(algorithm, digits string) (Hash, error) {
	raw, err := base64.StdEncoding.DecodeString(digits)
	if err != nil {
		return Hash{}, fmt.Errorf("a %s that is not base64", algorithm)
	}
	return sum(algorithm, raw)
}

// ParseHash reads what Hash.String writes.
func ParseHash(s string) (Hash, error) {
	algorithm, digits, ok := strings.Cut(s, ":")
	if !ok {
		return Hash{}, errors.New("no digest like sha256:<hex>")
	}
	return Hex(algorithm, digits)
}

// ParseSRI reads integrity metadata (W3C Subresource Integrity, section 3.5): words apart by spaces, each an algorithm and a
// digest; options behind a question mark are left out, and so are algorithms that nobody knows. It fails where none is left.
func ParseSRI(s string) (all []Hash, err error) {
	err = errors.New("no integrity")
	for word := range strings.FieldsSeq(s) {
		word, _, _ = strings.Cut(word, "?")
		algorithm, digits, _ := strings.Cut(word, "-")
		h, bad := Base64(strings.ToLower(algorithm), digits)
		if bad != nil {
			err = bad
			continue
		}
		all = append(all, h)
	}
	if len(all) > 0 {
		err = nil
	}
	return all, err
}

// Strongest is a hash of the strongest algorithm that bytes can be held to; ok is false for none.
func Strongest(all []Hash) (h Hash, ok bool) {
	for _, a := range algorithms {
		for _, h := range all {
			if h.Algorithm == a.name {
				return h, true
			}
		}
	}
	return Hash{}, false
}

// Relation is how two sets of hashes stand to each other.
type Relation string

// The relations. Format is two sets without a common algorithm: nobody can tell.
const (
	Equal  Relation = "equal"
	Drift  Relation = "drift"
	Format Relation = "format"
)

// CompareHashes compares by the strongest algorithm that both have: a weaker one that agrees proves nothing beside it.
func CompareHashes(a, b []Hash) Relation {
	for _, alg := range algorithms {
		mine, theirs := of(a, alg.name), of(b, alg.name)
		if len(mine) == 0 || len(theirs) == 0 {
			continue
		}
		for _, h := range mine {
			if slices.ContainsFunc(theirs, func(o Hash) bool { return string(o.Sum) == string(h.Sum) }) {
				return Equal
			}
		}
		return Drift
	}
	return Format
}

func of(all []Hash, algorithm string) (some []Hash) {
	for _, h := range all {
		if h.Algorithm == algorithm {
			some = append(some, h)
		}
	}
	return some
}
