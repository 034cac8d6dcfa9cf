// Package keys keeps tokens and the secrets of configs on this machine. Each lies in a file of its own, encrypted; the key lies in the system's
// keychain. Where there is no keychain the key is a file beside them that only the user may read: then the encryption
// keeps tokens out of backups of single files and out of searches for their text, and out of nobody's hands who may read
// the user's files.
//
// The keychain holds a key and not the tokens because it takes no more than 2,560 bytes on Windows and some 2,900 on
// macOS, and an access token alone may have more.
package keys

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
)

// Where a key lies.
const (
	InKeychain = "keychain"
	InFile     = "file"
)

const (
	folder  = "auth"
	keyFile = "key"
	suffix  = ".token"
	version = 1
)

// room is a folder of things that are kept with one key: the tokens, or the secrets of configs.
type room struct {
	folder, suffix string
	// entry is the name of the key in the keychain, noun what one thing is called.
	entry, noun string
	// most bounds their number, bytes the file of one.
	most, bytes func(limits.Set) int
}

var tokens = room{folder, suffix, "key of the tokens", "token", func(l limits.Set) int { return l.KeptTokens }, func(l limits.Set) int { return l.KeptBytes }}

// room is the store's: that of the tokens where it says nothing.
func (s *Store) place() room {
	if s.room.folder == "" {
		return tokens
	}
	return s.room
}

// dir is the folder of the room.
func (s *Store) dir() string { return filepath.Join(s.StateDir, s.place().folder) }

// Store is the tokens of one user.
type Store struct {
	// StateDir is the folder of the product's state.
	StateDir string
	// NoKeychain leaves the keychain alone when a token is kept.
	NoKeychain bool
	Limits     limits.Set

	room    room       // the tokens' where it is zero
	chain   keychain   // the system's where it is nil
	keeping sync.Mutex // so that two that keep the first token make one key
}

// record is the file of a token.
type record struct {
	Version int `json:"version"`
	// Key says where the key of Sealed lies.
	Key    string `json:"key"`
	Sealed []byte `json:"sealed"`
}

// Kept says where a token is.
type Kept struct {
	oauth.Kept
	// Path is its file, Key where the key of that lies, KeyPath the key's file, "" for none.
	Path, Key, KeyPath string
}

// All are the tokens that are kept, and why others could not be opened.
func (s *Store) All(ctx context.Context) (all []Kept, closed []error, err error) {
	dir := s.dir()
	names, err := s.names(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		k, err := s.open(ctx, dir, name)
		switch {
		case files.ReasonOf(err) == files.Missing: // since it was listed
		case err != nil:
			closed = append(closed, err)
		default:
			all = append(all, k)
		}
	}
	return all, closed, nil
}

// names are those of the files of tokens.
func (s *Store) names(dir string) (names []string, err error) {
	if s.StateDir == "" {
		return nil, s.homeless()
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), s.place().suffix) {
			names = append(names, e.Name())
		}
	}
	if most := s.place().most(s.Limits); len(names) > most {
		return nil, fmt.Errorf("%s holds more than %d %ss", dir, most, s.place().noun)
	}
	return names, nil
}

func (s *Store) open(ctx context.Context, dir, name string) (k Kept, err error) {
	k.Path = filepath.Join(dir, name)
	plain, place, err := s.unseal(ctx, name)
	if err != nil {
		return k, err
	}
	if k.Kept, err = oauth.ReadKept(plain, s.Limits); err != nil || fileName(k.Kept) != name {
		return k, fmt.Errorf("not a kept token: %s", k.Path)
	}
	k.Key = place
	if place == InFile {
		k.KeyPath = filepath.Join(dir, keyFile)
	}
	return k, nil
}

// unseal reads a file of the room, and says where its key lies.
func (s *Store) unseal(ctx context.Context, name string) (plain []byte, place string, err error) {
	path, noun := filepath.Join(s.dir(), name), s.place().noun
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: s.place().bytes(s.Limits), Base: s.StateDir, Private: true})
	if err != nil {
		return nil, "", err
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil || r.Version != version || r.Key != InKeychain && r.Key != InFile {
		return nil, "", fmt.Errorf("not a kept %s of this version: %s", noun, path)
	}
	key, err := s.key(ctx, r.Key)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %s", err, path)
	}
	box, err := sealer(key)
	if err != nil {
		return nil, "", err
	}
	// What is sealed is bound to its place, so that no file can stand in for another.
	plain, err = box.Open(nil, nil, r.Sealed, []byte(r.Key+" "+name))
	if err != nil {
		return nil, "", fmt.Errorf("its key is another one by now: %s", path)
	}
	return plain, r.Key, nil
}

