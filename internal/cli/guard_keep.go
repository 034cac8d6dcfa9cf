package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) guardStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use: "status", Short: "Show which servers are guarded, and by what",
		Example:     "  mcpassay guard status\n  mcpassay guard status --format json\n  mcpassay guard status --confine",
		Annotations: map[string]string{touches: "files", exits: "0 shown, 1 something could not be read, 2 usage"},
		Args:        noArgs("mcpassay guard status takes no argument"),
	}
	format := listFormat(cmd)
	confine := false
	cmd.Flags().BoolVar(&confine, "confine", false, "show what each executor keeps a server from on this machine, instead; starts bubblewrap to see whether it works")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		asJSON, err := format()
		if err != nil {
			return err
		}
		if confine {
			return a.showConfinement(cmd.Context(), asJSON)
		}
		return a.showGuard(asJSON)
	}
	return cmd
}

// guardStatusModel is what guard status prints as JSON.
type guardStatusModel struct {
	SchemaVersion int            `json:"schemaVersion"`
	Servers       []guardedEntry `json:"servers"`
	Kept          []keptServer   `json:"kept"`
	// Paused and Allowed are what persons have told the guards, as far as it has not ended.
	Paused  []guard.Given `json:"paused"`
	Allowed []guard.Given `json:"allowed"`
	Unread  []string      `json:"unread"`
}

type guardedEntry struct {
	Client  string `json:"client"`
	Scope   string `json:"scope"`
	Name    string `json:"name"`
	Path    string `json:"path"`
	Guarded bool   `json:"guarded"`
	// AuditOnly says that its guard enforces nothing.
	AuditOnly bool `json:"auditOnly,omitempty"`
}

type keptServer struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Tools int    `json:"tools"`
	// Refused says that the server has shown something else since, which was stopped.
	Refused bool   `json:"refused"`
	Broken  string `json:"broken,omitempty"`
}

