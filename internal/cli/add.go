package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/install"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/text"
)

// adding is what the add verb was asked for.
type adding struct {
	giving
	market *shop
	as     string
	trust  int
	age    string
	policy project.Install
	out    *addOutcome
}

// addOutcome is what add --json prints. Members may be added.
type addOutcome struct {
	SchemaVersion int `json:"schemaVersion"`
	// Installed says that it stands in mcpassay.yaml and the lock now.
	Installed bool `json:"installed"`
	// Name is its key in mcpassay.yaml, Version that of its record or else of its package, "" for none.
	Name    string `json:"name"`
	Version string `json:"version"`
	// Package is what is started, URL what is reached, Launch the command line.
	Package string   `json:"package"`
	Digests []string `json:"digests"`
	URL     string   `json:"url"`
	Launch  []string `json:"launch"`
	Needs   []string `json:"needs"`
	// TrustScore is that of its record, of the most that the checks which ran could reach; 0 of 0 without a record.
	TrustScore         int             `json:"trustScore"`
	MaxAchievableScore int             `json:"maxAchievableScore"`
	Clients            []string        `json:"clients"`
	Blocked            []install.Block `json:"blocked"`
	Failed             []upPlace       `json:"failed"`
	Skipped            []upPlace       `json:"skipped"`
	Notices            []string        `json:"notices"`
	DryRun             bool            `json:"dryRun"`
}

func (a *app) add() *cobra.Command {
	p := &adding{giving: giving{app: a}}
	cmd := &cobra.Command{
		Use: "add NAME[@RANGE] [-- ARGS...]", Aliases: []string{"install"}, Short: "Add a server to mcpassay.yaml, lock it, and put it into clients", GroupID: "packages",
		Long: "Add a server to mcpassay.yaml and mcpassay.lock, and with --client to the config files of\n" +
			"clients. NAME is one of the MCP registry (io.github.owner/server), a package\n" +
			"(npm:@scope/name, pypi:name, oci:image:tag, nuget:Name) or an address (https://…). What it\n" +
			"will start is shown first. What install of mcpassay.yaml forbids, and what the registry\n" +
			"deleted, is refused. ARGS stand behind those that the record brings.",
		Example: "  mcpassay add io.github.example/files\n  mcpassay add 'io.github.example/files@^1.2.0' --client cursor --yes\n" +
			"  mcpassay add npm:@modelcontextprotocol/server-everything --as everything --yes\n  mcpassay add io.github.example/files --yes -- --root /data",
		Annotations: map[string]string{touches: "mcpassay.yaml, mcpassay.lock, registries; with --client the config files of those clients",
			exits: "0 added, 1 refused by a gate, not found, or not written; 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.ArgsLenAtDash()
			if at < 0 {
				at = len(args)
			}
			if at != 1 {
				return usage("mcpassay add io.github.owner/server", "add needs the name of one server, and its arguments behind --")
			}
			if err := cmp.Or(p.check(), p.market.check(), p.flagGates(cmd.Flags().Changed("min-trust"))); err != nil {
				return err
			}
			if !p.yes && !p.dry && !(a.io.InTerminal && a.io.ErrTerminal) {
				return usage("add --yes once you have looked at it: --dry-run shows it", "there is no terminal to ask at")
			}
			return p.run(cmd.Context(), args[0], args[at:])
		},
	}
	p.market = a.shop(cmd)
	p.flags(cmd, "put it into these `CLIENTS` too")
	f := cmd.Flags()
	f.BoolVarP(&p.yes, "yes", "y", false, "do not ask")
	f.StringVar(&p.as, "as", "", "call it `NAME` in mcpassay.yaml and in clients")
	f.IntVar(&p.trust, "min-trust", 0, "refuse a server with less than `N` per cent of the score that could be reached")
	f.StringVar(&p.age, "min-release-age", "", "refuse a version that was published less than `D` ago: 90s, 30m, 24h, 7d")
	a.audited(cmd)
	return cmd
}

// flagGates reads the gates of the command line. They come on top of those of the project: neither loosens the other.
func (p *adding) flagGates(trust bool) error {
	if trust && (p.trust < 0 || p.trust > 100) {
		return usage("write per cent, 0 to 100", "--min-trust %d can not be reached", p.trust)
	}
	if p.age != "" {
		d, err := project.Duration(p.age)
		if err != nil {
			return usage("--min-release-age 24h", "--min-release-age: %s", err)
		}
		p.policy.MinReleaseAge = d
	}
	p.policy.MinTrust = p.trust
	return nil
}

