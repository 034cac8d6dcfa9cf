package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/text"
)

// guardEvent is one line of the guard's log: what was done with a frame that was not just let through. Nothing of the frame stands in
// it but its size and the name of the tool.
type guardEvent struct {
	SchemaVersion int      `json:"schemaVersion"`
	Time          string   `json:"time"`
	Session       string   `json:"session"`
	Server        string   `json:"server"`
	From          string   `json:"from"` // client or server
	Action        string   `json:"action"`
	Bytes         int      `json:"bytes"`
	Rules         []string `json:"rules"`
	OWASP         []string `json:"owasp,omitempty"` // entries of the OWASP MCP Top 10 that the rules belong to
	Tool          string   `json:"tool,omitempty"`  // made safe to show
	// Mode says that nothing was enforced: audit-only or paused. Would is what would have been done.
	Mode  string `json:"mode,omitempty"`
	Would string `json:"would,omitempty"`
	// Kind and Reason are of what is no frame: package, launch or confinement, and why in words.
	Kind   string `json:"kind,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// guardEvents is the file, in the folder of what the guard keeps.
const guardEvents = "events.jsonl"

// note writes the event of a frame, which was judged all the same where it can not be written.
func (g *guarding) note(session string, from guard.Side, size int, r guard.Result) {
	a := g.app
	e := guardEvent{SchemaVersion: 1, Time: a.io.Now().UTC().Format(time.RFC3339Nano), Session: session, Server: g.name, From: from.String(), Action: r.Action.String(),
		Bytes: size, Rules: []string{}, Mode: string(r.Mode)}
	if r.Would > guard.Pass {
		e.Would = r.Would.String()
	}
	if g.auditOnly {
		e.Mode = string(guard.AuditOnly)
	}
	for _, f := range r.Findings {
		e.Rules = append(e.Rules, f.Rule)
		if r, ok := catalog.ByID(f.Rule); ok && r.OWASP != "" && !slices.Contains(e.OWASP, r.OWASP) {
			e.OWASP = append(e.OWASP, r.OWASP)
		}
		if e.Tool == "" {
			e.Tool = text.Line(f.Tool, a.limits.ShownRunes)
		}
	}
	g.keep(e)
}

// stopped writes an event of what is no frame: a server that was not started, or that ended by its bounds.
func (g *guarding) stopped(kind, reason string) {
	g.keep(guardEvent{SchemaVersion: 1, Time: g.app.io.Now().UTC().Format(time.RFC3339Nano), Session: g.session, Server: g.name, From: guard.Server.String(), Action: guard.Block.String(),
		Rules: []string{}, Kind: kind, Reason: safe(reason)})
}

// keep appends an event. What can not be written is said once.
func (g *guarding) keep(e guardEvent) {
	a := g.app
	line, err := json.Marshal(e)
	if err == nil {
		state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
		if state == "" {
			return
		}
		err = files.Append(state, guardFolder, guardEvents, append(line, '\n'), int64(a.limits.GuardLog))
	}
	if err != nil && g.unlogged.CompareAndSwap(false, true) {
		fmt.Fprintf(a.io.Err, "mcpassay guard: the log can not be written: %s\n", safe(err.Error()))
	}
}

func (a *app) guardLog() *cobra.Command {
	var asJSON, otlp, follow bool
	var server string
	cmd := &cobra.Command{
		Use: "log", Short: "Show what the guard noted and stopped",
		Example:     "  mcpassay guard log\n  mcpassay guard log --server github --json\n  mcpassay guard log --follow\n  mcpassay guard log --otlp-json > events.otlp.jsonl",
		Annotations: map[string]string{touches: "what the guard keeps", exits: "0 shown, 1 it can not be read, 2 usage"},
		Args:        noArgs("mcpassay guard log --server NAME"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && otlp {
				return usage("one of the two", "--json and --otlp-json are two forms")
			}
			show := func(raw []byte) { a.printEvents(raw, server, asJSON) }
			if otlp {
				show = func(raw []byte) { a.printRecords(raw, server) }
			}
			return a.showLog(cmd.Context(), follow, show)
		},
	}
	f := cmd.Flags()
	f.StringVar(&server, "server", "", "the events of this `SERVER` only")
	f.BoolVar(&asJSON, "json", false, "print the lines as they are kept")
	f.BoolVar(&otlp, "otlp-json", false, "print them as log records of OpenTelemetry (OTLP, JSON), a batch a line")
	f.BoolVar(&follow, "follow", false, "go on as events come")
	return cmd
}

// eventsOf are the events of a server that are kept, the oldest first.
func (a *app) eventsOf(server string) (all []guardEvent, err error) {
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	if state == "" {
		return nil, nil
	}
	for _, suffix := range []string{files.Aside, ""} {
		raw, _, err := files.Read(filepath.Join(state, guardFolder, guardEvents+suffix), files.ReadOptions{MaxBytes: 2 * a.limits.GuardLog, Base: state, Private: true})
		if files.ReasonOf(err) == files.Missing {
			continue
		}
		if err != nil {
			return nil, &problem{what: "the log can not be read: " + err.Error(), hint: "mcpassay guard status", code: exitFindings}
		}
		for line := range bytes.Lines(raw) {
			var e guardEvent
			if json.Unmarshal(line, &e) == nil && e.Server == server {
				all = append(all, e)
			}
		}
	}
	return all, nil
}

func (a *app) showLog(ctx context.Context, follow bool, show func(raw []byte)) error {
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	path := filepath.Join(state, guardFolder, guardEvents)
	read := func(path string) ([]byte, error) {
		raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: 2 * a.limits.GuardLog, Base: state, Private: true})
		if files.ReasonOf(err) == files.Missing || state == "" {
			return nil, nil
		}
		return raw, err
	}
	old, err := read(path + files.Aside)
	if err == nil {
		show(old)
	}
	shown := 0
	for err == nil {
		var raw []byte
		if raw, err = read(path); err != nil {
			break
		}
		if len(raw) < shown {
			shown = 0 // another file was begun
		}
		end := bytes.LastIndexByte(raw, '\n') + 1
		if end > shown {
			show(raw[shown:end])
			shown = end
		}
		if !follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(a.limits.GuardFollow):
		}
	}
	return &problem{what: "the log can not be read: " + err.Error(), hint: "mcpassay guard status", code: exitFindings}
}

func (a *app) printEvents(raw []byte, server string, asJSON bool) {
	for line := range bytes.Lines(raw) {
		var e guardEvent
		if json.Unmarshal(line, &e) != nil || e.SchemaVersion != 1 {
			fmt.Fprintln(a.io.Err, "a line of the log can not be read")
			continue
		}
		at := safe(e.Time)
		if t, err := time.Parse(time.RFC3339Nano, e.Time); err == nil {
			at = t.Format(time.RFC3339) // --json has the rest
		}
		switch {
		case server != "" && e.Server != server:
		case asJSON:
			fmt.Fprint(a.io.Out, string(line))
		case e.Kind != "":
			fmt.Fprintf(a.io.Out, "%s  %-6s  %s  %s: %s\n", at, safe(e.Action), safe(e.Server), safe(e.Kind), safe(e.Reason))
		default:
			fmt.Fprintf(a.io.Out, "%s  %-6s  %s  from the %s, %d bytes", at, safe(e.Action), safe(e.Server), safe(e.From), e.Bytes)
			if e.Tool != "" {
				fmt.Fprintf(a.io.Out, ", tool %s", safe(e.Tool))
			}
			for _, r := range slices.Compact(e.Rules) {
				fmt.Fprintf(a.io.Out, "  %s", safe(r))
			}
			if e.Mode != "" {
				fmt.Fprintf(a.io.Out, "  (%s: nothing is enforced", safe(e.Mode))
				if e.Would != "" {
					fmt.Fprintf(a.io.Out, "; %s otherwise", safe(e.Would))
				}
				fmt.Fprint(a.io.Out, ")")
			}
			fmt.Fprintln(a.io.Out)
		}
	}
}

// logged is what the log holds of each server. What can not be read of it holds nothing: guard log says why.
func (a *app) logged() func(server string) engine.Events {
	by := map[string]engine.Events{}
	state := files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home)
	for _, path := range []string{guardEvents + files.Aside, guardEvents} {
		if state == "" {
			break
		}
		raw, _, err := files.Read(filepath.Join(state, guardFolder, path), files.ReadOptions{MaxBytes: 2 * a.limits.GuardLog, Base: state, Private: true})
		if err != nil {
			continue
		}
		for line := range bytes.Lines(raw) {
			var e guardEvent
			if json.Unmarshal(line, &e) != nil || e.SchemaVersion != 1 {
				continue
			}
			of := by[e.Server]
			of.Since = cmp.Or(of.Since, e.Time)
			if e.Action == guard.Block.String() {
				of.Blocked++
				of.Last = e.Time
			}
			by[e.Server] = of
		}
	}
	return func(server string) engine.Events { return by[server] }
}
