package verify

import (
	"bytes"
	"crypto/ed25519"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/sign"
)

var aDay = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func key(n byte) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, 32)) }

func signer(name string, n byte) sign.Signer {
	return sign.Signer{Name: name, Key: key(n).Public().(ed25519.PublicKey)}
}

func trust(all ...sign.Signer) Demand { return Demand{Trust: &sign.Trust{Signers: all}} }

func server(name, tool string) *lock.Server {
	s := &lock.Server{Name: name, Launch: lock.Launch{Transport: "stdio", Command: "node", Args: []string{"server.js"}}, Protocol: lock.Protocol{Era: "modern", Revision: "2026-07-28"}}
	s.Items[wire.Tools] = []lock.Item{{Name: tool, JSON: []byte(`{"description":"Order goods","name":"` + tool + `"}`)}}
	return s
}

// approve approves a server as it stands, and signs that where n is not 0.
func approve(t testing.TB, l *lock.Lock, name, by string, n byte) {
	t.Helper()
	s := l.Get(name)
	a := lock.Approval{Server: name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: by, At: "2026-11-30T09:00:00Z", Note: "read it"}
	pin.Approve(l, a)
	if n == 0 {
		return
	}
	sig, err := sign.Sign(sign.For(s, a, "example-org", "example-org/"+name+"@1"), key(n))
	if err != nil {
		t.Fatal(err)
	}
	pin.Sign(l, sig)
}

func newLock() *lock.Lock {
	l := &lock.Lock{}
	l.Put(server("mail", "send"))
	l.Put(server("shop", "order"))
	return l
}

// untrusted is why a lock does not do, "" where it does. The lock is read back from its bytes.
func untrusted(t testing.TB, raw []byte, d Demand) string {
	t.Helper()
	c := Check{Locked: rule.Locked{File: lock.Open("mcpassay.lock", "", raw, limits.Default), Today: aDay}, Limits: limits.Default}
	if c.File.Err != nil {
		t.Fatal(c.File.Err)
	}
	c.Demands(d)
	var all []string
	for _, u := range c.Untrusted {
		all = append(all, u.Name+" "+u.Why)
	}
	return strings.Join(all, "\n")
}

