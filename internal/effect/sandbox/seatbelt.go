package sandbox

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

// sandboxExec is the program of macOS that runs another one under a profile.
const sandboxExec = "/usr/bin/sandbox-exec"

func seatbeltUsable() error {
	if runtime.GOOS != "darwin" {
		return refuse("--executor auto", "seatbelt is for macOS")
	}
	if _, err := os.Stat(sandboxExec); err != nil {
		return refuse("--executor host starts it without any bounds", "this macOS has no sandbox-exec")
	}
	return nil
}

// seatbeltPlan starts the command under a profile of sandbox-exec. This was never run on macOS: its test holds the text.
func seatbeltPlan(_ context.Context, s Spec, env []string) (*Plan, error) {
	n, err := s.needs(env)
	if err != nil {
		return nil, err
	}
	base, err := os.MkdirTemp("", "mcpassay-")
	if err != nil {
		return nil, fmt.Errorf("private folders: %w", err)
	}
	dir := s.Dir
	if dir == "" {
		dir = base
	}
	argv := append([]string{"sandbox-exec", "-p", s.seatbelt(n, base), n.path}, s.Argv[1:]...)
	return &Plan{
		Command:  proc.Command{Path: sandboxExec, Argv: argv, Env: private(n.env, base, base), Dir: dir},
		Enforced: append(confined(s), "as far as can be told: this was never tried on a Mac"),
		NotEnforced: []string{"files: those outside of home folders and volumes can be read", "services: other programs of macOS can be asked, the keychain's apart",
			"processes that leave its process group live on", "memory, processor and processes"},
		Cleanup: func() error { return proc.RemoveTree(base) },
	}, nil
}

// seatbelt is the profile. Of what fits an action the last rule holds.
func (s Spec) seatbelt(n needs, base string) string {
	var b strings.Builder
	rule := func(words string, paths ...string) {
		b.WriteString("(" + words)
		for _, p := range paths {
			for _, real := range followed(p) {
				b.WriteString(" (subpath " + scheme(real) + ")")
			}
		}
		b.WriteString(")\n")
	}
	b.WriteString("(version 1)\n(allow default)\n")
	rule("deny file-read* file-write*", "/Users", "/Volumes")
	rule("deny file-write* (subpath \"/\")")
	rule("allow file-read-metadata (subpath \"/\")")
	if len(n.read) > 0 {
		rule("allow file-read*", n.read...)
	}
	rule("allow file-read* file-write*", append([]string{base}, n.write...)...)
	rule("allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\")")
	rule("deny file-read* file-write*", s.secrets()...)
	rule("deny mach-lookup (global-name \"com.apple.SecurityServer\") (global-name \"com.apple.securityd\")")
	rule("deny process-info* (target others)")
	rule("deny signal (target others)")
	if !s.AllowNet {
		rule("deny network*")
		for _, port := range n.ports {
			rule("allow network-outbound (remote tcp \"*:" + port + "\")")
		}
		if len(n.ports) > 0 { // which asks for names
			rule("allow network-outbound (literal \"/private/var/run/mDNSResponder\")")
		}
	}
	return b.String()
}

// scheme writes a text as a string of the profile's language.
func scheme(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
