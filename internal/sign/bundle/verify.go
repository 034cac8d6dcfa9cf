package bundle

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"slices"
	"time"

	ct "github.com/google/certificate-transparency-go"
	ctx509 "github.com/google/certificate-transparency-go/x509"
	"github.com/google/certificate-transparency-go/x509util"
	"github.com/sigstore/sigstore-go/pkg/fulcio/certificate"
	tsa "github.com/sigstore/timestamp-authority/v2/pkg/verification"

	"github.com/digitorus/timestamp"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Verified is what a bundle proves.
type Verified struct {
	// Identity and Issuer are the signer's: an address or the URL of a workflow, and who vouched for it. Nobody has said yet that
	// they may sign.
	Identity, Issuer string
	// Times are when it was signed, as a log or a time stamp vouches.
	Times []time.Time
	// Payload is the signed in-toto statement and PredicateType its kind; nil and "" where the file itself was signed.
	Payload       []byte
	PredicateType string
	// Certificate is all that the authority says of the signer (Fulcio's extensions: repository, workflow, commit).
	Certificate certificate.Summary
}

// The ways in which a bundle does not hold.
var (
	ErrOther       = errors.New("the bundle is over another file")
	ErrSignature   = errors.New("the bundle's signature does not belong to its certificate")
	ErrLog         = errors.New("no log of the trusted root vouches for the bundle")
	ErrTime        = errors.New("nobody in the trusted root says when the bundle was signed")
	ErrCertificate = errors.New("the bundle's certificate is of no authority of the trusted root, or was not valid when it signed")
	ErrUnlogged    = errors.New("the bundle's certificate stands in no certificate log of the trusted root")
)

// Claims are the identity and the issuer that the certificate names, "" for none. Verify says whether that is true.
func (b *Bundle) Claims() (identity, issuer string) {
	c, err := certificate.SummarizeCertificate(b.leaf)
	if err != nil {
		return "", ""
	}
	return c.SubjectAlternativeName, c.Issuer
}

// Verify says whether a bundle holds for a file, given its digests, and who signed it.
func (b *Bundle) Verify(file Digests, root *Root, lim limits.Set) (*Verified, error) {
	v := &Verified{}
	var err error
	if v.Certificate, err = certificate.SummarizeCertificate(b.leaf); err != nil {
		return nil, shape("its certificate names nobody")
	}
	v.Identity, v.Issuer = b.Claims()
	if len(b.leaf.URIs)+len(b.leaf.EmailAddresses) > 1 || len(b.leaf.DNSNames)+len(b.leaf.IPAddresses) > 0 || v.Issuer == "" {
		return nil, shape("its certificate names more than one, or not who vouched for the name")
	}
	if err := b.signed(file, v, lim); err != nil {
		return nil, err
	}
	logged, err := b.logged(root)
	if err != nil {
		return nil, err
	}
	v.Times = append(logged, b.stamped(root)...)
	if len(v.Times) == 0 {
		return nil, ErrTime
	}
	var chain []*x509.Certificate
	for _, at := range v.Times {
		if chain = root.chain(b.leaf, at); chain == nil {
			return nil, fmt.Errorf("%w (%s)", ErrCertificate, at.UTC().Format(time.RFC3339))
		}
	}
	if len(root.certificateLogs) > 0 && !root.inCertificateLog(chain) {
		return nil, ErrUnlogged
	}
	return v, nil
}

// signed checks the signature, and that it is over the file.
func (b *Bundle) signed(file Digests, v *Verified, lim limits.Set) error {
	if e := b.wire.Envelope; e != nil {
		message := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(e.PayloadType), e.PayloadType, len(e.Payload), e.Payload)
		if !slices.ContainsFunc(algorithms(b.leaf), func(a x509.SignatureAlgorithm) bool { return b.leaf.CheckSignature(a, message, b.signature()) == nil }) {
			return ErrSignature
		}
		st, err := e.about(file, lim)
		v.Payload, v.PredicateType = e.Payload, st.PredicateType
		return err
	}
	m := b.wire.Message
	key, ok := b.leaf.PublicKey.(*ecdsa.PublicKey)
	name := map[string]string{"SHA2_256": "sha256", "SHA2_384": "sha384", "SHA2_512": "sha512"}[m.Digest.Algorithm]
	switch {
	case !ok || name == "" || file[name] == nil:
		return shape("it is signed in a way that is not known: ECDSA over SHA-2 is")
	case !bytes.Equal(file[name], m.Digest.Digest):
		return ErrOther
	case !slices.Contains(hashes(key), name) || !ecdsa.VerifyASN1(key, file[name], m.Signature):
		return ErrSignature
	}
	return nil
}

