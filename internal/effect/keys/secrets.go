package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
)

var secrets = room{"secrets", ".secret", "key of the secrets", "secret", func(l limits.Set) int { return l.KeptSecrets }, func(l limits.Set) int { return sealedGrowth * l.SecretBytes }}

// sealedGrowth is how much larger the file of a secret may be: a control character takes six in JSON, and base64 a third more.
const sealedGrowth = 9

// Secrets are the values that configs refer to, by the names of their variables. They are kept as tokens are, apart from them.
type Secrets struct{ store Store }

// NewSecrets keeps secrets below the folder of the product's state. noKeychain leaves the keychain alone.
func NewSecrets(stateDir string, noKeychain bool, lim limits.Set) *Secrets {
	return &Secrets{Store{StateDir: stateDir, NoKeychain: noKeychain, Limits: lim, room: secrets}}
}

// Secret is one of them.
type Secret struct {
	Name  string    `json:"name"`
	Value string    `json:"value"`
	Kept  time.Time `json:"kept"`
	// Key says where the key of its file lies.
	Key string `json:"-"`
}

// ErrNoSecret says that there is none of that name.
var ErrNoSecret = errors.New("no secret of that name is kept")

func secretFile(name string) string {
	return strings.TrimPrefix(canon.Digest([]byte(name)), "sha256:") + secrets.suffix
}

// Ready makes the folder.
func (s *Secrets) Ready() error { return s.store.Ready() }

// Set keeps a secret, in place of the one of its name. why says why its key is in no keychain, nil where it is in one.
func (s *Secrets) Set(ctx context.Context, one Secret) (place string, why, err error) {
	if len(one.Value) > s.store.Limits.SecretBytes {
		return "", nil, fmt.Errorf("a secret has %d bytes at most", s.store.Limits.SecretBytes)
	}
	if !utf8.ValidString(one.Value) || strings.Contains(one.Value, "\x00") {
		return "", nil, errors.New("a secret is text, as a variable holds it")
	}
	names, err := s.store.names(s.store.dir())
	if err != nil {
		return "", nil, err
	}
	if file := secretFile(one.Name); len(names) >= s.store.Limits.KeptSecrets && !slices.Contains(names, file) {
		return "", nil, fmt.Errorf("%d secrets are kept, and no more can be", len(names))
	}
	plain, err := json.Marshal(one)
	if err != nil {
		return "", nil, err
	}
	return s.store.seal(ctx, secretFile(one.Name), plain)
}

// Get is the secret of a name. It fails with ErrNoSecret where there is none.
func (s *Secrets) Get(ctx context.Context, name string) (Secret, error) {
	if s.store.StateDir == "" {
		return Secret{}, s.store.homeless()
	}
	one, err := s.open(ctx, secretFile(name))
	if files.ReasonOf(err) == files.Missing {
		return one, ErrNoSecret
	}
	return one, err
}

func (s *Secrets) open(ctx context.Context, file string) (one Secret, err error) {
	plain, place, err := s.store.unseal(ctx, file)
	if err != nil {
		return one, err
	}
	if err := json.Unmarshal(plain, &one); err != nil || secretFile(one.Name) != file {
		return Secret{}, fmt.Errorf("not a kept secret: %s", filepath.Join(s.store.dir(), file))
	}
	one.Key = place
	return one, nil
}

// All are the secrets by name, and why others could not be opened.
func (s *Secrets) All(ctx context.Context) (all []Secret, closed []error, err error) {
	names, err := s.store.names(s.store.dir())
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		one, err := s.open(ctx, name)
		switch {
		case files.ReasonOf(err) == files.Missing: // since it was listed
		case err != nil:
			closed = append(closed, err)
		default:
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Secret) int { return strings.Compare(a.Name, b.Name) })
	return all, closed, nil
}

// Remove takes a secret away, one that can not be opened too. It fails with ErrNoSecret where there is none.
func (s *Secrets) Remove(name string) error {
	if s.store.StateDir == "" {
		return s.store.homeless()
	}
	err := files.Remove(filepath.Join(s.store.dir(), secretFile(name)))
	if files.ReasonOf(err) == files.Missing {
		return ErrNoSecret
	}
	return err
}
