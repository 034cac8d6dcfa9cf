package bundle

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/test/virtual"
)

var file = []byte("{\n  \"lockVersion\": 1\n}\n")

func read(t testing.TB, v *virtual.Sigstore) *Root {
	t.Helper()
	r, err := ReadRoot(v.Root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// made makes a bundle over the file, where it is to be over no other.
func made(t testing.TB, v *virtual.Sigstore, m virtual.Made) []byte {
	t.Helper()
	if m.Content == nil {
		m.Content = file
	}
	return v.Bundle(t, m)
}

// kinds are the bundles that clients make.
var kinds = map[string]virtual.Made{
	"a file, 0.1":                      {Version: "0.1", Promise: true},
	"a file, 0.2":                      {Version: "0.2", Promise: true, Proof: true},
	"a file, 0.3":                      {Version: "0.3", Promise: true, Proof: true},
	"a file, 0.3, stamped":             {Version: "0.3", Promise: true, Proof: true, Stamp: true},
	"a file, 0.3, time by stamp alone": {Version: "0.3", Proof: true, Stamp: true},
	"a statement, 0.3":                 {Version: "0.3", Promise: true, Proof: true, Envelope: true},
	"a statement, Rekor 2":             {Version: "0.3", Second: true, Stamp: true, Envelope: true},
}

func TestABundleSaysWhoSignedAFile(t *testing.T) {
	v := virtual.New(t)
	for what, m := range kinds {
		text := made(t, v, m)
		b, err := Read(text, limits.Default)
		if err != nil {
			t.Errorf("%s: %v\n%s", what, err, text)
			continue
		}
		got, err := b.Verify(Of(file), read(t, v), limits.Default)
		if err != nil || got.Identity != virtual.Ada || got.Issuer != virtual.Issuer || len(got.Times) == 0 || (got.PredicateType != "") != m.Envelope {
			t.Errorf("%s: %+v %v", what, got, err)
		}
		if who, err := virtual.Oracle(v.Root, text, file, 0); err != nil || who != virtual.Ada+" "+virtual.Issuer {
			t.Errorf("%s: sigstore-go says %q %v", what, who, err)
		}
	}
}

func TestWhatABundleDoesNotProveIsRefused(t *testing.T) {
	v, other := virtual.New(t), virtual.New(t)
	good := virtual.Made{Version: "0.3", Promise: true, Proof: true, Stamp: true}
	with := func(change func(*virtual.Made)) virtual.Made { m := good; change(&m); return m }
	early := time.Now().Add(-2 * time.Minute)
	for _, c := range []struct {
		what string
		of   virtual.Made
		root *virtual.Sigstore
		file []byte
		want error
	}{
		{"another file", good, v, []byte("another"), ErrOther},
		{"a statement about another file", with(func(m *virtual.Made) { m.Envelope = true }), v, []byte("another"), ErrOther},
		{"another root", good, other, file, ErrLog},
		{"no entry of a log", with(func(m *virtual.Made) { m.NotLogged = true }), v, file, ErrLog},
		{"neither log nor time stamp", with(func(m *virtual.Made) { m.NotLogged, m.Stamp = true, false }), v, file, ErrLog},
		{"a log that vouches for no time", with(func(m *virtual.Made) { m.Promise, m.Stamp = false, false }), v, file, ErrTime},
		{"signed before the certificate", with(func(m *virtual.Made) { m.At = early }), v, file, ErrCertificate},
		{"signed when the certificate was over", with(func(m *virtual.Made) { m.At = time.Now().Add(20 * time.Minute) }), v, file, ErrCertificate},
		{"logged when the certificate was over, by a proof", with(func(m *virtual.Made) { m.At, m.Promise = time.Now().Add(20*time.Minute), false }), v, file, ErrLog},
		{"Rekor 2, another file", virtual.Made{Version: "0.3", Second: true, Stamp: true}, v, []byte("another"), ErrOther},
		{"Rekor 2, without a time", virtual.Made{Version: "0.3", Second: true}, v, file, ErrTime},
		{"Rekor 2, another root", virtual.Made{Version: "0.3", Second: true, Stamp: true}, other, file, ErrLog},
	} {
		text := made(t, v, c.of)
		b, err := Read(text, limits.Default)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got, err := b.Verify(Of(c.file), read(t, c.root), limits.Default); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v %v, want %v", c.what, got, err, c.want)
		}
		if who, err := virtual.Oracle(c.root.Root, text, c.file, 0); err == nil {
			t.Errorf("%s: sigstore-go says that %s signed it", c.what, who)
		}
	}
}

// A root that lists logs of certificates wants the certificate in one of them, which those of the test are not.
func TestACertificateThatStandsInNoLogIsRefusedWhereTheRootListsLogs(t *testing.T) {
	v := virtual.New(t)
	var doc, public map[string]any
	if json.Unmarshal(v.Root, &doc) != nil || json.Unmarshal(publicGood, &public) != nil {
		t.Fatal("no JSON")
	}
	doc["ctlogs"] = public["ctlogs"]
	text, _ := json.Marshal(doc)
	r, err := ReadRoot(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read(made(t, v, kinds["a file, 0.3"]), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Verify(Of(file), r, limits.Default); !errors.Is(err, ErrUnlogged) {
		t.Error(err)
	}
}

// What part of a bundle is put into another one, the whole does not hold.
func TestPartsOfTwoBundlesMakeNone(t *testing.T) {
	v := virtual.New(t)
	for what, m := range kinds {
		m.Content = []byte("approved by somebody else")
		m.Identity, m.Issuer = "eve@example.com", virtual.Issuer
		theirs := made(t, v, m)
		m.Content, m.Identity = nil, ""
		ours := made(t, v, m)
		swapped := 0
		for _, path := range []string{"verificationMaterial/certificate", "verificationMaterial/x509CertificateChain", "verificationMaterial/tlogEntries",
			"verificationMaterial/timestampVerificationData", "messageSignature", "dsseEnvelope"} {
			mixed, ok := graft(t, ours, theirs, strings.Split(path, "/"))
			if !ok {
				continue
			}
			swapped++
			got, err := verified(t, mixed, read(t, v), file)
			if err == nil && path != "verificationMaterial/timestampVerificationData" { // another's time stamp is passed over beside a log's
				t.Errorf("%s: with the %s of another it says %s", what, path, got.Identity)
			}
			if who, theirs := virtual.Oracle(v.Root, mixed, file, 0); err == nil && theirs != nil {
				t.Errorf("%s: with the %s of another sigstore-go refuses it: %v (%s)", what, path, theirs, who)
			}
		}
		if swapped < 3 {
			t.Errorf("%s: only %d parts", what, swapped)
		}
	}
}

func graft(t *testing.T, into, from []byte, path []string) ([]byte, bool) {
	t.Helper()
	var a, b map[string]any
	if json.Unmarshal(into, &a) != nil || json.Unmarshal(from, &b) != nil {
		t.Fatal("no JSON")
	}
	x, y := a, b
	for _, name := range path[:len(path)-1] {
		x, y = x[name].(map[string]any), y[name].(map[string]any)
	}
	last := path[len(path)-1]
	if y[last] == nil {
		return nil, false
	}
	x[last] = y[last]
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return out, true
}

func verified(t testing.TB, text []byte, r *Root, content []byte) (*Verified, error) {
	t.Helper()
	b, err := Read(text, limits.Default)
	if err != nil {
		return nil, err
	}
	return b.Verify(Of(content), r, limits.Default)
}

// However a bundle is changed, what we let pass sigstore-go lets pass too, and says the same of who signed.
func TestWhateverIsChangedWeAreNoMilderThanSigstoreGo(t *testing.T) {
	v := virtual.New(t)
	r := read(t, v)
	random := rand.New(rand.NewPCG(7, 8))
	for what, m := range kinds {
		good := made(t, v, m)
		passed, refused := 0, 0
		for range 300 {
			bad := change(random, good)
			if bytes.Equal(bad, good) {
				continue
			}
			got, err := verified(t, bad, r, file)
			if err != nil {
				refused++
				continue
			}
			passed++
			who, err := virtual.Oracle(v.Root, bad, file, 0)
			if err != nil || who != got.Identity+" "+got.Issuer {
				t.Errorf("%s: it passes, and sigstore-go says %q %v\n%s", what, who, err, bad)
			}
		}
		if refused < 200 {
			t.Errorf("%s: %d changes passed, %d did not", what, passed, refused)
		}
	}
}

// change changes a byte of the text, or one within what a member holds in base64.
func change(random *rand.Rand, good []byte) []byte {
	bad := bytes.Clone(good)
	at := random.IntN(len(bad))
	if random.IntN(2) == 0 {
		bad[at] ^= byte(1 << random.IntN(8))
		return bad
	}
	begin, end := bytes.LastIndexByte(bad[:at], '"')+1, bytes.IndexByte(bad[at:], '"')+at
	if begin >= end {
		return bad
	}
	raw, err := base64.StdEncoding.DecodeString(string(bad[begin:end]))
	if err != nil || len(raw) == 0 {
		return bad
	}
	raw[random.IntN(len(raw))] ^= byte(1 << random.IntN(8))
	return append(append(bytes.Clone(bad[:begin]), base64.StdEncoding.EncodeToString(raw)...), bad[end:]...)
}

// public is a bundle of the real world, which lies with the library's own tests.
func public(t *testing.T, name string) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/sigstore/sigstore-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pkg", "testing", "data", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestThePublicInstanceIsVerifiedWithTheRootThatIsEmbedded(t *testing.T) {
	text := public(t, "bundles/sigstore.js@2.0.0-provenance.sigstore.json")
	b, err := Read(text, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	var st statement
	if json.Unmarshal(b.wire.Envelope.Payload, &st) != nil {
		t.Fatal("no statement")
	}
	digest, _ := hex.DecodeString(st.Subject[0].Digest["sha512"])
	got, err := b.Verify(Digests{"sha512": digest}, PublicGood(), limits.Default)
	if err != nil || got.Issuer != "https://token.actions.githubusercontent.com" || !strings.HasPrefix(got.Identity, "https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@") ||
		got.PredicateType != "https://slsa.dev/provenance/v0.2" && got.PredicateType != "https://slsa.dev/provenance/v1" || got.Certificate.SourceRepositoryURI != "https://github.com/sigstore/sigstore-js" {
		t.Fatalf("%+v %v", got, err)
	}
	if who, err := virtual.Oracle(publicGood, text, nil, 1); err != nil || who != got.Identity+" "+got.Issuer {
		t.Errorf("sigstore-go says %q %v", who, err)
	}
	digest[0] ^= 1
	if _, err := b.Verify(Digests{"sha512": digest}, PublicGood(), limits.Default); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
	if _, err := b.Verify(Digests{"sha256": digest}, PublicGood(), limits.Default); !errors.Is(err, ErrOther) {
		t.Errorf("a digest that the statement does not have: %v", err)
	}
	if _, err := b.Verify(Digests{}, PublicGood(), limits.Default); !errors.Is(err, ErrOther) {
		t.Errorf("no digest: %v", err)
	}
	digest[0] ^= 1
	v := virtual.New(t)
	if _, err := b.Verify(Digests{"sha512": digest}, read(t, v), limits.Default); !errors.Is(err, ErrLog) {
		t.Error(err)
	}
	// Any change of it, the log of certificates included.
	random := rand.New(rand.NewPCG(9, 10))
	passed := 0
	for range 300 {
		bad := change(random, text)
		c, err := Read(bad, limits.Default)
		if bytes.Equal(bad, text) || err != nil {
			continue
		}
		if _, err := c.Verify(Digests{"sha512": digest}, PublicGood(), limits.Default); err != nil {
			continue
		}
		passed++
		if _, err := virtual.Oracle(publicGood, bad, nil, 1); err != nil {
			t.Errorf("it passes, and sigstore-go says %v\n%s", err, bad)
		}
	}
	if passed > 60 {
		t.Errorf("%d of 300 changes passed", passed)
	}
}

// The certificate's extension with what logs signed is part of what the authority signed: another log's word can only be missing.
func TestALogOfCertificatesThatIsNotInTheRootDoesNotCount(t *testing.T) {
	var doc map[string]any
	if json.Unmarshal(publicGood, &doc) != nil {
		t.Fatal("no JSON")
	}
	doc["ctlogs"] = doc["ctlogs"].([]any)[:1] // the one of 2021 alone
	text, _ := json.Marshal(doc)
	r, err := ReadRoot(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read(public(t, "bundles/sigstore.js@2.0.0-provenance.sigstore.json"), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	var st statement
	_ = json.Unmarshal(b.wire.Envelope.Payload, &st)
	digest, _ := hex.DecodeString(st.Subject[0].Digest["sha512"])
	if _, err := b.Verify(Digests{"sha512": digest}, r, limits.Default); !errors.Is(err, ErrUnlogged) {
		t.Error(err)
	}
}

func TestWhatIsNoBundleIsRefused(t *testing.T) {
	v := virtual.New(t)
	good := string(made(t, v, kinds["a file, 0.3"]))
	small := limits.Default
	small.BundleBytes = 100
	if _, err := Read([]byte(good), small); !errors.Is(err, ErrShape) {
		t.Errorf("one over the limit: %v", err)
	}
	few := limits.Default
	few.BundleParts = 0
	if _, err := Read([]byte(good), few); !errors.Is(err, ErrShape) {
		t.Errorf("more entries than the limit: %v", err)
	}
	for what, bad := range map[string]string{
		"nothing":          "",
		"no JSON":          "hello",
		"an empty object":  "{}",
		"a later version":  strings.Replace(good, ".v0.3+", ".v0.4+", 1),
		"a member more":    strings.Replace(good, `"mediaType"`, `"x":1,"mediaType"`, 1),
		"a member twice":   strings.Replace(good, `{"mediaType"`, `{"mediaType":"x","mediaType"`, 1),
		"a key":            string(public(t, "bundles/public-key-validity.sigstore.json")),
		"two signatures":   string(public(t, "bundles/dsse-2sigs.sigstore.json")),
		"an entry twice":   strings.Replace(good, `"tlogEntries":[`, `"tlogEntries":[`+between(good, `"tlogEntries":[`, `]},"messageSignature"`)+",", 1),
		"both":             strings.Replace(good, `"messageSignature"`, `"dsseEnvelope":{"payload":"","payloadType":"x","signatures":[]},"messageSignature"`, 1),
		"no certificate":   strings.Replace(good, `"certificate":`, `"certificat":`, 1),
		"half a signature": good[:len(good)-20],
	} {
		if _, err := Read([]byte(bad), limits.Default); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func between(s, a, b string) string {
	_, s, _ = strings.Cut(s, a)
	s, _, _ = strings.Cut(s, b)
	return s
}

func TestATrustedRootThatCanNotBeReliedOnIsRefused(t *testing.T) {
	v := virtual.New(t)
	good := string(v.Root)
	for what, bad := range map[string]string{
		"nothing":        "",
		"a bundle":       string(made(t, v, kinds["a file, 0.3"])),
		"empty":          `{"mediaType":"` + rootType + `"}`,
		"a later one":    strings.Replace(good, "version=0.1", "version=0.9", 1),
		"another hash":   strings.Replace(good, "SHA2_256", "SHA2_512", 1),
		"no time":        strings.Replace(good, `"validFor"`, `"validFrom"`, 1),
		"no certificate": strings.Replace(good, `"rawBytes":"MII`, `"rawBytes":"AAA`, 1),
	} {
		if r, err := ReadRoot([]byte(bad)); err == nil || r != nil {
			t.Errorf("%s: it was read", what)
		}
	}
}

func TestTheEmbeddedRootSaysHowOldItIs(t *testing.T) {
	newest := time.Time{}
	r := PublicGood()
	for _, l := range r.logs {
		if l.valid.Start.After(newest) {
			newest = l.valid.Start
		}
	}
	if got := newest.Format(time.DateOnly); got != PublicGoodDate || len(r.stampers) == 0 || len(r.certificateLogs) == 0 {
		t.Errorf("its newest log is of %s, and it is said to be of %s", got, PublicGoodDate)
	}
}

func FuzzRead(f *testing.F) {
	v := virtual.New(f)
	r := read(f, v)
	for _, m := range kinds {
		f.Add(made(f, v, m))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := verified(t, text, r, file)
		if err != nil {
			return
		}
		if who, err := virtual.Oracle(v.Root, text, file, 0); err != nil || who != got.Identity+" "+got.Issuer {
			t.Errorf("it passes, and sigstore-go says %q %v\n%s", who, err, text)
		}
	})
}
