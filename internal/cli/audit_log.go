package cli

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/text"
)

// audit is the record that a run leaves in a log (--audit-log). A run without one has the zero audit, which takes what it is
// told and keeps nothing.
type audit struct {
	mu  sync.Mutex // an interrupt ends a run from outside
	log *ledgerdoor.Log
	run ledger.Run
	at  time.Time
	err error
}

// audited gives a verb --audit-log and --audit-actor: with both, each run that begins leaves one record, whatever becomes of
// it. A run whose record can not be written has failed.
func (a *app) audited(cmd *cobra.Command) {
	var path, actor string
	f := cmd.Flags()
	f.StringVar(&path, "audit-log", "", "record the run in this log `FILE` (with --audit-actor)")
	f.StringVar(&actor, "audit-actor", "", "`WHO` runs it, as the log is to say")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if (path == "") != (actor == "") {
			return usage("mcpassay "+cmd.Name()+" … --audit-log FILE --audit-actor WHO", "--audit-log and --audit-actor belong together")
		}
		if path == "" {
			return run(cmd, args)
		}
		if text.Line(actor, 0) != actor || len(actor) > a.limits.NameBytes {
			return usage("--audit-actor ci:release names who runs it", "--audit-actor is no name of one line and %d bytes at most", a.limits.NameBytes)
		}
		if err := a.audit.begin(a, absolute(a.io.Cwd, path), strings.TrimPrefix(cmd.CommandPath(), "mcpassay "), safe(actor)); err != nil {
			return err
		}
		err := run(cmd, args)
		code := a.code
		if err != nil {
			p := &problem{code: exitIncomplete}
			errors.As(err, &p)
			code = p.code
		}
		if lost := a.audit.end(code); lost != nil {
			if err != nil {
				explainError(a.io.Err, err)
			}
			return lost
		}
		return err
	}
}

// begin fails where a record could not be written: before the run has done anything.
func (t *audit) begin(a *app, path, verb, actor string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = a.io.Now()
	t.log = &ledgerdoor.Log{Path: path, Limits: a.limits, Now: a.io.Now}
	t.run = ledger.Run{Verb: verb, Version: Version, Catalog: catalog.Version, Actor: actor, Targets: []string{}, Started: t.at.UTC().Format(time.RFC3339)}
	if err := t.log.Ready(); err != nil {
		t.log = nil
		return unrecorded(err)
	}
	return nil
}

// path is the log's, "" for none.
func (t *audit) path() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log == nil {
		return ""
	}
	return t.log.Path
}

// targets names what the run looks at.
func (t *audit) targets(names ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log == nil {
		return
	}
	for _, name := range names {
		if len(t.run.Targets) == t.log.Limits.LogTargets {
			t.run.More++
			continue
		}
		t.run.Targets = append(t.run.Targets, text.Line(safe(name), t.log.Limits.ShownRunes))
	}
}

// judged takes down what a report says.
func (t *audit) judged(s report.Summary, p report.Policy) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run.Counts = &ledger.Counts{Error: s.Error, Warning: s.Warning, Info: s.Info, Suppressed: s.Suppressed, Skipped: s.Skipped, Incomplete: s.Incomplete}
	t.run.Policy = &ledger.Policy{Profile: p.Profile, Source: text.Line(safe(p.Source), 0)}
}

// end writes the record, once.
func (t *audit) end(code int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log == nil {
		return t.err
	}
	t.run.Exit, t.run.Milliseconds = code, t.log.Now().Sub(t.at).Milliseconds()
	if _, err := t.log.Append(ledger.RunKind, t.run); err != nil {
		t.err = unrecorded(err)
	}
	t.log = nil
	return t.err
}

func unrecorded(err error) error {
	return &problem{what: "the run can not be recorded: " + err.Error(), hint: "mcpassay log verify says what is wrong with a log", code: exitIncomplete}
}

// interrupted is the exit code of a run that was interrupted: 2 where that can not be recorded.
func (a *app) interrupted() int {
	if err := a.audit.end(exitInterrupted); err != nil {
		return explainError(a.io.Err, err)
	}
	return exitInterrupted
}
