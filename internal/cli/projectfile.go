package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/flow/find"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/locking"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/sign/bundle"
)

// projectFile is the mcpassay.yaml of a project, and the lock beside it.
type projectFile struct {
	*judging
	path string
	// found says that there is one; read are its servers and what may be installed.
	found bool
	read  *policy.Policy
}

// project finds the project's file and reads it: the one that was named, the nearest one, else a new one in the working folder.
func (a *app) project(verb, named string) (*projectFile, error) {
	p := &projectFile{judging: &judging{app: a, verb: verb, format: "text", env: "inherit", color: "auto"}}
	if p.policy.file = named; named != "" {
		p.path, p.found = absolute(a.io.Cwd, named), true
	} else if p.path, p.found = policy.Find(a.io.Cwd, present, func(dir string) bool { return exists(filepath.Join(dir, ".git")) }); !p.found {
		p.path = filepath.Join(a.io.Cwd, policy.FileName)
	}
	var err error
	if p.read, err = p.loadPolicy(a.io.Cwd, true); err != nil {
		var why *problem
		if errors.As(err, &why) {
			why.code = exitFindings // in the package verbs every reason not to go on
			why.what = strings.Replace(why.what, "the policy", "the project file", 1)
			why.hint = strings.NewReplacer("with --policy", "with -f", "docs/policy.md", "docs/project.md").Replace(why.hint)
		}
		return nil, err
	}
	return p, nil
}

// needed refuses where there is no project file.
func (p *projectFile) needed() error {
	if p.found {
		return nil
	}
	return &problem{what: "there is no " + policy.FileName, at: p.app.io.Cwd, hint: "mcpassay init makes one, mcpassay init --from CLIENT one of what a client has", code: exitFindings}
}

func (p *projectFile) shownPath() string {
	if rel, err := filepath.Rel(p.app.io.Cwd, p.path); err == nil {
		return filepath.ToSlash(rel)
	}
	return p.shown(p.path)
}

// shop is how registries and a project are named by the flags of the verbs that install.
type shop struct {
	*market
	file, root string
}

func (a *app) shop(cmd *cobra.Command) *shop {
	s := &shop{market: a.marketOf(cmd, "")}
	f := cmd.Flags()
	f.StringVarP(&s.file, "file", "f", "", "the project `FILE`, instead of the nearest mcpassay.yaml")
	onceVar(f, &s.root, "trusted-root", "verify attestations with the trusted root in `FILE`, instead of that of Sigstore's public instance ("+bundle.PublicGoodDate+")")
	return s
}

// open opens the doors: who finds and judges records, and who resolves and verifies, through the same ones.
func (s *shop) open(p *projectFile, places lock.Places) (f *find.Finder, k *locking.Locker, end func(), err error) {
	root, err := p.trustedRoot(s.root)
	if err != nil {
		return nil, nil, nil, err
	}
	client, packages, end, err := s.doors()
	if err != nil {
		return nil, nil, nil, err
	}
	packages.Project = places.Project
	k = s.lockerOf(client, packages, &age{}, places, root)
	f = &find.Finder{Registry: records{client}, Packages: packages, Base: client.Base, Facts: demoFacts{}, Now: s.app.io.Now, Limits: s.app.limits}
	return f, k, end, nil
}

// lock is the lock beside the project's file.
func (p *projectFile) lock() *lockFile {
	f := p.lockFile(filepath.Join(filepath.Dir(p.path), lock.FileName))
	f.base, f.fails = filepath.Dir(f.path), exitFindings
	return f
}

// change changes the text of the project's file, or makes one, through the door that config files of clients go through: kept
// before, whole or not at all, and only while it holds what was read. No link is followed in a project. It says on standard
// error what it wrote, and answers false where there was nothing to do.
func (p *projectFile) change(ctx context.Context, change func(raw []byte) ([]byte, error)) (changed bool, err error) {
	d := configs{p.app.configDisk(client.Env{OS: p.app.io.Platform, Home: p.app.io.Home, Getenv: p.app.io.Getenv})}
	base := filepath.Dir(p.path)
	release, err := d.Exclusive(ctx, p.path, false)
	if err != nil {
		return false, p.unwritten(err)
	}
	defer release()
	for again := false; ; again = true {
		raw, err := d.Read(p.path, base)
		if err != nil {
			return false, p.unwritten(err)
		}
		text := raw
		if raw == nil {
			text = []byte(project.New)
		}
		now, err := change(text)
		if errors.Is(err, project.ErrSame) {
			return false, nil
		}
		if err != nil {
			return false, &problem{what: "it is left as it is: " + err.Error(), at: p.shownPath(), hint: "change it by hand, then mcpassay lint " + p.shownPath(), code: exitFindings}
		}
		kept := ""
		if raw != nil {
			if kept, err = d.Keep(p.path, raw); err != nil {
				return false, p.unwritten(err)
			}
		}
		err = d.Write(p.path, base, raw, now)
		if errors.Is(err, edit.ErrChanged) && !again {
			continue
		}
		if err != nil {
			return false, p.unwritten(err)
		}
		fmt.Fprintf(p.app.io.Err, "changed: %s\n", safe(p.shownPath()))
		if kept != "" {
			fmt.Fprintf(p.app.io.Err, "  kept: %s\n", safe(lint.Shown(kept, "", p.app.io.Home)))
		}
		return true, nil
	}
}

func (p *projectFile) unwritten(err error) error {
	what := err.Error()
	if files.ReasonOf(err) != "" {
		what = refusal(err).Detail
	}
	return &problem{what: "the project file can not be written: " + what, at: p.shownPath(), hint: "make it a file that can be written, then do the same again", code: exitFindings}
}
