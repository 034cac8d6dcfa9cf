package cli

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/keyfile"
	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/flow/verify"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/sign"
	"github.com/mcpassay/mcpassay/internal/sign/bundle"
	"github.com/mcpassay/mcpassay/internal/source"
)

// signing is with which key approvals are signed, and for whom.
type signing struct {
	key, passEnv, passFile, publisher, identity string
}

func (s *signing) flags(f *pflag.FlagSet) {
	f.StringVar(&s.key, "sign", "", "sign with the Ed25519 key in `FILE`: of mcpassay keygen, or of OpenSSH")
	f.StringVar(&s.passEnv, "passphrase-env", "", "the key's passphrase is in the environment variable `NAME`")
	f.StringVar(&s.passFile, "passphrase-file", "", "the key's passphrase is in `FILE`, which only you can read")
	f.StringVar(&s.publisher, "publisher", "", "the signature says who stands behind the server: a `NAME`, such as example-org")
	f.StringVar(&s.identity, "identity", "", "the signature says which server it is: a `NAME`, such as example-org/shop@1")
}

// load gives the key, nil where nothing is to be signed.
func (s *signing) load(a *app) (ed25519.PrivateKey, error) {
	if s.key == "" {
		if s.passEnv+s.passFile+s.publisher+s.identity != "" {
			return nil, usage("add --sign KEY", "--publisher, --identity and --passphrase-… are about a signature")
		}
		return nil, nil
	}
	if s.passEnv != "" && s.passFile != "" {
		return nil, usage("name one of them", "the passphrase can not come from two places")
	}
	if most := a.limits.ApprovalText; len(s.publisher) > most || len(s.identity) > most {
		return nil, usage("name it in fewer words", "--publisher and --identity may have %d bytes", most)
	}
	key, err := keyfile.Read(absolute(a.io.Cwd, s.key), s.passphrase(a), a.limits)
	var door *files.Error
	switch {
	case errors.Is(err, keyfile.ErrPassphrase):
		return nil, &problem{what: err.Error(), at: s.key, hint: "say where it is: --passphrase-env NAME, or --passphrase-file FILE", code: exitIncomplete}
	case errors.As(err, &door):
		return nil, &problem{what: "the key can not be read: " + refusal(err).Detail, at: s.key, hint: "mcpassay keygen makes one", code: exitIncomplete}
	case err != nil:
		return nil, &problem{what: err.Error(), at: s.key, hint: "mcpassay keygen makes a key", code: exitIncomplete}
	}
	return key, nil
}

// passphrase looks it up where the flags say, nil for nowhere.
func (s *signing) passphrase(a *app) func() ([]byte, error) {
	switch {
	case s.passEnv != "":
		return func() ([]byte, error) {
			if v := a.io.Getenv(s.passEnv); v != "" {
				return []byte(v), nil
			}
			return nil, errors.New("the variable " + s.passEnv + " is not set")
		}
	case s.passFile != "":
		return func() ([]byte, error) { return keyfile.Secret(absolute(a.io.Cwd, s.passFile), a.limits) }
	}
	return nil
}

// demanding is what verify asks of approvals.
type demanding struct {
	trust, publisher, identity, log string
	root                            string
	approvers                       []string
	require                         int
}

func (d *demanding) flags(f *pflag.FlagSet) {
	onceVar(f, &d.trust, "trust", "only signatures of those in the trust `FILE` count")
	onceVar(f, &d.root, "trusted-root", "verify Sigstore bundles and attestations with the trusted root in `FILE`, instead of that of the public instance ("+bundle.PublicGoodDate+")")
	f.StringArrayVar(&d.approvers, "approver", nil, "only approvals by this `NAME` count: of the trust file, or without one as the approval says (may be repeated)")
	onceVar(f, &d.publisher, "expect-publisher", "the signature must be for this publisher: a `NAME`")
	onceVar(f, &d.identity, "expect-identity", "the signature must be for this server: a `NAME`")
	f.IntVar(&d.require, "require", 1, "how many different approvers each server needs")
	onceVar(f, &d.log, "approval-log", "each approval must stand in this log `FILE`, which must be whole")
}

// demand reads what the flags name.
func (d *demanding) demand(j *judging) (out verify.Demand, err error) {
	out = verify.Demand{Approvers: d.approvers, Publisher: d.publisher, Identity: d.identity, Require: d.require}
	switch {
	case d.require < 1:
		return out, usage("--require 2 asks for two", "--require %d asks for nobody's approval", d.require)
	case d.trust == "" && d.publisher+d.identity != "":
		return out, usage("add --trust FILE", "what a signature says counts only where it is known whose signatures count")
	}
	if d.trust != "" {
		if out.Trust, err = j.readTrust(d.trust); err != nil {
			return out, err
		}
		for _, name := range d.approvers {
			var known []string
			for _, s := range out.Trust.Signers {
				known = append(known, s.Name)
			}
			if !slices.Contains(known, name) {
				return out, usage("it has "+strings.Join(known, ", "), "%s trusts nobody named %q", d.trust, name)
			}
		}
	}
	if out.Keyless, err = j.keyless(d.root); err != nil {
		return out, err
	}
	if d.log != "" {
		if out.Logged, err = j.logged(d.log); err != nil {
			return out, err
		}
	}
	return out, nil
}

