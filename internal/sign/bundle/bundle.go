// Package bundle verifies Sigstore bundles without a network: that a file was signed with a key whose short-lived certificate
// a trusted authority gave to a named identity, at a time that a trusted log or time stamp vouches for. It takes bytes and
// gives an answer; whose identity counts is the caller's to say.
//
// The checks are those of sigstore-go with one log entry, one observer's time and, where the trusted root lists logs of
// certificates, one of those, and are done by the libraries that it stands on; sigstore-go itself is the oracle of the tests.
// It is not linked: what it brings (a client of TUF and of Rekor, gRPC, a validator of OpenAPI) would more than double the
// time that every run takes to begin (ADR 0011).
//
// Sources: Sigstore Client Spec; sigstore/protobuf-specs, bundle and trusted root; RFC 6962, 9162, 3161.
package bundle

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Bundle is one bundle that was read and not verified.
type Bundle struct {
	wire    wire
	leaf    *x509.Certificate
	version string
}

// integer is an int64 as protobuf writes it: a string of digits, or a number.
type integer int64

func (i *integer) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	*i = integer(n)
	return err
}

// wire is a bundle as it is written.
type wire struct {
	MediaType string `json:"mediaType"`
	Material  struct {
		Certificate *raw `json:"certificate,omitzero"`
		Chain       *struct {
			Certificates []raw `json:"certificates"`
		} `json:"x509CertificateChain,omitzero"`
		PublicKey *struct {
			Hint string `json:"hint"`
		} `json:"publicKey,omitzero"`
		Entries []entry `json:"tlogEntries"`
		Times   *struct {
			RFC3161 []struct {
				Signed []byte `json:"signedTimestamp"`
			} `json:"rfc3161Timestamps"`
		} `json:"timestampVerificationData,omitzero"`
	} `json:"verificationMaterial"`
	Envelope *envelope `json:"dsseEnvelope,omitzero"`
	Message  *struct {
		Digest struct {
			Algorithm string `json:"algorithm"`
			Digest    []byte `json:"digest"`
		} `json:"messageDigest"`
		Signature []byte `json:"signature"`
	} `json:"messageSignature,omitzero"`
}

type raw struct {
	Raw []byte `json:"rawBytes"`
}

type envelope struct {
	Payload     []byte `json:"payload"`
	PayloadType string `json:"payloadType"`
	Signatures  []struct {
		Sig   []byte `json:"sig"`
		KeyID string `json:"keyid"`
	} `json:"signatures"`
}

// entry is one entry of a transparency log.
type entry struct {
	Index integer `json:"logIndex"`
	Log   struct {
		KeyID []byte `json:"keyId"`
	} `json:"logId"`
	Kind struct {
		Kind    string `json:"kind"`
		Version string `json:"version"`
	} `json:"kindVersion"`
	Integrated integer `json:"integratedTime"`
	Promise    *struct {
		Signed []byte `json:"signedEntryTimestamp"`
	} `json:"inclusionPromise,omitzero"`
	Proof *inclusion `json:"inclusionProof,omitzero"`
	Body  []byte     `json:"canonicalizedBody"`
}

type inclusion struct {
	Index      integer  `json:"logIndex"`
	Root       []byte   `json:"rootHash"`
	Size       integer  `json:"treeSize"`
	Hashes     [][]byte `json:"hashes"`
	Checkpoint struct {
		Envelope string `json:"envelope"`
	} `json:"checkpoint"`
}

// strict reads JSON that says what into knows, once each.
func strict(raw []byte, into any) error {
	return jsonv2.Unmarshal(raw, into, jsonv2.RejectUnknownMembers(true))
}

const mediaType = "application/vnd.dev.sigstore.bundle"

// versions are the media types that are known.
var versions = map[string]string{
	mediaType + "+json;version=0.1": "0.1",
	mediaType + "+json;version=0.2": "0.2",
	mediaType + "+json;version=0.3": "0.3",
	mediaType + ".v0.1+json":        "0.1",
	mediaType + ".v0.2+json":        "0.2",
	mediaType + ".v0.3+json":        "0.3",
}

// ErrShape says that what was read is no bundle that can be verified.
var ErrShape = errors.New("this is no Sigstore bundle")

func shape(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrShape, fmt.Sprintf(format, args...))
}

