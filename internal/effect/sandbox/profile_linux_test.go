//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// put writes a file, with the folders above it.
func put(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAProfileOpensItsFoldersAndNoSecret(t *testing.T) {
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w := newWorld(t)
			us, beside := strconv.Itoa(os.Getpid()), filepath.Join(filepath.Dir(w.home), "beside")
			note, deep := put(t, filepath.Join(w.home, "notes", "a")), put(t, filepath.Join(w.home, ".config", "app", "set"))
			cloud, ours := put(t, filepath.Join(w.home, ".config", "gcloud", "key")), put(t, filepath.Join(w.home, ".local", "state", "mcpassay", "guard", "a.lock"))
			named, cookies := put(t, filepath.Join(w.home, ".cursor", "mcp.json")), put(t, filepath.Join(w.home, ".mozilla", "firefox", "cookies"))
			room := filepath.Join(filepath.Dir(w.home), "room")
			put(t, filepath.Join(room, "own"))
			for link, to := range map[string]string{filepath.Join(w.home, "keys"): filepath.Dir(w.secret), filepath.Join(room, "out"): beside, filepath.Join(w.home, "notes", "key"): w.secret} {
				if err := os.Symlink(to, link); err != nil {
					t.Fatal(err)
				}
			}
			s := Spec{Executor: b, Dir: w.project, Entry: []string{"ROOM=" + room}}
			if b != Host {
				s.Profile = &Profile{Read: []string{w.home}, Write: []string{room}, Secret: []string{named}}
			}
			c := w.server(t, s)
			for _, d := range [][2]string{{"read", note}, {"list", filepath.Dir(note)}, {"read", deep}, {"read", filepath.Join(room, "own")},
				{"write", filepath.Join(room, "new")}, {"write", filepath.Join(room, "new")}, {"remove", filepath.Join(room, "new")}, {"read", "/proc/self/root" + note},
				{"read", filepath.Join(room, "..", "home", "notes", "a")}} {
				if answer := ask(t, c, d[0], d[1]); answer != "let" {
					t.Errorf("%s %s: %s", d[0], d[1], answer)
				}
			}
			for _, d := range [][2]string{{"read", w.secret}, {"list", filepath.Dir(w.secret)}, {"read", cloud}, {"read", ours}, {"read", named}, {"read", cookies},
				{"read", filepath.Join(w.home, "keys", "id_rsa")}, {"read", filepath.Join(w.home, "notes", "key")}, {"read", filepath.Join(w.home, "notes", "..", ".ssh", "id_rsa")},
				{"read", "/proc/self/root" + w.secret}, {"read", "/proc/self/cwd/../home/.ssh/id_rsa"}, {"write", note}, {"write", filepath.Join(w.home, "notes", "new")},
				{"write", beside}, {"write", filepath.Join(room, "out")}, {"write", filepath.Join(room, "..", "beside")}, {"read", filepath.Join(w.project, "code")},
				{"link-in", w.secret}, {"link-in", note}, {"symlink-in", w.secret}, {"bind", filepath.Dir(w.secret)}, {"move-in", note},
				{"move-out", filepath.Join(w.home, "notes", "took")}, {"ptrace", us}, {"unix", w.abstract}, {"descriptors", "-"}, {"tcp", w.tcp}} {
				if b == Host && (d[0] == "ptrace" || d[0] == "bind") {
					continue // they would stop this very test, and mount for good
				}
				switch answer := ask(t, c, d[0], d[1]); {
				case b == Bubblewrap && d[0] == "write" && !within(d[1], w.home) && answer == "let":
					if raw, _ := os.ReadFile(beside); string(raw) != "secret" { // else it wrote to a place of its own
						t.Errorf("%s %s was let", d[0], d[1])
					}
				case b != Host && answer == "let":
					t.Errorf("%s %s was let", d[0], d[1])
				case b == Host && answer != "let" && !slices.Contains([]string{"descriptors", "link-in", "move-in", "move-out"}, d[0]) && os.Geteuid() == 0:
					t.Errorf("the test proves nothing: %s %s: %s", d[0], d[1], answer)
				}
			}
		})
	}
}