// keyless verifies bundles with the trusted root of that name, "" for that of Sigstore's public instance.
func (j *judging) keyless(name string) (func(text, file []byte) verify.Bundled, error) {
	root, err := j.trustedRoot(name)
	if err != nil {
		return nil, err
	}
	return func(text, file []byte) (out verify.Bundled) {
		b, err := bundle.Read(text, j.app.limits)
		if err == nil {
			out.Identity, out.Issuer = b.Claims()
			_, err = b.Verify(bundle.Of(file), root(), j.app.limits)
		}
		if err != nil {
			out.Why, out.Broken = err.Error(), errors.Is(err, bundle.ErrShape) || errors.Is(err, bundle.ErrSignature)
		}
		return out
	}, nil
}

// trustedRoot reads a trusted root; the embedded one only once it is needed.
func (j *judging) trustedRoot(name string) (func() *bundle.Root, error) {
	if name == "" {
		return bundle.PublicGood, nil
	}
	path := absolute(j.app.io.Cwd, name)
	j.inputs = append(j.inputs, path)
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: j.app.limits.YAMLBytes})
	if err != nil {
		return nil, &problem{what: "the trusted root can not be read: " + refusal(err).Detail, at: name, hint: rootHint, code: exitIncomplete}
	}
	root, err := bundle.ReadRoot(raw)
	if err != nil {
		return nil, &problem{what: err.Error(), at: name, hint: rootHint, code: exitIncomplete}
	}
	return func() *bundle.Root { return root }, nil
}

const rootHint = "cosign trusted-root create writes one; without --trusted-root that of Sigstore's public instance is taken"

func (j *judging) readTrust(name string) (*sign.Trust, error) {
	path := absolute(j.app.io.Cwd, name)
	j.inputs = append(j.inputs, path)
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: j.app.limits.YAMLBytes})
	if err != nil {
		return nil, &problem{what: "the trust file can not be read: " + refusal(err).Detail, at: name, hint: trustPage + " shows its form", code: exitIncomplete}
	}
	doc, err := source.Parse(name, raw, source.YAML, j.app.limits)
	var trust *sign.Trust
	if err == nil {
		trust, err = sign.ReadTrust(doc, j.app.limits)
	}
	if err != nil {
		return nil, &problem{what: "the trust file is not valid", faults: strings.Split(err.Error(), "\n"), at: name, hint: trustPage + " shows its form", code: exitIncomplete}
	}
	return trust, nil
}

const trustPage = "https://github.com/mcpassay/mcpassay/blob/main/docs/approvals.md"

// logged reads a log of approvals, which must be whole.
func (j *judging) logged(name string) (func(lock.Approval, *lock.Signature) bool, error) {
	j.inputs = append(j.inputs, absolute(j.app.io.Cwd, name))
	stands, back := map[string]bool{}, map[string]bool{} // events of approvals, and approvals that were taken back, by digest
	_, err := j.app.readLogFile(name, func(r *ledger.Record) {
		var event approvalEvent
		if r.Kind != ledger.ApprovalKind && r.Kind != ledger.RevokedKind || json.Unmarshal(r.Event, &event) != nil {
			return
		}
		taken := r.Kind == ledger.RevokedKind
		back[digestOf(approvalEvent{Approval: event.Approval})] = taken
		if !taken {
			stands[digestOf(event)] = true
		}
	})
	if err != nil {
		return nil, err
	}
	return func(a lock.Approval, s *lock.Signature) bool {
		return stands[digestOf(eventOf(a, s))] && !back[digestOf(eventOf(a, nil))]
	}, nil
}

// eventOf is what a log holds of an approval and the signature that goes with it, nil for none.
func eventOf(a lock.Approval, s *lock.Signature) approvalEvent {
	e := approvalEvent{Approval: a}
	switch {
	case s == nil:
	case s.Keyless != nil:
		e.Bundle = canon.Digest(s.Keyless.Bundle)
	default:
		e.Envelope = &s.Envelope
	}
	return e
}

// digestOf is the digest of an approval as a log holds it.
func digestOf(e approvalEvent) string {
	e.Approval.Revoked = nil
	raw, err := json.Marshal(e)
	if err == nil {
		raw, err = canon.JSON(raw)
	}
	if err != nil {
		panic(err) // strings of a document that was read
	}
	return canon.Digest(raw)
}

// approvalEvent is the event of a record about an approval: what the lock holds of it, and the envelope that is over it.
type approvalEvent struct {
	Approval lock.Approval  `json:"approval"`
	Envelope *lock.Envelope `json:"envelope,omitempty"`
	// Bundle is the digest of a Sigstore bundle in its canonical form.
	Bundle string `json:"bundle,omitempty"`
}

// approvalLog is the log that --approval-log names, nil for none. What can not be written to is said before anything is approved.
func (j *judging) approvalLog(name string) (*ledgerdoor.Log, error) {
	if name == "" {
		return nil, nil
	}
	l := &ledgerdoor.Log{Path: absolute(j.app.io.Cwd, name), Limits: j.app.limits, Now: j.app.io.Now}
	if j.isInput(l.Path) {
		return nil, usage("name a file of its own", "%s is the lock, or another log", name)
	}
	if err := l.Ready(); err != nil {
		return nil, &problem{what: "the approval can not be recorded: " + err.Error(), hint: "mcpassay log verify says what is wrong with a log", code: exitIncomplete}
	}
	return l, nil
}
