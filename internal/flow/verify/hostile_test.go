package verify

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/sign"
)

// A committer who is hostile, has a key of their own, and knows all that others ever signed.
func TestWhatAHostileCommitterDoesToALock(t *testing.T) {
	ada := trust(signer("ada", 1))
	two := trust(signer("ada", 1), signer("grace", 2))
	two.Require = 2
	fresh := func() *lock.Lock {
		l := newLock()
		approve(t, l, "mail", "Ada", 1)
		approve(t, l, "shop", "Ada", 1)
		return l
	}
	twin := func(name string) *lock.Lock { // a server that is the approved one but for its name
		l := fresh()
		s := server(name, "order")
		l.Put(s)
		a := l.Approvals[1]
		a.Server, a.Launch, a.Surface = name, s.LaunchDigest(), s.SurfaceDigest()
		pin.Approve(l, a)
		sig := l.Signatures[1]
		sig.Server = name
		pin.Sign(l, sig)
		return l
	}
	for what, c := range map[string]struct {
		lock   *lock.Lock
		demand Demand
		want   string
	}{
		"nothing": {fresh(), ada, ""},
		"an approval and its signature copied to a name with a Cyrillic letter": {twin("sh\u043ep"), ada, "\"ada\" signed another state of it"},
		"to the same name with a letter composed otherwise":                     {twin("shop\u0301"), ada, "\"ada\" signed another state of it"},
		"to a name with a letter that nobody sees":                              {twin("shop\u200b"), ada, "\"ada\" signed another state of it"},
		"to a name in large letters":                                            {twin("SHOP"), ada, "\"ada\" signed another state of it"},
		"an approval in the name of another, signed with their own key": {func() *lock.Lock {
			l := newLock()
			approve(t, l, "mail", "Ada", 9)
			approve(t, l, "shop", "Ada", 9)
			return l
		}(), ada, "a signature is of nobody who is trusted"},
		"one signature twice, for two approvers": {func() *lock.Lock {
			l := fresh()
			l.Signatures = append(l.Signatures, l.Signatures...)
			return l
		}(), two, "needs 2 approvals, and has 1"},
		"one key twice in an envelope, for two approvers": {func() *lock.Lock {
			l := fresh()
			for i := range l.Signatures {
				e := &l.Signatures[i].Envelope
				e.Signatures = append(e.Signatures, e.Signatures[0])
			}
			return l
		}(), two, "holds a signature beside a good one that is none"},
		"an approver with two names, for two approvers": {func() *lock.Lock {
			l := fresh()
			approve(t, l, "mail", "Grace", 1)
			approve(t, l, "shop", "Grace", 1)
			return l
		}(), two, "needs 2 approvals, and has 1"},
		"the last day of an approval left out": {func() *lock.Lock {
			l := newLock()
			for _, name := range []string{"mail", "shop"} {
				s := l.Get(name)
				a := lock.Approval{Server: name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: "Ada", At: "2026-11-01T00:00:00Z", Expires: "2026-11-20"}
				sig, err := sign.Sign(sign.For(s, a, "", ""), key(1))
				if err != nil {
					t.Fatal(err)
				}
				a.Expires = ""
				pin.Approve(l, a)
				pin.Sign(l, sig)
			}
			return l
		}(), ada, "does not hold the approval that \"ada\" signed"},
		"an approval that ended beside one by somebody else that has not": {func() *lock.Lock {
			l := newLock()
			for _, name := range []string{"mail", "shop"} {
				s := l.Get(name)
				a := lock.Approval{Server: name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: "Ada", At: "2026-11-01T00:00:00Z", Expires: "2026-11-20"}
				sig, err := sign.Sign(sign.For(s, a, "", ""), key(1))
				if err != nil {
					t.Fatal(err)
				}
				pin.Approve(l, a)
				pin.Sign(l, sig)
				a.By, a.Expires = "Mallory", ""
				pin.Approve(l, a)
			}
			return l
		}(), ada, "the approval by \"ada\" held until 2026-11-20"},
		"a statement about two files": {func() *lock.Lock {
			l := fresh()
			s := l.Get("shop")
			st := sign.For(s, l.Approvals[1], "", "")
			st.Subject = append(st.Subject, st.Subject[0])
			sig, err := sign.Sign(st, key(1))
			if err != nil {
				t.Fatal(err)
			}
			l.Signatures[1] = sig
			return l
		}(), ada, "\"ada\" signed another state of it"},
		"signatures without end": {func() *lock.Lock {
			l := fresh()
			for range limits.Default.LockSignatures {
				l.Signatures = append(l.Signatures, l.Signatures[1])
			}
			return l
		}(), ada, "shop holds more than 64 signatures"},
		"signatures in another order": {func() *lock.Lock {
			l := fresh()
			l.Signatures[0], l.Signatures[1] = l.Signatures[1], l.Signatures[0]
			l.Approvals[0], l.Approvals[1] = l.Approvals[1], l.Approvals[0]
			return l
		}(), ada, ""},
		"a publisher whose name looks the same": {fresh(), func() Demand {
			d := trust(signer("ada", 1))
			d.Publisher = "ex\u0430mple-org"
			return d
		}(), "for the publisher \"example-org\""},
		// What no lock can show: it is the state that was approved, and was once the newest.
		"an older lock with its older signatures": {fresh(), ada, ""},
	} {
		if got := untrusted(t, c.lock.Encode(), c.demand); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

func TestALockWhoseServersStandInAnotherOrderOrTwiceIsRefused(t *testing.T) {
	l := newLock()
	approve(t, l, "mail", "Ada", 1)
	good := l.Encode()
	mail, shop := bytes.Index(good, []byte(`    "mail": {`)), bytes.Index(good, []byte(`    "shop": {`))
	end := bytes.Index(good, []byte("\n  },\n  \"replaced\""))
	first, second := bytes.TrimSuffix(bytes.TrimSpace(good[mail:shop]), []byte(",")), bytes.TrimSpace(good[shop:end])
	for what, servers := range map[string][][]byte{"another order": {second, first}, "one twice": {first, first, second}} {
		bad := append(bytes.Clone(good[:mail]), []byte("    ")...)
		bad = append(bad, bytes.Join(servers, []byte(",\n    "))...)
		bad = append(bad, good[end:]...)
		if f := lock.Open("mcpassay.lock", "", bad, limits.Default); f.Err == nil {
			t.Errorf("%s: it was read", what)
		}
	}
}

// What a bundle proves is asked of the caller; this is what is made of the answer.
func TestABundleCountsForWhoeverItsIdentityIs(t *testing.T) {
	release := sign.Signer{Name: "release", Identity: "ada@example.com", Issuer: "https://issuer.example.com"}
	good := Bundled{Identity: release.Identity, Issuer: release.Issuer}
	made := func(change func(*lock.Lock, *lock.Keyless)) []byte {
		l := newLock()
		approve(t, l, "mail", "Ada", 1)
		approve(t, l, "shop", "Ada", 0)
		a := l.Approvals[1]
		k := &lock.Keyless{By: "Ada", Approval: a.Digest(), Subject: sign.Subject(l.Get("shop")), Bundle: []byte(`{}`)}
		pin.Sign(l, lock.Signature{Server: "shop", Keyless: k})
		change(l, k)
		return l.Encode()
	}
	same := func(*lock.Lock, *lock.Keyless) {}
	for what, c := range map[string]struct {
		raw    []byte
		says   Bundled
		change func(*Demand)
		want   string
	}{
		"as it was made":        {made(same), good, nil, ""},
		"another identity":      {made(same), Bundled{Identity: "eve@example.com", Issuer: release.Issuer}, nil, "who is not trusted"},
		"another issuer":        {made(same), Bundled{Identity: release.Identity, Issuer: "https://issuer.example.org"}, nil, "who is not trusted"},
		"an identity like it":   {made(same), Bundled{Identity: "\u0430da@example.com", Issuer: release.Issuer}, nil, "who is not trusted"},
		"one that only says so": {made(same), Bundled{Identity: release.Identity, Issuer: release.Issuer, Why: "no log"}, nil, `holds a bundle that "release" did not make, though it says so: no log`},
		"one that is none":      {made(same), Bundled{Why: "no bundle", Broken: true}, nil, "holds a bundle that nobody made: no bundle"},
		"of another Sigstore":   {made(same), Bundled{Identity: "x", Issuer: "y", Why: "no log"}, nil, "needs 1 approval, and has 0 that count: no log"},
		"copied to another server": {made(func(l *lock.Lock, k *lock.Keyless) { l.Signatures[len(l.Signatures)-1].Server = "mail" }), good, nil,
			"shop needs 1 approval, and has 0 that count: nobody signed it"},
		"over another state":         {made(func(l *lock.Lock, k *lock.Keyless) { k.Subject = sign.Subject(l.Get("mail")) }), good, nil, "a bundle is over another state of it"},
		"an approval put off":        {made(func(l *lock.Lock, k *lock.Keyless) { l.Approvals[1].Expires = "2099-01-01" }), good, nil, "does not hold the approval that goes with the bundle"},
		"an approval that is gone":   {made(func(l *lock.Lock, k *lock.Keyless) { l.Approvals[1].By = "Mallory" }), good, nil, "does not hold the approval that goes with the bundle"},
		"a publisher is asked for":   {made(same), good, func(d *Demand) { d.Publisher = "example-org" }, "names neither publisher nor identity"},
		"nobody signs without a key": {made(same), good, func(d *Demand) { d.Trust.Signers = d.Trust.Signers[:1] }, "who is not trusted"},
		"in the log":                 {made(same), good, func(d *Demand) { d.Logged = func(_ lock.Approval, s *lock.Signature) bool { return s != nil } }, ""},
		"not in the log": {made(same), good, func(d *Demand) { d.Logged = func(_ lock.Approval, s *lock.Signature) bool { return s.Keyless == nil } },
			"does not stand in the log"},
		"a revoked identity": {made(same), good, func(d *Demand) { d.Trust.Signers[1].Revoked = "left" }, "counts no more: left"},
		"an expired one":     {made(same), good, func(d *Demand) { d.Trust.Signers[1].Expires = aDay.Add(-24 * time.Hour).Format(time.DateOnly) }, "counted until 2026-11-30"},
	} {
		d := trust(signer("ada", 1), release)
		d.Keyless = func(_, file []byte) Bundled {
			if !bytes.Contains(file, []byte(`"shop"`)) && c.says.Why == "" {
				return Bundled{Identity: c.says.Identity, Issuer: c.says.Issuer, Why: "it is over another file"}
			}
			return c.says
		}
		if c.change != nil {
			c.change(&d)
		}
		if got := untrusted(t, c.raw, d); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

func TestALockWithABundleOfNoOneFormIsRefused(t *testing.T) {
	l := newLock()
	approve(t, l, "shop", "Ada", 0)
	pin.Sign(l, lock.Signature{Server: "shop", Keyless: &lock.Keyless{By: "Ada", Approval: "sha256:", Subject: "sha256:", Bundle: []byte(`{"a":1}`)}})
	good := l.Encode()
	if f := lock.Open("mcpassay.lock", "", good, limits.Default); f.Err != nil {
		t.Fatal(f.Err)
	}
	for what, bundle := range map[string]string{"a member twice": `{"a":1,"a":1}`, "blanks": `{"a": 1}`, "half a letter": `{"a":"\ud800"}`, "a number beyond any": `{"a":1e999}`} {
		bad := bytes.Replace(good, []byte(`{"a":1}`), []byte(bundle), 1)
		if f := lock.Open("mcpassay.lock", "", bad, limits.Default); f.Err == nil {
			t.Errorf("%s: it was read", what)
		}
	}
	for what, bad := range map[string][]byte{
		"neither": bytes.Replace(good, good[bytes.Index(good, []byte(`{"keyless"`)):bytes.Index(good, []byte("\n  ]\n}"))], []byte(`{"server":"shop"}`), 1),
		"both":    bytes.Replace(good, []byte(`{"keyless"`), []byte(`{"envelope":{"payload":"e30=","payloadType":"x","signatures":[]},"keyless"`), 1),
	} {
		if f := lock.Open("mcpassay.lock", "", bad, limits.Default); f.Err == nil {
			t.Errorf("%s: it was read", what)
		}
	}
}
