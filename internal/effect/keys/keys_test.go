package keys

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/oauth"
)

// fake is a keychain in memory.
type fake struct {
	mu   sync.Mutex
	text string
	err  error
	wait chan bool
}

func (f *fake) Get() (string, error) {
	if f.wait != nil {
		<-f.wait
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && f.text == "" {
		return "", keyring.ErrNotFound
	}
	return f.text, f.err
}

func (f *fake) Set(text string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = text
	return f.err
}

func (f *fake) Delete() error { return f.Set("") }

func token(resource string) oauth.Kept {
	return oauth.Kept{Grant: oauth.Grant{Issuer: "https://as.example", Resource: resource, TokenEndpoint: "https://as.example/token"},
		Token: oauth.Token{Access: "access-0123456789", Refresh: "refresh-0123456789"}, Obtained: time.Unix(1_800_000_000, 0).UTC()}
}

func store(t *testing.T, chain keychain) *Store {
	return &Store{StateDir: filepath.Join(t.TempDir(), "state"), Limits: limits.Default, chain: chain}
}

func TestAKeyLiesInTheKeychain(t *testing.T) {
	t.Parallel()
	chain := &fake{}
	s := store(t, chain)
	for _, resource := range []string{"https://a.example/mcp", "https://b.example/mcp", "https://a.example/mcp"} {
		k, why, err := s.Keep(t.Context(), token(resource))
		if why != nil || err != nil || k.Key != InKeychain || k.KeyPath != "" {
			t.Fatalf("%+v, %v, %v", k, why, err)
		}
		raw, err := os.ReadFile(k.Path)
		if err != nil || strings.Contains(string(raw), "0123456789") || strings.Contains(string(raw), "example") || strings.Contains(string(raw), chain.text) {
			t.Errorf("%s, %v", raw, err)
		}
	}
	all, closed, err := s.All(t.Context())
	if err != nil || len(closed) > 0 || len(all) != 2 || all[0].Token.Access != "access-0123456789" {
		t.Fatalf("%v %v %v", all, closed, err)
	}
	if err := s.Forget(all[0]); err != nil {
		t.Error(err)
	}
	if all, _, _ := s.All(t.Context()); len(all) != 1 {
		t.Errorf("%v", all)
	}
	// Without the key nothing is opened, and with another one neither.
	for _, text := range []string{"", strings.Repeat("A", 43) + "=", "short"} {
		chain.text = text
		if all, closed, _ := s.All(t.Context()); len(all) != 0 || len(closed) != 1 {
			t.Errorf("key %q: %v %v", text, all, closed)
		}
	}
	if n, err := s.ForgetAll(t.Context()); n != 1 || err != nil || chain.text != "" {
		t.Errorf("%d, %v, %q", n, err, chain.text)
	}
}

func TestWithoutAKeychainTheKeyIsAFileAndThatIsSaid(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*Store{"broken": store(t, &fake{err: errors.New("locked")}), "unwanted": store(t, &fake{})} {
		s.NoKeychain = name == "unwanted"
		k, why, err := s.Keep(t.Context(), token("https://a.example/mcp"))
		if why == nil || err != nil || k.Key != InFile || filepath.Dir(k.KeyPath) != filepath.Dir(k.Path) {
			t.Fatalf("%s: %+v, %v, %v", name, k, why, err)
		}
		info, err := os.Stat(k.KeyPath)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		if all, closed, err := s.All(t.Context()); len(all) != 1 || len(closed) > 0 || err != nil {
			t.Errorf("%v %v %v", all, closed, err)
		}
		if runtime.GOOS != "windows" { // a key that others may read is none
			if err := os.Chmod(k.KeyPath, 0o644); err != nil {
				t.Fatal(err)
			}
			if all, closed, _ := s.All(t.Context()); len(all) > 0 || len(closed) != 1 {
				t.Errorf("%v %v", all, closed)
			}
		}
	}
}

func TestOneFileDoesNotStandInForAnother(t *testing.T) {
	t.Parallel()
	s := store(t, &fake{})
	a, _, errA := s.Keep(t.Context(), token("https://a.example/mcp"))
	b, _, errB := s.Keep(t.Context(), token("https://b.example/mcp"))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if err := os.Rename(a.Path, b.Path); err != nil {
		t.Fatal(err)
	}
	if all, closed, _ := s.All(t.Context()); len(all) > 0 || len(closed) != 1 {
		t.Errorf("%v %v", all, closed)
	}
}

func TestKeptFilesOfOtherShapesAreToldAndNotUsed(t *testing.T) {
	t.Parallel()
	s := store(t, &fake{})
	if err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{}", "[]", `{"version":2,"key":"file","sealed":""}`, `{"version":1,"key":"elsewhere","sealed":""}`,
		`{"version":1,"key":"keychain","sealed":"AAAA"}`, `{"version":1,"key":"file","sealed":"!"}`, strings.Repeat(" ", limits.Default.KeptBytes+1)} {
		if err := os.WriteFile(filepath.Join(s.StateDir, folder, "x"+suffix), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if all, closed, err := s.All(t.Context()); len(all) > 0 || len(closed) != 1 || err != nil {
			t.Errorf("%.40q: %v %v %v", text, all, closed, err)
		}
	}
}

func TestTooManyTokensAreTold(t *testing.T) {
	t.Parallel()
	s := store(t, &fake{})
	s.Limits.KeptTokens = 1
	for _, resource := range []string{"https://a.example", "https://b.example"} {
		if _, _, err := s.Keep(t.Context(), token(resource)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.All(t.Context()); err == nil {
		t.Error("read all the same")
	}
}

func TestAKeychainThatDoesNotAnswerIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	chain := &fake{wait: make(chan bool)}
	defer close(chain.wait)
	s := store(t, chain)
	s.Limits.KeychainTime = 10 * time.Millisecond
	if k, why, err := s.Keep(t.Context(), token("https://a.example")); err != nil || why == nil || k.Key != InFile {
		t.Errorf("%v, %v, %v", k, why, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Limits.KeychainTime = time.Hour
	if _, err := s.ask(ctx, keychain.Get); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestManyThatKeepAtOnceShareOneKey(t *testing.T) {
	t.Parallel()
	for _, s := range []*Store{store(t, &fake{}), store(t, &fake{err: errors.New("locked")})} {
		var all sync.WaitGroup
		for _, resource := range []string{"https://a.example", "https://b.example", "https://c.example", "https://d.example"} {
			all.Go(func() {
				if _, _, err := s.Keep(t.Context(), token(resource)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if kept, closed, err := s.All(t.Context()); len(kept) != 4 || err != nil {
			t.Errorf("%d kept, %v, %v", len(kept), closed, err)
		}
	}
}

func TestNoStateFolderIsSaid(t *testing.T) {
	t.Parallel()
	s := &Store{Limits: limits.Default, chain: &fake{}}
	if _, _, err := s.Keep(t.Context(), token("https://a.example")); err == nil {
		t.Error("kept nowhere")
	}
	if _, _, err := s.All(t.Context()); err == nil {
		t.Error("read from nowhere")
	}
}

func TestTheSystemsKeychainIsOneEntry(t *testing.T) {
	keyring.MockInit() // no test touches the real one
	if _, err := (system{tokens.entry}).Get(); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if err := (system{tokens.entry}).Set("key"); err != nil {
		t.Error(err)
	}
	if text, err := (system{tokens.entry}).Get(); text != "key" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := (system{tokens.entry}).Delete(); err != nil {
		t.Error(err)
	}
}
