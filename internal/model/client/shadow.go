package client

import (
	"slices"
)

// Shadow marks the definitions that lose: of one name in one client, the strongest scope wins in its project. A
// user's own definition stays in force in other projects, so it is marked only when one project is in view.
func Shadow(files []*File) {
	type key struct{ client, name string }
	all := map[key][]*Server{}
	projects := map[string]bool{}
	scopes := map[*Client]map[string]bool{} // nothing loses where a client's definitions are all of one scope
	for _, f := range files {
		if f.Client == nil {
			continue
		}
		if scopes[f.Client] == nil {
			scopes[f.Client] = map[string]bool{}
		}
		scopes[f.Client][f.Scope] = true
		for _, m := range f.Maps {
			if m.Scope != "" {
				scopes[f.Client][m.Scope] = true
			}
		}
	}
	for _, f := range files {
		if f.Client == nil || f.Client == Generic || f.Dead() || len(scopes[f.Client]) < 2 {
			continue
		}
		for _, s := range f.Servers {
			if s.Hidden {
				continue
			}
			k := key{f.Client.ID, s.Name}
			all[k] = append(all[k], s)
			if p := s.project(); p != "" && f.Scope == ScopeProject {
				projects[p] = true
			}
		}
	}
	for _, group := range all {
		for _, s := range group {
			for _, o := range group {
				if o != s && stronger(o, s, len(projects) == 1) && (s.Shadowed == nil || stronger(o, s.Shadowed, true)) {
					s.rare().Shadowed = o
				}
			}
		}
	}
}

// project is the folder that the definition is for, "" for every folder.
func (s *Server) project() string {
	if s.Project != "" {
		return s.Project
	}
	return s.File.Project
}

// stronger says whether a wins over b where both apply.
func stronger(a, b *Server, oneProject bool) bool {
	order := a.File.Client.Precedence
	x, y := slices.Index(order, a.Scope()), slices.Index(order, b.Scope())
	if x < 0 || y < 0 || x >= y {
		return false
	}
	p, q := a.project(), b.project()
	return p == q || p == "" || q == "" && oneProject
}
