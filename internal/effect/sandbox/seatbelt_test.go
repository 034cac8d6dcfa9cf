package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// The profile is held by its text: nobody ran it.
func TestTheProfileForMacOSSaysWhatIsOpenAndClosesSecretsLast(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("macOS has other paths than Windows")
	}
	home := t.TempDir()
	room := filepath.Join(home, `a "quoted" \ room`)
	if err := os.Mkdir(room, 0o700); err != nil {
		t.Fatal(err)
	}
	s := Spec{Argv: []string{"/bin/sh"}, Parent: []string{"HOME=" + home, "PATH=/bin"}, Limits: limits.Default,
		Profile: &Profile{Write: []string{room}, Connect: []uint16{443, dns}, Secret: []string{filepath.Join(home, ".client", "mcp.json")}}}
	p, err := seatbeltPlan(context.Background(), s, s.Parent)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Cleanup() }()
	if p.Path != sandboxExec || p.Argv[0] != "sandbox-exec" || p.Argv[1] != "-p" || p.Argv[3] != "/bin/sh" {
		t.Errorf("%q %q", p.Path, p.Argv)
	}
	text := p.Argv[2]
	at := 0
	for _, want := range []string{"(version 1)\n", "(deny file-write* (subpath \"/\"))", "(allow file-read* file-write* (subpath ", `a \"quoted\" \\ room`,
		"(deny file-read* file-write* (subpath ", `/.ssh"`, `/.client/mcp.json"`, "(deny network*)", `(remote tcp "*:443")`, `(remote tcp "*:53")`} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("%s does not follow in\n%s", want, text)
		}
		at += i
	}
	if n := strings.Count(text, "(") - strings.Count(text, ")"); n != 0 {
		t.Errorf("%d brackets are open", n)
	}
	if !strings.Contains(strings.Join(p.Enforced, "; "), "never tried on a Mac") {
		t.Errorf("%q", p.Enforced)
	}
	s.Profile, s.AllowNet = nil, true
	if text := s.seatbelt(needs{}, room); strings.Contains(text, "network") {
		t.Errorf("the network is on:\n%s", text)
	}
}
