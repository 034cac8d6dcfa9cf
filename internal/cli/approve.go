package cli

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/pin"
	"github.com/mcpassay/mcpassay/internal/flow/verify"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/sign"
	"github.com/mcpassay/mcpassay/internal/text"
)

// approving is what the approve verb was asked for.
type approving struct {
	*judging
	lock, by, note, expires string
	accept, reasons         []string
	revoke                  bool
	// again says that what is approved already is signed once more.
	again   bool
	signing signing
	// bundle and root are files of Sigstore: a bundle over the one server's file, and whom it is held against.
	bundle, root string
	logName      string
	log          *ledgerdoor.Log
	key          ed25519.PrivateKey
}

func (a *app) approve() *cobra.Command {
	p := &approving{}
	cmd := &cobra.Command{
		Use:     "approve [SERVER...]",
		Short:   "Approve what is pinned, once you have looked at it",
		GroupID: "trust",
		Long: "Print what a pinned server is and exposes, or what changed since it was approved\n" +
			"last, and write into mcpassay.lock who approved it, when, and the digests of what was\n" +
			"approved. It asks nothing: it prints, then writes. While a finding stands that blocks,\n" +
			"it refuses. Without a SERVER it is about all that are not approved.",
		Example: "  mcpassay approve github --by ada@example.com --note \"read it with Grace\"\n" +
			"  mcpassay approve github --accept card/poisoned --reason \"a test server\" --expires 2027-03-31\n" +
			"  mcpassay approve --revoke github --note \"the vendor was sold\"",
		Annotations: map[string]string{touches: "mcpassay.lock",
			exits: "0 approved, 1 blocked by a finding, 2 could not be written or refused"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(); err != nil {
				return err
			}
			return p.run(cmd.Context(), args)
		},
	}
	p.judging = &judging{app: a, verb: "approve", format: "text", env: "inherit"}
	p.flags(cmd)
	cmd.Flags().StringVar(&p.bundle, "bundle", "", "keep a Sigstore bundle with the approval: a `FILE` that cosign made over what lock export --subject writes")
	cmd.Flags().StringVar(&p.root, "trusted-root", "", "verify the bundle with the trusted root in `FILE`, instead of that of Sigstore's public instance")
	cmd.Flags().BoolVar(&p.revoke, "revoke", false, "take approvals back: those of --by, else all")
	return cmd
}

// flags are those of every verb that approves.
func (p *approving) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	onceVar(f, &p.lock, "lock", "the lock `FILE`, instead of the nearest mcpassay.lock of the project")
	f.StringVar(&p.by, "by", "", "who approves: a `NAME`, instead of the user's of this machine")
	f.StringVar(&p.note, "note", "", "a `TEXT` that is kept with the approval")
	onceVar(f, &p.expires, "expires", "the last `DATE` (YYYY-MM-DD) on which the approval holds")
	f.StringArrayVar(&p.accept, "accept", nil, "approve although a finding of this `RULE` blocks (may be repeated, each with a --reason)")
	f.StringArrayVar(&p.reasons, "reason", nil, "why it is accepted: a `TEXT`")
	p.signing.flags(f)
	onceVar(f, &p.logName, "approval-log", "record the approval in this log `FILE` too")
	f.StringVar(&p.today, "today", "", "the date (`YYYY-MM-DD`) of the approval")
	f.StringVar(&p.color, "color", "auto", "colour: auto, always, never")
	p.app.audited(cmd)
}

// checkApproval refuses flags that say too little, or more than one may.
func (p *approving) checkApproval() error {
	most := p.app.limits.ApprovalText
	if len(p.accept) != len(p.reasons) {
		return usage("--accept card/poisoned --reason \"a test server\"", "each --accept needs a --reason, and each --reason an --accept")
	}
	for name, value := range map[string]string{"--by": p.by, "--note": p.note, "--reason": strings.Join(p.reasons, "")} {
		if len(value) > most {
			return usage("say it in fewer words", "%s holds %d bytes, and %d is the most", name, len(value), most)
		}
	}
	if slices.ContainsFunc(p.reasons, func(r string) bool { return strings.TrimSpace(r) == "" }) {
		return usage("say why it is no concern", "a --reason is empty")
	}
	if p.expires == "" {
		return nil
	}
	last, err := time.Parse(time.DateOnly, p.expires)
	switch {
	case err != nil:
		return usage("write it as YYYY-MM-DD, such as 2027-01-31", "--expires %q is no date", p.expires)
	case p.revoke:
		return usage("drop --expires", "what is taken back is so at once")
	case last.Format(time.DateOnly) < p.date().UTC().Format(time.DateOnly):
		return usage("name a day to come", "--expires %s is over", p.expires)
	}
	return nil
}