// wantedServer is what a person named: NAME@RANGE of the registry, type:package@version, or an address.
func wantedServer(arg, as string) (s project.Server, err error) {
	kind, rest, typed := strings.Cut(arg, ":")
	switch {
	case strings.HasPrefix(arg, "https://") || strings.HasPrefix(arg, "http://"):
		a, ok := client.RemoteURL(arg)
		if !ok {
			return s, usage("mcpassay add https://mcp.example.com/mcp --as search", "%s is no address", safe(arg))
		}
		s = project.Server{Name: cmp.Or(as, a.Host), Kind: project.Remote, URL: arg, Transport: string(client.HTTP)}
	case typed && slices.Contains(project.Types, kind):
		name, version := rest, ""
		if at := strings.LastIndex(rest, "@"); at > 0 && kind != "oci" {
			name, version = rest[:at], rest[at+1:]
		}
		last := name[strings.LastIndex(name, "/")+1:]
		last, _, _ = strings.Cut(last, "@")
		last, _, _ = strings.Cut(last, ":")
		s = project.Server{Name: cmp.Or(as, last), Kind: project.Package, Type: kind, Identifier: name, Version: version}
	default:
		name, version := wanted(arg)
		if !registry.GoodName(name) {
			return s, usage("mcpassay search "+safe(cmp.Or(name, "WORDS"))+" finds names", "%s is no name of the registry (owner/server), no package (npm:name) and no address", safe(name))
		}
		s = project.Server{Name: cmp.Or(as, name), Kind: project.Registry, Of: name, Version: version}
	}
	if why, hint := project.BadName(s.Name); why != "" {
		return s, usage(hint+", with --as", "the name of the server %s", why)
	}
	return s, nil
}

func (p *adding) run(ctx context.Context, arg string, args []string) error {
	s, err := wantedServer(arg, p.as)
	if err != nil {
		return err
	}
	p.out = &addOutcome{SchemaVersion: 1, Name: safe(s.Name), Digests: []string{}, Launch: []string{}, Needs: []string{}, Clients: []string{}, Blocked: []install.Block{},
		Failed: []upPlace{}, Skipped: []upPlace{}, Notices: []string{}, DryRun: p.dry}
	file, err := p.app.project("add", p.market.file)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(file.read.Servers, func(o project.Server) bool { return o.Name == s.Name }); i >= 0 {
		old := file.read.Servers[i]
		if old.Kind != s.Kind || old.Of != s.Of || old.Type != s.Type || old.Identifier != s.Identifier || old.URL != s.URL {
			return &problem{what: s.Name + " stands in " + policy.FileName + " already, and is another server", at: file.shownPath(), hint: "--as gives this one another name", code: exitFindings}
		}
		version := s.Version
		if s = old; version != "" {
			s.Version = version
		}
	}
	if len(args) > 0 {
		s.Args = args
	}
	if s.Kind == project.Remote && len(s.Args) > 0 {
		return usage("drop what stands behind --", "an address takes no arguments")
	}
	err = p.steps(ctx, file, s)
	if err == nil && p.market.format == "json" {
		return p.app.printJSON(p.out)
	}
	return err
}