func (a *app) showGuard(asJSON bool) error {
	m := guardStatusModel{SchemaVersion: 1, Servers: []guardedEntry{}, Kept: []keptServer{}, Paused: []guard.Given{}, Allowed: []guard.Given{}, Unread: []string{}}
	look, err := a.fleetOptions(nil)
	if err != nil {
		return err
	}
	f := fleet.Look(a.configDisk(look.Env), look)
	for _, i := range f.Incomplete {
		m.Unread = append(m.Unread, safe(i.Path))
	}
	for _, sc := range f.Scopes {
		for _, file := range sc.Files {
			for _, s := range file.Servers {
				if !s.Hidden {
					m.Servers = append(m.Servers, guardedEntry{Client: file.Client.ID, Scope: s.Scope(), Name: safe(s.Name), Path: safe(file.Path), Guarded: s.Rare.Guard != nil || client.Serves(s.Argv()), AuditOnly: auditOnly(s.Rare.Guard)})
				}
			}
		}
	}
	kept, err := a.pinFiles()
	if err != nil {
		return err
	}
	for _, p := range kept {
		k := keptServer{Path: safe(p.path), Refused: p.refused != nil}
		if p.seen != nil {
			k.Name, k.Tools = safe(p.seen.Name), len(p.seen.Items[0])
		}
		if p.err != nil {
			k.Broken = safe(p.err.Error())
			m.Unread = append(m.Unread, k.Path)
		}
		m.Kept = append(m.Kept, k)
	}
	if leaves, _, err := a.readLeaves(); err != nil {
		path := err.Error()
		if p := (*problem)(nil); errors.As(err, &p) {
			path = p.at
		}
		m.Unread = append(m.Unread, safe(path))
	} else {
		now := a.io.Now()
		for _, g := range leaves.Paused {
			if leaves.PausedAt(g.Server, now) != nil && g.Until.After(now) {
				g.Server = safe(g.Server)
				m.Paused = append(m.Paused, g)
			}
		}
		for _, g := range leaves.Allowed {
			if leaves.AllowedAt(g.Server, g.Rule, g.Tool, now) != nil {
				g.Server, g.Tool = safe(g.Server), safe(g.Tool)
				m.Allowed = append(m.Allowed, g)
			}
		}
	}
	if len(m.Unread) > 0 {
		a.code = exitFindings
	}
	if asJSON {
		return a.printJSON(m)
	}
	guarded, audited, widest := 0, 0, 0
	for _, s := range m.Servers {
		if n := text.Width(s.Name); n <= a.limits.ShownColumns { // a longer name stands out of its column
			widest = max(widest, n)
		}
	}
	for _, s := range m.Servers {
		word := "open   "
		switch {
		case s.AuditOnly:
			word = "audited" // nothing is enforced
			audited++
		case s.Guarded:
			word = "guarded"
			guarded++
		}
		fmt.Fprintf(a.io.Out, "%s  %s%s  %s (%s)\n", word, s.Name, strings.Repeat(" ", max(0, widest-text.Width(s.Name))), s.Client, s.Path)
	}
	for _, k := range m.Kept {
		switch {
		case k.Broken != "":
			fmt.Fprintf(a.io.Out, "broken   %s: %s\n", k.Path, k.Broken)
		case k.Refused:
			fmt.Fprintf(a.io.Out, "changed  %s: it shows something else than was seen first: %s\n", k.Name, safe(a.command("mcpassay", "guard", "accept", k.Name)))
		default:
			fmt.Fprintf(a.io.Out, "kept     %s: %s\n", k.Name, text.Count(k.Tools, "tool"))
		}
	}
	for _, g := range m.Paused {
		of := "all servers"
		if g.Server != "" {
			of = g.Server
		}
		fmt.Fprintf(a.io.Out, "paused   %s: nothing is enforced until %s\n", of, g.Until.Format(time.RFC3339))
	}
	for _, g := range m.Allowed {
		what := g.Rule
		if g.Tool != "" {
			what = "tool " + g.Tool
		}
		fmt.Fprintf(a.io.Out, "allowed  %s: %s until %s\n", g.Server, what, g.Until.Format(time.RFC3339))
	}
	for _, path := range m.Unread {
		fmt.Fprintf(a.io.Out, "not read %s\n", path)
	}
	if audited > 0 {
		fmt.Fprintf(a.io.Out, "of %s nothing is enforced: audit only\n", text.Count(audited, "server"))
	}
	fmt.Fprintf(a.io.Out, "%d of %s guarded\n", guarded, text.Count(len(m.Servers), "server"))
	return nil
}

// auditOnly says whether a guard was told to enforce nothing.
func auditOnly(g *client.Guard) bool {
	return g != nil && slices.ContainsFunc(g.Flags, func(f client.Str) bool { return f.Value == "--audit-only" || f.Value == "--audit-only=true" })
}

func (a *app) guardAccept() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "accept SERVER", Short: "Show what a server shows in place of what was seen first, and accept it",
		Long: "Show, line by line, what the guard stopped because a server was seen otherwise first.\n" +
			"With --yes that becomes what the server is held to. A server that a lock holds is\n" +
			"accepted by pinning and approving it.",
		Example:     "  mcpassay guard accept github\n  mcpassay guard accept github --yes",
		Annotations: map[string]string{touches: "what the guard keeps of servers", exits: "0 nothing to accept, or accepted; 1 shown and not accepted, or refused; 2 usage"},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay guard status lists them", "guard accept needs the name of a server")
			}
			return a.accept(args[0], func() bool { return yes })
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "accept what is shown")
	return cmd
}

