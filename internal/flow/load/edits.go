package load

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// longWord is the shortest text of an edit that may repeat a part of the file: the others are words of ours, such as
// "type": "http".
const longWord = len(`"type": "streamable-http"`)

// withhold takes the edits of fixes away that repeat a secret of their entry, such as a command line that is cut into
// arguments: a report shows edits, and a secret appears in none. The fix is still made by --fix.
func (s *Set) withhold(found []finding.Finding) {
	var servers map[string]*client.Server
	for i := range found {
		x := found[i].Fix
		if x == nil || !slices.ContainsFunc(x.Edits, func(e finding.Edit) bool { return len(e.Text) > longWord }) {
			continue
		}
		if servers == nil {
			servers = map[string]*client.Server{}
			for _, f := range s.Files {
				for _, v := range f.Servers {
					servers[v.Subject()] = v
				}
			}
		}
		if v := servers[found[i].Subject]; v != nil && repeats(x.Edits, v) {
			own := *x
			own.Edits = nil
			found[i].Fix = &own
		}
	}
}

func repeats(edits []finding.Edit, v *client.Server) bool {
	defer v.Forget()
	return slices.ContainsFunc(v.Secrets(), func(x client.Secret) bool {
		plain := x.Value.Value[x.Start:x.End]
		quoted := strings.Trim(source.Quote(plain), `"`)
		return slices.ContainsFunc(edits, func(e finding.Edit) bool {
			return strings.Contains(e.Text, plain) || strings.Contains(e.Text, quoted)
		})
	})
}
