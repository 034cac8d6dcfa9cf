package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/flow/publish"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) publish() *cobra.Command {
	cmd := parent(&cobra.Command{Use: "publish", Short: "Check a server before it is published to the registry", GroupID: "packages"})
	cmd.AddCommand(a.publishCheck())
	return cmd
}

func (a *app) publishCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "check [PATH]", Short: "Say whether a server.json may be published",
		Long: "Hold a server.json against the schema of its date and the checks of the registry, against\n" +
			"the package.json, pyproject.toml, README and Dockerfile beside it, and look at what its\n" +
			"texts tell a model. PATH is the file or its folder, by default the working folder.\n" +
			"Nothing is asked or published: what only the package's own registry knows is not-run.",
		Example:     "  mcpassay publish check\n  mcpassay publish check packages/notes/server.json --json",
		Annotations: map[string]string{touches: "the manifest and the files beside it: no process, no network", exits: "0 nothing blocks, 1 blocked, or something could not be read, 2 usage"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("mcpassay publish check PATH", "publish check takes one PATH")
			}
			return a.runPublishCheck(args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the judgement as JSON")
	return cmd
}

func (a *app) runPublishCheck(args []string, asJSON bool) error {
	at := "."
	if len(args) == 1 {
		at = args[0]
	}
	d := a.configDisk(client.Env{OS: a.io.Platform, Home: a.io.Home, Getenv: a.io.Getenv}).disk
	if d.IsDir(absolute(a.io.Cwd, at)) {
		at = filepath.Join(at, manifest.FileName)
	}
	set := load.NewSet(d, a.limits)
	shown := lint.Named(at, a.io.Cwd, a.io.Home)
	set.Add(load.Ask{Named: true, Where: client.Where{Path: shown, Abs: absolute(a.io.Cwd, at), Root: a.io.Cwd, Env: d.env}})
	if len(set.Manifests) == 0 {
		why := "it is no manifest of the MCP registry: no $schema of one, and no name, description and version"
		for _, i := range set.Incomplete {
			if i.Cause != "unrecognised" {
				why = i.Cause + ": " + i.Detail
			}
		}
		return &problem{what: "there is no server.json that can be judged: " + why, at: at, hint: "mcpassay publish check PATH names another file or folder", code: exitFindings}
	}
	c := publish.Checker{Rules: manifestRules(), Facts: d.facts, Limits: a.limits}
	rep := c.Check(set, set.Manifests[0])
	if !rep.OK {
		a.code = exitFindings
	}
	if asJSON {
		return a.printJSON(rep)
	}
	a.printPublish(rep)
	return nil
}

// manifestRules are the rules on manifests.
func manifestRules() []*rule.Rule {
	return slices.DeleteFunc(slices.Clone(catalog.All()), func(r *rule.Rule) bool { return r.Manifest == nil })
}

func (a *app) printPublish(r *publish.Report) {
	w := a.io.Out
	fmt.Fprintf(w, "%s %s, as %s (schema %s)\n", cmp.Or(r.Name, "no name"), cmp.Or(r.Version, "no version"), r.Path, r.Schema)
	for _, f := range r.Findings {
		line, _ := text.Wrap(fmt.Sprintf("%s  [%s]", f.Message, f.Type), 4, 4, a.io.Width)
		fmt.Fprintf(w, "%s  %s\n    %s\n", f.Location, f.Severity, line)
	}
	for _, c := range r.Checks {
		line, _ := text.Wrap(c.Detail, 28, 28, a.io.Width)
		fmt.Fprintf(w, "  %-7s  %-15s  %s\n", c.State, c.Check, line)
	}
	for _, i := range r.Incomplete {
		fmt.Fprintf(w, "  not read: %s\n", i)
	}
	blocking := 0
	for _, f := range r.Findings {
		if f.Blocks {
			blocking++
		}
	}
	switch {
	case blocking > 0:
		fmt.Fprintf(w, "blocked by %s; mcpassay explain RULE says more\n", text.Count(blocking, "finding"))
	case len(r.Incomplete) > 0:
		fmt.Fprintln(w, "blocked: not everything could be read")
	default:
		fmt.Fprintln(w, "nothing blocks; what is not-run only the package's own registry knows")
	}
}