// hashes are the digests that a key signs: that of its curve and, as early clients did, SHA-256.
func hashes(key *ecdsa.PublicKey) []string {
	switch key.Curve {
	case elliptic.P256():
		return []string{"sha256"}
	case elliptic.P384():
		return []string{"sha384", "sha256"}
	case elliptic.P521():
		return []string{"sha512", "sha256"}
	}
	return nil
}

func algorithms(leaf *x509.Certificate) (all []x509.SignatureAlgorithm) {
	switch key := leaf.PublicKey.(type) {
	case *ecdsa.PublicKey:
		for _, name := range hashes(key) {
			all = append(all, map[string]x509.SignatureAlgorithm{"sha256": x509.ECDSAWithSHA256, "sha384": x509.ECDSAWithSHA384, "sha512": x509.ECDSAWithSHA512}[name])
		}
	case ed25519.PublicKey:
		all = append(all, x509.PureEd25519)
	}
	return all
}

// stamped are the times that time stamps over the signature vouch for. One that nobody in the root made is passed over.
func (b *Bundle) stamped(root *Root) (times []time.Time) {
	if b.wire.Material.Times == nil {
		return nil
	}
	for _, t := range b.wire.Material.Times.RFC3161 {
		for i := range root.stampers {
			if at, ok := root.stampers[i].stamped(t.Signed, b.signature()); ok {
				times = append(times, at)
				break
			}
		}
	}
	return times
}

// stamped checks one time stamp. The library reads BER of strangers: should it panic, the stamp does not count.
func (a *authority) stamped(stamp, signature []byte) (at time.Time, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	response, err := timestamp.ParseResponse(stamp)
	if err != nil {
		return at, false
	}
	last := len(a.chain) - 1
	opts := tsa.VerifyOpts{Roots: a.chain[last:], Intermediates: a.chain[:last], CurrentTime: response.Time}
	if last > 0 && !a.chain[0].IsCA {
		opts.TSACertificate, opts.Intermediates = a.chain[0], a.chain[1:last]
	}
	verified, err := tsa.VerifyTimestampResponse(stamp, bytes.NewReader(signature), opts)
	if err != nil || !a.valid.holds(verified.Time) {
		return at, false
	}
	return verified.Time, true
}

// chain is the way from a certificate to an authority that counted at a time, nil for none.
func (r *Root) chain(leaf *x509.Certificate, at time.Time) []*x509.Certificate {
	// A name of a kind that crypto/x509 does not know was read by SummarizeCertificate.
	known := *leaf
	known.UnhandledCriticalExtensions = slices.DeleteFunc(slices.Clone(leaf.UnhandledCriticalExtensions), func(id asn1.ObjectIdentifier) bool { return slices.Equal(id, []int{2, 5, 29, 17}) })
	for _, a := range r.authorities {
		if !a.valid.holds(at) {
			continue
		}
		last := len(a.chain) - 1
		opts := x509.VerifyOptions{CurrentTime: at, Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}}
		opts.Roots.AddCert(a.chain[last])
		for _, c := range a.chain[:last] {
			opts.Intermediates.AddCert(c)
		}
		if chains, err := known.Verify(opts); err == nil && len(chains[0]) > 1 {
			return chains[0]
		}
	}
	return nil
}

// inCertificateLog says whether a log of certificates signed that it took the certificate in.
func (r *Root) inCertificateLog(chain []*x509.Certificate) bool {
	signed, err := x509util.ParseSCTsFromCertificate(chain[0].Raw)
	if err != nil {
		return false
	}
	var both []*ctx509.Certificate
	for _, c := range chain[:2] {
		cert, err := ctx509.ParseCertificate(c.Raw)
		if ctx509.IsFatal(err) {
			return false
		}
		both = append(both, cert)
	}
	for _, sct := range signed {
		l := r.certificateLogs[fmt.Sprintf("%x", sct.LogID.KeyID)]
		if l == nil || !l.valid.holds(ct.TimestampToTime(sct.Timestamp)) {
			continue
		}
		verifier, err := ct.NewSignatureVerifier(l.key)
		if err != nil {
			continue
		}
		leaf, err := ct.MerkleTreeLeafForEmbeddedSCT(both, sct.Timestamp)
		if err == nil && verifier.VerifySCTSignature(*sct, ct.LogEntry{Leaf: *leaf}) == nil {
			return true
		}
	}
	return false
}
