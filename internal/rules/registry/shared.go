package registry

import (
	"fmt"

	"github.com/mcpassay/mcpassay/internal/model/manifest"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// faults are what the schema says of a manifest, worked out once.
type faults []manifest.Fault

func schemaFaults(p *rule.Pass, f *manifest.File) faults {
	return rule.Share(p.Scene, func() faults { return f.Faults() })
}

// at points at a fault: at the name of a member that should not be there, at the value of another.
func at(f manifest.Fault) rule.Place {
	if f.Kind == manifest.Stray {
		return rule.Key(f.Node)
	}
	return rule.At(f.Node)
}

// whole points at where a manifest begins: at its name where it has one.
func whole(f *manifest.File) rule.Place {
	if n := f.Root().Get("name"); n.Valid() {
		return rule.At(n)
	}
	return rule.At(f.Root())
}

// partOf says which part of a manifest something is in, for a message.
func partOf(n source.Node) string {
	if !n.Valid() || n.Pointer() == "" {
		return "the manifest"
	}
	return fmt.Sprintf("%q", n.Pointer())
}

// filled says whether a member holds words.
func filled(n source.Node) bool { return n.Text() != "" }

// inputs are all that a user may have to give: variables, headers, arguments, and the variables in those.
func inputs(f *manifest.File) (all []source.Node) {
	of := func(n source.Node, lists ...string) {
		for _, l := range lists {
			for _, in := range f.Items(n, l) {
				all = append(all, in)
				all = append(all, variables(f, in)...)
			}
		}
	}
	for _, p := range f.Packages() {
		of(p, "environmentVariables", "runtimeArguments", "packageArguments")
		of(f.Get(p, "transport"), "headers")
	}
	for _, r := range f.Remotes() {
		of(r, "headers")
		all = append(all, variables(f, r)...)
	}
	return all
}

func variables(f *manifest.File, n source.Node) (all []source.Node) {
	for v := range f.Get(n, "variables").Children() {
		if v.Kind() == source.Object {
			all = append(all, v)
		}
	}
	return all
}

// transports are the transports of packages and remotes, with whether they are of a remote.
func transports(f *manifest.File, visit func(t, owner source.Node, remote bool)) {
	for _, p := range f.Packages() {
		if t := f.Get(p, "transport"); t.Kind() == source.Object {
			visit(t, p, false)
		}
	}
	for _, r := range f.Remotes() {
		visit(r, r, true)
	}
}
