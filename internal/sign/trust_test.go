package sign

import (
	"crypto/ed25519"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func readTrust(t testing.TB, text string, lim limits.Set) (*Trust, error) {
	t.Helper()
	doc, err := source.Parse("trust.yaml", []byte(text), source.YAML, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return ReadTrust(doc, lim)
}

// entry is a signer's in one line.
func entry(name string, n byte, more string) string {
	pem := strings.ReplaceAll(string(PublicPEM(key(n).Public().(ed25519.PublicKey))), "\n", `\n`)
	return fmt.Sprintf("  - {name: %s, key: \"%s\"%s}\n", name, pem, more)
}

const trustHead = "version: \"1\"\nsigners:\n"

func TestATrustFileNamesSigners(t *testing.T) {
	got, err := readTrust(t, trustHead+entry("ada", 1, ", expires: 2027-12-31")+entry("grace", 2, ", revoked: the laptop was stolen")+
		entry("eve", 3, ", revoked: true")+entry("bob", 4, ", revoked: false"), limits.Default)
	if err != nil || len(got.Signers) != 4 {
		t.Fatalf("%+v %v", got, err)
	}
	for i, want := range []Signer{{Name: "ada", Expires: "2027-12-31"}, {Name: "grace", Revoked: "the laptop was stolen"}, {Name: "eve", Revoked: "revoked"}, {Name: "bob"}} {
		s := got.Signers[i]
		if s.Name != want.Name || s.Expires != want.Expires || s.Revoked != want.Revoked || !s.Key.Equal(key(byte(i+1)).Public()) {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
}

func TestEveryFaultOfATrustFileHasItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "trust.yaml:1: it is",
		"version: \"2\"\n":                  `trust.yaml:1: version is not "1"`,
		"version: \"1\"\nsigners: []\n":     "trust.yaml:2: signers is no list",
		"version: \"1\"\nsigners: {a: b}\n": "trust.yaml:2: signers is no list",
		"version: \"1\"\nsigner: []\n":      `trust.yaml:2: "signer" means nothing here`,
		trustHead + "  - ada\n":             "trust.yaml:3: it is a string",
		trustHead + "  - {name: ada, identity: a@b.example}\n":                                       `trust.yaml:3: "ada" needs both`,
		trustHead + "  - {name: ada, issuer: https://i.example}\n":                                   `trust.yaml:3: "ada" needs both`,
		trustHead + entry("ada", 1, ", identity: a@b.example, issuer: https://i.example"):            "has a key and an identity",
		trustHead + "  - {name: a, identity: x, issuer: y}\n  - {name: b, identity: x, issuer: y}\n": `trust.yaml:4: "b" has the identity of "a"`,
		trustHead + "  - {name: ada}\n":                                                              `trust.yaml:3: the key of "ada"`,
		trustHead + entry(`""`, 1, ""):                                                               "trust.yaml:3: a signer has no name",
		trustHead + entry("ada", 1, ", a: b"):                                                        `trust.yaml:3: "a" means nothing here`,
		trustHead + entry("ada", 1, ", revoked: \"\""):                                               "trust.yaml:3: revoked says nothing",
		trustHead + entry("ada", 1, ", revoked: 2026"):                                               "trust.yaml:3: revoked is a reason",
		trustHead + entry("ada", 1, ", expires: soon"):                                               "trust.yaml:3: expires is no date",
		trustHead + entry("ada", 1, "") + entry("ada", 2, ""):                                        `trust.yaml:4: there are two signers named "ada"`,
		trustHead + entry("ada", 1, "") + entry("grace", 1, ""):                                      `trust.yaml:4: "grace" has the key of "ada"`,
		trustHead + entry("ada", 1, ", revoked: x, revoked: no"):                                     "revoked stands here twice",
	} {
		got, err := readTrust(t, text, limits.Default)
		if err == nil || got != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	few := limits.Default
	few.TrustSigners = 1
	if _, err := readTrust(t, trustHead+entry("ada", 1, "")+entry("grace", 2, ""), few); err == nil {
		t.Error("a list over the limit was read")
	}
}

func FuzzReadTrust(f *testing.F) {
	f.Add(trustHead + entry("ada", 1, ", expires: 2027-12-31") + entry("grace", 2, ", revoked: stolen"))
	f.Add("version: \"1\"\nsigners:\n  - name: &a ada\n    key: *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := source.Parse("trust.yaml", []byte(text), source.YAML, limits.Default)
		if err != nil {
			return
		}
		got, err := ReadTrust(doc, limits.Default)
		if (err == nil) != (got != nil) {
			t.Fatalf("%+v beside %v", got, err)
		}
		if got == nil {
			return
		}
		seen := map[string]bool{}
		for _, s := range got.Signers {
			id := KeyID(s.Key)
			if s.Key == nil {
				if id = s.Identity + " " + s.Issuer; s.Identity == "" || s.Issuer == "" || seen[id] {
					t.Errorf("%+v", s)
				}
				seen[id] = true
				continue
			}
			if len(s.Key) != ed25519.PublicKeySize || s.Name == "" || seen[id] || seen[s.Name] {
				t.Errorf("%+v", s)
			}
			seen[id], seen[s.Name] = true, true
		}
	})
}

func TestTheTrustFileOfTheDocumentsIsOne(t *testing.T) {
	raw, err := os.ReadFile("../../docs/approvals.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(raw), "```yaml trust.yaml\n")
	text, _, _ = strings.Cut(text, "```")
	got, err := readTrust(t, text, limits.Default)
	if !ok || err != nil || len(got.Signers) != 3 || got.Signers[2].Identity == "" || got.Signers[1].Revoked == "" {
		t.Errorf("%+v %v", got, err)
	}
}
