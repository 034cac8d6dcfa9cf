package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/zalando/go-keyring"
)

// keychain is one entry of the system's: a text.
type keychain interface {
	Get() (string, error)
	Set(text string) error
	Delete() error
}

// errNone says that the system has no keychain that could be asked.
var errNone = errors.New("no keychain on this system")

// ask asks the keychain, for as long as a person may take to unlock it. An answer that comes later is lost.
func (s *Store) ask(ctx context.Context, do func(keychain) (string, error)) (string, error) {
	chain := s.chain
	if chain == nil {
		if !present() {
			return "", errNone
		}
		chain = system{s.place().entry}
	}
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := do(chain)
		got <- answer{text, err}
	}()
	timer := time.NewTimer(s.Limits.KeychainTime)
	defer timer.Stop()
	select {
	case a := <-got:
		if errors.Is(a.err, keyring.ErrNotFound) {
			return "", errNoKey
		}
		return a.text, a.err
	case <-timer.C:
		return "", fmt.Errorf("the keychain did not answer within %v", s.Limits.KeychainTime)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// present says whether there may be a keychain. On Linux it is behind the session's bus, and without one the library would
// start a bus of its own, which would stay.
func present() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if at := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); at != "" {
		return at != "autolaunch:"
	}
	_, err := os.Stat("/run/user/" + strconv.Itoa(os.Getuid()) + "/bus")
	return err == nil
}

// system is the keychain of this system: Keychain on macOS, Credential Manager on Windows, the Secret Service elsewhere.
type system struct{ entry string }

const service = "mcpassay"

func (c system) Get() (string, error)  { return keyring.Get(service, c.entry) }
func (c system) Set(text string) error { return keyring.Set(service, c.entry, text) }
func (c system) Delete() error         { return keyring.Delete(service, c.entry) }

// Place says, without asking it, where a key would be kept: the name of the system's keychain where there may be one, else
// "file". Whether it is open only an answer tells.
func Place() string {
	switch {
	case !present():
		return "file"
	case runtime.GOOS == "darwin":
		return "Keychain"
	case runtime.GOOS == "windows":
		return "Credential Manager"
	}
	for _, dir := range []string{"/usr/share/dbus-1/services", "/usr/local/share/dbus-1/services"} {
		// Somebody must answer behind the bus: without a provider there is a bus and no keychain.
		if _, err := os.Stat(dir + "/org.freedesktop.secrets.service"); err == nil {
			return "Secret Service"
		}
	}
	return "file"
}
