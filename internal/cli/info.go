package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) info() *cobra.Command {
	var m *market
	cmd := &cobra.Command{
		Use: "info NAME[@VERSION]", Short: "Describe a server of the registry: versions, packages, what it needs", GroupID: "packages",
		Long: "Describe a server of the registry. VERSION is one of its versions or a range (^1.2.0);\n" +
			"without one it is the latest. A server that was deleted is described, and exits 1.",
		Example:     "  mcpassay info io.github.example/files\n  mcpassay info 'io.github.example/files@^1.2.0' --json",
		Annotations: map[string]string{touches: "the MCP registry", exits: packageExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			if len(args) != 1 {
				return usage("mcpassay info io.github.owner/server", "info needs the name of one server")
			}
			f, end, err := m.finder()
			if err != nil {
				return err
			}
			defer end()
			name, version := wanted(args[0])
			info, err := f.Info(cmd.Context(), name, version)
			if err != nil {
				return notHad(err)
			}
			m.unread(info.Unread)
			m.gone(&info.Head)
			if m.format == "json" {
				return a.printJSON(info)
			}
			m.kept(info.Source)
			a.printInfo(info)
			return nil
		},
	}
	m = a.market(cmd)
	return cmd
}

// gone makes a run fail that is about a deleted server, after it has said all that is known.
func (m *market) gone(h *find.Head) {
	if h.RegistryStatus.BlocksInstall {
		m.app.code = exitFindings
		fmt.Fprintf(m.app.io.Err, "blocked: %s %s was deleted from the registry\n", h.Name, h.Version)
	}
}

func (a *app) printInfo(i *find.Info) {
	w := a.io.Out
	fmt.Fprintf(w, "%s %s%s\n", i.Name, i.Version, mark(i.RegistryStatus))
	row := func(name, value string) {
		if value != "" {
			value, _ = text.Wrap(value, 13, 13, a.io.Width)
			fmt.Fprintf(w, "  %-9s  %s\n", name, value)
		}
	}
	row("title", i.Title)
	row("says", i.Description)
	row("published", i.Published)
	row("source", i.Repository)
	row("website", i.Website)
	for _, p := range i.Packages {
		row("package", strings.TrimSpace(fmt.Sprintf("%s %s %s", p.RegistryType, p.Identifier, p.Version))+", "+cmp.Or(p.Transport, "no transport"))
		for _, in := range p.EnvironmentVariables {
			row("", "  "+needed(in))
		}
	}
	for _, r := range i.Remotes {
		row("remote", r.Type+" "+r.URL)
		for _, in := range r.Headers {
			row("", "  "+needed(in))
		}
	}
	var versions []string
	for _, v := range i.Versions {
		s := v.Version
		if v.Status != "active" {
			s += " (" + cmp.Or(v.Status, "state unknown") + ")"
		}
		versions = append(versions, s)
	}
	if most := a.limits.ShownNames; len(versions) > most {
		versions = append(versions[:most], fmt.Sprintf("%d more", len(versions)-most))
	}
	row("versions", strings.Join(versions, ", "))
	a.printFindings(i.Assessment.Findings)
	for _, f := range i.Faults {
		row("fault", f)
	}
}

// needed is a variable or a header that a server takes.
func needed(in find.Input) string {
	words := []string{in.Name}
	if in.Required {
		words = append(words, "(required)")
	}
	if in.Secret {
		words = append(words, "(secret)")
	}
	if in.Description != "" {
		words = append(words, in.Description)
	}
	return strings.Join(words, " ")
}

func (a *app) printFindings(all []find.Finding) {
	for _, f := range all {
		line, _ := text.Wrap(fmt.Sprintf("%s (%s, %s)", f.Message, f.Type, cmp.Or(f.Location, "/")), 13, 13, a.io.Width)
		fmt.Fprintf(a.io.Out, "  %-9s  %s\n", f.Severity, line)
	}
}
