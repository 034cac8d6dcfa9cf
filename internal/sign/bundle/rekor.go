package bundle

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	checkpoint "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

// logged gives the times that logs of the root vouch for, none for logs that vouch for no time. An entry of a log that is not in
// the root is passed over; one that is must hold in every part.
func (b *Bundle) logged(root *Root) (times []time.Time, err error) {
	vouched := 0
	for i := range b.wire.Material.Entries {
		e := &b.wire.Material.Entries[i]
		l := root.logs[hex.EncodeToString(e.Log.KeyID)]
		if l == nil {
			continue
		}
		second := e.Kind.Version == "0.0.2" && e.Kind.Kind == "hashedrekord"
		if second {
			err = b.isSecond(e)
		} else {
			err = b.isFirst(e)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrLog, err)
		}
		at := time.Unix(int64(e.Integrated), 0)
		switch {
		case e.Promise == nil && e.Proof == nil:
			return nil, fmt.Errorf("%w: its entry has neither promise nor proof", ErrLog)
		case second && (e.Proof == nil || e.Promise != nil):
			return nil, fmt.Errorf("%w: its entry is one of Rekor 2, which has a proof and no promise", ErrLog)
		case e.Promise != nil && !l.promised(e, at):
			return nil, fmt.Errorf("%w: the log did not sign the promise", ErrLog)
		case e.Proof != nil && !l.proved(e, second):
			return nil, fmt.Errorf("%w: the log did not sign the proof", ErrLog)
		}
		vouched++
		if e.Promise != nil { // a time beside a proof is signed by nobody
			times = append(times, at)
		} else if e.Integrated != 0 && (at.Before(b.leaf.NotBefore) || at.After(b.leaf.NotAfter)) {
			return nil, fmt.Errorf("%w: its entry is of a time when the certificate was not valid", ErrLog)
		}
	}
	if vouched == 0 {
		return nil, ErrLog
	}
	return times, nil
}

// promised checks the log's signature over the entry and its time.
func (l *log) promised(e *entry, at time.Time) bool {
	key, ok := l.key.(*ecdsa.PublicKey)
	if !ok || !l.valid.holds(at) {
		return false
	}
	// RFC 8785 of four members that need no escape.
	sum := sha256.Sum256(fmt.Appendf(nil, `{"body":"%s","integratedTime":%d,"logID":"%x","logIndex":%d}`,
		base64.StdEncoding.EncodeToString(e.Body), e.Integrated, e.Log.KeyID, e.Index))
	return ecdsa.VerifyASN1(key, sum[:], e.Promise.Signed)
}

// proved checks that the entry is in the tree whose head the log signed.
func (l *log) proved(e *entry, second bool) bool {
	p := e.Proof
	if p.Index < 0 || p.Size < 0 {
		return false
	}
	names := &noteKey{log: l}
	if second {
		if names.name = l.host; l.host == "" {
			return false
		}
	}
	signed, err := note.Open([]byte(p.Checkpoint.Envelope), names)
	if err != nil {
		return false
	}
	var head checkpoint.Checkpoint
	if _, err := head.Unmarshal([]byte(signed.Text)); err != nil || second && head.Origin != l.host {
		return false
	}
	// What is signed is the root of the tree. A size that is not its own leads to no path, since leaves and nodes are hashed apart;
	// Rekor 1 does not always give the head's.
	return (!second || head.Size == uint64(p.Size)) && bytes.Equal(head.Hash, p.Root) &&
		proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(p.Index), uint64(p.Size), rfc6962.DefaultHasher.HashLeaf(e.Body), p.Hashes, p.Root) == nil
}

// noteKey is the log's key as a checkpoint names it: any name where none is demanded, as Rekor 1 has one of its own for each shard.
type noteKey struct {
	log  *log
	name string
}

// Verifier is the one of a signature's line (note.Verifiers).
func (k *noteKey) Verifier(name string, hash uint32) (note.Verifier, error) {
	sum := sha256.Sum256(k.log.der)
	if key, ok := k.log.key.(ed25519.PublicKey); ok {
		sum = sha256.Sum256(append([]byte(name+"\n\x01"), key...))
	}
	if k.name != "" && name != k.name || binary.BigEndian.Uint32(sum[:]) != hash {
		return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
	}
	return &noteLine{k.log, name, hash}, nil
}

type noteLine struct {
	log  *log
	name string
	hash uint32
}

// Name, KeyHash and Verify are those of note.Verifier.
func (n *noteLine) Name() string    { return n.name }
func (n *noteLine) KeyHash() uint32 { return n.hash }
func (n *noteLine) Verify(msg, sig []byte) bool {
	switch key := n.log.key.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(key, msg, sig)
	case *ecdsa.PublicKey:
		sum := sha256.Sum256(msg)
		return ecdsa.VerifyASN1(key, sum[:], sig)
	}
	return false
}

