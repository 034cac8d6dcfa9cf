// Package sign signs approvals and checks such signatures: a DSSE 1.0 envelope with Ed25519 signatures over an in-toto
// statement (v1) whose subject is the file that holds the server's entry alone. Whom to trust is the caller's to say; a
// key that comes with what it signed proves nothing.
//
// Sources: DSSE 1.0 (protocol and envelope); in-toto Attestation Framework, Statement v1; RFC 8032.
package sign

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// The types of what is signed.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/mcpassay/mcpassay/approval/v1"
)

// Statement is what a signer says. Predicate holds the approval's own words; nothing in it names a path, a host or a time
// beyond the approval's.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []File    `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// File is a file and its digest.
type File struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Predicate is the approval. Publisher and Identity are who stands behind the server and which server that is
// ("example-org", "example-org/shop@1"): consumers compare them with what they expect.
type Predicate struct {
	lock.Approval
	Publisher string `json:"publisher,omitempty"`
	Identity  string `json:"identity,omitempty"`
}

// For is the statement of an approval of a server as it stands.
func For(s *lock.Server, a lock.Approval, publisher, identity string) Statement {
	sum := sha256.Sum256(s.Alone())
	return Statement{StatementType, []File{{s.Name + ".lock", map[string]string{"sha256": hex.EncodeToString(sum[:])}}}, PredicateType,
		Predicate{a, publisher, identity}}
}

// Subject is the digest of the file that is signed.
func Subject(s *lock.Server) string { return canon.Digest(s.Alone()) }

// Sign makes the signature of one key.
func Sign(st Statement, key ed25519.PrivateKey) (lock.Signature, error) {
	payload, err := json.Marshal(st)
	if err != nil {
		return lock.Signature{}, err
	}
	e := lock.Envelope{PayloadType: PayloadType, Payload: base64.StdEncoding.EncodeToString(payload)}
	sig := ed25519.Sign(key, encoded(PayloadType, payload))
	e.Signatures = append(e.Signatures, lock.KeySignature{KeyID: KeyID(key.Public().(ed25519.PublicKey)), Sig: base64.StdEncoding.EncodeToString(sig)})
	return lock.Signature{Server: st.Predicate.Server, Envelope: e}, nil
}

// encoded is DSSE's pre-authentication encoding.
func encoded(kind string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(kind), kind, len(payload), payload)
}

// Plain is an envelope for other tools, without the names of keys: those are hints that nobody signed, and cosign passes over a
// signature whose key it would name otherwise.
func Plain(e lock.Envelope) lock.Envelope {
	e.Signatures = slices.Clone(e.Signatures)
	for i := range e.Signatures {
		e.Signatures[i].KeyID = ""
	}
	return e
}

// Bundle writes a signature as a Sigstore bundle (version 0.3): one that was made without a key as it came; the envelope of a
// key with the key's id, which who verifies has to have. Such a bundle is in no log.
func Bundle(s *lock.Signature) ([]byte, error) {
	if s.Keyless != nil {
		return s.Keyless.Bundle, nil
	}
	key := struct {
		Hint string `json:"hint"`
	}{s.Envelope.Signatures[0].KeyID}
	return json.Marshal(map[string]any{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "dsseEnvelope": Plain(s.Envelope),
		"verificationMaterial": map[string]any{"publicKey": key}})
}

// The ways in which a signature does not hold.
var (
	ErrUntrusted = errors.New("none of the trusted keys made this signature")
	ErrShape     = errors.New("this is no signature of an approval")
	ErrOther     = errors.New("the signature is over another state of the server")
)

// Verify gives the statement of an envelope and the trusted keys that signed it, by KeyID. It is an error if none did.
// Whether the statement is about the server at hand is About's to say.
func Verify(e lock.Envelope, trusted []ed25519.PublicKey) (st Statement, by []string, err error) {
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil || e.PayloadType != PayloadType {
		return st, nil, ErrShape
	}
	message := encoded(e.PayloadType, payload)
	for _, s := range e.Signatures {
		sig, err := base64.StdEncoding.Strict().DecodeString(s.Sig)
		if err != nil {
			return st, nil, ErrShape
		}
		for _, key := range trusted { // the key id is a hint that nobody signed: every key is tried
			if id := KeyID(key); ed25519.Verify(key, message, sig) && !slices.Contains(by, id) {
				by = append(by, id)
			}
		}
	}
	if len(by) == 0 {
		return st, nil, ErrUntrusted
	}
	st, err = Unverified(e)
	if err != nil {
		return Statement{}, nil, err
	}
	return st, by, nil
}

// Unverified is what an envelope says, whoever signed it.
func Unverified(e lock.Envelope) (st Statement, err error) {
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err != nil || d.Decode(&st) != nil || d.More() || st.Type != StatementType || st.PredicateType != PredicateType {
		return Statement{}, ErrShape
	}
	return st, nil
}

// About says whether a statement is about this very state of a server: its file, its name and both digests.
func (st Statement) About(s *lock.Server) error {
	sum := sha256.Sum256(s.Alone())
	if len(st.Subject) != 1 || st.Subject[0].Digest["sha256"] != hex.EncodeToString(sum[:]) ||
		st.Predicate.Server != s.Name || st.Predicate.Launch != s.LaunchDigest() || st.Predicate.Surface != s.SurfaceDigest() {
		return ErrOther
	}
	return nil
}

// The DER of an Ed25519 key is these bytes and the key's 32 (RFC 8410, sections 4 and 7: SubjectPublicKeyInfo and PKCS #8). They
// stand here because crypto/x509 brings the network with it, which what checks a lock must not reach.
const (
	publicHead  = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"
	privateHead = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"
)

// KeyID names a key: "sha256:" and the hex SHA-256 of its DER (SubjectPublicKeyInfo), as other tools show it.
func KeyID(key ed25519.PublicKey) string { return canon.Digest(append([]byte(publicHead), key...)) }

// PublicPEM and PrivatePEM write keys as SubjectPublicKeyInfo and PKCS #8.
func PublicPEM(key ed25519.PublicKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: publicType, Bytes: append([]byte(publicHead), key...)})
}

// PrivatePEM writes a private key. internal/effect/keyfile reads one.
func PrivatePEM(key ed25519.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: append([]byte(privateHead), key.Seed()...)})
}

const publicType = "PUBLIC KEY"

// ReadPublic reads a public key: PEM, or a line of OpenSSH ("ssh-ed25519 AAAA… comment").
func ReadPublic(text []byte) (ed25519.PublicKey, error) {
	if block, _ := pem.Decode(text); block != nil {
		key, ok := bytes.CutPrefix(block.Bytes, []byte(publicHead))
		if ok && block.Type == publicType && len(key) == ed25519.PublicKeySize {
			return ed25519.PublicKey(key), nil
		}
		return nil, errors.New("the PEM holds no Ed25519 public key")
	}
	fields := strings.Fields(string(text))
	if len(fields) >= 2 && fields[0] == opensshType {
		raw, err := base64.StdEncoding.DecodeString(fields[1])
		// RFC 8709, section 4: the type and the key, each behind its length.
		head := append([]byte{0, 0, 0, byte(len(opensshType))}, opensshType...)
		head = append(head, 0, 0, 0, ed25519.PublicKeySize)
		if err == nil && bytes.HasPrefix(raw, head) && len(raw) == len(head)+ed25519.PublicKeySize {
			return ed25519.PublicKey(raw[len(head):]), nil
		}
	}
	return nil, errors.New("this is no Ed25519 public key: PEM, or a line that begins with ssh-ed25519")
}

const opensshType = "ssh-ed25519"