func TestWhoseApprovalsCount(t *testing.T) {
	signed := newLock()
	for _, name := range []string{"mail", "shop"} {
		approve(t, signed, name, "Ada", 1)
		approve(t, signed, name, "Grace", 2)
	}
	unsigned := newLock()
	for _, name := range []string{"mail", "shop"} {
		approve(t, unsigned, name, "Ada", 0)
		approve(t, unsigned, name, "Ada", 0)
	}
	ada, grace, eve := signer("ada", 1), signer("grace", 2), signer("eve", 3)
	late, gone := ada, ada
	late.Expires, gone.Revoked = "2026-11-30", "stolen"
	lastDay := ada
	lastDay.Expires = "2026-12-01"
	with := func(d Demand, change func(*Demand)) Demand { change(&d); return d }
	for what, c := range map[string]struct {
		lock   *lock.Lock
		demand Demand
		want   string // a part of the reason, "" for none
	}{
		"nothing is demanded":               {unsigned, Demand{}, ""},
		"one unsigned approver":             {unsigned, Demand{Require: 1, Approvers: []string{"Ada"}}, ""},
		"another unsigned approver":         {unsigned, Demand{Approvers: []string{"Grace"}}, `"Ada" is not who has to approve`},
		"one person twice":                  {unsigned, Demand{Require: 2}, "needs 2 approvals, and has 1"},
		"unsigned, and signatures demanded": {unsigned, trust(ada), "nobody signed it"},
		"a trusted key":                     {signed, trust(ada), ""},
		"a key nobody trusts":               {signed, trust(eve), "nobody who is trusted"},
		"two of two":                        {signed, with(trust(ada, grace), func(d *Demand) { d.Require = 2 }), ""},
		"two, of whom one is trusted":       {signed, with(trust(ada, eve), func(d *Demand) { d.Require = 2 }), "needs 2 approvals, and has 1"},
		"two, of whom one may":              {signed, with(trust(ada, grace), func(d *Demand) { d.Require, d.Approvers = 2, []string{"ada"} }), `"grace" is not who`},
		"a key that expired":                {signed, trust(late), "counted until 2026-11-30"},
		"on its last day":                   {signed, trust(lastDay), ""},
		"a key that was revoked":            {signed, trust(gone), "counts no more: stolen"},
		"a revoked one beside a good one":   {signed, trust(gone, grace), ""},
		"the publisher":                     {signed, with(trust(ada), func(d *Demand) { d.Publisher = "example-org" }), ""},
		"another publisher":                 {signed, with(trust(ada), func(d *Demand) { d.Publisher = "other" }), `for the publisher "example-org"`},
		"the identity of one of them":       {signed, with(trust(ada), func(d *Demand) { d.Identity = "example-org/shop@1" }), `mail needs 1 approval`},
		"in a log":                          {signed, with(trust(ada), func(d *Demand) { d.Logged = func(_ lock.Approval, e *lock.Signature) bool { return e != nil } }), ""},
		"not in a log":                      {signed, with(trust(ada), func(d *Demand) { d.Logged = func(lock.Approval, *lock.Signature) bool { return false } }), "does not stand in the log"},
		"an unsigned approval not in a log": {unsigned, Demand{Logged: func(lock.Approval, *lock.Signature) bool { return false }}, "does not stand in the log"},
	} {
		if got := untrusted(t, c.lock.Encode(), c.demand); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

func TestASignatureIsForOneServerInOneState(t *testing.T) {
	ada := trust(signer("ada", 1))
	change := func(change func(*lock.Lock)) []byte {
		l := newLock()
		approve(t, l, "mail", "Ada", 1)
		approve(t, l, "shop", "Ada", 1)
		change(l)
		return l.Encode()
	}
	other := func(l *lock.Lock, name string) *lock.Approval {
		return &l.Approvals[slices.IndexFunc(l.Approvals, func(a lock.Approval) bool { return a.Server == name })]
	}
	for what, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"as it was signed": {change(func(*lock.Lock) {}), ""},
		"a signature copied to another server": {change(func(l *lock.Lock) {
			l.Signatures[1].Envelope = l.Signatures[0].Envelope
		}), "shop needs 1 approval, and has 0 that count: \"ada\" signed another state of it"},
		"an approval that was written anew for another state": {change(func(l *lock.Lock) {
			s := server("shop", "steal")
			l.Put(s)
			l.Replaced = nil
			a := other(l, "shop")
			a.Launch, a.Surface = s.LaunchDigest(), s.SurfaceDigest()
		}), "signed another state of it"},
		"a note that was changed": {change(func(l *lock.Lock) { other(l, "shop").Note = "fine" }), "does not hold the approval that \"ada\" signed"},
		"a last day that was put off": {change(func(l *lock.Lock) { other(l, "shop").Expires = "2099-01-01" }),
			"does not hold the approval that \"ada\" signed"},
		"taken back": {change(func(l *lock.Lock) {
			pin.Revoke(l, "shop", "", lock.Revocation{At: "2026-12-01T00:00:00Z"})
			a := *other(l, "shop")
			a.Revoked, a.By = nil, "Mallory" // who approves it again, and signs nothing
			pin.Approve(l, a)
		}), `"ada" took the approval back`},
		"a signature that is none":            {change(func(l *lock.Lock) { l.Signatures[1].Envelope.Signatures[0].Sig = "AAAA" }), "\"ada\" did not make, though it says so"},
		"a signature of nobody that is there": {change(func(l *lock.Lock) { l.Signatures[1].Server = "shop2" }), "shop2 is signed here, and is not in the lock"},
		"another key's name":                  {change(func(l *lock.Lock) { l.Signatures[1].Envelope.Signatures[0].KeyID = "sha256:00" }), "under the name of another key"},
		"a second signature that is none": {change(func(l *lock.Lock) {
			e := &l.Signatures[1].Envelope
			e.Signatures = append(e.Signatures, lock.KeySignature{KeyID: "x", Sig: "AAAA"})
		}), "beside a good one that is none"},
	} {
		if got := untrusted(t, c.raw, ada); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

// TestAnyChangedByteOfASignedLockIsSeen turns bytes anywhere in a lock that two signed, and a thousand times more in its
// signatures alone.
func TestAnyChangedByteOfASignedLockIsSeen(t *testing.T) {
	l := newLock()
	for _, name := range []string{"mail", "shop"} {
		approve(t, l, name, "Ada", 1)
		approve(t, l, name, "Grace", 2)
	}
	good := l.Encode()
	demand := trust(signer("ada", 1), signer("grace", 2))
	var rules []*rule.Rule
	for _, r := range catalog.All() {
		if r.Lock != nil {
			rules = append(rules, r)
		}
	}
	stops := func(raw []byte) bool {
		c := Check{Locked: rule.Locked{File: lock.Open("mcpassay.lock", "", raw, limits.Default), Today: aDay}, Limits: limits.Default}
		if c.File.Err == nil {
			c.Demands(demand)
		}
		return Stops(c.Result(rules))
	}
	if stops(good) {
		t.Fatal("it stops at the lock as it was signed")
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, from := range []int{0, bytes.Index(good, []byte(`"signatures": [`))} {
		for range 1000 {
			bad := bytes.Clone(good)
			at := from + r.IntN(len(bad)-from)
			bad[at] ^= byte(1 + r.IntN(255))
			if !stops(bad) {
				t.Errorf("byte %d was changed unseen: %q became %q", at, good[max(0, at-40):min(len(good), at+20)], bad[max(0, at-40):min(len(bad), at+20)])
			}
		}
	}
}
