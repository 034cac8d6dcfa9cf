package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/fix"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// fixMode is what --fix and --diff ask for.
type fixMode struct {
	flag string // "", safe, unsafe
	diff bool
}

func (m fixMode) on() bool { return m.flag != "" || m.diff }

func (m fixMode) check() error {
	if m.flag != "" && m.flag != "safe" && m.flag != "unsafe" {
		return usage("use --fix or --fix=unsafe", "unknown --fix %q", m.flag)
	}
	return nil
}

// wants says which fixes are made or shown: --diff alone shows all of them.
func (m fixMode) wants(f finding.Finding) bool {
	return f.Fix.Safety == finding.Safe || m.flag == "unsafe" || m.flag == "" && m.diff
}

// fix plans the fixes of every file and shows or writes them. The result is the one to report: what was there with
// --diff, which writes nothing, and what is left with --fix alone.
func (j *judging) fix(set *load.Set, res *engine.Result, p *policy.Policy, d *disk, mode fixMode) (*engine.Result, error) {
	rules := lintRules(p)
	judge := func(f *client.File) []finding.Finding {
		found, _ := engine.Judge(engine.Input{Files: []*client.File{f}, Rules: rules, Facts: d.facts, Limits: j.app.limits, All: true})
		return p.Apply(found, []*source.Doc{f.Doc}, j.date(), policy.Files([]*client.File{f}, j.policyDir), policy.OnlyPart())
	}
	changed := false
	one := func(f *client.File, judge fix.Judge, renew func(*client.File)) {
		if f == nil || f.Path == "-" && !mode.diff {
			return
		}
		c := fix.Plan(f, judge, mode.wants, j.app.limits)
		if c == nil {
			return
		}
		for _, left := range c.Left {
			fmt.Fprintf(j.app.io.Err, "not fixed: %s:%d: %s: %s\n", safe(f.Path), left.Finding.Location.Line, left.Finding.Rule, safe(left.Why))
		}
		if len(c.Applied) == 0 {
			return
		}
		if mode.diff {
			fmt.Fprint(j.app.io.Err, showDiff(c))
			return
		}
		changed = true
		if err := j.apply(c); err != nil {
			set.Incomplete = append(set.Incomplete, *err)
			return
		}
		renew(c.After)
	}
	for i, f := range set.Files {
		one(f, judge, func(after *client.File) { set.Files[i] = after })
	}
	for i, cards := range set.Cards {
		judge := func(f *client.File) []finding.Finding {
			in := engine.Input{Rules: rules, Facts: d.facts, Limits: j.app.limits, EveryClient: set.EveryClient, All: true}
			if read := load.CardsOf(f, cards.Client); read != nil {
				in.Cards = []*card.File{read}
			}
			found, _ := engine.Judge(in)
			return p.Apply(found, []*source.Doc{f.Doc}, j.date(), policy.Files([]*client.File{f}, j.policyDir), policy.OnlyPart())
		}
		one(set.Origin(cards), judge, func(after *client.File) { set.Renew(i, after) })
	}
	if !changed {
		return res, nil
	}
	return set.Judge(rules, d.facts), nil
}

// apply writes one changed file, or says why it stays as it is. A file that loses a secret is kept first.
func (j *judging) apply(c *fix.Change) *finding.Incomplete {
	out := j.app.io.Err
	if c.Secret {
		state := files.StateDir(j.app.io.Platform, j.app.io.Getenv, j.app.io.Home)
		kept, err := files.Backup(state, c.File.Abs, c.File.Doc.Raw)
		if err != nil {
			return &finding.Incomplete{Path: c.File.Path, Cause: "unwritable", Detail: "the file is not changed, since its backup can not be written: " + err.Error(),
				Hint: "set XDG_STATE_HOME to a folder that can be written to"}
		}
		fmt.Fprintf(out, "kept: %s (the file with its secrets, readable by you only)\n", safe(lint.Shown(kept, "", j.app.io.Home)))
	}
	// A stranger's project may hold a link to the user's own .cursor, even where a person named the file in it.
	err := files.WriteAtomic(c.File.Abs, c.Bytes(), files.WriteOptions{ExpectDigest: canon.Digest(c.File.Doc.Raw), Base: filepath.FromSlash(c.File.Project)})
	if err != nil {
		r := refusal(err)
		return &finding.Incomplete{Path: c.File.Path, Cause: r.Reason, Detail: "the file is not changed: " + r.Detail,
			Hint: "run the command again; a link must be fixed at its target"}
	}
	fmt.Fprintf(out, "fixed: %s (%s)\n", safe(c.File.Path), text.Count(len(c.Applied), "finding"))
	for _, name := range c.Exports {
		fmt.Fprintf(out, "  set %s before the client starts: its value is in the kept file\n", safe(name))
	}
	return nil
}

// showDiff is the change as a unified diff in which no secret can be read.
func showDiff(c *fix.Change) string {
	before, after := hide(c.File.Doc.Raw, c.File.SecretSpans()), hide(c.Bytes(), c.After.SecretSpans())
	name := safe(c.File.Path)
	out := string(diff.Diff(name, before, name+" (fixed)", after))
	_, out, _ = strings.Cut(out, "\n") // its first line is a command nobody ran
	var b strings.Builder
	for line := range strings.Lines(out) {
		b.WriteString(text.Leading(secret.Mask(strings.TrimRight(line, "\r\n")), 0))
		b.WriteByte('\n')
	}
	for _, a := range c.Applied {
		fmt.Fprintf(&b, "# %s fix of %s: %s\n", a.Fix.Safety, a.Rule, safe(a.Fix.Title))
	}
	return b.String()
}

// hide replaces the spans, which may overlap.
func hide(raw []byte, spans []client.SecretSpan) []byte {
	slices.SortFunc(spans, func(a, b client.SecretSpan) int { return a.Start - b.Start })
	var out bytes.Buffer
	at := 0
	for _, s := range spans {
		if s.End <= at {
			continue
		}
		if s.Start > at {
			out.Write(raw[at:s.Start])
		}
		if s.Start >= at {
			out.WriteString("<secret: " + string(s.Kind) + ">")
		}
		at = s.End
	}
	out.Write(raw[at:])
	return out.Bytes()
}