func (p *adding) steps(ctx context.Context, file *projectFile, s project.Server) error {
	w := p.app.io.Err
	lockfile := file.lock()
	places := lockfile.places()
	finder, locker, end, err := p.market.open(file, places)
	if err != nil {
		return err
	}
	defer end()
	now, err := openLock(lockfile)
	if err != nil {
		return err
	}
	was := &lock.Lock{}
	if now != nil {
		was = now.Lock
	}
	entries, err := locker.Resolve(ctx, was, []project.Server{s}, false)
	if err != nil {
		return refusedProblem(err)
	}
	e := entries[0]
	if s.Version == "" {
		s.Version = rangeOf(e)
	}
	env, headers, optional := install.Needs(e.Record, e.Made)
	s.Env, s.Headers = declare(s.Env, env), declare(s.Headers, headers)
	e.Want = s
	p.show(finder.Trust, e, optional)
	subject := subjectOf(e)
	subject.Score, subject.Reach = p.out.TrustScore, p.out.MaxAchievableScore
	for _, in := range []project.Install{file.read.Install, {URLServers: true, MinTrust: p.policy.MinTrust, MinReleaseAge: p.policy.MinReleaseAge}} {
		for _, b := range install.Gates(in, subject, p.app.io.Now()) {
			b.Server, b.Detail = safe(b.Server), safe(b.Detail)
			if !slices.Contains(p.out.Blocked, b) {
				p.out.Blocked = append(p.out.Blocked, b)
			}
		}
	}
	if len(p.out.Blocked) > 0 {
		for _, b := range p.out.Blocked {
			fmt.Fprintf(w, "blocked: %s: %s: %s\n  hint: %s\n", b.Server, b.Gate, b.Detail, b.Hint)
		}
		fmt.Fprintln(w, "nothing was written")
		p.app.code = exitFindings
		return nil
	}
	if err := wouldLock(was, entries, false); err != nil {
		return refusedProblem(err)
	}
	if p.dry {
		return p.clientsOf(ctx, s, e, places)
	}
	if !p.yes && !p.app.consents("Add it?") {
		fmt.Fprintln(w, "nothing was written")
		p.app.code = exitFindings
		return nil
	}
	if _, err := file.change(ctx, func(raw []byte) ([]byte, error) { return project.Put(file.shownPath(), raw, s, p.app.limits) }); err != nil {
		return err
	}
	if _, err := lockfile.update(ctx, func(l *lock.Lock) error {
		_, err := locking.Apply(l, entries, false, false)
		return err
	}); err != nil {
		return goesOn(refusedProblem(err), "mcpassay lock")
	}
	fmt.Fprintf(w, "locked: %s\n", safe(e.Server.Locked()))
	p.out.Installed = true
	if err := p.clientsOf(ctx, s, e, places); err != nil {
		return err
	}
	if p.market.format == "text" {
		fmt.Fprintf(p.app.io.Out, "added %s\n", p.out.Name)
		if len(p.clients) == 0 {
			fmt.Fprintln(p.app.io.Out, "next: mcpassay up, which puts it into your clients; mcpassay pin, which asks it what it exposes")
		}
	}
	return nil
}

// wouldLock says what a lock would say of entries, before anything is written. That a server was approved holds back none that
// somebody asked for by its name, where approved says so.
func wouldLock(was *lock.Lock, entries []*locking.Entry, approved bool) error {
	trial := *was
	trial.Servers, trial.Replaced = slices.Clone(was.Servers), slices.Clone(was.Replaced)
	trial.Approvals, trial.Signatures = slices.Clone(was.Approvals), slices.Clone(was.Signatures)
	_, err := locking.Apply(&trial, entries, false, false)
	var refused *locking.RefusedError
	if approved && errors.As(err, &refused) && !slices.ContainsFunc(refused.All, func(r locking.Refusal) bool { return r.Reason != locking.Approved }) {
		return nil
	}
	return err
}

// goesOn adds to a problem what goes on from where it stopped.
func goesOn(err error, command string) error {
	var p *problem
	if errors.As(err, &p) && p.hint == "" {
		p.hint = command + " goes on from here"
	}
	return err
}

// clientsOf puts the server into the clients that were named.
func (p *adding) clientsOf(ctx context.Context, s project.Server, e *locking.Entry, places lock.Places) error {
	if len(p.clients) == 0 {
		return nil
	}
	out := newOutcome()
	err := p.give(ctx, []fleet.Want{{Specs: install.Specs(&s, e.Server, places), Bare: e.Server.Package != nil}}, out)
	for _, at := range out.Written {
		p.out.Clients = append(p.out.Clients, at.Client)
	}
	slices.Sort(p.out.Clients)
	p.out.Clients = slices.Compact(p.out.Clients)
	p.out.Failed, p.out.Skipped = out.Failed, out.Skipped
	if len(out.Failed) > 0 {
		p.app.code = exitFindings
	}
	return err
}

// subjectOf is what the gates ask of what was just resolved.
func subjectOf(e *locking.Entry) install.Subject {
	s := install.Subject{Server: e.Want, Record: e.Record, Pin: e.Pin, URL: e.Server.Launch.URL}
	if e.Server.Package != nil {
		s.Type, s.Identifier = e.Server.Package.Type, e.Server.Package.Identifier
	}
	return s
}

// rangeOf is the range that is written where a person named none: what npm writes for a semantic version, else the version.
func rangeOf(e *locking.Entry) string {
	t, version := pkg.NPM, ""
	switch {
	case e.Record != nil:
		version = e.Record.Version
	case e.Server.Package != nil && e.Server.Package.Type != pkg.OCI:
		t, version = e.Server.Package.Type, e.Server.Package.Version
	}
	if version != "" && t == pkg.NPM && pkg.IsVersion(pkg.NPM, version) {
		return "^" + version
	}
	return version
}

