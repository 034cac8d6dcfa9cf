package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

func key(n byte) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, 32)) }

func public(keys ...ed25519.PrivateKey) (all []ed25519.PublicKey) {
	for _, k := range keys {
		all = append(all, k.Public().(ed25519.PublicKey))
	}
	return all
}

func shop(name, tool string) *lock.Server {
	s := &lock.Server{Name: name, Launch: lock.Launch{Transport: "stdio", Command: "node"}}
	s.Items[wire.Tools] = []lock.Item{{Name: tool, JSON: []byte(`{"name":"` + tool + `"}`)}}
	return s
}

func approval(s *lock.Server) lock.Approval {
	return lock.Approval{Server: s.Name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: "Ada", At: "2026-12-01T00:00:00Z"}
}

func signed(t *testing.T, s *lock.Server, k ed25519.PrivateKey) lock.Signature {
	t.Helper()
	sig, err := Sign(For(s, approval(s), "example-org", "example-org/shop@1"), k)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

func TestASignatureHoldsForItsServerAndItsKeyAlone(t *testing.T) {
	s := shop("shop", "order")
	sig := signed(t, s, key(1))
	st, by, err := Verify(sig.Envelope, public(key(2), key(1)))
	if err != nil || len(by) != 1 || by[0] != KeyID(public(key(1))[0]) || st.About(s) != nil || st.Predicate.Publisher != "example-org" || st.Predicate.By != "Ada" {
		t.Fatalf("%+v %q %v", st, by, err)
	}
	if _, _, err := Verify(sig.Envelope, public(key(2))); !errors.Is(err, ErrUntrusted) {
		t.Errorf("another's key: %v", err)
	}
	if _, _, err := Verify(sig.Envelope, nil); !errors.Is(err, ErrUntrusted) {
		t.Errorf("nobody is trusted: %v", err)
	}
	for what, other := range map[string]*lock.Server{"another tool": shop("shop", "cancel"), "copied to another server": shop("shop2", "order")} {
		if !errors.Is(st.About(other), ErrOther) {
			t.Errorf("%s: it holds", what)
		}
	}
	launched := shop("shop", "order")
	launched.Launch.Args = []string{"--evil"}
	if !errors.Is(st.About(launched), ErrOther) {
		t.Error("another launch: it holds")
	}
}

func TestAnyChangeOfAnEnvelopeIsSeen(t *testing.T) {
	s := shop("shop", "order")
	good, err := json.Marshal(signed(t, s, key(1)).Envelope)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		bad := bytes.Clone(good)
		at := r.IntN(len(bad))
		bad[at] ^= byte(1 + r.IntN(255))
		var e lock.Envelope
		if json.Unmarshal(bad, &e) != nil {
			continue
		}
		st, _, err := Verify(e, public(key(1)))
		if err != nil || st.About(s) != nil {
			continue
		}
		// The key's name is a hint and signed by nobody; the file that holds the envelope refuses what Encode does not write.
		var was lock.Envelope
		_ = json.Unmarshal(good, &was)
		if len(e.Signatures) == 1 && e.Payload == was.Payload && e.Signatures[0].Sig == was.Signatures[0].Sig {
			continue
		}
		t.Errorf("byte %d of %s was changed unseen: %s", at, good, bad)
	}
}

func TestWhatIsNoApprovalIsRefusedThoughItIsSigned(t *testing.T) {
	k := key(1)
	for what, payload := range map[string]string{
		"another statement": `{"_type":"https://in-toto.io/Statement/v0.1","subject":[],"predicateType":"` + PredicateType + `","predicate":{}}`,
		"another predicate": `{"_type":"` + StatementType + `","subject":[],"predicateType":"https://slsa.dev/provenance/v1","predicate":{}}`,
		"a member more":     `{"_type":"` + StatementType + `","subject":[],"predicateType":"` + PredicateType + `","predicate":{"x":1}}`,
		"no JSON":           `approved`,
	} {
		e := lock.Envelope{PayloadType: PayloadType, Payload: base64.StdEncoding.EncodeToString([]byte(payload)),
			Signatures: []lock.KeySignature{{Sig: base64.StdEncoding.EncodeToString(ed25519.Sign(k, encoded(PayloadType, []byte(payload))))}}}
		if _, _, err := Verify(e, public(k)); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The example of the DSSE protocol, section "Signature Definition".
func TestThePreAuthenticationEncodingIsThatOfDSSE(t *testing.T) {
	if got := string(encoded("http://example.com/HelloWorld", []byte("hello world"))); got != "DSSEv1 29 http://example.com/HelloWorld 11 hello world" {
		t.Error(got)
	}
}

func TestKeysAreReadAsTheyAreWritten(t *testing.T) {
	k := key(7)
	theirs, err := x509.MarshalPKIXPublicKey(k.Public())
	if block, _ := pem.Decode(PublicPEM(k.Public().(ed25519.PublicKey))); err != nil || !bytes.Equal(block.Bytes, theirs) || KeyID(k.Public().(ed25519.PublicKey)) != canon.Digest(theirs) {
		t.Errorf("%v: the public key is not as crypto/x509 writes it", err)
	}
	theirs, err = x509.MarshalPKCS8PrivateKey(k)
	if block, _ := pem.Decode(PrivatePEM(k)); err != nil || !bytes.Equal(block.Bytes, theirs) {
		t.Errorf("%v: the private key is not as crypto/x509 writes it", err)
	}
	pub, err := ReadPublic(PublicPEM(k.Public().(ed25519.PublicKey)))
	if err != nil || !pub.Equal(k.Public()) {
		t.Error(err)
	}
	raw := append([]byte("\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"), k.Public().(ed25519.PublicKey)...)
	line := "ssh-ed25519 " + base64.StdEncoding.EncodeToString(raw) + " ada@example"
	if pub, err = ReadPublic([]byte(line)); err != nil || !pub.Equal(k.Public()) {
		t.Error(err)
	}
	for _, bad := range []string{"", "ssh-rsa AAAA", line[:40], string(PrivatePEM(k)), strings.Replace(string(PublicPEM(pub)), "MCow", "MCoX", 1)} {
		if _, err := ReadPublic([]byte(bad)); err == nil {
			t.Errorf("%q was read as a public key", bad)
		}
	}
}

func FuzzVerify(f *testing.F) {
	s := shop("shop", "order")
	sig, _ := Sign(For(s, approval(s), "", ""), key(1))
	f.Add(sig.Envelope.Payload, sig.Envelope.Signatures[0].Sig)
	f.Fuzz(func(t *testing.T, payload, value string) {
		e := lock.Envelope{PayloadType: PayloadType, Payload: payload, Signatures: []lock.KeySignature{{Sig: value}}}
		if _, _, err := Verify(e, public(key(1))); err == nil && (payload != sig.Envelope.Payload || value != sig.Envelope.Signatures[0].Sig) {
			t.Errorf("%q with %q holds", payload, value)
		}
	})
}
