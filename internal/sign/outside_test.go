package sign

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// outside is a key for the implementation of DSSE that in-toto and cosign use.
type outside struct{ key ed25519.PrivateKey }

func (o outside) Sign(_ context.Context, data []byte) ([]byte, error) {
	return ed25519.Sign(o.key, data), nil
}
func (o outside) KeyID() (string, error)   { return dsse.SHA256KeyID(o.key.Public()) }
func (o outside) Public() crypto.PublicKey { return o.key.Public() }
func (o outside) Verify(_ context.Context, data, sig []byte) error {
	if !ed25519.Verify(o.key.Public().(ed25519.PublicKey), data, sig) {
		return errors.New("no")
	}
	return nil
}

func TestAnotherImplementationOfDSSEVerifiesWhatWeSign(t *testing.T) {
	s := shop("shop", "order")
	raw, err := json.Marshal(Plain(signed(t, s, key(1)).Envelope))
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[byte]bool{1: true, 2: false} {
		v, err := dsse.NewEnvelopeVerifier(outside{key(n)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(t.Context(), &e); (err == nil) != want {
			t.Errorf("with key %d: %v", n, err)
		}
	}
	payload, err := e.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	// What in-toto asks of a statement, read without our types.
	var st struct {
		Type    string `json:"_type"`
		Subject []struct {
			Name   string            `json:"name"`
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		PredicateType string         `json:"predicateType"`
		Predicate     map[string]any `json:"predicate"`
	}
	sum := sha256.Sum256(s.Alone())
	if err := json.Unmarshal(payload, &st); err != nil || st.Type != "https://in-toto.io/Statement/v1" || len(st.Subject) != 1 ||
		st.Subject[0].Digest["sha256"] != hex.EncodeToString(sum[:]) || !strings.HasPrefix(st.PredicateType, "https://") || st.Predicate["by"] != "Ada" {
		t.Errorf("%v %+v", err, st)
	}
}

func TestWeVerifyWhatAnotherImplementationOfDSSESigned(t *testing.T) {
	s := shop("shop", "order")
	payload, err := json.Marshal(For(s, approval(s), "", ""))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := dsse.NewEnvelopeSigner(outside{key(3)}, outside{key(4)})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := signer.SignPayload(t.Context(), PayloadType, payload)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	var e lock.Envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	st, by, err := Verify(e, public(key(3), key(4)))
	if err != nil || len(by) != 2 || st.About(s) != nil {
		t.Errorf("%q %v %v", by, err, st.About(s))
	}
}