func (p *approving) run(ctx context.Context, names []string) error {
	if err := p.checkApproval(); err != nil {
		return err
	}
	if p.revoke && p.signing.key != "" {
		return usage("drop --sign", "what is taken back is not signed")
	}
	switch {
	case p.bundle == "" && p.root != "":
		return usage("add --bundle FILE", "a trusted root is for a bundle")
	case p.bundle != "" && (p.revoke || p.signing.key != ""):
		return usage("drop one of them", "a bundle is a signature by itself: --sign and --revoke do not go with --bundle")
	case p.bundle != "" && len(names) != 1:
		return usage("mcpassay approve SERVER --bundle FILE", "a bundle is over one server")
	}
	var err error
	if p.key, err = p.signing.load(p.app); err != nil {
		return err
	}
	file := p.lockFile(p.lock)
	if p.log, err = p.approvalLog(p.logName); err != nil {
		return err
	}
	f, err := file.open()
	switch {
	case err != nil:
		return err
	case f == nil:
		return &problem{what: "there is no lock", at: file.shown(), hint: "mcpassay pin writes one", code: exitIncomplete}
	case f.Err != nil:
		return file.broken(f.Err, exitIncomplete)
	}
	chosen, err := p.chosen(file, f, names)
	if err != nil {
		return err
	}
	for _, s := range chosen {
		p.app.audit.targets(s.Name)
	}
	if len(chosen) == 0 {
		what := "nothing to approve: all of %s is approved\n"
		if p.again {
			what = "nothing to sign: nothing in %s is approved\n"
		}
		fmt.Fprintf(p.app.io.Out, what, safe(file.shown()))
		return nil
	}
	if p.revoke {
		return p.takeBack(ctx, file, chosen)
	}
	keyless, err := p.readBundle(chosen)
	if err != nil {
		return err
	}
	blocked, err := p.blocking(f, chosen)
	if err != nil {
		return err
	}
	for _, s := range chosen {
		if err := p.show(f.Was(s.Name), s); err != nil {
			return err
		}
	}
	accepted, err := p.accepted(blocked, chosen)
	if err != nil {
		return err
	}
	return p.write(ctx, file, chosen, accepted, keyless)
}

// readBundle verifies the bundle over the one server that is approved. Whether its signer is trusted is for who verifies to say.
func (p *approving) readBundle(chosen []*lock.Server) (*lock.Keyless, error) {
	if p.bundle == "" {
		return nil, nil
	}
	path := absolute(p.app.io.Cwd, p.bundle)
	p.inputs = append(p.inputs, path)
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: p.app.limits.BundleBytes})
	if err != nil {
		return nil, &problem{what: "the bundle can not be read: " + refusal(err).Detail, at: p.bundle, hint: bundleHint, code: exitIncomplete}
	}
	verified, err := p.keyless(p.root)
	if err != nil {
		return nil, err
	}
	got := verified(raw, chosen[0].Alone())
	form, err := canon.JSON(raw)
	if got.Why == "" && err != nil {
		got.Why = "it has no canonical form"
	}
	if got.Why != "" {
		return nil, &problem{what: "the bundle does not hold for " + chosen[0].Name + ": " + got.Why, at: p.bundle, hint: bundleHint, code: exitIncomplete}
	}
	if p.by == "" {
		p.by = got.Identity
	}
	fmt.Fprintf(p.app.io.Out, "signed by %s (%s)\n", safe(got.Identity), safe(got.Issuer))
	return &lock.Keyless{Subject: sign.Subject(chosen[0]), Bundle: form}, nil
}

const bundleHint = "mcpassay lock export SERVER --subject FILE writes what cosign sign-blob --bundle signs"

// chosen are the servers that were named, else all that are not approved; to take back, all that are.
func (p *approving) chosen(file *lockFile, f *lock.File, names []string) (all []*lock.Server, err error) {
	for _, name := range names {
		s := f.Get(name)
		if s == nil {
			var known []string
			for _, s := range f.Servers {
				known = append(known, safe(s.Name))
			}
			return nil, usage("it has "+strings.Join(known, ", "), "%s has no server named %s", file.shown(), safe(name))
		}
		if at, _ := f.Standing(s, p.date()); p.again && at != lock.Approved {
			return nil, usage("mcpassay approve "+safe(name), "%s is %s, not approved: it is not signed unseen", safe(name), at)
		}
		all = append(all, s)
	}
	if len(names) > 0 {
		return all, whole(all)
	}
	if p.revoke {
		return nil, usage("mcpassay approve --revoke SERVER", "--revoke takes back what was approved of the servers that are named")
	}
	for _, s := range f.Servers {
		if at, _ := f.Standing(s, p.date()); !s.Unpinned && (at == lock.Approved) == p.again {
			all = append(all, s)
		}
	}
	return all, whole(all)
}

