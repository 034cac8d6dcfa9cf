package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// writing are the skills that change files of the user: they show what they would do, unless the server was started so that
// they may do it. Whatever a caller says, a gate that stops the verb stops them.
func (b *shop) writing() []Skill {
	return []Skill{
		{Name: "mcpassay_up", Title: "Put the project's servers into clients", Description: upText + b.mode(), Input: upInput(), Output: upOutput(),
			OpenWorld: true, Slow: true, Local: true, Writes: b.write, Call: b.up},
		{Name: "mcpassay_install", Title: "Add a server of the registry", Description: installText + b.mode() + untrusted, Input: installInput(), Output: installOutput(),
			OpenWorld: true, Slow: true, Local: true, Writes: b.write, Call: b.install},
		{Name: "mcpassay_setup", Title: "Find and add servers for what is wanted", Description: setupText + b.mode() + untrusted, Input: setupInput(), Output: setupOutput(),
			OpenWorld: true, Slow: true, Local: true, Writes: b.write, Call: b.setup},
	}
}

// mode says in a description whether anything is written.
func (b *shop) mode() string {
	if b.write {
		return " It writes, unless dryRun is true: a person should have seen a dry run before."
	}
	return " This server was started without --allow-write: it shows what it would do, and writes nothing."
}

// dry says whether a call writes nothing.
func (b *shop) dry(asked bool) bool { return asked || !b.write }

func (b *shop) audit(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct {
		Offline bool `json:"offline"`
	}
	if err := arguments(raw, &a, "offline, if need be"); err != nil {
		return Result{}, err
	}
	return b.run(ctx, flag([]string{"audit", "--report-json"}, "--offline", a.Offline)...)
}

func (b *shop) up(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct {
		StackFile string `json:"stackFile"`
		Profile   string `json:"profile"`
		Client    string `json:"client"`
		DryRun    bool   `json:"dryRun"`
		Frozen    bool   `json:"frozen"`
	}
	if err := arguments(raw, &a, "if need be stackFile, profile, client, frozen and dryRun"); err != nil {
		return Result{}, err
	}
	words := flag(flag([]string{"up", "--json", "--ci"}, "--dry-run", b.dry(a.DryRun)), "--frozen", a.Frozen)
	if a.StackFile != "" {
		at, err := b.inside("stackFile", a.StackFile)
		if err != nil {
			return Result{}, err
		}
		words = append(words, "--file="+at)
	}
	var err error
	if words, err = b.named(words, "profile", a.Profile); err == nil {
		words, err = b.named(words, "client", a.Client)
	}
	if err != nil {
		return Result{}, err
	}
	return b.run(ctx, words...)
}

// named adds a flag whose value is one name.
func (b *shop) named(words []string, name, value string) ([]string, error) {
	if err := bounded(name, value, b.lim.ServeNameRunes); err != nil {
		return nil, err
	}
	if strings.ContainsAny(value, `,"`) {
		return nil, errors.New(name + " is one name")
	}
	if value != "" {
		words = append(words, "--"+name+"="+value)
	}
	return words, nil
}

// minTrust is what a server must reach, in per cent, where a caller says nothing, and the least that he may say (mcpm: 50, 25).
const (
	minTrust   = 50
	floorTrust = 25
)

// wish is what mcpassay_install and mcpassay_setup are asked beside.
type wish struct {
	Client   string `json:"client"`
	MinTrust *int   `json:"minTrustScore"`
	DryRun   bool   `json:"dryRun"`
}

func (b *shop) install(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		wish
	}
	if err := arguments(raw, &a, "name, a server's, and if need be version, client, minTrustScore and dryRun"); err != nil {
		return Result{}, err
	}
	words, err := b.adding(a.Name, a.Version, a.wish)
	if err != nil {
		return Result{}, err
	}
	r, err := b.run(ctx, words...)
	if err != nil {
		return Result{}, err
	}
	return r, refused(r)
}

