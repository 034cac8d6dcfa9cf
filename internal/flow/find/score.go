package find

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/source"
	"github.com/mcpassay/mcpassay/internal/text"
)

// What a judgement is made of is said by the model, so that reports can hold it.
type (
	Finding    = trust.Finding
	Assessment = trust.Assessment
	Score      = trust.Score
	Breakdown  = trust.Breakdown
	Evidence   = trust.Evidence
)

// Why is a description with all that the judgement is made of. Its first members are those of the seed's why --json.
type Why struct {
	*Info
	Score                    int        `json:"score"`
	MaxPossible              int        `json:"maxPossible"`
	Level                    string     `json:"level"`
	Breakdown                Breakdown  `json:"breakdown"`
	ExternalScannerAvailable bool       `json:"externalScannerAvailable"`
	RegistryMetaCapped       bool       `json:"registryMetaCapped"`
	Provenance               string     `json:"provenance"` // attested, unsigned, not-run
	Findings                 []Finding  `json:"findings"`
	EnvironmentVariables     []Input    `json:"environmentVariables"`
	Evidence                 []Evidence `json:"evidence"`
	Pins                     []Pin      `json:"pins"`
}

const day = 24 * time.Hour

// judged is the judgement on one record while it is made.
type judged struct {
	f        *Finder
	rec      *registry.Record
	findings []Finding
	checks   map[string]string
	evidence []Evidence
	attested string
	capped   bool
	Score
}

func (f *Finder) judge(r *registry.Record) *judged {
	j := &judged{f: f, rec: r, findings: []Finding{}, attested: trust.NotRun, checks: map[string]string{"staticScan": "completed", "healthCheck": "not_run", "externalScan": "not_run",
		"releaseCooldown": "not_run", "packageIntegrity": "not_run", "provenance": "not_run"}}
	j.texts()
	j.credentials()
	if n := len(j.findings); n > 0 {
		j.say("texts", trust.Fail, text.Count(n, "finding")+" in what the record says")
	} else {
		j.say("texts", trust.Pass, "nothing in what the record says is aimed at a model, hidden or secret")
	}
	j.status()
	if i := slices.IndexFunc(r.Packages, func(p registry.Package) bool { return p.Type == string(pkg.NPM) }); i >= 0 {
		j.find(trust.Low, "install-script", "npx downloads it when it starts, and runs its install scripts", fmt.Sprintf("/packages/%d", i))
	}
	j.add()
	return j
}

// Scan looks for what a record's texts tell a model, for what they hide, and for secrets. It asks nobody.
func (f *Finder) Scan(r *registry.Record) []Finding {
	j := &judged{f: f, rec: r, findings: []Finding{}}
	j.texts()
	j.credentials()
	return j.findings
}

func (j *judged) say(check, state, detail string) {
	j.evidence = append(j.evidence, Evidence{Check: check, State: state, Detail: j.f.words(detail)})
}

func (j *judged) find(severity, kind, message, at string) {
	if len(j.findings) < j.f.Limits.ShownFaults {
		j.findings = append(j.findings, Finding{Severity: severity, Type: kind, Message: j.f.words(message), Location: j.f.words(at)})
	}
}

// Texts is what is found in the words of a record: by the rules that judge what a model reads.
func (f *Finder) Texts(r *registry.Record) []Finding {
	j := &judged{f: f, rec: r, findings: []Finding{}}
	j.texts()
	return j.findings
}

// status judges what the registry says of the version.
func (j *judged) status() {
	switch o := j.rec.Official; o.Status {
	case registry.Active:
		j.say("registry-status", trust.Pass, "active")
	case "":
		j.say("registry-status", trust.NotRun, "the registry says nothing of its state")
	case registry.Gone, registry.Deprecated:
		said := string(o.Status) + ": " + cmp.Or(o.Message, "the registry gives no reason")
		j.find(trust.Medium, "registry-status", said, "/_meta/status")
		j.say("registry-status", trust.Fail, said)
	default:
		j.say("registry-status", trust.NotRun, "a state that is not known: "+string(o.Status))
	}
}

