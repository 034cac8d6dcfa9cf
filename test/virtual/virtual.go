// Package virtual is a Sigstore in this process, for tests: an authority, a log and a maker of time stamps, of sigstore-go's own
// test library, bundles as clients write them, and what sigstore-go says of one.
package virtual

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protodsse "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	sigstore "github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/signature"
	"google.golang.org/protobuf/encoding/protojson"
)

// Who signs where nobody is named.
const (
	Ada    = "ada@example.com"
	Issuer = "https://accounts.example.com"
)

const mediaType = "application/vnd.dev.sigstore.bundle"

// Sigstore is one, and its trusted root.
type Sigstore struct {
	*ca.VirtualSigstore
	Root []byte
}

// New makes one.
func New(t testing.TB) *Sigstore {
	t.Helper()
	v, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	logs := v.RekorLogs()
	for id, l := range logs {
		if l.ID, err = hex.DecodeString(id); err != nil { // it stands there in hex
			t.Fatal(err)
		}
	}
	r, err := root.NewTrustedRoot(root.TrustedRootMediaType01, v.FulcioCertificateAuthorities(), nil, v.TimestampingAuthorities(), logs)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return &Sigstore{v, text}
}

// Made is what a bundle is to be of.
type Made struct {
	// Version is that of the bundle: "0.1", "0.2", "0.3".
	Version string
	// Promise and Proof are what the log gives; Stamp adds a time stamp.
	Promise, Proof, Stamp bool
	NotLogged             bool
	// At is the time of the log, zero for a minute from now.
	At time.Time
	// Envelope signs a statement about the content, Second has it in a log of Rekor 2.
	Envelope, Second bool
	Content          []byte
	// Statement is signed in the place of one about the content, where Envelope says that there is one.
	Statement        []byte
	Identity, Issuer string
}

func sum(content []byte) []byte {
	s := sha256.Sum256(content)
	return s[:]
}

func statementOf(content []byte) []byte {
	return []byte(`{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"shop.lock","digest":{"sha256":"` + hex.EncodeToString(sum(content)) +
		`"}}],"predicateType":"https://example.com/approved/v1","predicate":{}}`)
}

// Bundle makes a bundle as cosign writes it.
func (v *Sigstore) Bundle(t testing.TB, m Made) []byte {
	t.Helper()
	if m.Identity == "" {
		m.Identity, m.Issuer = Ada, Issuer
	}
	if m.At.IsZero() {
		m.At = time.Now().Add(time.Minute)
	}
	if m.Statement == nil {
		m.Statement = statementOf(m.Content)
	}
	var e *ca.TestEntity
	var err error
	switch {
	case m.Second:
		e, err = v.AttestAtTimeHashedRekordV2(m.Identity, m.Issuer, m.Statement, m.At)
	case m.Envelope:
		e, err = v.AttestAtTime(m.Identity, m.Issuer, m.Statement, m.At, false)
	default:
		e, err = v.SignAtTime(m.Identity, m.Issuer, m.Content, m.At)
	}
	if err != nil {
		t.Fatal(err)
	}
	content, _ := e.VerificationContent()
	entries, _ := e.TlogEntries()
	stamps, _ := e.Timestamps()
	signature, _ := e.SignatureContent()
	b := &protobundle.Bundle{MediaType: mediaType + ".v" + m.Version + "+json", VerificationMaterial: &protobundle.VerificationMaterial{
		Content: &protobundle.VerificationMaterial_Certificate{Certificate: &protocommon.X509Certificate{RawBytes: content.Certificate().Raw}}}}
	if m.Version != "0.3" {
		b.MediaType = mediaType + "+json;version=" + m.Version
		b.VerificationMaterial.Content = &protobundle.VerificationMaterial_X509CertificateChain{X509CertificateChain: &protocommon.X509CertificateChain{
			Certificates: []*protocommon.X509Certificate{{RawBytes: content.Certificate().Raw}}}}
	}
	if !m.NotLogged {
		b.VerificationMaterial.TlogEntries = []*protorekor.TransparencyLogEntry{v.entry(t, entries[0], m)}
	}
	if m.Stamp {
		b.VerificationMaterial.TimestampVerificationData = &protobundle.TimestampVerificationData{Rfc3161Timestamps: []*protocommon.RFC3161SignedTimestamp{{SignedTimestamp: stamps[0]}}}
	}
	if env := signature.EnvelopeContent(); env != nil {
		raw := env.RawEnvelope()
		payload, _ := base64.StdEncoding.DecodeString(raw.Payload)
		b.Content = &protobundle.Bundle_DsseEnvelope{DsseEnvelope: &protodsse.Envelope{Payload: payload, PayloadType: raw.PayloadType, Signatures: []*protodsse.Signature{{Sig: signature.Signature()}}}}
	} else {
		b.Content = &protobundle.Bundle_MessageSignature{MessageSignature: &protocommon.MessageSignature{
			MessageDigest: &protocommon.HashOutput{Algorithm: protocommon.HashAlgorithm_SHA2_256, Digest: sum(m.Content)}, Signature: signature.Signature()}}
	}
	text, err := protojson.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer // protojson puts blanks where chance says
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	return compact.Bytes()
}

