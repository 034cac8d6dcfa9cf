package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/keys"
	"github.com/mcpassay/mcpassay/internal/model/launch"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// secretExits are the exit codes of the verbs on secrets: every reason not to go on is 1.
const secretExits = "0 done, 1 no such secret, or something could not be read or written, 2 usage"

func (a *app) secretVerb() *cobra.Command {
	cmd := parent(&cobra.Command{
		Use: "secret", Short: "Keep the secrets of configs where no config holds them", GroupID: "packages",
		Long: "Keep the values of which configs hold references alone. Each is kept encrypted, its key\n" +
			"in the system's keychain; where there is none the key lies in a file that only you can\n" +
			"read, and set says so. No value is ever printed, but by get --reveal.",
		Example: "  mcpassay secret set GITHUB_TOKEN\n  mcpassay secret migrate --dry-run\n  export GITHUB_TOKEN=\"$(mcpassay secret get GITHUB_TOKEN --reveal)\"",
	})
	cmd.AddCommand(a.secretSet(), a.secretGet(), a.secretList(), a.secretRemove(), a.secretMigrate())
	return cmd
}

// secrets is where this user's secrets are kept.
func (a *app) secrets(noKeychain bool) *keys.Secrets {
	return keys.NewSecrets(files.StateDir(a.io.Platform, a.io.Getenv, a.io.Home), noKeychain, a.limits)
}

func noKeychainFlag(f *pflag.FlagSet, to *bool) {
	f.BoolVar(to, "no-keychain", false, "put the key of the secrets into a file")
}

// variable refuses what is no name of a variable: a config could not refer to it.
func variable(name string) error {
	if !launch.IsName(name) || len(secret.Text(name)) > 0 {
		return usage("mcpassay secret set GITHUB_TOKEN", "%q is no name of a variable: letters, figures and underscores", safe(name))
	}
	return nil
}

func oneVariable(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			hint := "mcpassay secret " + verb + " GITHUB_TOKEN"
			if len(args) > 1 && verb == "set" { // whose second word may be the secret: it is not repeated
				return usage("printf %s \"$VALUE\" | "+hint, "a value on the command line is in the history of the shell, and other users can see it")
			}
			return usage(hint, "secret %s takes the name of one variable", verb)
		}
		return variable(args[0])
	}
}

func (a *app) secretSet() *cobra.Command {
	var noKeychain bool
	cmd := &cobra.Command{
		Use: "set NAME", Short: "Keep a secret: its value is read from standard input, or typed unseen", Args: oneVariable("set"),
		Long: "Keep a secret by the name of its variable, in place of the one of that name. The value is\n" +
			"what stands on standard input, without the end of its line, or at a terminal what is\n" +
			"typed, which is not shown.",
		Example:     "  mcpassay secret set GITHUB_TOKEN\n  pass github | mcpassay secret set GITHUB_TOKEN",
		Annotations: map[string]string{touches: "the keychain, and files of mcpassay's own", exits: secretExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := a.value(args[0])
			if err != nil {
				return err
			}
			a.children.Store(true)
			place, why, err := a.secrets(noKeychain).Set(cmd.Context(), keys.Secret{Name: args[0], Value: value, Kept: a.io.Now().UTC().Truncate(time.Second)})
			if err != nil {
				return &problem{what: "the secret can not be kept: " + err.Error(), code: exitFindings}
			}
			a.placed(place, why)
			fmt.Fprintf(a.io.Err, "kept: %s\n", args[0])
			return nil
		},
	}
	noKeychainFlag(cmd.Flags(), &noKeychain)
	return cmd
}

// placed says where the key of a secret lies, if that is not the keychain.
func (a *app) placed(place string, why error) {
	if place == keys.InFile {
		fmt.Fprintf(a.io.Err, "the key of the secrets lies in a file that only you can read, since it is in no keychain: %s\n", safe(why.Error()))
	}
}

// value reads the value of a secret.
func (a *app) value(name string) (string, error) {
	var raw []byte
	var err error
	if a.io.InTerminal && a.io.ReadSecret != nil {
		fmt.Fprintf(a.io.Err, "%s: ", name)
		raw, err = a.io.ReadSecret()
		fmt.Fprintln(a.io.Err)
	} else {
		raw, err = io.ReadAll(io.LimitReader(a.io.In, int64(a.limits.SecretBytes)+2))
		raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
	}
	switch {
	case err != nil:
		return "", &problem{what: "the value can not be read: " + err.Error(), code: exitFindings}
	case len(raw) == 0:
		return "", usage("pass github | mcpassay secret set "+name, "there is no value: standard input is empty")
	case len(raw) > a.limits.SecretBytes:
		return "", usage("", "a secret has %d bytes at most", a.limits.SecretBytes)
	}
	return string(raw), nil
}

