package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	auditflow "github.com/mcpassay/mcpassay/internal/flow/audit"
	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/text"
)

// defaultMinTrust is what --fix keeps without --min-trust (mcpm-contracts: 50).
const defaultMinTrust = 50

// auditFix is audit --fix: the entries that are below a minimum are taken out of their files, each file kept before.
type auditFix struct {
	on, yes, dry bool
	minTrust     int
	chosen       bool // --min-trust was given
}

// check refuses before anything is read (mcpm-contracts, audit: four refusals with exit 2).
func (x *auditFix) check(t *auditing) error {
	if !x.on {
		for name, given := range map[string]bool{"--min-trust": x.chosen, "--dry-run": x.dry, "--yes": x.yes} {
			if given {
				return usage("add --fix, or drop it", "%s is about what --fix takes out", name)
			}
		}
		return nil
	}
	switch {
	case t.format == "sarif":
		return usage("run them one after the other", "--sarif says what is there, and --fix changes it")
	case trust.CheckMinTrust(x.minTrust) != nil:
		return usage("--min-trust 60 keeps what has 60 per cent of what the checks that ran can reach", "%s: no server could reach it", trust.CheckMinTrust(x.minTrust))
	case x.yes || x.dry:
		return nil
	case t.json || t.format == "json":
		return usage("add --yes", "--fix asks before it changes a file, and --json leaves nobody to ask")
	case !(t.app.io.InTerminal && t.app.io.ErrTerminal):
		return usage("add --yes once you have looked at mcpassay audit, or --dry-run", "--fix asks before it changes a file, and there is no terminal to ask at")
	}
	return nil
}

// out is one entry that is to be taken out.
type out struct {
	item *auditflow.Item
	row  *trust.Item
}

// run takes the entries out. What stays is said, with the reason.
func (x *auditFix) run(ctx context.Context, t *auditing) error {
	w := t.app.io.Err
	var files []*client.File
	by := map[*client.File][]out{}
	n := 0
	for k, i := range t.items {
		row, s := &t.model.Items[k], i.Entry
		if row.TrustScore.Meets(x.minTrust) && row.Error == nil {
			continue
		}
		if why := auditflow.Removable(row, s); why != "" {
			fmt.Fprintf(w, "left: %s in %s: %s\n", row.Name, safe(s.File.Path), safe(why))
			continue
		}
		if by[s.File] == nil {
			files = append(files, s.File)
		}
		by[s.File] = append(by[s.File], out{i, row})
		n++
	}
	if n == 0 {
		fmt.Fprintf(w, "nothing to take out: no server that was assessed is below %d%%\n", x.minTrust)
		return nil
	}
	for _, f := range files {
		for _, o := range by[f] {
			fmt.Fprintf(w, "below %d%%: %s in %s has %d%% (%s)\n", x.minTrust, o.row.Name, safe(f.Path), o.row.TrustScore.Percent, o.row.TrustScore.Level)
		}
	}
	if !x.yes && !x.dry && !agreed(t.app, fmt.Sprintf("Take %s out?", text.Count(n, "server"))) {
		fmt.Fprintln(w, "nothing was changed")
		return nil
	}
	d := t.app.configDisk(t.clientEnv())
	for _, f := range files {
		x.file(ctx, t, d, f, by[f])
	}
	return nil
}

// file changes one file.
func (x *auditFix) file(ctx context.Context, t *auditing, d *configDisk, f *client.File, all []out) {
	w := t.app.io.Err
	failed := func(name string, err error) {
		fmt.Fprintf(w, "not taken out: %s in %s: %s\n", safe(name), safe(f.Path), safe(err.Error()))
		t.failed = true
	}
	target, err := d.target(f)
	if err != nil {
		failed(all[0].row.Name, err)
		return
	}
	var steps []edit.Step
	for _, o := range all {
		steps = append(steps, edit.Step{Spec: client.Spec{Name: o.item.Entry.Name}, Remove: true})
	}
	res, err := edit.Apply(ctx, configs{d}, target, steps, x.dry)
	if err != nil {
		failed(all[0].row.Name, err)
		return
	}
	changed := 0
	var gone []string
	for _, done := range res.Done {
		switch {
		case done.Err != nil:
			failed(done.Spec.Name, done.Err)
		case done.Changed:
			changed++
			gone = append(gone, done.Spec.Name)
		default:
			failed(done.Spec.Name, errors.New("it is not where it was found"))
		}
	}
	switch {
	case changed == 0:
	case x.dry:
		before, after := edit.Open(f, res.Before, target.OS, target.Limits), edit.Open(f, res.After, target.OS, target.Limits)
		fmt.Fprint(w, configDiff(before.File, after.File))
	default:
		fmt.Fprintf(w, "changed: %s (%s taken out)\n", safe(f.Path), text.Count(changed, "server"))
		if res.Kept != "" {
			fmt.Fprintf(w, "  kept: %s\n", safe(lint.Shown(res.Kept, "", t.app.io.Home)))
		}
		t.without(f, gone)
	}
}

// without takes the servers of a file out of what is left.
func (t *auditing) without(f *client.File, names []string) {
	if t.left == nil {
		t.left = &trust.Model{Items: slices.Clone(t.model.Items), Inventory: t.model.Inventory}
	}
	t.left.Items = slices.DeleteFunc(t.left.Items, func(i trust.Item) bool { return i.Path == f.Path && slices.Contains(names, i.Name) })
	t.left.Conclude()
}

// agreed asks a person at the terminal.
func agreed(a *app, question string) bool {
	fmt.Fprint(a.io.Err, question+" [y/N] ")
	line, _ := bufio.NewReader(io.LimitReader(a.io.In, int64(a.limits.AnswerBytes))).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}