// adding is the command line that adds a server of the registry. Packages and addresses of nobody's record a person adds.
func (b *shop) adding(name, version string, w wish) ([]string, error) {
	if err := errors.Join(bounded("name", name, b.lim.ServeNameRunes), bounded("version", version, b.lim.ServeNameRunes)); err != nil {
		return nil, err
	}
	if strings.Count(name, "/") != 1 || strings.ContainsAny(name, ": @\\") || name[0] == '-' {
		return nil, errors.New("name is no name of the registry: mcpassay_search finds names, such as io.github.example/files")
	}
	trust := minTrust
	if w.MinTrust != nil {
		trust = *w.MinTrust
	}
	if trust < floorTrust || trust > 100 {
		return nil, fmt.Errorf("minTrustScore is %d to 100", floorTrust)
	}
	words, err := b.named(flag([]string{"add", "--json", "--yes", fmt.Sprintf("--min-trust=%d", trust)}, "--dry-run", b.dry(w.DryRun)), "client", w.Client)
	if err != nil {
		return nil, err
	}
	if version != "" {
		name += "@" + version
	}
	return append(words, name), nil
}

// refused is why a server was not added: the registry deleted it, a gate stops it, a file could not be written. A tool that was to
// add one and did not has failed.
func refused(r Result) error {
	var said struct {
		Blocked []struct{ Server, Gate, Detail string }
		Failed  []struct{ Client, Path, Detail string }
	}
	if err := json.Unmarshal(r.JSON, &said); err != nil {
		return errors.New("the answer can not be read")
	}
	var why []string
	for _, s := range said.Blocked {
		why = append(why, s.Server+" is blocked by "+s.Gate+": "+s.Detail)
	}
	for _, s := range said.Failed {
		why = append(why, strings.TrimSpace(s.Client+" "+s.Path)+": "+s.Detail)
	}
	if len(why) > 0 {
		return errors.New(strings.Join(why, "; "))
	}
	return nil
}

// Setup is the answer of mcpassay_setup, schema version 1.
type Setup struct {
	SchemaVersion int      `json:"schemaVersion"`
	DryRun        bool     `json:"dryRun"`
	Keywords      []string `json:"keywords"`
	// Installed were added; WouldInstall are those that a dry run would add.
	Installed    []SetupRow  `json:"installed"`
	WouldInstall []SetupRow  `json:"wouldInstall"`
	Skipped      []SetupSkip `json:"skipped"`
}

// SetupRow is the server that was chosen for a keyword.
type SetupRow struct {
	Keyword    string `json:"keyword"`
	Name       string `json:"name"`
	Version    string `json:"version"`
	TrustScore int    `json:"trustScore"`
}

// SetupSkip is what was not added for a keyword, and why. A keyword may have several.
type SetupSkip struct {
	Keyword string `json:"keyword"`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
}

// found is a row of search --json.
type found struct {
	Name, Version string
	TrustScore    int
	Status        struct {
		Status, StatusMessage *string
		BlocksInstall         bool
	} `json:"registryStatus"`
}

func (b *shop) setup(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct {
		Description string `json:"description"`
		wish
	}
	if err := arguments(raw, &a, "description, what is wanted in words, and if need be client, minTrustScore and dryRun"); err != nil {
		return Result{}, err
	}
	if err := bounded("description", strings.Join(strings.Fields(a.Description), " "), b.lim.ServeSetupRunes); err != nil {
		return Result{}, err
	}
	words := keywords(a.Description, b.lim.ServeKeywords)
	if len(words) == 0 {
		return Result{}, errors.New("description names nothing to look for: write it as \"github issues and postgres\"")
	}
	if _, err := b.adding("io.github.example/server", "", a.wish); err != nil { // before anybody is asked
		return Result{}, err
	}
	w := &bench{lim: b.lim}
	return w.work(ctx, b.slots, func() (Result, error) { return b.choose(ctx, words, a.wish) })
}

