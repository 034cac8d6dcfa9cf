package keyfile

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/sign"
)

var seed = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))

func write(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openSSH is the key as ssh-keygen writes it.
func openSSH(t testing.TB, key any, passphrase string) []byte {
	t.Helper()
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(key, "ada@example.com")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "ada@example.com", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

func TestAKeyIsReadInBothForms(t *testing.T) {
	never := func() ([]byte, error) { t.Error("it asked for a passphrase"); return nil, nil }
	for what, raw := range map[string][]byte{"PKCS #8": sign.PrivatePEM(seed), "OpenSSH": openSSH(t, seed, "")} {
		if got, err := Read(write(t, raw), never, limits.Default); err != nil || !got.Equal(seed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAKeyUnderAPassphrase(t *testing.T) {
	path := write(t, openSSH(t, seed, "correct horse"))
	given := func(s string) func() ([]byte, error) { return func() ([]byte, error) { return []byte(s), nil } }
	if got, err := Read(path, given("correct horse"), limits.Default); err != nil || !got.Equal(seed) {
		t.Error(err)
	}
	if _, err := Read(path, nil, limits.Default); !errors.Is(err, ErrPassphrase) {
		t.Error(err)
	}
	if _, err := Read(path, given("wrong"), limits.Default); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Error(err)
	}
	if _, err := Read(path, func() ([]byte, error) { return nil, os.ErrNotExist }, limits.Default); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestWhatIsNoKeyIsRefused(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(ec)
	if err != nil {
		t.Fatal(err)
	}
	mixed := bytes.Clone(seed)
	mixed[40] ^= 1
	for what, raw := range map[string][]byte{
		"nothing":              nil,
		"text":                 []byte("hello"),
		"a public key":         sign.PublicPEM(seed.Public().(ed25519.PublicKey)),
		"another kind":         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		"another kind, by ssh": openSSH(t, ec, ""),
		"cut":                  pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: []byte("openssh-key-v1\x00")}),
		"PKCS #8, encrypted":   pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}),
		"two halves":           openSSH(t, ed25519.PrivateKey(mixed), ""),
	} {
		if _, err := Read(write(t, raw), nil, limits.Default); err == nil {
			t.Errorf("%s: it was read", what)
		}
	}
	if _, err := Read(write(t, bytes.Repeat([]byte("x"), limits.Default.CredentialBytes+1)), nil, limits.Default); err == nil {
		t.Error("a file over the limit was read")
	}
	if runtime.GOOS == "windows" {
		return
	}
	path := write(t, sign.PrivatePEM(seed))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, nil, limits.Default); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others can read: %v", err)
	}
	if _, err := Secret(path, limits.Default); err == nil {
		t.Error("a passphrase that others can read was read")
	}
}

func FuzzPrivate(f *testing.F) {
	f.Add(sign.PrivatePEM(seed))
	f.Add(openSSH(f, seed, ""))
	f.Fuzz(func(t *testing.T, raw []byte) {
		key, err := parse(raw, nil)
		if err != nil {
			if key != nil {
				t.Error("a key beside an error")
			}
			return
		}
		if back, err := parse(sign.PrivatePEM(key), nil); err != nil || !back.Equal(key) {
			t.Errorf("%v", err)
		}
	})
}
