package provenance

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/sign/bundle"
	"github.com/mcpassay/mcpassay/test/virtual"
)

const (
	workflow = "https://github.com/example/files/.github/workflows/release.yml@refs/tags/v1.0.0"
	name     = "@example/files"
)

func digest(content string) pkg.Hash {
	sum := sha512.Sum512([]byte(content))
	return pkg.Hash{Algorithm: "sha512", Sum: sum[:]}
}

func npmPin(hashes ...pkg.Hash) *pkg.Pin {
	return &pkg.Pin{Type: pkg.NPM, Name: name, Version: "1.0.0", Files: []pkg.File{{Name: name, Hashes: hashes}}}
}

func rootOf(t testing.TB, v *virtual.Sigstore) *bundle.Root {
	t.Helper()
	r, err := bundle.ReadRoot(v.Root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhoBuiltAnNPMPackageIsWhatTheCertificateSays(t *testing.T) {
	v := virtual.New(t)
	root := rootOf(t, v)
	good := digest("the package")
	doc := v.NPM(t, name, "1.0.0", hex.EncodeToString(good.Sum), workflow)
	of := func(pin *pkg.Pin, doc []byte) lock.Provenance {
		return Of(pin, map[string][]byte{name: doc}, root, limits.Default)
	}
	p := of(npmPin(good, pkg.Hash{Algorithm: "sha1", Sum: make([]byte, 20)}), doc)
	if p.Status != lock.Verified || p.Signer != workflow || p.Issuer != virtual.GitHub || p.Repository != "https://github.com/example/files" || p.Workflow != ".github/workflows/release.yml" || p.Reason != "" {
		t.Errorf("%+v", p)
	}
	other := virtual.New(t)
	more, err := json.Marshal(map[string]any{"attestations": []any{map[string]any{"predicateType": slsa1, "bundle": json.RawMessage(v.Bundle(t, virtual.Made{Version: "0.3", Promise: true, Proof: true, Envelope: true,
		Identity: "ada@example.com", Issuer: virtual.Issuer, Statement: virtual.Built(slsa1, "sha512", map[string]string{npmName(npmPin()): hex.EncodeToString(good.Sum)})}))}}})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		pin  *pkg.Pin
		doc  []byte
		want lock.ProvenanceStatus
	}{
		"another digest":                    {npmPin(digest("another package")), doc, lock.CouldNotVerify},
		"one digest of two":                 {npmPin(good, digest("another package")), doc, lock.CouldNotVerify},
		"no digest that is attested":        {npmPin(pkg.Hash{Algorithm: "sha256", Sum: make([]byte, 32)}), doc, lock.CouldNotVerify},
		"no digest at all":                  {&pkg.Pin{Type: pkg.NPM, Name: name, Version: "1.0.0"}, doc, lock.CouldNotVerify},
		"another version":                   {&pkg.Pin{Type: pkg.NPM, Name: name, Version: "1.0.1", Files: npmPin(good).Files}, doc, lock.CouldNotVerify},
		"another Sigstore":                  {npmPin(good), other.NPM(t, name, "1.0.0", hex.EncodeToString(good.Sum), workflow), lock.CouldNotVerify},
		"an address for a workflow":         {npmPin(good), more, lock.Unsupported},
		"no provenance":                     {npmPin(good), []byte(`{"attestations":[{"predicateType":"https://example.com/other","bundle":{}}]}`), lock.Unsupported},
		"nothing":                           {npmPin(good), []byte(`{"attestations":[]}`), lock.Unsupported},
		"null":                              {npmPin(good), []byte(`null`), lock.Unsupported},
		"another shape":                     {npmPin(good), []byte(`{"attestations":{"bundle":1}}`), lock.CouldNotVerify},
		"a page":                            {npmPin(good), []byte(`<html>`), lock.CouldNotVerify},
		"a bundle that is cut off":          {npmPin(good), bytes.Replace(doc, []byte(`"tlogEntries"`), []byte(`"tlog"`), 1), lock.CouldNotVerify},
		"a bundle of null":                  {npmPin(good), []byte(`{"attestations":[{"predicateType":"` + slsa1 + `","bundle":null}]}`), lock.CouldNotVerify},
		"more than anybody looks at":        {npmPin(good), []byte(`{"attestations":[` + strings.Repeat(`{},`, limits.Default.BundleParts) + `{}]}`), lock.CouldNotVerify},
		"a statement that was changed":      {npmPin(good), changed(t, doc), lock.CouldNotVerify},
		"a bundle too large to be one":      {npmPin(good), []byte(`{"attestations":[{"predicateType":"` + slsa1 + `","bundle":"` + strings.Repeat("a", limits.Default.BundleBytes) + `"}]}`), lock.CouldNotVerify},
		"a provenance that is not about it": {npmPin(good), v.NPM(t, "@example/other", "1.0.0", hex.EncodeToString(good.Sum), workflow), lock.CouldNotVerify},
	} {
		if p := of(c.pin, c.doc); p.Status != c.want || p.Signer+p.Issuer+p.Repository != "" || p.Reason == "" {
			t.Errorf("%s: %+v", what, p)
		}
	}
}

// changed is a document whose statement says something else than what was signed.
func changed(t *testing.T, doc []byte) []byte {
	t.Helper()
	i := bytes.Index(doc, []byte(`"payload":"`))
	if i < 0 {
		t.Fatal("no payload")
	}
	out := bytes.Clone(doc)
	out[i+40] ^= 1
	return out
}

func TestEveryFileOfAPyPIPackageIsOfOneSigner(t *testing.T) {
	v := virtual.New(t)
	root := rootOf(t, v)
	files, docs := []pkg.File{}, map[string][]byte{}
	for _, n := range []string{"a-1.0.tar.gz", "a-1.0-py3-none-any.whl"} {
		sum := sha256.Sum256([]byte(n))
		files = append(files, pkg.File{Name: n, Hashes: []pkg.Hash{{Algorithm: "sha256", Sum: sum[:]}}})
		docs[n] = v.PyPI(t, n, hex.EncodeToString(sum[:]), workflow)
	}
	pin := &pkg.Pin{Type: pkg.PyPI, Name: "a", Version: "1.0", Files: files}
	if p := Of(pin, docs, root, limits.Default); p.Status != lock.Verified || p.Repository != "https://github.com/example/files" {
		t.Errorf("%+v", p)
	}
	whole := docs["a-1.0.tar.gz"]
	sum := sha256.Sum256([]byte("a-1.0.tar.gz"))
	for what, doc := range map[string][]byte{
		"another signer":   v.PyPI(t, "a-1.0.tar.gz", hex.EncodeToString(sum[:]), strings.Replace(workflow, "example", "evil", 1)),
		"another file":     docs["a-1.0-py3-none-any.whl"],
		"a later version":  bytes.Replace(whole, []byte(`"version":1}`), []byte(`"version":2}`), 1),
		"no attestation":   []byte(`{"version":1,"attestation_bundles":[]}`),
		"nothing":          nil,
		"a list":           []byte(`[]`),
		"no certificate":   bytes.Replace(whole, []byte(`"certificate":"`), []byte(`"certificate":"AAAA`), 1),
		"no log's entries": bytes.Replace(whole, []byte(`"transparency_entries"`), []byte(`"entries"`), 1),
	} {
		docs["a-1.0.tar.gz"] = doc
		if p := Of(pin, docs, root, limits.Default); p.Status == lock.Verified || p.Signer != "" {
			t.Errorf("%s: %+v", what, p)
		}
	}
}

func TestWorkflowsAreTakenApart(t *testing.T) {
	for identity, want := range map[string][2]string{
		workflow: {"https://github.com/example/files", ".github/workflows/release.yml"},
		"https://gitlab.com/group/sub/project//.gitlab-ci.yml@refs/heads/main": {"https://gitlab.com/group/sub/project", ".gitlab-ci.yml"},
		"ada@example.com": {"ada", ""}, "nobody": {"nobody", ""}, "": {"", ""},
	} {
		if a, b := split(identity); a != want[0] || b != want[1] {
			t.Errorf("%s: %q, %q", identity, a, b)
		}
	}
}

// A bundle that npm's registry answered for a real package lies beside the repository.
func TestARealBundleOfNPMVerifiesOffline(t *testing.T) {
	dir := os.Getenv("MCPASSAY_SHARED")
	doc, err := os.ReadFile(filepath.Join(dir, "corpus", "registry", "attestations-getmcpm-cli.json"))
	if dir == "" || err != nil {
		t.Skip("the bundle lies beside the repository, in the folder that MCPASSAY_SHARED names")
	}
	h, err := pkg.Hex("sha512", "23117a9a43617d3489520d246685ade7cf09bd8b1e7371462c4f224fcdad95adcdc7728fb76d8fcb59c16d16e2fa129198984078663f5f1ab0cde5d20b4761af")
	if err != nil {
		t.Fatal(err)
	}
	pin := &pkg.Pin{Type: pkg.NPM, Name: "@getmcpm/cli", Version: "0.21.0", Files: []pkg.File{{Name: "@getmcpm/cli", Hashes: []pkg.Hash{h}}}}
	docs := map[string][]byte{"@getmcpm/cli": doc}
	p := Of(pin, docs, bundle.PublicGood(), limits.Default)
	if p.Status != lock.Verified || !strings.HasPrefix(p.Repository, "https://github.com/getmcpm/") || p.RepositoryID == "" || p.Commit == "" || !strings.HasPrefix(p.Workflow, ".github/workflows/") {
		t.Errorf("%+v", p)
	}
	pin.Files[0].Hashes = []pkg.Hash{digest("something else")}
	if p := Of(pin, docs, bundle.PublicGood(), limits.Default); p.Status != lock.CouldNotVerify || p.Signer != "" {
		t.Errorf("a wrong digest: %+v", p)
	}
}

func BenchmarkProvenance(b *testing.B) {
	v := virtual.New(b)
	root := rootOf(b, v)
	good := digest("the package")
	docs := map[string][]byte{name: v.NPM(b, name, "1.0.0", hex.EncodeToString(good.Sum), workflow)}
	for b.Loop() {
		if p := Of(npmPin(good), docs, root, limits.Default); p.Status != lock.Verified {
			b.Fatal(p.Reason)
		}
	}
}

func FuzzOf(f *testing.F) {
	v := virtual.New(f)
	good := digest("the package")
	f.Add(true, v.NPM(f, name, "1.0.0", hex.EncodeToString(good.Sum), workflow))
	f.Add(false, v.PyPI(f, "a", hex.EncodeToString(good.Sum), workflow))
	root := rootOf(f, v)
	f.Fuzz(func(t *testing.T, isNPM bool, doc []byte) {
		pin := npmPin(good)
		if !isNPM {
			pin.Type = pkg.PyPI
		}
		p := Of(pin, map[string][]byte{name: doc}, root, limits.Default)
		if p.Status == lock.Verified && p.Signer != workflow || p.Status != lock.Verified && (p.Signer != "" || p.Reason == "") {
			t.Fatalf("%+v", p)
		}
	})
}