// choose finds the best candidate for each keyword and adds it.
func (b *shop) choose(ctx context.Context, words []string, w wish) (Result, error) {
	out := Setup{SchemaVersion: 1, DryRun: b.dry(w.DryRun), Keywords: words, Installed: []SetupRow{}, WouldInstall: []SetupRow{}, Skipped: []SetupSkip{}}
	skip := func(word, name, why string) { out.Skipped = append(out.Skipped, SetupSkip{word, name, why}) }
	taken := map[string]string{}
	asked := 0
	var unasked error
	for _, word := range words {
		rows, err := b.candidates(ctx, word)
		if err != nil {
			unasked = err
			skip(word, "", "the registry was not asked: "+err.Error())
			continue
		}
		asked++
		rows = slices.DeleteFunc(rows, func(f found) bool {
			if f.Status.BlocksInstall {
				skip(word, f.Name, "it was deleted from the registry: "+orNothing(f.Status.StatusMessage))
			}
			return f.Status.BlocksInstall
		})
		if len(rows) == 0 {
			skip(word, "", "the registry has no server of that name that may be installed")
			continue
		}
		best := slices.MinFunc(rows, func(x, y found) int { return better(x, y, word) })
		if first, ok := taken[best.Name]; ok {
			skip(word, best.Name, "it was chosen for "+first+" already")
			continue
		}
		taken[best.Name] = word
		line, err := b.adding(best.Name, "", w)
		var r Result
		if err == nil {
			r, err = b.jobs.Verb(ctx, line...)
		}
		if err == nil {
			err = refused(r)
		}
		if err != nil {
			skip(word, best.Name, err.Error())
			continue
		}
		row := SetupRow{word, best.Name, best.Version, best.TrustScore}
		if out.DryRun {
			out.WouldInstall = append(out.WouldInstall, row)
		} else {
			out.Installed = append(out.Installed, row)
		}
	}
	if asked == 0 {
		return Result{}, unasked
	}
	doc, err := json.Marshal(out)
	return Result{JSON: doc, Text: string(doc)}, err
}

func orNothing(s *string) string {
	if s == nil || *s == "" {
		return "it gives no reason"
	}
	return *s
}

// candidates are the servers of the registry with a word in their name, deleted ones included.
func (b *shop) candidates(ctx context.Context, word string) ([]found, error) {
	r, err := b.jobs.Verb(ctx, "search", "--json", "--include-deleted", "--", word)
	if err != nil {
		return nil, err
	}
	var said struct{ Servers []found }
	if err := json.Unmarshal(r.JSON, &said); err != nil {
		return nil, errors.New("the answer can not be read")
	}
	return said.Servers, nil
}

// better orders candidates, the best first: those that are active, by their score, by how near the name is to the word.
func better(x, y found, word string) int {
	active := func(f found) int {
		if f.Status.Status != nil && *f.Status.Status == "active" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(active(x), active(y)), cmp.Compare(y.TrustScore, x.TrustScore), cmp.Compare(far(x.Name, word), far(y.Name, word)), cmp.Compare(x.Name, y.Name))
}

// far is 0 for a name that is the word, and grows with what the name has beside it.
func far(name, word string) int {
	last := strings.ToLower(path.Base(name))
	if last == word {
		return 0
	}
	if strings.Contains(last, word) {
		return len(last)
	}
	return 2*len(last) + len(name)
}

// filler are words that say nothing of which server is wanted.
var filler = sync.OnceValue(func() []string {
	return strings.Fields("the and for with from that this these those want wants need needs use using can could you your our my me to in on of or an all any some set setup up install add get give please help " +
		"server servers mcp tool tools agent agents access manage read write work working like into via model context protocol would should have has also which what when where how let make")
})

// keywords are the words of a description that say what is wanted, in their order, each once. The registry takes three characters
// at least.
func keywords(description string, most int) []string {
	words := []string{}
	for _, w := range strings.FieldsFunc(strings.ToLower(description), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }) {
		w = strings.Trim(w, "-")
		if len([]rune(w)) < 3 || slices.Contains(filler(), w) || slices.Contains(words, w) {
			continue
		}
		if len(words) == most {
			break
		}
		words = append(words, w)
	}
	return words
}

const (
	auditText = "Says of every server that the clients of this machine are configured with what is known of it, check by check: its record, its pin, its package, known vulnerabilities. " +
		"Starts nothing. A check that did not run did not pass; read inventory, assessment and outcome together."
	upText      = "Puts the servers of mcpassay.yaml, as mcpassay.lock holds them, into the config files of clients. Servers that a gate stops are under blocked."
	installText = "Adds a server of the registry to mcpassay.yaml and mcpassay.lock, and with client to that client's config. What a gate stops, and what the registry deleted, fails. " +
		"Example: name=\"io.github.example/files\"."
	setupText = "Takes what is wanted in words, finds the best candidate of the registry for each keyword, and adds it. Deleted matches are dropped and listed under skipped, with the reason. " +
		"Example: description=\"github issues and postgres\"."
	dryInput = `"dryRun":{"type":"boolean","default":false,"description":"Show what would be done. Without --allow-write it is never otherwise."}`
)

