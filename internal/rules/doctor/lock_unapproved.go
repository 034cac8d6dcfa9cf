package doctor

import (
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// LockUnapproved is doctor/lock-unapproved.
var LockUnapproved = &rule.Rule{
	ID:    "doctor/lock-unapproved",
	Title: "a pinned server without an approval that holds",
	Trigger: "The only mcpassay.lock that holds a server as an enabled entry starts it has no approval of it: none at all, one of another " +
		"state, or one that was taken back or has expired.",
	Message:        `Server "{names}" is pinned in {lock}, and nobody approved it`,
	Severity:       finding.Warning,
	Tags:           []string{rule.Drift},
	Aliases:        []string{"WRD-DOCTOR-LOCK-UNAPPROVED"},
	OWASP:          "MCP03",
	CWE:            []int{353},
	Since:          "0.1.0",
	Fix:            finding.Manual,
	FixDescription: "Look at what is pinned, then approve it with the command that doctor prints.",
	Needs:          []rule.Need{rule.NeedDisk},
	Machine:        lockUnapproved,
}

func lockUnapproved(p *rule.Pass, m *rule.Machine) {
	for _, alike := range m.Alike(func(s *client.Server) bool { c := m.Cover(s); return c.Entry != nil && c.Standing != lock.Approved }) {
		var g rule.Gather
		for _, s := range alike {
			g.Add(s, s.Display(), rule.Key(s.Node))
		}
		c := m.Cover(alike[0])
		args := rule.Args{"lock": c.Lock.Path, "by": "somebody"}
		if n := len(c.Why); n > 0 {
			if by := c.Why[n-1].By; by != "" {
				args["by"] = by
			}
			args["expires"] = c.Why[n-1].Expires
		}
		g.Report(p, unapproved(p.Rule, c), args, rule.ForServer(alike[0]))
	}
}

// unapproved says why no approval holds.
func unapproved(r *rule.Rule, c lock.Cover) string {
	switch {
	case c.Entry.Partial != nil:
		return `Server "{names}" was imported into {lock}, and not pinned: nobody could approve it`
	case c.Entry.Unpinned:
		return `Server "{names}" is locked in {lock}, and nobody pinned what it exposes`
	case c.Standing == lock.Changed:
		return `Server "{names}" was pinned again in {lock}, and what {by} approved is something else`
	case c.Standing == lock.Revoked:
		return `The approval of server "{names}" in {lock} was taken back`
	case c.Standing == lock.Expired:
		return `The approval of server "{names}" in {lock} by {by} held until {expires}`
	}
	return r.Message
}
