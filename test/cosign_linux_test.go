package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/sign"
	"github.com/mcpassay/mcpassay/test/virtual"
)

// keySigned is the folder of a lock that a key signed, with what lock export writes of it: shop.lock, shop.dsse.json and
// shop.sigstore.json.
func keySigned(t *testing.T) (dir string) {
	t.Helper()
	dir, _ = signedLock(t)
	must(t, 0, dir, "keygen", "--private-key", "ada.key", "--public-key", "ada.pub")
	must(t, 0, dir, "keygen", "--private-key", "eve.key", "--public-key", "eve.pub")
	must(t, 0, dir, "approve", "shop", "--by", "Ada", "--sign", "ada.key")
	must(t, 0, dir, "lock", "export", "shop", "--subject", "shop.lock", "--envelope", "shop.dsse.json", "--bundle", "shop.sigstore.json")
	put(t, dir, "other.lock", []byte(shopLock+"\n"))
	return dir
}

func readIn(t *testing.T, dir, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheLibraryOfCosignVerifiesWhatIsWrittenOut(t *testing.T) {
	dir := keySigned(t)
	subject, text := readIn(t, dir, "shop.lock"), readIn(t, dir, "shop.sigstore.json")
	ada, err := sign.ReadPublic(readIn(t, dir, "ada.pub"))
	if err != nil {
		t.Fatal(err)
	}
	eve, err := sign.ReadPublic(readIn(t, dir, "eve.pub"))
	if err != nil {
		t.Fatal(err)
	}
	if err := virtual.OracleOfKey(ada, sign.KeyID(ada), text, subject); err != nil {
		t.Error(err)
	}
	if virtual.OracleOfKey(eve, sign.KeyID(ada), text, subject) == nil {
		t.Error("it holds for another key")
	}
	if virtual.OracleOfKey(ada, sign.KeyID(ada), text, readIn(t, dir, "other.lock")) == nil {
		t.Error("it holds for another file")
	}
	if virtual.OracleOfKey(ada, sign.KeyID(ada), []byte(strings.Replace(string(text), `"sig":"`, `"sig":"AAAA`, 1)), subject) == nil {
		t.Error("it holds with another signature")
	}
}

// TestCosignVerifiesWhatIsWrittenOut runs the program itself. Building it takes minutes, so that it runs where it is there.
func TestCosignVerifiesWhatIsWrittenOut(t *testing.T) {
	bin := os.Getenv("MCPASSAY_COSIGN")
	if bin == "" {
		t.Skip("set MCPASSAY_COSIGN to a cosign: go install github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5 builds one in some minutes")
	}
	dir := keySigned(t)
	cosign := func(key, file string, how ...string) error {
		cmd := exec.Command(bin, append([]string{"verify-blob-attestation", "--key", key, "--insecure-ignore-tlog=true", "--type", sign.PredicateType}, append(how, file)...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "HTTPS_PROXY=http://127.0.0.1:1") // nobody is asked
		out, err := cmd.CombinedOutput()
		t.Logf("cosign %s %s: %s", key, file, strings.TrimSpace(string(out)))
		return err
	}
	for name, how := range map[string][]string{
		"envelope": {"--signature", "shop.dsse.json"},
		"bundle":   {"--new-bundle-format", "--bundle", "shop.sigstore.json"},
	} {
		if err := cosign("ada.pub", "shop.lock", how...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if cosign("eve.pub", "shop.lock", how...) == nil {
			t.Errorf("%s: it holds for another key", name)
		}
		if cosign("ada.pub", "other.lock", how...) == nil {
			t.Errorf("%s: it holds for another file", name)
		}
	}
}