// Read reads a bundle of version 0.1 to 0.3 whose signer has a certificate.
func Read(text []byte, lim limits.Set) (*Bundle, error) {
	b := &Bundle{}
	if len(text) > lim.BundleBytes {
		return nil, shape("it has more than %d bytes", lim.BundleBytes)
	}
	if err := strict(text, &b.wire); err != nil {
		return nil, shape("it is not the JSON of one")
	}
	m := &b.wire.Material
	if b.version = versions[b.wire.MediaType]; b.version == "" {
		return nil, shape("its version is not known")
	}
	times := 0
	if m.Times != nil {
		times = len(m.Times.RFC3161)
	}
	switch {
	case m.PublicKey != nil:
		return nil, shape("it was signed with a key and without a certificate, so it names no identity")
	case (m.Certificate == nil) == (m.Chain == nil):
		return nil, shape("it has no certificate, or two kinds of them")
	case m.Chain != nil && (b.version == "0.3" || len(m.Chain.Certificates) == 0):
		return nil, shape("it has a chain of certificates, which version %s has not", b.version)
	case (b.wire.Envelope == nil) == (b.wire.Message == nil):
		return nil, shape("it holds no signature, or two kinds of them")
	case b.wire.Envelope != nil && len(b.wire.Envelope.Signatures) != 1:
		return nil, shape("its envelope has %d signatures, and one is the rule", len(b.wire.Envelope.Signatures))
	case len(m.Entries) > lim.BundleParts || times > lim.BundleParts:
		return nil, shape("it has more than %d entries of logs, or time stamps", lim.BundleParts)
	}
	der := m.Certificate
	if der == nil {
		der = &m.Chain.Certificates[0]
	}
	var err error
	if b.leaf, err = x509.ParseCertificate(der.Raw); err != nil {
		return nil, shape("its certificate can not be read")
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		switch {
		case e.Index < 0 || e.Integrated < 0 || len(e.Log.KeyID) == 0 || len(e.Body) == 0:
			return nil, shape("an entry of a log lacks a part")
		case e.Proof == nil && b.version != "0.1":
			return nil, shape("an entry of a log has no proof, which version %s asks for", b.version)
		case e.Promise == nil && b.version == "0.1":
			return nil, shape("an entry of a log has no promise, which version 0.1 asks for")
		}
		for j := range i {
			if o := &m.Entries[j]; o.Index == e.Index && bytes.Equal(o.Log.KeyID, e.Log.KeyID) {
				return nil, shape("an entry of a log stands in it twice")
			}
		}
	}
	return b, nil
}

// signature is what the signer made: the signature itself.
func (b *Bundle) signature() []byte {
	if b.wire.Envelope != nil {
		return b.wire.Envelope.Signatures[0].Sig
	}
	return b.wire.Message.Signature
}

// Digests are the digests of a file by the name of the algorithm, as statements have them: "sha256", "sha512".
type Digests map[string][]byte

// Of are the digests of a file that is at hand.
func Of(content []byte) Digests {
	a, b, c := sha256.Sum256(content), sha512.Sum384(content), sha512.Sum512(content)
	return Digests{"sha256": a[:], "sha384": b[:], "sha512": c[:]}
}

// statement is what is needed of an in-toto statement.
type statement struct {
	Type    string `json:"_type"`
	Subject []struct {
		Name   string            `json:"name"`
		Digest map[string]string `json:"digest"`
	} `json:"subject"`
	PredicateType string `json:"predicateType"`
}

// payloadType is that of a statement.
const payloadType = "application/vnd.in-toto+json"

// about reads the statement of the envelope and says whether a file is among its subjects.
func (e *envelope) about(file Digests, lim limits.Set) (st statement, err error) {
	if e.PayloadType != payloadType || json.Unmarshal(e.Payload, &st) != nil || !strings.HasPrefix(st.Type, "https://in-toto.io/Statement/v") {
		return st, shape("its envelope holds no in-toto statement")
	}
	if len(st.Subject) > lim.BundleSubjects {
		return st, shape("its statement is about more than %d files", lim.BundleSubjects)
	}
	for _, s := range st.Subject {
		shared, same := 0, 0
		for name, digest := range file {
			if given, ok := s.Digest[name]; ok {
				shared++
				if strings.EqualFold(given, fmt.Sprintf("%x", digest)) {
					same++
				}
			}
		}
		if shared > 0 && shared == same {
			return st, nil
		}
	}
	return st, ErrOther
}