// isSecond says whether an entry of Rekor 2 is that of the bundle. What the log took in is made again from the bundle, byte for byte.
func (b *Bundle) isSecond(e *entry) error {
	key, ok := b.leaf.PublicKey.(*ecdsa.PublicKey)
	if !ok {
		return fmt.Errorf("its key is of a kind that the log does not take")
	}
	name, details := "", ""
	var digest []byte
	var message []byte
	if env := b.wire.Envelope; env != nil {
		message = fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(env.PayloadType), env.PayloadType, len(env.Payload), env.Payload)
	}
	switch hashes(key)[0] {
	case "sha256":
		sum := sha256.Sum256(message)
		name, details, digest = "SHA2_256", "PKIX_ECDSA_P256_SHA_256", sum[:]
	case "sha384":
		sum := sha512.Sum384(message)
		name, details, digest = "SHA2_384", "PKIX_ECDSA_P384_SHA_384", sum[:]
	default:
		sum := sha512.Sum512(message)
		name, details, digest = "SHA2_512", "PKIX_ECDSA_P521_SHA_512", sum[:]
	}
	if b.wire.Message != nil {
		digest = b.wire.Message.Digest.Digest
	}
	b64 := base64.StdEncoding.EncodeToString
	again := fmt.Sprintf(`{"apiVersion":"0.0.2","kind":"hashedrekord","spec":{"hashedRekordV002":{"data":{"algorithm":"%s","digest":"%s"},"signature":{"content":"%s","verifier":{"keyDetails":"%s","x509Certificate":{"rawBytes":"%s"}}}}}}`,
		name, b64(digest), b64(b.signature()), details, b64(b.leaf.Raw))
	if again != string(e.Body) {
		return fmt.Errorf("its entry is another bundle's")
	}
	return nil
}

type hashed struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"value"`
}

// is says whether it is the SHA-256, or for a file that the bundle says so of another, digest.
func (h *hashed) is(algorithm string, digest []byte) bool {
	return strings.EqualFold(h.Algorithm, algorithm) && strings.EqualFold(h.Value, hex.EncodeToString(digest))
}

// isFirst says whether an entry of Rekor 1 is that of the bundle: the same signature, certificate and file.
func (b *Bundle) isFirst(e *entry) error {
	var body struct {
		Version string `json:"apiVersion"`
		Kind    string `json:"kind"`
		Spec    struct {
			// hashedrekord 0.0.1
			Data *struct {
				Hash hashed `json:"hash"`
			} `json:"data,omitzero"`
			Signature *struct {
				Content   []byte `json:"content"`
				PublicKey struct {
					Content []byte `json:"content"`
				} `json:"publicKey"`
			} `json:"signature,omitzero"`
			// dsse 0.0.1
			EnvelopeHash *hashed `json:"envelopeHash,omitzero"`
			PayloadHash  *hashed `json:"payloadHash,omitzero"`
			Signatures   []struct {
				Signature []byte `json:"signature"`
				Verifier  []byte `json:"verifier"`
			} `json:"signatures,omitzero"`
			// intoto 0.0.2
			Content *struct {
				Envelope struct {
					PayloadType string `json:"payloadType"`
					Signatures  []struct {
						PublicKey []byte `json:"publicKey"`
						Sig       []byte `json:"sig"`
						KeyID     string `json:"keyid,omitzero"`
					} `json:"signatures"`
				} `json:"envelope"`
				Hash        *hashed `json:"hash,omitzero"`
				PayloadHash *hashed `json:"payloadHash,omitzero"`
			} `json:"content,omitzero"`
		} `json:"spec"`
	}
	if err := strict(e.Body, &body); err != nil || body.Kind != e.Kind.Kind || body.Version != e.Kind.Version {
		return fmt.Errorf("its entry can not be read")
	}
	s := &body.Spec
	var signature, certificate []byte
	var payload *hashed
	switch kind := body.Kind + " " + body.Version; {
	case kind == "hashedrekord 0.0.1" && s.Data != nil && s.Signature != nil && b.wire.Message != nil:
		algorithm := map[string]string{"SHA2_256": "sha256", "SHA2_384": "sha384", "SHA2_512": "sha512"}[b.wire.Message.Digest.Algorithm]
		if !s.Data.Hash.is(algorithm, b.wire.Message.Digest.Digest) {
			return fmt.Errorf("its entry is of another file")
		}
		signature, certificate = s.Signature.Content, s.Signature.PublicKey.Content
	case kind == "dsse 0.0.1" && len(s.Signatures) == 1 && b.wire.Envelope != nil:
		signature, certificate, payload = s.Signatures[0].Signature, s.Signatures[0].Verifier, s.PayloadHash
	case kind == "intoto 0.0.2" && s.Content != nil && len(s.Content.Envelope.Signatures) == 1 && b.wire.Envelope != nil:
		one := s.Content.Envelope.Signatures[0]
		certificate, payload = one.PublicKey, s.Content.PayloadHash
		var err error
		if signature, err = base64.StdEncoding.DecodeString(string(one.Sig)); err != nil {
			return fmt.Errorf("its entry can not be read")
		}
	default:
		return fmt.Errorf("its entry is of a kind that does not go with it")
	}
	if b.wire.Envelope != nil {
		sum := sha256.Sum256(b.wire.Envelope.Payload)
		if payload == nil || !payload.is("sha256", sum[:]) {
			return fmt.Errorf("its entry is of another statement")
		}
	}
	block, _ := pem.Decode(certificate)
	if !bytes.Equal(signature, b.signature()) || block == nil || !bytes.Equal(block.Bytes, b.leaf.Raw) {
		return fmt.Errorf("its entry is of another signature")
	}
	return nil
}