// whole refuses what is no surface.
func whole(all []*lock.Server) error {
	for _, s := range all {
		if s.Unpinned {
			return usage("mcpassay pin asks the server what it exposes", "%s is locked and not pinned: there is nothing yet that anybody could approve", safe(s.Name))
		}
		if s.Partial != nil {
			return usage("mcpassay pin asks the server itself", "%s was imported from a %s, and is no surface that anybody could approve", safe(s.Name), safe(s.Partial.From))
		}
	}
	return nil
}

// blocking are the findings that block, by server. The rules judge each server as it stands in the lock, how it is started too,
// and no policy of the repository silences one: who accepts a finding says so in the approval. All of them are listed, whatever
// stands beside them in the lock.
func (p *approving) blocking(f *lock.File, chosen []*lock.Server) (map[string][]finding.Finding, error) {
	in := engine.Input{Facts: p.facts(), Limits: p.app.limits, All: true,
		Rules: slices.DeleteFunc(slices.Clone(catalog.All()), func(r *rule.Rule) bool { return !slices.Contains(r.Tags, rule.Block) })}
	by := map[string][]finding.Finding{}
	for _, s := range chosen {
		one := card.ServerAt(s.Node)
		in.Files = []*client.File{p.started(s)}
		in.Cards = []*card.File{one.File}
		found, incomplete := engine.Judge(in)
		if len(incomplete) > 0 {
			return nil, &problem{what: "not approved: " + s.Name + " can not be judged: " + incomplete[0].Detail, at: f.Path, hint: "please report this", code: exitIncomplete}
		}
		by[s.Name] = found
	}
	return by, nil
}

// started is a config that starts a server as the lock says.
func (p *approving) started(s *lock.Server) *client.File {
	raw, _ := json.Marshal(map[string]any{"mcpServers": map[string]lock.Launch{s.Name: s.Launch}}) // strings, and lists of them
	f := client.Identify(client.Where{Path: ".mcp.json", Root: p.app.io.Cwd, Env: p.clientEnv()})
	f.Load(raw, p.app.limits)
	return f
}

// show prints a server, or what changed of it since it was approved last.
func (p *approving) show(was, s *lock.Server) error {
	what := "as it is pinned"
	if was != nil {
		what = "what changed since it was approved"
	} else {
		was = &lock.Server{Name: s.Name, Protocol: s.Protocol}
	}
	changes := drift.Compare(was, s, p.app.limits)
	if was.Node.Valid() {
		verify.Weigh(changes, false, p.facts(), p.app.limits, func(string) (before, after *card.Server) { return both(was, s) })
	}
	out := p.app.io.Out
	fmt.Fprintf(out, "%s, %s:\n", safe(s.Name), what)
	return report.WriteChanges(out, changes, p.app.io.colour(p.color))
}

// both are the two states of a server in the document of their lock.
func both(was, is *lock.Server) (before, after *card.Server) {
	return card.ServerAt(was.Node), card.ServerAt(is.Node)
}

// accepted are the rules whose findings were accepted, by server. What blocks and was not is the problem.
func (p *approving) accepted(blocked map[string][]finding.Finding, chosen []*lock.Server) (map[string][]lock.Accepted, error) {
	reason, used := map[string]string{}, map[string]bool{}
	for i, name := range p.accept {
		rules := catalog.Match(name)
		if len(rules) == 0 {
			return nil, usage("mcpassay rules lists them", "--accept %s names no rule", safe(name))
		}
		for _, r := range rules {
			reason[r.ID] = p.reasons[i]
		}
	}
	all := map[string][]lock.Accepted{}
	var stand []string
	for _, s := range chosen {
		for _, f := range blocked[s.Name] {
			why, ok := reason[f.Rule]
			if !ok {
				stand = append(stand, fmt.Sprintf("%s: %s [%s]", s.Name, f.Message, f.Rule))
				continue
			}
			used[f.Rule] = true
			if one := (lock.Accepted{Rule: f.Rule, Reason: why}); !slices.Contains(all[s.Name], one) {
				all[s.Name] = append(all[s.Name], one)
			}
		}
	}
	if len(stand) > 0 {
		return nil, &problem{what: "not approved: " + text.Count(len(stand), "finding") + " that blocks", faults: stand,
			hint: "do not use it; or, if you know better, --accept RULE --reason TEXT", code: exitFindings}
	}
	for i, name := range p.accept {
		if !slices.ContainsFunc(catalog.Match(name), func(r *rule.Rule) bool { return used[r.ID] }) {
			return nil, usage("drop it", "--accept %s: no finding of it blocks %s (%s)", safe(name), text.Count(len(chosen), "server"), safe(p.reasons[i]))
		}
	}
	return all, nil
}