// accept shows what changed, and takes it where agree says so: what was shown, whatever the server shows meanwhile.
func (a *app) accept(name string, agree func() bool) error {
	all, err := a.pinFiles()
	if err != nil {
		return err
	}
	known, changed, left := false, false, false
	for _, p := range all {
		if p.err != nil {
			return &problem{what: "what is known of servers can not be relied on: " + p.err.Error(), at: p.path, hint: "take the file away if you know why; the server is then seen first again", code: exitFindings}
		}
		if p.seen.Name != name {
			continue
		}
		if known = true; p.refused == nil {
			continue
		}
		changed = true
		if err := report.WriteChanges(a.io.Out, drift.Compare(p.seen, p.refused, a.limits), a.io.colour("auto")); err != nil {
			return err
		}
		if !agree() {
			left = true
			continue
		}
		now := (&lock.Lock{Servers: []*lock.Server{p.refused}}).Encode()
		was := (&lock.Lock{Servers: []*lock.Server{p.seen}}).Encode()
		if err := files.WriteAtomic(p.path, now, files.WriteOptions{Private: true, ExpectDigest: canon.Digest(was)}); err != nil {
			return err
		}
		if err := files.Remove(p.path + refusedSuffix); err != nil {
			return err
		}
	}
	switch {
	case !known:
		return &problem{what: "nothing is kept of a server called " + name, hint: "mcpassay guard status lists them", code: exitFindings}
	case !changed:
		fmt.Fprintf(a.io.Out, "%s: nothing was stopped: there is nothing to accept\n", safe(name))
	case !left:
		fmt.Fprintf(a.io.Out, "%s: accepted\n", safe(name))
	default:
		fmt.Fprintf(a.io.Out, "%s: not accepted: %s accepts it\n", safe(name), safe(a.command("mcpassay", "guard", "accept", name, "--yes")))
		a.code = exitFindings
	}
	return nil
}

func (a *app) guardCleanup() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "cleanup", Short: "Forget what was seen of servers that no client starts any more",
		Example:     "  mcpassay guard cleanup\n  mcpassay guard cleanup --yes",
		Annotations: map[string]string{touches: "what the guard keeps of servers, the config files of clients", exits: "0 done, or nothing to do; 1 refused: a client's file or what is kept could not be read; 2 usage"},
		Args:        noArgs("mcpassay guard cleanup takes no argument"),
		RunE:        func(*cobra.Command, []string) error { return a.cleanup(yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "forget them; without it they are listed")
	return cmd
}

// cleanup forgets nothing while it is not sure: a client whose file can not be read may start any of them.
func (a *app) cleanup(yes bool) error {
	all, err := a.pinFiles()
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.err != nil {
			return &problem{what: "what is known of servers can not be relied on: " + p.err.Error(), at: p.path, hint: "take the file away if you know why; the server is then seen first again", code: exitFindings}
		}
	}
	look, err := a.fleetOptions(nil)
	if err != nil {
		return err
	}
	f := fleet.Look(a.configDisk(look.Env), look)
	started := map[string]bool{}
	many := "" // the file of a client that starts guard serve
	for _, sc := range f.Scopes {
		for _, file := range sc.Files {
			for _, s := range file.Servers {
				if s.Transport != client.Stdio {
					continue
				}
				if client.Serves(s.Argv()) {
					many = file.Path
				}
				if l, err := a.launchOf(guarded{argv: s.Argv()}); err == nil {
					started[l.Key()] = true
				}
			}
		}
	}
	orphans := 0
	for _, p := range all {
		if started[p.seen.Launch.Key()] || p.seen.Launch.URL != "" { // a client has the guard's address, and not that of the server
			continue
		}
		if len(f.Incomplete) > 0 {
			return &problem{what: "whether a client starts " + p.seen.Name + " can not be told", at: f.Incomplete[0].Path, hint: "repair the file; mcpassay doctor says what is wrong with it", code: exitFindings}
		}
		if many != "" {
			return &problem{what: "whether a client starts " + p.seen.Name + " can not be told: it may stand behind guard serve", at: many, hint: "mcpassay guard status --format json says which file is whose: take away those that you know", code: exitFindings}
		}
		orphans++
		if !yes {
			fmt.Fprintf(a.io.Out, "no client starts %s\n", safe(p.seen.Name))
			continue
		}
		for _, path := range []string{p.path, p.path + refusedSuffix} {
			if err := files.Remove(path); err != nil && files.ReasonOf(err) != files.Missing {
				return err
			}
		}
		fmt.Fprintf(a.io.Out, "forgotten: %s\n", safe(p.seen.Name))
	}
	switch {
	case orphans == 0:
		fmt.Fprintln(a.io.Out, "nothing to forget")
	case !yes:
		fmt.Fprintf(a.io.Out, "%s to forget: mcpassay guard cleanup --yes\n", text.Count(orphans, "server"))
	}
	return nil
}