// declare adds what a record needs to what a project file says already.
func declare(own, needs []project.Variable) []project.Variable {
	for _, n := range needs {
		if !slices.ContainsFunc(own, func(v project.Variable) bool { return strings.EqualFold(v.Name, n.Name) }) {
			own = append(own, n)
		}
	}
	return own
}

// show says what will be started or reached, and what it needs.
func (p *adding) show(trust func(*registry.Record) (int, int), e *locking.Entry, optional []string) {
	o, w := p.out, p.app.io.Err
	if e.Record != nil {
		o.Version = safe(e.Record.Version)
		o.TrustScore, o.MaxAchievableScore = trust(e.Record)
	} else if e.Server.Package != nil {
		o.Version = safe(e.Server.Package.Version)
	}
	fmt.Fprintf(w, "%s\n", strings.TrimSpace(o.Name+" "+o.Version))
	row := func(name, value string) {
		if value != "" {
			value, _ = text.Wrap(value, 12, 12, p.app.io.Width)
			fmt.Fprintf(w, "  %-8s  %s\n", name, value)
		}
	}
	if pk := e.Server.Package; pk != nil {
		o.Package = safe(fmt.Sprintf("%s %s %s", pk.Type, pk.Identifier, pk.Version))
		for _, f := range pk.Files {
			for _, h := range f.Hashes {
				o.Digests = append(o.Digests, safe(h))
			}
		}
		known := text.Count(len(pk.Files), "file")
		if len(pk.Files) == 0 {
			known = "nothing is known of its bytes"
		}
		row("package", o.Package+", "+known)
		row("made by", safe(madeBy(&pk.Provenance)))
	}
	if l := e.Server.Launch; l.URL != "" {
		o.URL = safe(l.URL)
		row("reaches", o.URL)
	} else {
		for _, word := range append([]string{l.Command}, l.Args...) {
			o.Launch = append(o.Launch, safe(word))
		}
		row("starts", safe(p.app.command(append([]string{l.Command}, l.Args...)...)))
	}
	for _, all := range [][]project.Variable{e.Want.Env, e.Want.Headers} {
		for _, v := range all {
			words := safe(v.Name)
			if v.Required {
				words += " (required)"
			}
			if v.Secret {
				words += " (secret)"
			}
			o.Needs = append(o.Needs, safe(v.Name))
			row("needs", words)
		}
	}
	for _, arg := range e.Made.Args {
		for _, part := range arg {
			if part.Variable != "" && len(e.Want.Args) == 0 {
				o.Needs = append(o.Needs, safe(part.Variable))
				row("needs", safe(part.Variable)+", for an argument: set the variable, or write the arguments behind --")
			}
		}
	}
	if len(optional) > 0 {
		row("knows", safe(strings.Join(optional, ", "))+" too: write it under env in "+policy.FileName)
	}
	if o.MaxAchievableScore > 0 {
		row("score", fmt.Sprintf("%d of %d that could be reached", o.TrustScore, o.MaxAchievableScore))
	}
	for _, n := range append(slices.Clone(e.Notices), e.Unenforceable) {
		if n != "" {
			o.Notices = append(o.Notices, safe(n))
			row("note", safe(n))
		}
	}
}

// madeBy is who made a package, or why nobody knows.
func madeBy(p *lock.Provenance) string {
	switch p.Status {
	case lock.Verified:
		return p.Signer
	case lock.Unsigned:
		return "nobody says: it is unsigned"
	case lock.Unsupported, lock.CouldNotVerify:
		return "nobody knows: " + cmp.Or(p.Reason, "its attestations could not be verified")
	}
	return ""
}

// consents asks a person at a terminal.
func (a *app) consents(question string) bool {
	fmt.Fprintf(a.io.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(io.LimitReader(a.io.In, int64(a.limits.AnswerBytes))).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// refusedProblem is what could not be resolved or may not be locked, for a person.
func refusedProblem(err error) error {
	var refused *locking.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	p := &problem{what: "it can not be locked", code: exitFindings}
	if len(refused.All) == 1 {
		r := refused.All[0]
		p.what, p.hint = r.Name+": "+r.Detail, r.Hint
		return p
	}
	for _, r := range refused.All {
		p.faults = append(p.faults, r.Name+": "+r.Detail)
	}
	return p
}