// who is the name of the one who approves.
func (p *approving) who() (string, error) {
	for _, name := range []string{p.by, p.app.io.Getenv("USER"), p.app.io.Getenv("USERNAME")} {
		if strings.TrimSpace(name) != "" {
			return name, nil
		}
	}
	return "", usage("add --by NAME", "nobody is known who approves")
}

func (p *approving) now() string { return p.date().UTC().Format(time.RFC3339) }

// write writes the approvals, of exactly what was shown.
func (p *approving) write(ctx context.Context, file *lockFile, chosen []*lock.Server, accepted map[string][]lock.Accepted, keyless *lock.Keyless) error {
	by, err := p.who()
	if err != nil {
		return err
	}
	var events []approvalEvent
	_, err = file.update(ctx, func(l *lock.Lock) error {
		for _, s := range chosen {
			now := l.Get(s.Name)
			if now == nil || !now.Same(s) {
				return &problem{what: s.Name + " was pinned again while you looked at it", at: file.shown(), hint: "look again", code: exitIncomplete}
			}
			a := lock.Approval{Server: s.Name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: by, At: p.now(),
				Expires: p.expires, Note: p.note, Accepted: accepted[s.Name]}
			pin.Approve(l, a)
			var sig *lock.Signature
			switch {
			case p.key != nil:
				made, err := sign.Sign(sign.For(s, a, p.signing.publisher, p.signing.identity), p.key)
				if err != nil {
					return err
				}
				sig = &made
			case keyless != nil:
				keyless.By, keyless.Approval = by, a.Digest()
				sig = &lock.Signature{Server: s.Name, Keyless: keyless}
			}
			if sig != nil {
				pin.Sign(l, *sig)
			}
			events = append(events, eventOf(a, sig))
		}
		return nil
	})
	if err != nil {
		return err
	}
	signed := ""
	if p.key != nil {
		signed = ", signed with " + sign.KeyID(p.key.Public().(ed25519.PublicKey))
	}
	for _, s := range chosen {
		fmt.Fprintf(p.app.io.Out, "approved: %s by %s in %s%s\n", safe(s.Name), safe(by), safe(file.shown()), signed)
	}
	return p.record(ledger.ApprovalKind, events)
}

// record writes what the lock holds by now into the log of approvals, and says where that log ends.
func (p *approving) record(kind string, events []approvalEvent) error {
	if p.log == nil {
		return nil
	}
	var head ledger.Head
	for _, e := range events {
		var err error
		if head, err = p.log.Append(kind, e); err != nil {
			return &problem{what: "what the lock holds by now is not in the log of approvals: " + err.Error(), at: p.logName,
				hint: "approve again once the log can be written", code: exitIncomplete}
		}
	}
	fmt.Fprintf(p.app.io.Out, "recorded in %s, head %s\n", safe(p.logName), head.Digest)
	return nil
}

// takeBack revokes approvals.
func (p *approving) takeBack(ctx context.Context, file *lockFile, chosen []*lock.Server) error {
	counts := map[string]int{}
	var events []approvalEvent
	back := lock.Revocation{At: p.now(), Reason: p.note}
	_, err := file.update(ctx, func(l *lock.Lock) error {
		for _, s := range chosen {
			if l.Get(s.Name) == nil {
				continue
			}
			counts[s.Name] = pin.Revoke(l, s.Name, p.by, back)
			for _, a := range l.Approvals {
				if a.Server == s.Name && a.Revoked != nil && *a.Revoked == back {
					events = append(events, approvalEvent{Approval: a})
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range chosen {
		if counts[s.Name] == 0 {
			return &problem{what: "nothing to take back: " + s.Name + " is not approved as it stands", at: file.shown(), code: exitIncomplete}
		}
		fmt.Fprintf(p.app.io.Out, "taken back: %s of %s in %s\n", text.Count(counts[s.Name], "approval"), safe(s.Name), safe(file.shown()))
	}
	return p.record(ledger.RevokedKind, events)
}
