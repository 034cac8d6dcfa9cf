package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/fleet"
	"github.com/mcpassay/mcpassay/internal/flow/install"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) initVerb() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use: "init [--from CLIENT]", Short: "Begin a project's mcpassay.yaml", GroupID: "packages",
		Long: "Write a mcpassay.yaml into the working folder: an empty one, or with --from one of the\n" +
			"servers that a client has. No value of a variable or header that may be a secret is\n" +
			"taken over: who runs the server sets the variable. A file that is there is left alone.",
		Example:     "  mcpassay init\n  mcpassay init --from claude-code",
		Annotations: map[string]string{touches: "mcpassay.yaml; with --from the config files of that client", exits: "0 written, 1 there is one already, or something could not be taken over, 2 usage"},
		Args:        noArgs("mcpassay init --from CLIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			begun := []byte(project.New)
			path := filepath.Join(a.io.Cwd, policy.FileName)
			there := &problem{what: "there is a " + policy.FileName + " already", at: policy.FileName, hint: "mcpassay add NAME, or mcpassay import FILE, put servers into it", code: exitFindings}
			if from != "" {
				if _, err := clientNamed(from); err != nil {
					return err
				}
			}
			if present(path) {
				return there
			}
			left := 0
			if from != "" {
				taken, n, err := a.taken([]string{from}, nil)
				if err != nil {
					return err
				}
				if begun, err = install.Written(policy.FileName, taken, a.limits); err != nil {
					return &problem{what: err.Error(), code: exitFindings}
				}
				left = n
			}
			err := files.WriteAtomic(path, begun, files.WriteOptions{Base: a.io.Cwd, New: true})
			switch {
			case files.ReasonOf(err) == files.Changed:
				return there
			case err != nil:
				return &problem{what: "it can not be written: " + refusal(err).Detail, at: policy.FileName, code: exitFindings}
			}
			fmt.Fprintf(a.io.Out, "wrote %s\n", policy.FileName)
			if from != "" {
				fmt.Fprintln(a.io.Out, "next: mcpassay lock")
			} else {
				fmt.Fprintln(a.io.Out, "next: mcpassay add NAME, or mcpassay search WORDS")
			}
			if left > 0 {
				a.code = exitFindings
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "take over the servers that `CLIENT` has")
	a.audited(cmd)
	return cmd
}

func (a *app) exportProject() *cobra.Command {
	var clients []string
	var output string
	cmd := &cobra.Command{
		Use: "export", Short: "Print what your clients have as a mcpassay.yaml", GroupID: "packages",
		Long: "Print the servers of your clients as a mcpassay.yaml: those of your own files, and\n" +
			"those of this project. Where clients mean different servers by one name, the first\n" +
			"one's is printed and the run exits 1. Secrets are left out.",
		Example:     "  mcpassay export\n  mcpassay export --client cursor --output mcpassay.yaml",
		Annotations: map[string]string{touches: "the config files of clients", exits: "0 all of it, 1 something was left out, 2 usage"},
		Args:        noArgs("mcpassay export --client CLIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			taken, left, err := a.taken(clients, nil)
			if err != nil {
				return err
			}
			written, err := install.Written(policy.FileName, taken, a.limits)
			if err != nil {
				return &problem{what: err.Error(), code: exitFindings}
			}
			if left > 0 {
				a.code = exitFindings
			}
			if output == "" {
				_, err = a.io.Out.Write(written)
				return err
			}
			err = files.WriteAtomic(absolute(a.io.Cwd, output), written, files.WriteOptions{New: true})
			if files.ReasonOf(err) == files.Changed {
				return &problem{what: "there is such a file already", at: output, hint: "name another with --output", code: exitFindings}
			}
			if err != nil {
				return &problem{what: "it can not be written: " + refusal(err).Detail, at: output, code: exitFindings}
			}
			fmt.Fprintf(a.io.Err, "wrote %s: %s\n", safe(output), text.Count(len(taken), "server"))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&clients, "client", nil, "those of these `CLIENTS` only")
	f.StringVarP(&output, "output", "o", "", "write them to `FILE`, which must not be there yet")
	return cmd
}

// taken is what clients have, or what one file of a client has, as a project file says it. It says on standard error what is
// left out, and how much that is.
func (a *app) taken(clients []string, file *client.File) (all []install.Taken, left int, err error) {
	look, err := a.fleetOptions(clients)
	if err != nil {
		return nil, 0, err
	}
	leave := func(where, name, why string) {
		left++
		fmt.Fprintf(a.io.Err, "left out: %s: %s: %s\n", safe(where), safe(name), safe(why))
	}
	take := func(s *client.Server) {
		one, err := install.Take(s)
		if err != nil {
			leave(s.File.Path, s.Name, err.Error())
			return
		}
		for _, what := range one.GivenUp {
			fmt.Fprintf(a.io.Err, "not taken over: %s: %s: %s\n", safe(s.File.Path), safe(s.Name), safe(what))
		}
		all = append(all, one)
	}
	if file != nil {
		for _, s := range file.Servers {
			if s.Transport != client.Builtin && !s.Hidden {
				take(s)
			}
		}
	} else {
		f := fleet.Look(a.configDisk(look.Env), look)
		seen := map[*client.Server]bool{}
		for _, scope := range f.Scopes {
			entries, bad := scope.Entries()
			for _, e := range entries {
				if !seen[e.Server] {
					seen[e.Server] = true
					take(e.Server)
				}
			}
			for _, b := range bad {
				leave(b.File.Path, b.Name, "no client can start it")
			}
		}
		for _, u := range f.Compare(fleet.Mode{}).Unread {
			leave(u.Path, u.Cause, u.Detail)
		}
		if len(f.Files) == 0 && left == 0 {
			return nil, 0, &problem{what: "no client has a config file: nothing is taken over", hint: "mcpassay clients --paths says where they would be", code: exitFindings}
		}
	}
	one, differ := install.Unite(all)
	for _, name := range differ {
		leave("several clients", name, "they mean different servers by it: the first one's is taken")
	}
	return slices.Clip(one), left, nil
}