// seal writes a file of the room. why says why its key is in no keychain, nil where it is in one.
func (s *Store) seal(ctx context.Context, name string, plain []byte) (place string, why, err error) {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	if err := s.Ready(); err != nil {
		return "", nil, err
	}
	place = InKeychain
	key, why := s.newKey(ctx, InKeychain)
	if why != nil {
		place = InFile
		if key, err = s.newKey(ctx, InFile); err != nil {
			return "", why, err
		}
	}
	box, err := sealer(key)
	if err != nil {
		return "", why, err
	}
	raw, err := json.Marshal(record{Version: version, Key: place, Sealed: box.Seal(nil, nil, plain, []byte(place+" "+name))})
	if err != nil {
		return "", why, err
	}
	return place, why, files.WriteAtomic(filepath.Join(s.dir(), name), raw, files.WriteOptions{Private: true})
}

func (s *Store) homeless() error {
	return fmt.Errorf("this system names no folder to keep %ss in", s.place().noun)
}

// Ready makes the folder, before anybody is asked for anything.
func (s *Store) Ready() error {
	if s.StateDir == "" {
		return s.homeless()
	}
	_, err := files.PrivateFolder(s.StateDir, s.place().folder)
	return err
}

// Keep keeps a token, in place of the one of the same issuer and resource. why says why its key is in no keychain, nil
// where it is in one.
func (s *Store) Keep(ctx context.Context, k oauth.Kept) (kept Kept, why, err error) {
	kept = Kept{Kept: k, Path: filepath.Join(s.dir(), fileName(k))}
	plain, err := json.Marshal(k)
	if err != nil {
		return kept, nil, err
	}
	if kept.Key, why, err = s.seal(ctx, fileName(k), plain); kept.Key == InFile {
		kept.KeyPath = filepath.Join(s.dir(), keyFile)
	}
	return kept, why, err
}

// Forget takes a token away.
func (s *Store) Forget(k Kept) error { return files.Remove(k.Path) }

// ForgetAll takes away all that is kept, what can not be opened too, and the keys. It gives the number.
func (s *Store) ForgetAll(ctx context.Context) (n int, err error) {
	dir := s.dir()
	names, err := s.names(dir)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if err := files.Remove(filepath.Join(dir, name)); err != nil {
			return n, err
		}
		n++
	}
	if err := files.Remove(filepath.Join(dir, keyFile)); err != nil && files.ReasonOf(err) != files.Missing {
		return n, err
	}
	if !s.NoKeychain {
		_, err = s.ask(ctx, func(c keychain) (string, error) { return "", c.Delete() })
		if errors.Is(err, errNone) || errors.Is(err, errNoKey) {
			err = nil
		}
	}
	return n, err
}

// fileName is made of the name of what is kept, which may hold any character.
func fileName(k oauth.Kept) string {
	return strings.TrimPrefix(canon.Digest([]byte(k.Name())), "sha256:") + suffix
}

func sealer(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// keyBytes is the size of a key: AES-256.
const keyBytes = 32

// errNoKey says that a place holds no key.
var errNoKey = errors.New("its key is gone")

// key reads the key at a place.
func (s *Store) key(ctx context.Context, place string) ([]byte, error) {
	var text string
	var err error
	if place == InKeychain {
		text, err = s.ask(ctx, keychain.Get)
	} else {
		dir := s.dir()
		var raw []byte
		raw, _, err = files.Read(filepath.Join(dir, keyFile), files.ReadOptions{MaxBytes: s.Limits.CredentialBytes, Base: s.StateDir, Private: true})
		if files.ReasonOf(err) == files.Missing {
			err = errNoKey
		}
		text = string(raw)
	}
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keyBytes {
		return nil, errors.New("its key can not be read")
	}
	return key, nil
}

// newKey is the key at a place, which is made where there is none. It is read back: of two that make one at once, one wins.
func (s *Store) newKey(ctx context.Context, place string) ([]byte, error) {
	if place == InKeychain && s.NoKeychain {
		return nil, errors.New("--no-keychain")
	}
	key, err := s.key(ctx, place)
	if !errors.Is(err, errNoKey) {
		return key, err
	}
	fresh := make([]byte, keyBytes)
	_, _ = rand.Read(fresh) // which never fails
	text := base64.StdEncoding.EncodeToString(fresh)
	if place == InKeychain {
		_, err = s.ask(ctx, func(c keychain) (string, error) { return "", c.Set(text) })
	} else {
		err = files.WriteAtomic(filepath.Join(s.dir(), keyFile), []byte(text+"\n"), files.WriteOptions{New: true, Private: true})
		if files.ReasonOf(err) == files.Changed { // somebody else made one
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return s.key(ctx, place)
}
