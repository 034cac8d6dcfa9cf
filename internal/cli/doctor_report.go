package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/keys"
	"github.com/mcpassay/mcpassay/internal/effect/sandbox"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/text"
)

// pasteable prints what doctor found as text for a public report of a bug: numbers, and no name of a server, no argument, no
// path and no value. The exit code is doctor's.
func (j *judging) pasteable(opt doctor.Options) error {
	res, p, err := j.examine(opt, nil)
	if err != nil {
		return err
	}
	rep, _ := j.build(res, p, opt.Cwd)
	j.app.audit.judged(rep.Summary, rep.Policy)
	j.app.code = rep.Exit
	w := j.app.io.Out
	row := func(name, value string) { fmt.Fprintf(w, "%-12s  %s\n", name, value) }
	row("mcpassay", fmt.Sprintf("%s, %s, %s/%s", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
	without := 0
	for _, c := range res.Health.Clients {
		switch {
		case c.Malformed:
			row(c.ID, fmt.Sprintf("a config could not be read; %s, %d guarded", text.Count(c.ServerCount, "server"), c.GuardedCount))
		case c.Exists:
			row(c.ID, fmt.Sprintf("%s, %d guarded", text.Count(c.ServerCount, "server"), c.GuardedCount))
		default:
			without++
		}
	}
	row("no config", text.Count(without, "client"))
	if x := res.Health.CrossClient; x != nil {
		row("in step", fmt.Sprintf("%d of %s in %s differ", len(x.Drift), text.Count(x.ServerCount, "server"), text.Count(x.ClientCount, "client")))
	}
	var there []string
	for _, r := range res.Health.Runtimes {
		there = append(there, fmt.Sprintf("%s %s", r.Name, map[bool]string{true: "yes", false: "no"}[r.Available]))
	}
	row("runtimes", strings.Join(there, ", "))
	there = nil
	for _, h := range sandbox.LookAround(j.app.io.Environ()) {
		there = append(there, fmt.Sprintf("%s %s", h.Backend, h.State))
	}
	row("confinement", strings.Join(there, ", ")+" (nothing was started to try them)")
	row("secret store", keys.Place()+" (it was not asked)")
	row("secrets", text.Count(len(res.Health.Secrets), "value")+" in plain text")
	kinds := map[string]int{}
	for _, i := range res.Health.Issues {
		kinds[i.Kind]++
	}
	row("issues", fmt.Sprintf("%d malformed-config, %d missing-runtime, %d not-checked", kinds["malformed-config"], kinds["missing-runtime"], kinds["not-checked"]))
	row("findings", fmt.Sprintf("%s, %s, %d info", text.Count(rep.Summary.Error, "error"), text.Count(rep.Summary.Warning, "warning"), rep.Summary.Info))
	for _, r := range counted(res) {
		row("", r)
	}
	row("exit", fmt.Sprint(rep.Exit))
	return nil
}

// counted are the rules that found something, with how often: their ids are ours.
func counted(res *engine.Result) (all []string) {
	n := map[string]int{}
	for _, f := range res.Findings {
		if f.Status != finding.Active {
			continue
		}
		if n[f.Rule] == 0 {
			all = append(all, f.Rule)
		}
		n[f.Rule]++
	}
	for i, r := range all {
		all[i] = fmt.Sprintf("%d %s", n[r], r)
	}
	return all
}
