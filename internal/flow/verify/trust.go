package verify

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/sign"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Demand is what a consumer asks of the approvals in a lock. Nothing that stands in the lock, or comes with it, can lessen it.
type Demand struct {
	// Trust says whose signatures count. Without it an approval counts that nobody signed.
	Trust *sign.Trust
	// Approvers are the only ones who count: names of the trust file, or without one those that approvals give themselves. Empty
	// for anybody.
	Approvers []string
	// Publisher and Identity must be what the signature says, where they are not "".
	Publisher, Identity string
	// Require is how many different approvers each server needs.
	Require int
	// Logged says whether an approval, and with it the signature that is over it (nil for none), stands in the log of
	// approvals. It is nil where there is no such log.
	Logged func(lock.Approval, *lock.Signature) bool
	// Keyless says what a Sigstore bundle over a file comes to.
	Keyless func(bundle, file []byte) Bundled
}

// Bundled is what a Sigstore bundle comes to. Identity and Issuer are what its certificate says, be it true or not.
type Bundled struct {
	Identity, Issuer string
	// Why is "" for a bundle that holds. Broken says that nobody could ever have made it so; else it may be of another Sigstore.
	Why    string
	Broken bool
}

// any says whether anything is demanded beyond an approval.
func (d *Demand) any() bool {
	return d.Trust != nil || len(d.Approvers) > 0 || d.Require > 1 || d.Logged != nil
}

// Demands holds the approvals of every server against what is demanded.
func (c *Check) Demands(d Demand) {
	if c.File.Lock == nil || !d.any() {
		return
	}
	for _, sig := range c.File.Signatures {
		if c.File.Get(sig.Server) == nil {
			c.Untrusted = append(c.Untrusted, rule.Declared{Name: sig.Server, Node: c.File.Doc.Root().Get("signatures"), Why: "is signed here, and is not in the lock"})
		}
	}
	for _, s := range c.File.Servers {
		for _, why := range d.lacks(c.File.Lock, s, c.Today) {
			c.Untrusted = append(c.Untrusted, rule.Declared{Name: s.Name, Node: s.Node, Why: why})
		}
	}
}

// lacks are the reasons why the approvals of a server do not do.
func (d *Demand) lacks(l *lock.Lock, s *lock.Server, today time.Time) (why []string) {
	standing, approvals := l.Standing(s, today)
	if standing != lock.Approved {
		return nil // which is said already
	}
	var counted, passed []string // names that count, and why others do not
	count := func(name string, a lock.Approval, e *lock.Signature) {
		switch {
		case len(d.Approvers) > 0 && !slices.Contains(d.Approvers, name):
			passed = append(passed, fmt.Sprintf("%q is not who has to approve", name))
		case d.Logged != nil && !d.Logged(a, e):
			passed = append(passed, fmt.Sprintf("the approval by %q does not stand in the log", name))
		case !slices.Contains(counted, name):
			counted = append(counted, name)
		}
	}
	if d.Trust == nil {
		for _, a := range approvals {
			count(a.By, a, signatureOf(l, a))
		}
	} else {
		var others []string
		why, others = d.signed(l, s, today, count)
		passed = append(passed, others...)
	}
	if need := max(d.Require, 1); len(counted) < need {
		reason := fmt.Sprintf("needs %s, and has %d that count", text.Count(need, "approval"), len(counted))
		if len(passed) > 0 {
			reason += ": " + strings.Join(passed, "; ")
		}
		why = append(why, reason)
	}
	return why
}

// signed counts what trusted keys signed of a server. Why holds what must not be whoever else signed: a lock in which a
// trusted signature or what it is over was touched.
func (d *Demand) signed(l *lock.Lock, s *lock.Server, today time.Time, count func(string, lock.Approval, *lock.Signature)) (why, passed []string) {
	day := today.UTC().Format(time.DateOnly)
	signer := map[string]sign.Signer{}
	var keys []ed25519.PublicKey
	for _, one := range d.Trust.Signers {
		if one.Key != nil {
			signer[sign.KeyID(one.Key)] = one
			keys = append(keys, one.Key)
		}
	}
	found := 0
	for i := range l.Signatures {
		if l.Signatures[i].Server != s.Name {
			continue
		}
		if found++; found > limits.Default.LockSignatures {
			return []string{fmt.Sprintf("holds more than %s: nobody checks so many", text.Count(limits.Default.LockSignatures, "signature"))}, nil
		}
		if l.Signatures[i].Keyless != nil {
			stop, other := d.keyless(l, s, &l.Signatures[i], day, count)
			why, passed = append(why, stop...), append(passed, other...)
			continue
		}
		e := &l.Signatures[i].Envelope
		st, by, err := sign.Verify(*e, keys)
		if claimed := claims(e, signer); err != nil && claimed != "" {
			why = append(why, fmt.Sprintf("holds a signature that %q did not make, though it says so", claimed))
			continue
		}
		switch {
		case err != nil:
			passed = append(passed, "a signature is of nobody who is trusted")
			continue
		case len(by) != len(e.Signatures):
			why = append(why, "holds a signature beside a good one that is none")
			continue
		case st.About(s) != nil:
			passed = append(passed, fmt.Sprintf("%q signed another state of it", signer[by[0]].Name))
			continue
		}
		approval := held(l, st.Predicate.Approval)
		if approval == nil {
			why = append(why, fmt.Sprintf("does not hold the approval that %q signed: it was changed or taken away", signer[by[0]].Name))
			continue
		}
		for _, id := range by {
			who := signer[id]
			switch {
			case !slices.ContainsFunc(e.Signatures, func(k lock.KeySignature) bool { return k.KeyID == id || k.KeyID == "" }):
				why = append(why, fmt.Sprintf("holds a signature of %q under the name of another key", who.Name))
			case who.Revoked != "":
				passed = append(passed, fmt.Sprintf("the key of %q counts no more: %s", who.Name, who.Revoked))
			case who.Expires != "" && who.Expires < day:
				passed = append(passed, fmt.Sprintf("the key of %q counted until %s", who.Name, who.Expires))
			case approval.Revoked != nil:
				passed = append(passed, fmt.Sprintf("%q took the approval back", who.Name))
			case approval.Expires != "" && approval.Expires < day:
				passed = append(passed, fmt.Sprintf("the approval by %q held until %s", who.Name, approval.Expires))
			case d.Publisher != "" && st.Predicate.Publisher != d.Publisher:
				passed = append(passed, fmt.Sprintf("%q signed it for the publisher %q", who.Name, st.Predicate.Publisher))
			case d.Identity != "" && st.Predicate.Identity != d.Identity:
				passed = append(passed, fmt.Sprintf("%q signed it as %q", who.Name, st.Predicate.Identity))
			default:
				count(who.Name, *approval, &l.Signatures[i])
			}
		}
	}
	if found == 0 {
		passed = append(passed, "nobody signed it")
	}
	return why, passed
}

