package drift

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// TwinServers is drift/twin-servers.
var TwinServers = &rule.Rule{
	ID:       "drift/twin-servers",
	Title:    "two servers that a person takes for one",
	Trigger:  "The names of two servers of a lock look the same: letters of another script, accents in another encoding, or characters that are not seen tell them apart.",
	Message:  "The server {server} looks like {other} of the same lock",
	Severity: finding.Error,
	Tags:     []string{rule.Drift, rule.Unicode},
	OWASP:    "MCP03",
	CWE:      []int{1007},
	Since:    "0.1.0",
	Lock:     twinServers,
}

func twinServers(p *rule.Pass, l *rule.Locked) {
	if l.File.Lock == nil {
		return
	}
	first := map[string]string{}
	for _, s := range l.File.Servers {
		looks := text.Skeleton(s.Name)
		other, twin := first[looks]
		switch {
		case !twin:
			first[looks] = s.Name
			continue
		case plain(s.Name) == plain(other): // a person sees that
			continue
		}
		p.Report(rule.Key(s.Node), rule.Args{"server": s.Name, "other": other}, rule.ForLocked(l.File, s.Name, ""),
			rule.Also(rule.Key(l.File.Get(other).Node), "the other one"))
	}
}

// plain is a name without the case of its letters of ASCII.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return r
	}, name)
}