// another is a listener on a port that no profile names.
func another(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func TestAProfileKeepsAServerToItsPorts(t *testing.T) {
	if landlockABI() < abiTCP {
		lacking(t, "%v", errPorts)
	}
	for _, b := range []Backend{Landlock, Bubblewrap, Host} {
		t.Run(string(b), func(t *testing.T) {
			need(t, b)
			w, other := newWorld(t), another(t)
			_, port, _ := net.SplitHostPort(w.tcp)
			n, _ := strconv.ParseUint(port, 10, 16)
			s := Spec{Executor: b}
			if b != Host {
				s.Profile = &Profile{Connect: []uint16{uint16(n), dns}}
			}
			c := w.server(t, s)
			if answer := ask(t, c, "tcp", w.tcp); answer != "let" {
				t.Errorf("its port: %s", answer)
			}
			for _, d := range [][2]string{{"tcp", other}, {"fastopen", other}, {"udp", w.udp}, {"listen", "-"}, {"listen-unbound", "-"}, {"unix", w.socket}, {"unix", w.abstract}} {
				switch answer := ask(t, c, d[0], d[1]); {
				case b != Host && answer == "let":
					t.Errorf("%s %s was let", d[0], d[1])
				case b == Host && answer != "let":
					t.Errorf("the test proves nothing: %s: %s", d[0], answer)
				}
			}
			if b != Host {
				env := next(t, w.server(t, s, "env"))
				if !strings.Contains(env, "RES_OPTIONS=use-vc") {
					t.Error("names are asked for over UDP, which it has not")
				}
			}
		})
	}
}

func TestWithTheNetworkOnLandlockLetsNobodyListen(t *testing.T) {
	need(t, Landlock)
	c := newWorld(t).server(t, Spec{Executor: Landlock, AllowNet: true})
	if answer := ask(t, c, "listen-unbound", "-"); answer == "let" {
		t.Error("it listens on a port that the kernel gave it")
	}
}

func TestAProfileThatCanNotBeKeptIsRefused(t *testing.T) {
	need(t, Landlock)
	w := newWorld(t)
	if err := os.Symlink(filepath.Dir(w.secret), filepath.Join(w.project, "link")); err != nil {
		t.Fatal(err)
	}
	many := filepath.Join(w.home, "many")
	few := limits.Default
	few.SandboxPaths = 4
	for i := range 8 {
		put(t, filepath.Join(w.home, strconv.Itoa(i)))
	}
	for name, c := range map[string]struct {
		executor Backend
		p        Profile
		net      bool
		want     string
	}{
		"the home folder to write":   {Landlock, Profile{Write: []string{w.home}}, false, "keys"},
		"a folder of keys":           {Landlock, Profile{Read: []string{filepath.Dir(w.secret)}}, false, "keys"},
		"a link to one":              {Landlock, Profile{Read: []string{filepath.Join(w.project, "link")}}, false, "keys"},
		"the system's own":           {Landlock, Profile{Read: []string{"/etc"}}, false, "system's own"},
		"all":                        {Landlock, Profile{Read: []string{"/"}}, false, "system's own"},
		"what is not there":          {Landlock, Profile{Read: []string{many}}, false, "no such file"},
		"what is not there to write": {Landlock, Profile{Write: []string{many}}, false, "no such file"},
		"no port":                    {Landlock, Profile{Connect: []uint16{0}}, false, "no port"},
		"all and some":               {Landlock, Profile{Connect: []uint16{443}}, true, "both"},
		"host":                       {Host, Profile{}, false, "can not keep"},
		"job":                        {Job, Profile{}, false, "can not keep"},
		"docker":                     {Docker, Profile{}, false, "can not keep"},
		"more than can be told":      {Landlock, Profile{Read: []string{w.home}}, false, "more than 4"},
	} {
		s := Spec{Executor: c.executor, Argv: []string{"/bin/true"}, Parent: []string{"HOME=" + w.home, "PATH=/bin"}, Profile: &c.p, AllowNet: c.net, Limits: limits.Default}
		if strings.HasPrefix(c.want, "more") {
			s.Limits = few
		}
		p, err := New(t.Context(), s)
		if err == nil {
			_ = p.Cleanup()
		}
		var r *Refusal
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &r) && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