// keyless counts a bundle that somebody made whose identity is trusted. Why holds what must not be whoever else signed.
func (d *Demand) keyless(l *lock.Lock, s *lock.Server, sig *lock.Signature, day string, count func(string, lock.Approval, *lock.Signature)) (why, passed []string) {
	k := sig.Keyless
	if k.Subject != sign.Subject(s) {
		return nil, []string{"a bundle is over another state of it"}
	}
	b := d.Keyless(k.Bundle, s.Alone())
	i := slices.IndexFunc(d.Trust.Signers, func(o sign.Signer) bool { return o.Key == nil && o.Identity == b.Identity && o.Issuer == b.Issuer })
	switch {
	case b.Why != "" && i >= 0:
		return []string{fmt.Sprintf("holds a bundle that %q did not make, though it says so: %s", d.Trust.Signers[i].Name, b.Why)}, nil
	case b.Why != "" && b.Broken:
		return []string{"holds a bundle that nobody made: " + b.Why}, nil
	case b.Why != "":
		return nil, []string{b.Why}
	case i < 0:
		return nil, []string{fmt.Sprintf("a bundle is of %q by %q, who is not trusted", b.Identity, b.Issuer)}
	}
	who := d.Trust.Signers[i]
	at := slices.IndexFunc(l.Approvals, func(a lock.Approval) bool {
		return a.Server == s.Name && a.By == k.By && a.Digest() == k.Approval && a.Launch == s.LaunchDigest() && a.Surface == s.SurfaceDigest()
	})
	if at < 0 {
		return []string{fmt.Sprintf("does not hold the approval that goes with the bundle of %q: it was changed or taken away", who.Name)}, nil
	}
	approval := l.Approvals[at]
	switch {
	case who.Revoked != "":
		passed = append(passed, fmt.Sprintf("the identity of %q counts no more: %s", who.Name, who.Revoked))
	case who.Expires != "" && who.Expires < day:
		passed = append(passed, fmt.Sprintf("the identity of %q counted until %s", who.Name, who.Expires))
	case approval.Revoked != nil:
		passed = append(passed, fmt.Sprintf("%q took the approval back", who.Name))
	case approval.Expires != "" && approval.Expires < day:
		passed = append(passed, fmt.Sprintf("the approval by %q held until %s", who.Name, approval.Expires))
	case d.Publisher != "" || d.Identity != "":
		passed = append(passed, fmt.Sprintf("%q signed the file, which names neither publisher nor identity", who.Name))
	default:
		count(who.Name, approval, sig)
	}
	return why, passed
}

// claims is the trusted signer whose key an envelope says it is signed with, "" for none.
func claims(e *lock.Envelope, signer map[string]sign.Signer) string {
	for _, k := range e.Signatures {
		if s, ok := signer[k.KeyID]; ok {
			return s.Name
		}
	}
	return ""
}

// held is the approval in the lock that a signature is over, nil for none.
func held(l *lock.Lock, signed lock.Approval) *lock.Approval {
	for i := range l.Approvals {
		if Same(l.Approvals[i], signed) {
			return &l.Approvals[i]
		}
	}
	return nil
}

// Same says whether two approvals are one, be it taken back since.
func Same(a, b lock.Approval) bool {
	a.Revoked, b.Revoked = nil, nil
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// signatureOf is the signature that says it goes with an approval, nil for none.
func signatureOf(l *lock.Lock, a lock.Approval) *lock.Signature {
	for i := range l.Signatures {
		if k := l.Signatures[i].Keyless; k != nil {
			if s := l.Get(a.Server); l.Signatures[i].Server == a.Server && k.Approval == a.Digest() && s != nil && k.Subject == sign.Subject(s) {
				return &l.Signatures[i]
			}
			continue
		}
		if st, err := sign.Unverified(l.Signatures[i].Envelope); err == nil && Same(st.Predicate.Approval, a) {
			return &l.Signatures[i]
		}
	}
	return nil
}
