package test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
	netdoor "github.com/mcpassay/mcpassay/internal/effect/net"
	registrydoor "github.com/mcpassay/mcpassay/internal/effect/registry"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	double "github.com/mcpassay/mcpassay/test/registry"
)

// npmSays asks the npm of this machine, and skips where there is none or it reaches no registry.
func npmSays(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		lacks(t, "needs npm: apt-get install npm")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		lacks(t, "npm %s: %v (no registry?)", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// tunnel is a proxy on loopback: a registry that a machine's npm uses may be at an address that our door does not open.
func tunnel(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
			return
		}
		far, err := net.DialTimeout("tcp", r.Host, 10*time.Second)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer far.Close()
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer near.Close()
		io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(far, near)
			far.Close()
		}()
		io.Copy(near, far)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestARealPackageOfNPMIsPinnedAsNPMKnowsIt(t *testing.T) {
	integrity := npmSays(t, "view", double.PublicPackage+"@"+double.PublicVersion, "dist.integrity")
	where := npmSays(t, "config", "get", "registry")
	p := &registrydoor.Packages{Net: netdoor.Options{Proxy: tunnel(t)}, Now: time.Now, Getenv: func(string) string { return "" }, ReadFile: os.ReadFile, Limits: limits.Default,
		NPM: func(context.Context) (string, error) { return where, nil }}
	defer p.Close()
	ctx := context.Background()
	for _, want := range []string{double.PublicVersion, "~" + double.PublicVersion} {
		pin, err := p.Resolve(ctx, pkg.NPM, "", double.PublicPackage, want, "")
		if err != nil {
			t.Fatal(err)
		}
		if pin.Version != double.PublicVersion || pin.Files[0].Hashes[0].SRI() != integrity {
			t.Errorf("%s is %+v, npm says %s", want, pin, integrity)
		}
		var tarball bytes.Buffer
		if err := p.Fetch(ctx, pin, pin.Files[0], &tarball); err != nil || tarball.Len() == 0 {
			t.Errorf("%d bytes, %v", tarball.Len(), err)
		}
		pin.Files[0].Hashes[0].Sum = bytes.Repeat([]byte{1}, len(pin.Files[0].Hashes[0].Sum))
		var e *registry.Error
		if err := p.Fetch(ctx, pin, pin.Files[0], io.Discard); !errors.As(err, &e) || e.Kind != registry.Mismatch {
			t.Errorf("a wrong digest was taken: %v", err)
		}
	}
}

func TestWhyPinsThePackagesOfARecordThroughTheUsersNPM(t *testing.T) {
	integrity := npmSays(t, "view", double.PublicPackage+"@"+double.PublicVersion, "dist.integrity")
	s := double.New()
	defer s.Close()
	var out, errs bytes.Buffer
	streams := cli.OS()
	streams.Out, streams.Err, streams.Cwd = &out, &errs, t.TempDir()
	getenv, state := streams.Getenv, t.TempDir()
	streams.Getenv = func(name string) string {
		if name == "XDG_STATE_HOME" {
			return state
		}
		return getenv(name)
	}
	if code := cli.Main([]string{"why", "com.example/public", "--json", "--registry", s.URL + "/ok", "--proxy", tunnel(t)}, streams); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var y struct {
		Pins []struct {
			Resolved string
			Digests  []string
			Error    string
		}
		Provenance string
	}
	if err := json.Unmarshal(out.Bytes(), &y); err != nil {
		t.Fatal(err)
	}
	want, err := pkg.ParseSRI(integrity)
	if err != nil || len(y.Pins) != 1 || y.Pins[0].Resolved != double.PublicVersion || len(y.Pins[0].Digests) != 1 || y.Pins[0].Digests[0] != want[0].String() {
		t.Errorf("%+v, npm says %s (%v)", y, integrity, err)
	}
}