// texts runs the rules about what a model is told over each text of the record: people and models read those.
func (j *judged) texts() {
	type span struct {
		from, to int
		at       string
	}
	var spans []span
	raw := []byte(`{"tools":[`)
	add := func(at, words string) {
		if strings.TrimSpace(words) == "" {
			return
		}
		if len(spans) > 0 {
			raw = append(raw, ',')
		}
		from := len(raw)
		raw = append(raw, fmt.Sprintf(`{"name":"text%d","inputSchema":{"type":"object"},"description":%s}`, len(spans), source.Quote(words))...)
		spans = append(spans, span{from, len(raw), at})
	}
	r := j.rec
	add("/title", r.Title)
	add("/description", r.Description)
	inputs := func(at string, all []registry.Input) {
		for i, in := range all {
			add(fmt.Sprintf("%s/%d/description", at, i), in.Description)
			for _, v := range in.Variables {
				add(fmt.Sprintf("%s/%d/variables/%s/description", at, i, v.Name), v.Description)
			}
		}
	}
	for i, p := range r.Packages {
		at := fmt.Sprintf("/packages/%d", i)
		inputs(at+"/environmentVariables", p.Env)
		inputs(at+"/runtimeArguments", p.RuntimeArgs)
		inputs(at+"/packageArguments", p.Args)
		inputs(at+"/transport/headers", p.Transport.Headers)
	}
	for i, t := range r.Remotes {
		inputs(fmt.Sprintf("/remotes/%d/headers", i), t.Headers)
	}
	if len(spans) == 0 {
		return
	}
	doc, err := source.Parse("record", append(raw, `]}`...), source.JSON, j.f.Limits)
	if err != nil {
		j.find(trust.High, "registry-record", "its texts can not be read: "+err.Error(), "")
		return
	}
	found, incomplete := engine.Judge(engine.Input{Cards: []*card.File{card.Read(doc)}, Rules: about(), Facts: j.f.Facts, Limits: j.f.Limits})
	for _, f := range found {
		at := ""
		for i, s := range spans {
			if s.from <= f.Location.Offset && f.Location.Offset < s.to {
				at = s.at
				f.Message = strings.Replace(f.Message, fmt.Sprintf("The tool text%d ", i), "What the record says ", 1)
			}
		}
		severity := map[finding.Severity]string{finding.Error: trust.High, finding.Warning: trust.Medium, finding.Info: trust.Low}[f.Severity]
		if r, ok := catalog.ByID(f.Rule); ok && slices.Contains(r.Tags, rule.Block) {
			severity = trust.Critical
		}
		j.find(severity, f.Rule, f.Message, at)
	}
	for _, i := range incomplete {
		j.find(trust.High, "registry-record", "a rule could not judge it: "+i.Detail, "")
	}
}

// about are the rules that say something of a text, whoever's it is.
func about() (rules []*rule.Rule) {
	for _, r := range catalog.All() {
		if (r.Card != nil || r.Surface != nil) && slices.ContainsFunc(r.Tags, func(tag string) bool { return tag == rule.Poisoning || tag == rule.Unicode || tag == rule.Block }) {
			rules = append(rules, r)
		}
	}
	return rules
}

// credentials looks for secrets that a publisher left in a record.
func (j *judged) credentials() {
	look := func(at string, all []registry.Input) {
		for i, in := range all {
			for _, v := range [][2]string{{"value", in.Value}, {"default", in.Default}} {
				for _, hit := range secret.Value(in.Name, v[1]) {
					j.find(trust.Critical, "credential", hit.Title+" in the record", fmt.Sprintf("%s/%d/%s", at, i, v[0]))
				}
			}
		}
	}
	r := j.rec
	for _, t := range [][2]string{{"/title", r.Title}, {"/description", r.Description}, {"/_meta/statusMessage", r.Official.Message}} {
		for _, hit := range secret.Text(t[1]) {
			j.find(trust.Critical, "credential", hit.Title+" in the record", t[0])
		}
	}
	for i, p := range r.Packages {
		at := fmt.Sprintf("/packages/%d", i)
		look(at+"/environmentVariables", p.Env)
		look(at+"/runtimeArguments", p.RuntimeArgs)
		look(at+"/packageArguments", p.Args)
		look(at+"/transport/headers", p.Transport.Headers)
	}
	for i, t := range r.Remotes {
		at := fmt.Sprintf("/remotes/%d", i)
		look(at+"/headers", t.Headers)
		for range secret.URL(t.URL) {
			j.find(trust.Critical, "credential", "a secret in a URL of the record", at+"/url")
		}
	}
}

