// Command static links what lint and doctor do, and nothing else, so that a test can prove what they can not do.
package main

import (
	"fmt"
	"os"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/effect/git"
	"github.com/mcpassay/mcpassay/internal/flow/doctor"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/report"
	"github.com/mcpassay/mcpassay/internal/rule"
)

type disk struct{}

func (disk) Ignorer(string) func(string) bool { return func(string) bool { return false } }
func (disk) Read(path string, max int, base string) (load.Content, error) {
	raw, id, err := files.Read(path, files.ReadOptions{MaxBytes: max, Base: base})
	return load.Content{Bytes: raw, Identity: fmt.Sprint(id)}, err
}
func (disk) IsDir(string) bool       { return false }
func (disk) Absent(path string) bool { return false }
func (disk) Exists(path string) bool { ok, _ := files.Exists(path); return ok }
func (disk) Walk(string, func(name, rel string) bool, func(name, rel string) bool, func(lint.Found)) {
}
func (disk) Expand(c client.Candidate) []string                        { return []string{c.Path} }
func (disk) Below(string, string, int, int) (paths []string, all bool) { return nil, true }

type facts struct{}

func (facts) Platform() string       { return "linux" }
func (facts) Home() string           { return "" }
func (facts) Exists(string) rule.Tri { return rule.Unknown }
func (facts) Env(string) rule.Tri    { return rule.Unknown }
func (facts) OnPath(string) rule.Tri { return rule.Unknown }
func (facts) Tracked(f *client.File) (rule.Tri, string) {
	_, ok := git.FindRepo(f.Abs)
	return rule.Of(ok), ""
}

func main() {
	env := client.Env{OS: "linux", Home: os.Getenv("HOME"), Getenv: os.Getenv}
	set := lint.Collect(disk{}, lint.Options{Paths: os.Args[1:], Env: env, Limits: limits.Default})
	res := set.Judge(catalog.All(), facts{})
	visit := doctor.Look(disk{}, doctor.Options{Env: env, Limits: limits.Default, Shown: func(s string) string { return s },
		Command: func(...string) string { return "" }})
	res.Posture = visit.Posture(visit.Judge(catalog.All(), facts{}))
	_ = report.Write(os.Stdout, "text", report.Build(res, report.Env{}), report.Env{})
}