func (v *Sigstore) entry(t testing.TB, made *tlog.Entry, m Made) *protorekor.TransparencyLogEntry {
	t.Helper()
	e := made.TransparencyLogEntry()
	if m.Second {
		return e
	}
	var body struct{ Kind, APIVersion string }
	if err := json.Unmarshal(e.CanonicalizedBody, &body); err != nil {
		t.Fatal(err)
	}
	e.KindVersion = &protorekor.KindVersion{Kind: body.Kind, Version: body.APIVersion}
	if m.Promise {
		signed, err := v.RekorSignPayload(tlog.RekorPayload{Body: base64.StdEncoding.EncodeToString(e.CanonicalizedBody),
			IntegratedTime: e.IntegratedTime, LogIndex: e.LogIndex, LogID: hex.EncodeToString(e.LogId.KeyId)})
		if err != nil {
			t.Fatal(err)
		}
		e.InclusionPromise = &protorekor.InclusionPromise{SignedEntryTimestamp: signed}
	}
	if m.Proof {
		p, err := v.GetInclusionProof(e.CanonicalizedBody)
		if err != nil {
			t.Fatal(err)
		}
		head, _ := hex.DecodeString(*p.RootHash)
		e.InclusionProof = &protorekor.InclusionProof{LogIndex: *p.LogIndex, RootHash: head, TreeSize: *p.TreeSize, Checkpoint: &protorekor.Checkpoint{Envelope: *p.Checkpoint}}
		for _, h := range p.Hashes {
			raw, _ := hex.DecodeString(h)
			e.InclusionProof.Hashes = append(e.InclusionProof.Hashes, raw)
		}
	}
	return e
}

// OracleOfKey is whether a bundle that a key signed holds for a file, as sigstore-go says, which cosign 3 verifies with.
func OracleOfKey(public ed25519.PublicKey, hint string, text, content []byte) error {
	verifier, err := signature.LoadED25519Verifier(public)
	if err != nil {
		return err
	}
	var b sigstore.Bundle
	if err := b.UnmarshalJSON(text); err != nil {
		return err
	}
	keys := root.NewTrustedPublicKeyMaterialFromMapping(map[string]*root.ExpiringKey{hint: root.NewExpiringKey(verifier, time.Time{}, time.Time{})})
	v, err := verify.NewVerifier(keys, verify.WithNoObserverTimestamps())
	if err != nil {
		return err
	}
	_, err = v.Verify(&b, verify.NewPolicy(verify.WithArtifact(bytes.NewReader(content)), verify.WithKey()))
	return err
}

// Oracle is who signed a bundle over a file, as sigstore-go says; a nil content leaves the file out.
func Oracle(trusted, text, content []byte, certificateLogs int) (identity string, err error) {
	r, err := root.NewTrustedRootFromJSON(trusted)
	if err != nil {
		return "", err
	}
	var b sigstore.Bundle
	if err := b.UnmarshalJSON(text); err != nil {
		return "", err
	}
	options := []verify.VerifierOption{verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1)}
	if certificateLogs > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(certificateLogs))
	}
	v, err := verify.NewVerifier(r, options...)
	if err != nil {
		return "", err
	}
	artifact := verify.WithArtifact(bytes.NewReader(content))
	if content == nil {
		artifact = verify.WithoutArtifactUnsafe()
	}
	result, err := v.Verify(&b, verify.NewPolicy(artifact, verify.WithoutIdentitiesUnsafe()))
	if err != nil {
		return "", err
	}
	return result.Signature.Certificate.SubjectAlternativeName + " " + result.Signature.Certificate.Issuer, nil
}

// GitHub vouches for the workflows of that forge.
const GitHub = "https://token.actions.githubusercontent.com"

// Built is the statement of a build about files by their digests in hexadecimal.
func Built(predicate, algorithm string, files map[string]string) []byte {
	var subjects []any
	for name, digest := range files {
		subjects = append(subjects, map[string]any{"name": name, "digest": map[string]string{algorithm: digest}})
	}
	raw, err := json.Marshal(map[string]any{"_type": "https://in-toto.io/Statement/v1", "subject": subjects, "predicateType": predicate, "predicate": nil})
	if err != nil {
		panic(err)
	}
	return raw
}

// NPM is what the attestations endpoint of an npm registry answers about a version: of who published it, and of who built it.
func (v *Sigstore) NPM(t testing.TB, name, version, sha512, workflow string) []byte {
	t.Helper()
	const slsa = "https://slsa.dev/provenance/v1"
	raw, err := json.Marshal(map[string]any{"attestations": []any{
		map[string]any{"predicateType": "https://github.com/npm/attestation/tree/main/specs/publish/v0.1", "bundle": map[string]any{}},
		map[string]any{"predicateType": slsa, "bundle": json.RawMessage(v.Bundle(t, Made{Version: "0.2", Promise: true, Proof: true, Envelope: true, Identity: workflow, Issuer: GitHub,
			Statement: Built(slsa, "sha512", map[string]string{"pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version: sha512})}))}}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// PyPI is what an index answers about the provenance of a file (PEP 740).
func (v *Sigstore) PyPI(t testing.TB, file, sha256, workflow string) []byte {
	t.Helper()
	const publish = "https://docs.pypi.org/attestations/publish/v1"
	var b struct {
		VerificationMaterial struct {
			Certificate struct{ RawBytes []byte }
			TlogEntries []json.RawMessage
		}
		DsseEnvelope struct {
			Payload    []byte
			Signatures []struct{ Sig []byte }
		}
	}
	if err := json.Unmarshal(v.Bundle(t, Made{Version: "0.3", Promise: true, Proof: true, Envelope: true, Identity: workflow, Issuer: GitHub,
		Statement: Built(publish, "sha256", map[string]string{file: sha256})}), &b); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"version": 1, "attestation_bundles": []any{map[string]any{
		"publisher": map[string]string{"kind": "GitHub", "repository": "somebody/else"},
		"attestations": []any{map[string]any{"version": 1,
			"verification_material": map[string]any{"certificate": b.VerificationMaterial.Certificate.RawBytes, "transparency_entries": b.VerificationMaterial.TlogEntries},
			"envelope":              map[string]any{"statement": b.DsseEnvelope.Payload, "signature": b.DsseEnvelope.Signatures[0].Sig}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
