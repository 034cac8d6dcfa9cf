package test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/test/virtual"
)

// signedLock is a lock with one approved server, and the file that signatures of it are over.
func signedLock(t *testing.T) (dir string, subject []byte) {
	t.Helper()
	dir = checkout(t, map[string]string{"mcpassay.lock": shopLock})
	must(t, 0, dir, "lock", "export", "shop", "--subject", "shop.lock")
	subject, err := os.ReadFile(filepath.Join(dir, "shop.lock"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, subject
}

// shopLock has one server that nobody approved.
const shopLock = `{
  "lockVersion": 1,
  "servers": {
    "shop": {
      "launch": {"transport":"http","url":"https://mcp.example.com/mcp"},
      "launchDigest": "sha256:055cb0e0c2c5bb280a421f6d352de276d1e9cb97a29f9f24a51f0575a427a2d1",
      "protocol": {"era":"modern","revision":"2026-07-28"},
      "tools": [],
      "prompts": [],
      "resources": [],
      "resourceTemplates": [],
      "surfaceDigest": "sha256:790716a7cd1daedc488880c0ab126ee6186342d33c2684bc5f67484f5c2d54ff"
    }
  },
  "replaced": {},
  "approvals": [],
  "signatures": []
}
`

func put(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func trusting(identity, issuer, more string) []byte {
	return fmt.Appendf(nil, "version: \"1\"\nsigners:\n  - name: release\n    identity: %s\n    issuer: %s\n%s", identity, issuer, more)
}

func TestAnApprovalIsSignedWithoutAKey(t *testing.T) {
	s, other := virtual.New(t), virtual.New(t)
	for what, m := range map[string]virtual.Made{
		"a file":      {Version: "0.3", Promise: true, Proof: true},
		"a statement": {Version: "0.3", Promise: true, Proof: true, Envelope: true},
	} {
		t.Run(what, func(t *testing.T) {
			dir, subject := signedLock(t)
			m.Content = subject
			put(t, dir, "shop.sigstore.json", s.Bundle(t, m))
			put(t, dir, "root.json", s.Root)
			put(t, dir, "other.json", other.Root)
			put(t, dir, "trust.yaml", trusting(virtual.Ada, virtual.Issuer, ""))
			put(t, dir, "eve.yaml", trusting("eve@example.com", virtual.Issuer, ""))
			put(t, dir, "elsewhere.yaml", trusting(virtual.Ada, "https://issuer.example.org", ""))
			put(t, dir, "revoked.yaml", trusting(virtual.Ada, virtual.Issuer, "    revoked: she left\n"))
			put(t, dir, "expired.yaml", trusting(virtual.Ada, virtual.Issuer, "    expires: 2020-01-01\n"))
			said := must(t, 0, dir, "approve", "shop", "--bundle", "shop.sigstore.json", "--trusted-root", "root.json", "--approval-log", "approvals.jsonl")
			if !strings.Contains(said, "signed by "+virtual.Ada+" ("+virtual.Issuer+")") || !strings.Contains(said, "approved: shop by "+virtual.Ada) {
				t.Error(said)
			}
			must(t, 0, dir, "verify", "--trust", "trust.yaml", "--trusted-root", "root.json", "--approver", "release", "--approval-log", "approvals.jsonl")
			for _, c := range []struct{ trust, root, want string }{
				{"eve.yaml", "root.json", `a bundle is of "ada@example.com" by "https://accounts.example.com", who is not trusted`},
				{"elsewhere.yaml", "root.json", "who is not trusted"},
				{"revoked.yaml", "root.json", `the identity of "release" counts no more: she left`},
				{"expired.yaml", "root.json", `the identity of "release" counted until 2020-01-01`},
				{"trust.yaml", "other.json", `holds a bundle that "release" did not make, though it says so: no log of the trusted root vouches for the bundle`},
				{"eve.yaml", "other.json", "no log of the trusted root vouches for the bundle"},
			} {
				if said := must(t, 1, dir, "verify", "--trust", c.trust, "--trusted-root", c.root); !strings.Contains(said, c.want) {
					t.Errorf("%s, %s: %s", c.trust, c.root, said)
				}
			}
			if said := must(t, 1, dir, "verify", "--trust", "trust.yaml"); !strings.Contains(said, "no log of the trusted root") {
				t.Errorf("held against the public instance: %s", said)
			}
			if said := must(t, 1, dir, "verify", "--trust", "trust.yaml", "--trusted-root", "root.json", "--expect-publisher", "example-org"); !strings.Contains(said, "names neither publisher nor identity") {
				t.Error(said)
			}
			must(t, 1, dir, "verify", "--trust", "trust.yaml", "--trusted-root", "root.json", "--require", "2")
			must(t, 0, dir, "verify", "--trusted-root", "root.json") // alone it is for the attestations of packages
			must(t, 1, dir, "verify", "--trust", "trust.yaml", "--trusted-root", "trust.yaml")

			// Somebody with a key signs beside it, and it is written out as it came.
			must(t, 0, dir, "keygen", "--private-key", "grace.key", "--public-key", "grace.pub")
			must(t, 0, dir, "approve", "shop", "--by", "Grace", "--sign", "grace.key")
			pub, _ := os.ReadFile(filepath.Join(dir, "grace.pub"))
			put(t, dir, "both.yaml", trusting(virtual.Ada, virtual.Issuer, "  - name: grace\n    key: |\n      "+strings.ReplaceAll(strings.TrimSpace(string(pub)), "\n", "\n      ")+"\n"))
			must(t, 0, dir, "verify", "--trust", "both.yaml", "--trusted-root", "root.json", "--require", "2")
			must(t, 0, dir, "lock", "export", "shop", "--subject", "again.lock", "--bundle", "again.json", "--key-id", virtual.Ada)
			again, err := os.ReadFile(filepath.Join(dir, "again.json"))
			if err != nil {
				t.Fatal(err)
			}
			if who, err := virtual.Oracle(s.Root, again, subject, 0); err != nil || who != virtual.Ada+" "+virtual.Issuer {
				t.Errorf("sigstore-go says %q %v of what was written out", who, err)
			}
			must(t, 2, dir, "lock", "export", "shop", "--subject", "again.lock", "--envelope", "again.json", "--key-id", virtual.Ada)

			// What is taken back counts no more, and a bundle goes with what it is over.
			must(t, 0, dir, "approve", "--revoke", "shop", "--by", virtual.Ada)
			must(t, 1, dir, "verify", "--trust", "both.yaml", "--trusted-root", "root.json", "--require", "2")
			must(t, 0, dir, "verify", "--trust", "both.yaml", "--trusted-root", "root.json")
		})
	}
}

func TestABundleThatDoesNotHoldApprovesNothing(t *testing.T) {
	s, other := virtual.New(t), virtual.New(t)
	dir, subject := signedLock(t)
	good := virtual.Made{Version: "0.3", Promise: true, Proof: true, Content: subject}
	put(t, dir, "root.json", s.Root)
	for what, c := range map[string]struct {
		text []byte
		want string
	}{
		"over another file":    {s.Bundle(t, virtual.Made{Version: "0.3", Promise: true, Proof: true, Content: []byte("x")}), "the bundle is over another file"},
		"of another Sigstore":  {other.Bundle(t, good), "no log of the trusted root vouches"},
		"without a log":        {s.Bundle(t, virtual.Made{Version: "0.3", NotLogged: true, Stamp: true, Content: subject}), "no log of the trusted root vouches"},
		"of an expired signer": {s.Bundle(t, virtual.Made{Version: "0.3", Promise: true, Proof: true, At: time.Now().Add(30 * time.Minute), Content: subject}), "was not valid when it signed"},
		"none":                 {[]byte("{}"), "this is no Sigstore bundle"},
	} {
		put(t, dir, "shop.sigstore.json", c.text)
		if said := must(t, 2, dir, "approve", "shop", "--bundle", "shop.sigstore.json", "--trusted-root", "root.json"); !strings.Contains(said, c.want) {
			t.Errorf("%s: %s", what, said)
		}
		if lockOf(t, dir) != shopLock {
			t.Fatalf("%s: the lock was changed", what)
		}
	}
	put(t, dir, "shop.sigstore.json", s.Bundle(t, good))
	must(t, 2, dir, "approve", "--bundle", "shop.sigstore.json", "--trusted-root", "root.json")
	must(t, 2, dir, "approve", "shop", "--trusted-root", "root.json")
	must(t, 2, dir, "approve", "shop", "--bundle", "shop.sigstore.json", "--sign", "x.key")
	must(t, 2, dir, "approve", "shop", "--bundle", "nowhere.json")
	must(t, 2, dir, "approve", "shop", "--bundle", "shop.sigstore.json", "--trusted-root", "nowhere.json")
}

// Any byte of a lock that is signed without a key.
func TestAnyChangedByteOfALockThatIsSignedWithoutAKeyStopsVerify(t *testing.T) {
	s := virtual.New(t)
	dir, subject := signedLock(t)
	put(t, dir, "root.json", s.Root)
	put(t, dir, "trust.yaml", trusting(virtual.Ada, virtual.Issuer, ""))
	put(t, dir, "shop.sigstore.json", s.Bundle(t, virtual.Made{Version: "0.3", Promise: true, Proof: true, Content: subject}))
	must(t, 0, dir, "approve", "shop", "--bundle", "shop.sigstore.json", "--trusted-root", "root.json")
	good := lockOf(t, dir)
	random := rand.New(rand.NewPCG(11, 12))
	for range 25 {
		bad := []byte(good)
		bad[random.IntN(len(bad))] ^= byte(1 + random.IntN(255))
		put(t, dir, "mcpassay.lock", bad)
		if code, said := act(t, dir, "verify", "--trust", "trust.yaml", "--trusted-root", "root.json"); code != 1 {
			var at int
			for at = 0; bad[at] == good[at]; at++ {
			}
			line, _ := json.Marshal(string(bad[max(0, at-40):min(len(bad), at+40)]))
			t.Errorf("exit %d for %s: %s", code, line, said)
		}
	}
}
