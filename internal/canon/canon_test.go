package canon

import "testing"

func TestPartsDoNotRunIntoEachOther(t *testing.T) {
	if Fingerprint("a", "bc") == Fingerprint("ab", "c") || Fingerprint("a", "") == Fingerprint("a") {
		t.Error("different parts have one fingerprint")
	}
}

func TestDigestIsSHA256InHex(t *testing.T) {
	const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // FIPS 180-4
	if got := Digest(nil); got != empty {
		t.Errorf("digest of nothing is %s", got)
	}
}