var (
	auditInput = func() json.RawMessage {
		return input(offlineInput)
	}
	upInput = func() json.RawMessage {
		return input(`"stackFile":{"type":"string","description":"The mcpassay.yaml, below the working folder. Left out: the nearest."},"profile":{"type":"string","description":"Only the servers of this profile."},` +
			`"client":{"type":"string","description":"Only this client."},"frozen":{"type":"boolean","default":false,"description":"The lock must hold all of it, and verify."},` + dryInput)
	}
	wishInput    = `"client":{"type":"string","description":"Put it into this client's config too, such as cursor."},"minTrustScore":{"type":"integer","minimum":25,"maximum":100,"default":50,"description":"Per cent of what the checks that ran could reach."},` + dryInput
	installInput = func() json.RawMessage {
		return need(input(`"name":{"type":"string","maxLength":256,"description":"The whole name, such as io.github.example/files."},"version":{"type":"string","maxLength":256,"description":"A version or a range. Left out: the latest."},`+wishInput), "name")
	}
	setupInput = func() json.RawMessage {
		return need(input(`"description":{"type":"string","maxLength":1000,"description":"What is wanted, in words."},`+wishInput), "description")
	}
)

func auditOutput() json.RawMessage {
	return json.RawMessage(`{"type":"object","required":["schemaVersion","outcome","inventory","assessment","items"],"properties":{"schemaVersion":{"const":1},"outcome":{"type":"string"},"inventory":{"type":"object"},` +
		`"assessment":{"type":"object"},"items":{"type":"array","items":{"type":"object","required":["name","client","trustScore","checks","error"],"properties":{"name":{"type":"string"` + strange +
		`},"client":{"type":"string"},"trustScore":{"type":"object"},"checks":{"type":"array"},"error":{"type":["string","null"],"description":"why it was not assessed"}}}}}}`)
}

const placesOutput = `{"type":"array","items":{"type":"object","properties":{"server":{"type":"string"},"client":{"type":"string"},"path":{"type":"string"},"detail":{"type":"string"}}}}`

const blockedOutput = `{"type":"array","items":{"type":"object","required":["server","gate","detail"],"properties":{"server":{"type":"string"},"gate":{"type":"string"},"detail":{"type":"string"` + strange + `}}}}`

func upOutput() json.RawMessage {
	return json.RawMessage(`{"type":"object","required":["schemaVersion","ok","dryRun","installed","blocked","failed","skipped","notices","error"],"properties":{"schemaVersion":{"const":1},` +
		`"ok":{"type":"boolean"},"dryRun":{"type":"boolean"},"installed":{"type":"array","items":{"type":"string"}},"blocked":` + blockedOutput + `,"failed":` + placesOutput + `,"skipped":` + placesOutput +
		`,"notices":{"type":"array","items":{"type":"string"}},"error":{"type":["string","null"]}}}`)
}

func installOutput() json.RawMessage {
	return json.RawMessage(`{"type":"object","required":["schemaVersion","installed","name","version","clients","trustScore","dryRun"],"properties":{"schemaVersion":{"const":1},"installed":{"type":"boolean"},` +
		`"name":{"type":"string"},"version":{"type":"string"},"clients":{"type":"array","items":{"type":"string"}},"trustScore":{"type":"number"},"dryRun":{"type":"boolean"}}}`)
}

func setupOutput() json.RawMessage {
	row := `{"type":"array","items":{"type":"object",` + members("keyword string", "name string", "version string", "trustScore integer") + `}}`
	return json.RawMessage(`{"type":"object","required":["schemaVersion","dryRun","keywords","installed","wouldInstall","skipped"],"properties":{"schemaVersion":{"const":1},"dryRun":{"type":"boolean"},` +
		`"keywords":{"type":"array","items":{"type":"string"}},"installed":` + row + `,"wouldInstall":` + row + `,"skipped":{"type":"array","items":{"type":"object","required":["keyword","name","reason"],` +
		`"properties":{"keyword":{"type":"string"},"name":{"type":"string"},"reason":{"type":"string"` + strange + `}}}}}}`)
}
