package install

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/recipe"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Needs are the variables and headers of a server that whoever runs it sets, as a project file declares them: what its record
// asks for, and has no value of its own. Optional are names of further variables that the record knows.
func Needs(rec *registry.Record, made *recipe.Made) (env, headers []project.Variable, optional []string) {
	of := func(settings []client.Setting, declared []registry.Input) (out []project.Variable) {
		for _, s := range settings {
			if !slices.ContainsFunc(s.Value, func(p client.Part) bool { return p.Variable != "" }) {
				continue
			}
			i := slices.IndexFunc(declared, func(in registry.Input) bool { return in.Name == s.Name })
			if i < 0 {
				continue
			}
			v := project.Variable{Name: s.Name, Required: declared[i].Required, Secret: declared[i].Secret}
			if len(s.Value) > 1 || s.Value[0].Variable != project.VariableFor(s.Name) {
				v.Value = s.Value.String()
			}
			out = append(out, v)
		}
		for _, in := range declared {
			if !slices.ContainsFunc(settings, func(s client.Setting) bool { return s.Name == in.Name }) {
				optional = append(optional, in.Name)
			}
		}
		return out
	}
	if rec == nil || made == nil {
		return nil, nil, nil
	}
	switch c, err := recipe.Choose(rec); {
	case err != nil:
	case c.Package != nil:
		env = of(made.Env, c.Package.Env)
	case c.Remote != nil:
		headers = of(made.Headers, c.Remote.Headers)
	}
	return env, headers, optional
}
