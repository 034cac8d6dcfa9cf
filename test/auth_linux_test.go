package test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A session with a keychain of its own, real ones both: the key of the tokens is in it, and in no file.
func TestALoginUsesTheSecretServiceOfTheSession(t *testing.T) {
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			lacks(t, "needs %s: apt-get install dbus gnome-keyring", program)
		}
	}
	s := newAuthServer(t)
	p := newPerson(t)
	p.onErr = func(said string) {
		if ask := regexp.MustCompile(`(?m)^http\S+authorize\S+$`).FindString(said); ask != "" {
			go func() {
				if err := follow(ask); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	const script = `printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || exit 77
"$0" auth login "$1" --no-browser && "$0" auth status && "$0" scan "$1" --auth --json >scan.json && "$0" auth logout --all && "$0" auth status`
	self := p.child("auth")
	if err := os.Symlink(self.Path, p.path("mcpassay")); err != nil { // the test's program is this one by its name
		t.Fatal(err)
	}
	cmd := exec.Command("dbus-run-session", "--", "sh", "-c", script, p.path("mcpassay"), s.endpoint())
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, append(self.Env, "XDG_RUNTIME_DIR="+p.dir, "XDG_DATA_HOME="+p.path("data")), &p.out, p
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 77 {
		lacks(t, "no keychain can be unlocked here: %s", p.said())
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, p.said())
	}
	for _, want := range []string{"key     in the keychain", "taken away: 1 token", "no token is kept"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("no %q in\n%s", want, p.said())
		}
	}
	if strings.Contains(p.said(), "not in the keychain") {
		t.Error(p.said())
	}
	keepsSecrets(t, s, p)
	if raw, err := os.ReadFile(p.path("scan.json")); err != nil || !strings.Contains(string(raw), "read_balance") {
		t.Errorf("%s, %v", raw, err)
	}
}
