// Package keyfile reads private keys from files: Ed25519, in PEM (PKCS #8) or in OpenSSH's own form, which may be under a
// passphrase. It alone knows golang.org/x/crypto/ssh, which brings the network with it: what must not reach that, and what
// only checks signatures, does without this package.
package keyfile

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"

	"golang.org/x/crypto/ssh"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// ErrPassphrase says that the key is under a passphrase and none was given.
var ErrPassphrase = errors.New("the key is under a passphrase")

// Read reads the key in a file that nobody but its owner can read. passphrase is asked only where the key is under one; it
// is nil where there is none.
func Read(path string, passphrase func() ([]byte, error), lim limits.Set) (ed25519.PrivateKey, error) {
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: lim.CredentialBytes, Private: true})
	if err != nil {
		return nil, err
	}
	key, err := parse(raw, nil)
	if errors.Is(err, ErrPassphrase) && passphrase != nil {
		given, err := passphrase()
		if err != nil {
			return nil, err
		}
		return parse(raw, given)
	}
	return key, err
}

// Secret reads what stands in a file that nobody but its owner can read, without the end of its line.
func Secret(path string, lim limits.Set) ([]byte, error) {
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: lim.CredentialBytes, Private: true})
	return bytes.TrimRight(raw, "\r\n"), err
}

// parse never repeats a part of what it reads.
func parse(raw, passphrase []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(raw)
	switch {
	case block == nil:
		return nil, errors.New("this is no private key: it has no PEM")
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("a PKCS #8 key under a passphrase can not be read: take one without, or one of OpenSSH (ssh-keygen -t ed25519)")
	case block.Type != "PRIVATE KEY" && block.Type != "OPENSSH PRIVATE KEY":
		return nil, errors.New("the PEM holds no Ed25519 private key")
	}
	var key any
	var err error
	if passphrase == nil {
		key, err = ssh.ParseRawPrivateKey(raw)
	} else {
		key, err = ssh.ParseRawPrivateKeyWithPassphrase(raw, passphrase)
	}
	var missing *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &missing):
		return nil, ErrPassphrase
	case errors.Is(err, x509.IncorrectPasswordError):
		return nil, errors.New("the passphrase is another")
	case err != nil:
		return nil, errors.New("the private key can not be read: it is damaged, or of another kind than Ed25519")
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return again(key)
	case *ed25519.PrivateKey:
		return again(*key)
	}
	return nil, errors.New("it is no Ed25519 key: ssh-keygen -t ed25519, or mcpassay keygen, makes one")
}

// again refuses a key whose public half is another's: signing with it would give the private half away.
func again(key ed25519.PrivateKey) (ed25519.PrivateKey, error) {
	if len(key) != ed25519.PrivateKeySize || !bytes.Equal(ed25519.NewKeyFromSeed(key.Seed()), key) {
		return nil, errors.New("the private key can not be read: its two halves do not belong together")
	}
	return key, nil
}
