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

	"github.com/mcpassay/mcpassay/internal/flow/install"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/foreign"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/project"
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
		Use: "import FILE", Short: "Take over a client's config, or what another tool wrote down", GroupID: "trust",
		Long: "Make entries of mcpassay.lock from a warden.lock (schemas 1 to 4), or from a signed\n" +
			"baseline or a report of MCP Tool Card Linter (1.0.0, 1.1.0). Such files hold digests\n" +
			"and no definitions: what they lack is listed, and an entry made of one is never\n" +
			"verified and can not be approved. Pin the server next: mcpassay pin says whether\n" +
			"what it exposes is what the file knew.\n\n" +
			"From an mcpm-lock.yaml entries are made too, which hold versions and digests of\n" +
			"packages; mcpassay lock completes them, and refuses other bytes. An mcpm.yaml and a\n" +
			"client's config become servers of mcpassay.yaml: all of the file or nothing, but for\n" +
			"entries that a project file can not hold, which are listed.",
		Example: "  mcpassay import github.warden.lock\n  mcpassay import baseline.json --public-key baseline.pub\n" +
			"  mcpassay import mcpm.yaml\n  mcpassay import ~/.cursor/mcp.json",
		Annotations: map[string]string{touches: "the file, mcpassay.yaml and mcpassay.lock: no process, no network",
			exits: "0 imported, 1 in part, 2 could not be read or refused"},
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
	form, doc, config, err := p.form(name, raw)
	if err != nil {
		return err
	}
	if config != nil || form == foreign.Stack {
		if p.name != "" || p.key != "" || p.lock != "" {
			return usage("drop --name, --public-key and --lock", "what %s holds goes into mcpassay.yaml, under its own names", name)
		}
		return p.servers(ctx, name, doc, config)
	}
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
		what := "not pinned"
		if one.Partial != nil {
			what = "not approved: digests of " + text.Count(len(one.Partial.Items), "item")
		}
		fmt.Fprintf(p.app.io.Out, "%s: imported into %s, %s\n", safe(one.Name), safe(file.shown()), what)
		for _, lacks := range one.Lacks {
			fmt.Fprintf(p.app.io.Out, "  lacks %s\n", lacks)
		}
	}
	if form == foreign.StackLock {
		fmt.Fprintln(p.app.io.Out, "next: mcpassay import mcpm.yaml, then mcpassay lock, which completes the entries")
		return nil
	}
	if form != foreign.Warden && p.key == "" {
		fmt.Fprintln(p.app.io.Out, "no signature was checked: --public-key names the key that must have made it")
	}
	fmt.Fprintln(p.app.io.Out, "next: mcpassay pin, which says whether the server is what the file knew")
	return nil
}

// form says what the file is: which tool's, or whose config.
func (p *importing) form(name string, raw []byte) (form string, doc *source.Doc, config *client.File, err error) {
	format := source.JSON
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		format = source.YAML
	case ".toml":
		format = source.TOML
	}
	doc, err = source.Parse(name, raw, format, p.app.limits)
	if err == nil && format == source.YAML {
		form = foreign.StackForm(doc)
	} else if err == nil && format == source.JSON {
		form = foreign.Form(doc)
	}
	if form != "" {
		return form, doc, nil, nil
	}
	f := client.Identify(client.Where{Path: p.shown(absolute(p.app.io.Cwd, name)), Abs: absolute(p.app.io.Cwd, name), Root: p.app.io.Cwd, Env: p.clientEnv()})
	f.Named = true
	f.Load(raw, p.app.limits)
	switch {
	case f.Err == nil && f.Client != nil && len(f.Maps) > 0:
		return "", f.Doc, f, nil
	case err != nil:
		return "", nil, nil, &problem{what: "the file can not be read: " + err.Error(), at: name, code: exitIncomplete}
	case format != source.JSON:
		return "", nil, nil, &problem{what: "it can not be imported: it is no config of a client, and no mcpm.yaml or mcpm-lock.yaml", at: name, code: exitIncomplete}
	}
	return form, doc, nil, nil
}

// servers puts the servers of an mcpm.yaml or of a client's config into mcpassay.yaml.
func (p *importing) servers(ctx context.Context, name string, doc *source.Doc, config *client.File) error {
	var all []install.Taken
	left := 0
	var stack foreign.Project
	var err error
	if config != nil {
		if all, left, err = p.app.taken(nil, config); err != nil {
			return err
		}
	} else {
		if stack, err = foreign.ReadStack(doc); err != nil {
			return importProblem(name, err)
		}
		for _, s := range stack.Servers {
			all = append(all, install.Taken{Server: s})
		}
	}
	file, err := p.app.project("import", "")
	if err != nil {
		return err
	}
	n := 0
	changed, err := file.change(ctx, func(raw []byte) ([]byte, error) {
		now, same := raw, true
		n = 0
		for _, t := range all {
			if i := slices.IndexFunc(file.read.Servers, func(s project.Server) bool { return s.Name == t.Name }); i >= 0 && file.read.Servers[i].Value().String() != t.Value().String() {
				return nil, fmt.Errorf("%s stands in it already, and says something else", t.Name)
			}
			next, err := project.Put(file.shownPath(), now, t.Server, p.app.limits)
			if errors.Is(err, project.ErrSame) {
				continue
			}
			if err != nil {
				return nil, err
			}
			now, same = next, false
			n++
		}
		if stack.Armed && !file.found {
			now, same = project.Arm(now, stack.Install), false
		} else if stack.Armed {
			stack.Lacks = append(stack.Lacks, "policy: write it under install of mcpassay.yaml")
		}
		if same {
			return nil, project.ErrSame
		}
		return now, nil
	})
	if err != nil {
		var why *problem
		if errors.As(err, &why) {
			why.code = exitIncomplete
		}
		return err
	}
	for _, lacks := range stack.Lacks {
		left++
		fmt.Fprintf(p.app.io.Err, "left out: %s: %s\n", safe(name), safe(lacks))
	}
	if left > 0 {
		p.app.code = exitFindings
	}
	if !changed {
		fmt.Fprintf(p.app.io.Out, "%s says so already\n", safe(file.shownPath()))
		return nil
	}
	fmt.Fprintf(p.app.io.Out, "%s: %s imported\nnext: mcpassay lock\n", safe(file.shownPath()), text.Count(n, "server"))
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