func (a *app) secretGet() *cobra.Command {
	var reveal, asJSON bool
	cmd := &cobra.Command{
		Use: "get NAME", Short: "Say that a secret is kept, and with --reveal print it", Args: oneVariable("get"),
		Example:     "  mcpassay secret get GITHUB_TOKEN\n  export GITHUB_TOKEN=\"$(mcpassay secret get GITHUB_TOKEN --reveal)\"",
		Annotations: map[string]string{touches: "the keychain, and files of mcpassay's own", exits: secretExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			if reveal && asJSON {
				return usage("drop one of them", "--reveal prints the value alone, and --json never prints one")
			}
			a.children.Store(true)
			one, err := a.secrets(false).Get(cmd.Context(), args[0])
			switch {
			case errors.Is(err, keys.ErrNoSecret):
				return noSecret(args[0])
			case err != nil:
				return closedSecret(err)
			case reveal:
				_, err := fmt.Fprintln(a.io.Out, one.Value)
				return err
			case asJSON:
				return a.printJSON(keptSecret(one))
			}
			fmt.Fprintf(a.io.Out, "%s: kept since %s, its key in the %s; --reveal prints the value\n", one.Name, one.Kept.Format(time.DateOnly), one.Key)
			return nil
		},
	}
	cmd.Flags().BoolVar(&reveal, "reveal", false, "print the value, and nothing else")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, without the value")
	return cmd
}

func noSecret(name string) error {
	return &problem{what: "no secret is kept as " + name, hint: "mcpassay secret list names those that are", code: exitFindings}
}

func closedSecret(err error) error {
	return &problem{what: "the secret can not be opened: " + err.Error(), hint: "unlock the keychain, or keep it again with mcpassay secret set", code: exitFindings}
}

// heldSecret is a secret as secret list --json prints it: there is no member for its value.
type heldSecret struct {
	Name string `json:"name"`
	Kept string `json:"keptAt"`
	Key  string `json:"key"` // keychain or file
}

func keptSecret(one keys.Secret) heldSecret {
	return heldSecret{one.Name, one.Kept.UTC().Format(time.RFC3339), one.Key}
}

// heldSecrets is what secret list --json prints, schema version 1.
type heldSecrets struct {
	SchemaVersion int          `json:"schemaVersion"`
	Secrets       []heldSecret `json:"secrets"`
	Unread        []string     `json:"unread"`
}

func (a *app) secretList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the names of the secrets that are kept", Args: noArgs("mcpassay secret list"),
		Example:     "  mcpassay secret list\n  mcpassay secret list --json",
		Annotations: map[string]string{touches: "the keychain, and files of mcpassay's own", exits: secretExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			a.children.Store(true)
			all, closed, err := a.secrets(false).All(cmd.Context())
			if err != nil {
				return closedSecret(err)
			}
			out := heldSecrets{SchemaVersion: 1, Secrets: []heldSecret{}, Unread: []string{}}
			for _, one := range all {
				out.Secrets = append(out.Secrets, keptSecret(one))
			}
			for _, err := range closed {
				out.Unread = append(out.Unread, safe(err.Error()))
				a.code = exitFindings
			}
			if asJSON {
				return a.printJSON(out)
			}
			w := tabwriter.NewWriter(a.io.Out, 0, 0, 2, ' ', 0)
			if len(out.Secrets) > 0 {
				fmt.Fprintln(w, "NAME\tKEPT SINCE\tKEY IN")
			}
			for _, s := range out.Secrets {
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Kept[:len(time.DateOnly)], s.Key)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			for _, u := range out.Unread {
				fmt.Fprintf(a.io.Out, "not read: %s\n", u)
			}
			if len(out.Secrets)+len(out.Unread) == 0 {
				fmt.Fprintln(a.io.Out, "no secrets are kept: mcpassay secret set NAME keeps one")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: no value is in it")
	return cmd
}

func (a *app) secretRemove() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rm NAME...", Aliases: []string{"remove"}, Short: "Forget secrets",
		Example:     "  mcpassay secret rm GITHUB_TOKEN",
		Annotations: map[string]string{touches: "files of mcpassay's own", exits: secretExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("mcpassay secret rm GITHUB_TOKEN", "secret rm takes the names of variables")
			}
			for _, name := range args {
				if err := variable(name); err != nil {
					return err
				}
			}
			for _, name := range args {
				switch err := a.secrets(false).Remove(name); {
				case errors.Is(err, keys.ErrNoSecret):
					explainError(a.io.Err, noSecret(name))
					a.code = exitFindings
				case err != nil:
					return &problem{what: name + " can not be taken away: " + err.Error(), code: exitFindings}
				default:
					fmt.Fprintf(a.io.Err, "forgotten: %s\n", name)
				}
			}
			return nil
		},
	}
	return cmd
}

// exporting are the lines by which the variables come into an environment.
func (a *app) exporting(names []string) string {
	var b strings.Builder
	for _, name := range names {
		if a.io.Platform == "windows" {
			fmt.Fprintf(&b, "  $env:%s = mcpassay secret get %s --reveal\n", name, name)
			continue
		}
		fmt.Fprintf(&b, "  export %s=\"$(mcpassay secret get %s --reveal)\"\n", name, name)
	}
	return b.String()
}
