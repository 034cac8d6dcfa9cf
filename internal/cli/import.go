package cli

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/model/foreign"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/sign"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// importing is what the import verb was asked for.
type importing struct {
	*judging
	lock, name, key string
}

func (a *app) importVerb() *cobra.Command {
	p := &importing{judging: &judging{app: a, verb: "import", format: "text", env: "inherit", color: "auto"}}
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Take over what mcp-warden or MCP Tool Card Linter wrote down", GroupID: "trust",
		Long: "Make entries of mcpassay.lock from a warden.lock (schemas 1 to 4), or from a signed\n" +
			"baseline or a report of MCP Tool Card Linter (1.0.0, 1.1.0). Such files hold digests\n" +
			"and no definitions: what they lack is listed, and an entry made of one is never\n" +
			"verified and can not be approved. Pin the server next: mcpassay pin says whether\n" +
			"what it exposes is what the file knew.",
		Example: "  mcpassay import github.warden.lock\n  mcpassay import baseline.json --public-key baseline.pub",
		Annotations: map[string]string{touches: "the file and mcpassay.lock: no process, no network",
			exits: "0 imported, 2 could not be read or refused"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay import warden.lock", "import needs one file")
			}
			if err := p.check(); err != nil {
				return err
			}
			return p.run(cmd.Context(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.lock, "lock", "", "the lock `FILE`, instead of the nearest mcpassay.lock of the project or a new one here")
	f.StringVar(&p.name, "name", "", "the `NAME` of the entry, of a warden.lock, which has none")
	f.StringVar(&p.key, "public-key", "", "the key in `FILE` must have signed the baseline")
	a.audited(cmd)
	return cmd
}

func (p *importing) run(ctx context.Context, name string) error {
	p.app.audit.targets(name)
	raw, err := p.app.readNamed("file", name, "", p.app.limits.NamedBytes)
	if err != nil {
		return err
	}
	file := p.lockFile(p.lock)
	opt := foreign.Options{Name: p.name, Places: file.places()}
	if p.key != "" {
		if opt.Key, err = p.publicKey(); err != nil {
			return err
		}
	}
	doc, err := source.Parse(name, raw, source.JSON, p.app.limits)
	if err != nil {
		return &problem{what: "the file can not be read: " + err.Error(), at: name, code: exitIncomplete}
	}
	form := foreign.Form(doc)
	if p.key != "" && form != foreign.Baseline {
		return usage("drop --public-key", "only a baseline is signed in itself")
	}
	all, err := foreign.Read(doc, opt)
	if err != nil {
		return importProblem(name, err)
	}
	if form == foreign.Warden && p.name == "" {
		all[0].Name = ownName(name, all[0].Launch)
	} else if p.name != "" && len(all) > 1 {
		return usage("drop --name", "%s holds %s, which have names", name, text.Count(len(all), "server"))
	} else if p.name != "" {
		all[0].Name = p.name
	}
	slices.SortFunc(all, func(a, b foreign.Import) int { return strings.Compare(a.Name, b.Name) })
	_, err = file.update(ctx, func(l *lock.Lock) error {
		for _, one := range all {
			if err := lock.CheckName(one.Name); err != nil {
				return &problem{what: err.Error(), at: name, hint: "--name gives another", code: exitIncomplete}
			}
			if l.Get(one.Name) != nil {
				return &problem{what: one.Name + " is in the lock already, and what is imported says less", at: file.shown(), hint: "--name gives another", code: exitIncomplete}
			}
			l.Put(one.Server)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, one := range all {
		fmt.Fprintf(p.app.io.Out, "%s: imported into %s, not approved: digests of %s\n", safe(one.Name), safe(file.shown()), text.Count(len(one.Partial.Items), "item"))
		for _, lacks := range one.Lacks {
			fmt.Fprintf(p.app.io.Out, "  lacks %s\n", lacks)
		}
	}
	if form != foreign.Warden && p.key == "" {
		fmt.Fprintln(p.app.io.Out, "no signature was checked: --public-key names the key that must have made it")
	}
	fmt.Fprintln(p.app.io.Out, "next: mcpassay pin, which says whether the server is what the file knew")
	return nil
}

func (p *importing) publicKey() (ed25519.PublicKey, error) {
	raw, err := p.app.readNamed("key", p.key, "", p.app.limits.CredentialBytes)
	if err != nil {
		return nil, err
	}
	key, err := sign.ReadPublic(raw)
	if err != nil {
		return nil, &problem{what: err.Error(), at: p.key, code: exitIncomplete}
	}
	return key, nil
}

// importProblem places what is wrong with a file.
func importProblem(name string, err error) error {
	var secret *lock.SecretError
	if errors.As(err, &secret) {
		return &problem{what: "it can not be imported: " + secret.Error(), at: name, hint: "the secret is in that file: take it for known to others", code: exitIncomplete}
	}
	var broken *lock.Error
	if errors.As(err, &broken) {
		if broken.Line > 0 {
			name += ":" + strconv.Itoa(broken.Line)
		}
		return &problem{what: "it can not be imported: " + broken.Msg, at: name, code: exitIncomplete}
	}
	return &problem{what: "it can not be imported: " + err.Error(), at: name, code: exitIncomplete}
}

// ownName is what to call the server of a file that has no name for it: as the file is called (github.warden.lock), else as pin
// would call it.
func ownName(file string, l lock.Launch) string {
	if stem, ok := strings.CutSuffix(filepath.Base(file), "."+foreign.Warden); ok && stem != "" {
		return stem
	}
	if l.URL != "" {
		return strings.TrimPrefix(strings.TrimPrefix(l.URL, "https://"), "http://")
	}
	return commandName(append([]string{l.Command}, l.Args...))
}
