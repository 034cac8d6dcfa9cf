package fleet

import (
	"encoding/json"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// Locked is a lock that clients are held against, and the folders by which its launches are written.
type Locked struct {
	*lock.Lock
	Places lock.Places
}

// entries are the servers of the lock as a client would start them, by name.
func (l *Locked) entries(o Options) map[string]*client.Server {
	out := map[string]*client.Server{}
	if l == nil {
		return out
	}
	type entry struct {
		Type    string            `json:"type,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		URL     string            `json:"url,omitempty"`
		Headers map[string]string `json:"headers,omitempty"`
	}
	all := map[string]entry{}
	for _, s := range l.Servers {
		spec := s.Spec(l.Places)
		e := entry{Type: string(spec.Transport), Command: spec.Command.String(), URL: spec.URL.String(), Env: map[string]string{}, Headers: map[string]string{}}
		for _, a := range spec.Args {
			e.Args = append(e.Args, a.String())
		}
		for _, v := range spec.Env {
			e.Env[v.Name] = v.Value.String()
		}
		for _, v := range spec.Headers {
			e.Headers[v.Name] = v.Value.String()
		}
		all[s.Name] = e
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		return out // strings, and lists and maps of them
	}
	f := client.Identify(client.Where{Path: ".mcp.json", Root: o.Cwd, Env: o.Env})
	f.Load(raw, o.Limits)
	for _, s := range f.Servers {
		out[s.Name] = s
	}
	return out
}

// against says which clients start something else than is locked.
func (d *Drift) against(held *client.Server, l *Locked, s *Scope) {
	if held == nil {
		return
	}
	cwd, envFile := l.Get(d.Name).Launch.Beside(l.Places)
	d.Locked, d.LockDiffers, d.LockFields = true, []string{}, []string{}
	for _, c := range s.Clients {
		for _, v := range d.entries[c] {
			fields := held.Differences(v)
			if s.Name == client.ScopeProject { // of a user's own files those are the user's
				fields = append(fields, v.Elsewhere(v.File.Project, cwd, envFile)...)
			}
			if len(fields) > 0 {
				d.LockDiffers, d.LockFields = append(d.LockDiffers, c.ID), append(d.LockFields, fields...)
			}
		}
	}
	d.LockDiffers, d.LockFields = unique(d.LockDiffers), unique(d.LockFields)
	d.Drifted = d.Drifted || len(d.LockDiffers) > 0
}
