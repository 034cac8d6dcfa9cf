package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func secretsIn(t *testing.T, dir string, chain keychain) *Secrets {
	s := NewSecrets(filepath.Join(dir, "state"), false, limits.Default)
	s.store.chain = chain
	return s
}

func TestASecretIsKeptSealedAndGivenBack(t *testing.T) {
	t.Parallel()
	chain := &fake{}
	s := secretsIn(t, t.TempDir(), chain)
	at := time.Unix(1_800_000_000, 0).UTC()
	for name, value := range map[string]string{"B_TOKEN": "bbbb-0123456789", "A_TOKEN": "line one\nline two", "C_TOKEN": strings.Repeat("\x01", limits.Default.SecretBytes)} {
		if place, why, err := s.Set(t.Context(), Secret{Name: name, Value: value, Kept: at}); place != InKeychain || why != nil || err != nil {
			t.Fatalf("%s: %s %v %v", name, place, why, err)
		}
		got, err := s.Get(t.Context(), name)
		if err != nil || got.Value != value || !got.Kept.Equal(at) || got.Key != InKeychain {
			t.Errorf("%s: %.40q %v", name, got.Value, err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(s.store.dir(), "*"))
	if err != nil || len(kept) != 3 {
		t.Fatalf("%v %v", kept, err)
	}
	for _, path := range kept {
		raw, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(raw), "TOKEN") || strings.Contains(string(raw), "0123456789") {
			t.Errorf("%s: %.80s %v", path, raw, err)
		}
	}
	all, closed, err := s.All(t.Context())
	if err != nil || len(closed) > 0 || len(all) != 3 || all[0].Name != "A_TOKEN" {
		t.Errorf("%d %v %v", len(all), closed, err)
	}
	if err := s.Remove("A_TOKEN"); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), "A_TOKEN"); !errors.Is(err, ErrNoSecret) {
		t.Error(err)
	}
	if err := s.Remove("A_TOKEN"); !errors.Is(err, ErrNoSecret) {
		t.Error(err)
	}
	// One file can not stand in for another, and without the key nothing is given.
	if err := os.Rename(filepath.Join(s.store.dir(), secretFile("B_TOKEN")), filepath.Join(s.store.dir(), secretFile("D_TOKEN"))); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), "D_TOKEN"); err == nil {
		t.Errorf("%+v", got)
	}
	chain.text = ""
	if got, err := s.Get(t.Context(), "C_TOKEN"); err == nil {
		t.Errorf("%+v", got)
	}
	if _, closed, _ := s.All(t.Context()); len(closed) != 2 {
		t.Errorf("%v", closed)
	}
}

func TestSecretsAndTokensHaveKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := secretsIn(t, dir, &fake{err: errors.New("locked")})
	place, why, err := s.Set(t.Context(), Secret{Name: "A", Value: "v"})
	if place != InFile || why == nil || err != nil {
		t.Fatalf("%s %v %v", place, why, err)
	}
	tokens := &Store{StateDir: filepath.Join(dir, "state"), Limits: limits.Default, chain: &fake{err: errors.New("locked")}}
	if _, _, err := tokens.Keep(t.Context(), token("https://a.example")); err != nil {
		t.Fatal(err)
	}
	if n, err := tokens.ForgetAll(t.Context()); n != 1 || err != nil && !strings.Contains(err.Error(), "locked") {
		t.Errorf("%d %v", n, err)
	}
	if got, err := s.Get(t.Context(), "A"); err != nil || got.Value != "v" {
		t.Errorf("the tokens took the secrets' key along: %v", err)
	}
}

func TestWhatIsNoSecretIsNotKept(t *testing.T) {
	t.Parallel()
	s := secretsIn(t, t.TempDir(), &fake{})
	for _, value := range []string{"\xff", "a\x00b", strings.Repeat("x", limits.Default.SecretBytes+1)} {
		if _, _, err := s.Set(t.Context(), Secret{Name: "A", Value: value}); err == nil {
			t.Errorf("%.20q was kept", value)
		}
	}
	s.store.Limits.KeptSecrets = 1
	for name, ok := range map[string]bool{"A": true} {
		if _, _, err := s.Set(t.Context(), Secret{Name: name, Value: "v"}); (err == nil) != ok {
			t.Error(err)
		}
	}
	if _, _, err := s.Set(t.Context(), Secret{Name: "B", Value: "v"}); err == nil {
		t.Error("more are kept than may be")
	}
	if _, _, err := s.Set(t.Context(), Secret{Name: "A", Value: "w"}); err != nil {
		t.Errorf("a secret can not be replaced: %v", err)
	}
	nowhere := NewSecrets("", false, limits.Default)
	if _, err := nowhere.Get(t.Context(), "A"); err == nil {
		t.Error("given from nowhere")
	}
	if err := nowhere.Remove("A"); err == nil {
		t.Error("removed from nowhere")
	}
}
