package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/source"
)

// loadPolicy reads the policy for a folder: the one named, else the nearest of the project, else the built-in one.
func (j *judging) loadPolicy(dir string, repository bool) (*policy.Policy, error) {
	p := policy.Default()
	name, base := j.policy.file, ""
	if name != "" {
		name = absolute(j.app.io.Cwd, name)
		if rel, err := filepath.Rel(j.app.io.Cwd, name); err == nil && filepath.IsLocal(rel) {
			base = j.app.io.Cwd // a link in a project may be a stranger's, and what is wrong with its target is printed
		}
	} else if repository {
		name, _ = policy.Find(dir, present, func(dir string) bool { return exists(filepath.Join(dir, ".git")) })
		base = filepath.Dir(name) // a stranger's link is not followed
	}
	if name != "" {
		var err error
		if p, err = j.readPolicy(name, base); err != nil {
			return nil, err
		}
	}
	err := p.Merge(policy.Flags{Profile: j.policy.profile, Select: j.policy.choose, Ignore: j.policy.ignore, FailOn: j.policy.failOn})
	if err != nil {
		return nil, flagProblem(err)
	}
	return p, nil
}

// policyPage is where a policy is explained. Who has the program need not have its documents.
const policyPage = "https://github.com/mcpassay/mcpassay/blob/main/docs/policy.md"

// flagProblem is what is wrong with --select, --ignore, --profile and --fail-on. Each says what to do.
func flagProblem(err error) error {
	return &problem{what: "the flags for the policy are not valid", faults: strings.Split(err.Error(), "\n"), code: exitIncomplete}
}

func (j *judging) readPolicy(name, base string) (*policy.Policy, error) {
	// Relative even where it lies above the working folder, so that two machines print the same.
	shown := j.shown(name)
	if rel, err := filepath.Rel(j.app.io.Cwd, name); err == nil {
		shown = filepath.ToSlash(rel)
	}
	raw, _, err := files.Read(name, files.ReadOptions{MaxBytes: j.app.limits.YAMLBytes, Base: base})
	if err != nil {
		hint := "take it away, or name another with --policy"
		if j.policy.file != "" {
			hint = "--policy takes a YAML or TOML file: " + policyPage
		}
		return nil, &problem{what: "the policy can not be read: " + refusal(err).Detail, at: shown, hint: hint, code: exitIncomplete}
	}
	format := source.YAML
	if strings.EqualFold(filepath.Ext(name), ".toml") {
		format = source.TOML
	}
	j.policyDir = filepath.Dir(name)
	j.inputs = append(j.inputs, name)
	doc, err := source.Parse(shown, raw, format, j.app.limits)
	if err == nil {
		var p *policy.Policy
		if p, err = policy.Read(doc, j.date()); err == nil {
			return p, nil
		}
	}
	return nil, &problem{what: "the policy is not valid", faults: strings.Split(err.Error(), "\n"), at: shown, hint: policyPage + " shows every key", code: exitIncomplete}
}

// present says that something stands at path, were it a link to nothing: a policy that can not be read is none that may
// be done without.
func present(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