// cooldown judges the age of the release.
func (j *judged) cooldown(r *registry.Record) {
	at := r.Official.Published
	if at.IsZero() {
		j.say("release-age", trust.NotRun, "the registry does not say when it was published")
		return
	}
	j.checks["releaseCooldown"] = "completed"
	switch age := j.f.Now().Sub(at); {
	case age < 0:
		j.find(trust.Medium, "release-cooldown", "it was published in the future: "+when(at), "/_meta/publishedAt")
		j.say("release-age", trust.Fail, "published in the future: "+when(at))
	case age < j.f.Limits.ReleaseFresh:
		j.find(trust.Medium, "release-cooldown", fmt.Sprintf("it was published %v ago, and nobody may have looked at it yet", age.Round(time.Minute)), "/_meta/publishedAt")
		j.say("release-age", trust.Fail, fmt.Sprintf("published %v ago, less than %v", age.Round(time.Minute), j.f.Limits.ReleaseFresh))
	default:
		j.say("release-age", trust.Pass, fmt.Sprintf("published %d days ago", int(age/day)))
	}
}

// pinned takes down what the registry of a package says.
func (j *judged) pinned(p *pkg.Pin, err error) {
	var un *pkg.Unenforceable
	switch {
	case errors.As(err, &un):
		j.say("package-integrity", trust.NotRun, "unenforceable: "+un.Error())
		return
	case err != nil:
		j.say("package-integrity", trust.NotRun, err.Error())
		return
	}
	j.checks["packageIntegrity"] = "completed"
	name := strings.TrimSpace(p.Name + " " + p.Version)
	j.say("package-integrity", trust.Pass, fmt.Sprintf("%s is known by %s", name, strings.Join(short(p.Digests()), ", ")))
	if p.Deprecated != "" || p.Yanked {
		j.find(trust.Medium, "registry-status", name+" is withdrawn: "+cmp.Or(p.Deprecated, "yanked"), "/packages")
		j.say("package-status", trust.Fail, name+" is withdrawn: "+cmp.Or(p.Deprecated, "yanked"))
	}
	if len(p.InstallScripts) > 0 {
		j.say("install-scripts", trust.Fail, name+" runs code when it is installed: "+strings.Join(p.InstallScripts, ", "))
	} else if p.Type == pkg.NPM {
		j.say("install-scripts", trust.Pass, name+" runs no code when it is installed")
	}
	if p.Type != pkg.NPM && p.Type != pkg.PyPI {
		return
	}
	// Whether a signature holds is for who verifies it: here is only said that there is one.
	if p.Attestations != "" {
		j.attested = "attested"
		j.say("provenance", trust.NotRun, name+" has attestations, which nobody has verified here")
		return
	}
	j.checks["provenance"] = "completed"
	if j.attested != "attested" {
		j.attested = "unsigned"
	}
	j.say("provenance", trust.Fail, name+" has no attestation")
}

func short(digests []string) (out []string) {
	const shown = 3
	for i, d := range digests {
		if i == shown {
			return append(out, fmt.Sprintf("%d more", len(digests)-shown))
		}
		out = append(out, d)
	}
	return out
}

func (j *judged) unpackaged() {
	j.say("package-integrity", trust.NotRun, "unenforceable: it runs elsewhere, and what runs there can change at any time")
}

// add makes the score.
func (j *judged) add() {
	c := trust.Checked{Findings: j.findings, Active: trust.NotRun, Aged: trust.NotRun}
	if o := j.rec.Official; o.Status != "" {
		c.Active = stateOf(o.Status == registry.Active)
	}
	if at := j.rec.Official.Published; !at.IsZero() {
		c.Aged = stateOf(j.f.Now().Sub(at) > j.f.Limits.ReleaseAged)
	}
	j.Score, j.capped = trust.Rate(c)
}

func stateOf(passed bool) string {
	if passed {
		return trust.Pass
	}
	return trust.Fail
}

func (j *judged) assessment() Assessment {
	return Assessment{MaxAchievableScore: trust.Ceiling, Checks: j.checks, Findings: j.findings}
}

// tell puts the judgement into the answer.
func (w *Why) tell(j *judged) {
	j.add()
	w.TrustScore, w.Assessment = j.Score, j.assessment()
	w.Score, w.MaxPossible, w.Level, w.Breakdown = j.Score.Score, j.MaxPossible, j.Level, j.Breakdown
	w.RegistryMetaCapped, w.Provenance, w.Findings, w.Evidence = j.capped, j.attested, j.findings, j.evidence
	w.EnvironmentVariables = []Input{}
	for _, p := range w.Packages {
		for _, in := range p.EnvironmentVariables {
			if !slices.ContainsFunc(w.EnvironmentVariables, func(have Input) bool { return have.Name == in.Name }) {
				w.EnvironmentVariables = append(w.EnvironmentVariables, in)
			}
		}
	}
	if w.Pins == nil {
		w.Pins = []Pin{}
	}
}
