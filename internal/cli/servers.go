package cli

import (
	"cmp"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// listed is a server as list --json prints it: names of variables and headers, and never a value.
type listed struct {
	Name      string   `json:"name"`
	Client    string   `json:"client"`
	Scope     string   `json:"scope"`
	Path      string   `json:"path"`
	Transport string   `json:"transport"`
	Command   string   `json:"command,omitempty"`
	Args      []string `json:"args,omitempty"`
	URL       string   `json:"url,omitempty"`
	Env       []string `json:"env"`
	Headers   []string `json:"headers"`
	Disabled  bool     `json:"disabled"`
}

// listing is what list --json prints, schema version 1.
type listing struct {
	SchemaVersion int            `json:"schemaVersion"`
	Servers       []listed       `json:"servers"`
	Malformed     []malformed    `json:"malformed"`
	Unread        []fleet.Unread `json:"unread"`
}

type malformed struct {
	Name   string `json:"name"`
	Client string `json:"client"`
	Path   string `json:"path"`
}

func (a *app) list() *cobra.Command {
	var clients []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the servers of all your clients",
		GroupID: "packages",
		Long: "List the servers that your clients start or reach: those of your own files, and\n" +
			"those of this project. Variables and headers are named, and no value of one is shown.",
		Example:     "  mcpassay list\n  mcpassay list --client cursor --json",
		Annotations: map[string]string{touches: "files only", exits: "0 all was read, 2 something could not be, or usage"},
		Args:        noArgs("mcpassay list --client CLIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			look, err := a.fleetOptions(clients)
			if err != nil {
				return err
			}
			f := fleet.Look(a.configDisk(look.Env), look)
			l := listOf(f)
			if asJSON {
				err = a.printJSON(l)
			} else {
				err = a.printList(l)
			}
			if len(l.Unread) > 0 {
				a.code = exitIncomplete
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&clients, "client", nil, "look at these `CLIENTS` only")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listOf(f *fleet.Fleet) listing {
	l := listing{SchemaVersion: 1, Servers: []listed{}, Malformed: []malformed{}, Unread: f.Compare(fleet.Mode{}).Unread}
	for _, s := range f.Scopes {
		entries, bad := s.Entries()
		for _, e := range entries {
			v := e.Server
			one := listed{Name: safe(v.Name), Client: e.Client.ID, Scope: s.Name, Path: safe(v.File.Path), Transport: string(v.Transport), Disabled: v.Disabled,
				Command: masked(v, v.Command), URL: masked(v, v.URL), Env: []string{}, Headers: []string{}}
			for _, arg := range v.Args {
				one.Args = append(one.Args, masked(v, arg))
			}
			for _, n := range v.EnvNames() {
				one.Env = append(one.Env, safe(n))
			}
			for _, n := range v.HeaderNames() {
				one.Headers = append(one.Headers, safe(n))
			}
			l.Servers = append(l.Servers, one)
		}
		for _, b := range bad {
			l.Malformed = append(l.Malformed, malformed{safe(b.Name), b.Client.ID, safe(b.File.Path)})
		}
	}
	return l
}

// masked is a string of an entry without the secrets in it.
func masked(s *client.Server, v client.Str) string {
	out, at := "", 0
	for _, x := range s.Secrets() {
		if x.Value.Node == v.Node && x.Start >= at {
			out += v.Value[at:x.Start] + "<secret: " + string(x.Kind) + ">"
			at = x.End
		}
	}
	return safe(out + v.Value[at:])
}

func (a *app) printList(l listing) error {
	w := tabwriter.NewWriter(a.io.Out, 0, 0, 2, ' ', 0)
	if len(l.Servers) > 0 {
		fmt.Fprintf(w, "NAME\tCLIENT\tSCOPE\tTRANSPORT\tSTARTS\n")
	}
	for _, s := range l.Servers {
		what := cmp.Or(s.URL, s.Command)
		if s.URL == "" && len(s.Args) > 0 {
			what += " " + cut(s.Args, a.limits.ShownArgs)
		}
		if s.Disabled {
			what += " (off)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Name, s.Client, s.Scope, cmp.Or(s.Transport, "unknown"), what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, b := range l.Malformed {
		fmt.Fprintf(a.io.Out, "no server: %s of %s (%s): no command and no address\n", b.Name, b.Client, b.Path)
	}
	for _, u := range l.Unread {
		fmt.Fprintf(a.io.Out, "not read: %s: %s: %s\n", safe(u.Path), safe(u.Cause), safe(u.Detail))
	}
	if len(l.Servers) == 0 {
		fmt.Fprintln(a.io.Out, "no servers: mcpassay clients --paths says where they would be")
	}
	return nil
}

// cut joins words, the first few of them.
func cut(words []string, most int) string {
	out := ""
	for i, w := range words {
		if i == most {
			return out + " …"
		}
		if i > 0 {
			out += " "
		}
		out += w
	}
	return out
}
