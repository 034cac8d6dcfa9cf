package report

import (
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/secret"
)

// mask takes the secrets whose form is known out of every text of the report that a stranger wrote, wherever it comes
// from: a server's name or a JSON key may be one. Messages come without them (rule.Pass). Paths stay as they are, since a
// report is of no use without them.
func (rep *Report) mask() {
	for i := range rep.Subjects {
		clean(&rep.Subjects[i].Name)
		if r := rep.Subjects[i].Risk; r != nil {
			for k := range r.Reasons {
				clean(&r.Reasons[k])
			}
		}
		if p := rep.Subjects[i].Protocol; p != nil {
			own := *p
			own.Capabilities = slices.Clone(p.Capabilities)
			for k := range own.Capabilities {
				clean(&own.Capabilities[k])
			}
			for _, words := range []*string{&own.Requested, &own.Negotiated, &own.Era, &own.ServerInfo.Name, &own.ServerInfo.Version} {
				clean(words)
			}
			rep.Subjects[i].Protocol = &own
		}
	}
	for i := range rep.Findings {
		cleanFinding(&rep.Findings[i])
	}
	if c := rep.Compared; c != nil {
		for i := range c.Gone {
			cleanFinding(&c.Gone[i])
		}
		for i := range c.Changed {
			cleanFinding(&c.Changed[i].Finding)
		}
		for i := range c.Notes {
			clean(&c.Notes[i])
		}
	}
	for i := range rep.Skipped {
		clean(&rep.Skipped[i].Detail)
	}
	for i := range rep.Incomplete {
		clean(&rep.Incomplete[i].Detail)
	}
	if rep.Posture != nil {
		for _, c := range rep.Posture.Clients {
			for i := range c.Servers {
				clean(&c.Servers[i].Name)
			}
		}
	}
	if h := rep.Health; h != nil {
		for i := range h.Secrets {
			clean(&h.Secrets[i].Server)
			clean(&h.Secrets[i].Key)
		}
		for i := range h.Issues {
			clean(&h.Issues[i].Message)
		}
		if h.CrossClient != nil {
			for i := range h.CrossClient.Drift {
				clean(&h.CrossClient.Drift[i].Name)
			}
		}
	}
	for i := range rep.Guards {
		clean(&rep.Guards[i].Server)
		clean(&rep.Guards[i].Policy)
	}
	if c := rep.ScoreCard; c != nil {
		clean(&c.Target)
		clean(&c.Capped)
		for i := range c.Lanes {
			clean(&c.Lanes[i].Revision)
			for _, s := range c.Lanes[i].Sections.All() {
				for k := range s.Rows {
					r := &s.Rows[k]
					for _, words := range []*string{&r.Check, &r.Expected, &r.Effect, &r.Fix} {
						clean(words)
					}
				}
			}
		}
	}
}

func cleanFinding(f *finding.Finding) {
	f.Location.Pointer = cleanPointer(f.Location.Pointer)
	for r := range f.Related {
		clean(&f.Related[r].Message)
		if l := f.Related[r].Location; l != nil && l.Pointer != "" {
			own := *l
			own.Pointer = cleanPointer(l.Pointer)
			f.Related[r].Location = &own
		}
	}
	f.Fix = cleanFix(f.Fix)
	if s := f.Suppression; s != nil {
		f.Suppression = &finding.Suppression{Kind: s.Kind, Reason: secret.Mask(s.Reason), Owner: secret.Mask(s.Owner), Expires: s.Expires}
	}
}

// cleanPointer masks the names in a JSON Pointer, where "/" is written as "~1" (RFC 6901).
func cleanPointer(p string) string {
	for from := 0; from < len(p); {
		end := len(p)
		if i := strings.IndexByte(p[from+1:], '/'); i >= 0 {
			end = from + 1 + i
		}
		name := p[from+1 : end]
		if strings.Contains(name, "~1") {
			name = strings.ReplaceAll(name, "~1", "/")
		}
		if masked := secret.Mask(name); masked != name {
			masked = strings.ReplaceAll(masked, "/", "~1")
			p = p[:from+1] + masked + p[end:]
			end = from + 1 + len(masked)
		}
		from = end
	}
	return p
}

func clean(s *string) { *s = secret.Mask(*s) }

// cleanFix is the fix without a secret. An edit is nothing without its text: where that holds one, the fix is made by
// --fix alone. So it is where a fix has more edits than anybody reads.
func cleanFix(x *finding.Fix) *finding.Fix {
	if x == nil {
		return nil
	}
	own := *x
	clean(&own.Title)
	own.Exports = nil
	for _, e := range x.Exports {
		own.Exports = append(own.Exports, secret.Mask(e))
	}
	if len(x.Edits) > limits.Default.ShownEdits {
		own.Edits = nil
	}
	for _, e := range own.Edits {
		if secret.Mask(e.Text) != e.Text {
			own.Edits = nil
			break
		}
	}
	return &own
}
