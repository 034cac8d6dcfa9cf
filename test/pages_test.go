package test

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/verify"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/manifest"
	trusted "github.com/mcpassay/mcpassay/internal/model/trust"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/sign"
	"github.com/mcpassay/mcpassay/internal/source"
)

// A rule's page is its documentation, its positive test, its negative test and the test of its fix. Its grammar:
//
//	# category/fault-name
//	One paragraph that says what the rule finds.
//	## Why            text
//	## Bad            fences with the files, a `facts` fence where the world matters, a `findings` fence
//	## Fixed          the files after every fix of the section before, where the rule has a fix
//	## Good           fences of files in which the rule finds nothing
//	## Severity …, ## References, and other headings: text only
//
// Bad, Fixed and Good may be repeated with words after them ("## Bad: in an argument"). A file fence names the
// language and the path ("```json .vscode/mcp.json"); a path under ~/ is the user's. A facts fence holds lines:
// `tracked`, `tracked unknown REASON`, `platform windows`, `env NAME`, `exists PATH`, `onpath NAME`.
// A findings fence holds lines `[path:]line:column severity message`.
//
// On a page of a rule on locks a file mcpassay.lock is one, and was.json and now.json are what a server exposed when it was
// pinned and what it exposes now; "launch" in them is how it is started. Behind it trust.yaml says whose signatures count, and
// gates.json what registries say of packages and records.
//
// A page of a rule on traffic has sessions: see judgeFrames.
//
// On a page of a rule on the machine a file mcpassay.lock is one that was found, the user's own where it lies below ~/.
//
// On a page of a rule on manifests a file server.json is one, and package.json, pyproject.toml, README.md and Dockerfile lie
// beside it.
//
// On a page of a rule on trust a file evidence.json holds what was found out about servers, by their names (model/trust); ages
// are as of 2026-11-30.
//
// A file whose name ends in tools.json holds what servers expose; one of cursor.tools.json is judged for that client.
// A mcpassay.yaml among the files is the policy. Policy and suppression comments apply as on 2026-11-30, and a page
// shows its own rule's active findings. Rules on the policy itself need the others' findings, so there all rules run.
type section struct {
	head     string
	files    []fence
	facts    []string
	findings []string
	hasFinds bool
}

type fence struct{ lang, path, text string }

var fenceHead = regexp.MustCompile("^```(\\S+)(?: (.+))?$")

func parsePage(t *testing.T, id, page string) []section {
	t.Helper()
	lines := strings.Split(page, "\n")
	if lines[0] != "# "+id {
		t.Fatalf("the page begins with %q, want %q", lines[0], "# "+id)
	}
	sections := []section{{}}
	for i := 1; i < len(lines); i++ {
		cur := &sections[len(sections)-1]
		if h, ok := strings.CutPrefix(lines[i], "## "); ok {
			sections = append(sections, section{head: h})
			continue
		}
		m := fenceHead.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var body []string
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			body = append(body, lines[i])
		}
		if i == len(lines) {
			t.Fatalf("a fence never ends")
		}
		text := strings.Join(body, "\n")
		switch m[1] {
		case "findings":
			cur.hasFinds = true
			cur.findings = append(cur.findings, body...)
		case "facts":
			cur.facts = append(cur.facts, body...)
		default:
			if m[2] != "" {
				cur.files = append(cur.files, fence{m[1], m[2], unescape(text) + "\n"})
			}
		}
	}
	return sections
}

// unescape lets a page show what no editor keeps: ␛ stands for ESC, ␀ for NUL, ␍ for CR, ⌘BOM⌘ for a byte order mark.
func unescape(s string) string {
	return strings.NewReplacer("␛", "\x1b", "␀", "\x00", "␍", "\r", "⌘BOM⌘", "\xEF\xBB\xBF").Replace(s)
}

// pageFacts is the world of a page.
type pageFacts struct {
	platform, untracked string
	tracked             rule.Tri
	env, exists, onpath map[string]bool
}

func newFacts(t *testing.T, lines []string) *pageFacts {
	f := &pageFacts{platform: "linux", tracked: rule.No, env: map[string]bool{}, exists: map[string]bool{}, onpath: map[string]bool{}}
	for _, l := range lines {
		word, rest, _ := strings.Cut(l, " ")
		switch word {
		case "tracked":
			f.tracked = rule.Yes
			if why, ok := strings.CutPrefix(rest, "unknown "); ok {
				f.tracked, f.untracked = rule.Unknown, why
			}
		case "platform":
			f.platform = rest
		case "env":
			f.env[rest] = true
		case "exists":
			f.exists[rest] = true
		case "onpath":
			f.onpath[rest] = true
		default:
			t.Fatalf("unknown fact %q", l)
		}
	}
	return f
}

const pageHome, pageRoot = "/home/u", "/work/p"

func (f *pageFacts) Platform() string                        { return f.platform }
func (f *pageFacts) Home() string                            { return pageHome }
func (f *pageFacts) Tracked(*client.File) (rule.Tri, string) { return f.tracked, f.untracked }
func (f *pageFacts) Env(name string) rule.Tri                { return rule.Of(f.env[name]) }
func (f *pageFacts) OnPath(name string) rule.Tri             { return rule.Of(f.onpath[name]) }
func (f *pageFacts) Exists(p string) rule.Tri {
	rel, ok := strings.CutPrefix(p, pageRoot+"/")
	return rule.Of(ok && f.exists[rel] || f.exists[p])
}

// open reads a fence as the program reads a file at that path.
func open(t *testing.T, fn fence, platform string) *client.File {
	t.Helper()
	f := client.Identify(client.Where{Path: fn.path, Root: pageRoot, Env: client.Env{OS: platform, Home: pageHome, Getenv: pageEnv(platform)}})
	f.Load([]byte(fn.text), limits.Default)
	return f
}

// openCards reads a fence whose file is named as lint looks for cards ("tools.json", "cursor.tools.json" for the client
// that --client names), and numbers its subjects.
func openCards(t *testing.T, fn fence) *card.File {
	t.Helper()
	name, ok := strings.CutSuffix(path.Base(fn.path), "tools.json")
	if !ok {
		return nil
	}
	doc, err := source.Parse(fn.path, []byte(fn.text), source.JSON, limits.Default)
	if err != nil {
		t.Fatalf("%s: %v", fn.path, err)
	}
	f := card.Read(doc)
	if f == nil {
		t.Fatalf("%s holds no cards", fn.path)
	}
	if id := strings.TrimSuffix(name, "."); id != "" {
		if f.Client, ok = client.ByID(id); !ok {
			t.Fatalf("%s: no client has the id %q", fn.path, id)
		}
	}
	for i, s := range f.Servers {
		s.Subject = fmt.Sprintf("s%d", i)
		for k, c := range s.Cards {
			c.Subject = fmt.Sprintf("s%d.%d", i, k)
		}
	}
	return f
}

func pageEnv(platform string) func(string) string {
	return func(name string) string {
		if platform == "windows" && name == "APPDATA" {
			return pageHome + "/AppData/Roaming"
		}
		return ""
	}
}

func judge(t *testing.T, r *rule.Rule, files []fence, facts *pageFacts) ([]finding.Finding, map[string]*source.Doc) {
	t.Helper()
	if r.Lock != nil {
		return judgeLock(t, r, files, facts), nil
	}
	if r.Manifest != nil {
		return judgeManifest(t, r, files, facts), nil
	}
	if r.Traffic != nil {
		return judgeFrames(t, r, files), nil
	}
	var machine rule.Machine
	files = slices.DeleteFunc(slices.Clone(files), func(fn fence) bool {
		if path.Base(fn.path) != lock.FileName || r.Machine == nil {
			return false
		}
		machine.Locks = append(machine.Locks, held(t, fn))
		return true
	})
	byPath := map[string]*source.Doc{}
	var known map[string]*trusted.Server
	var all []*client.File
	var cards []*card.File
	p := policy.Default()
	for _, fn := range files {
		if fn.path == policy.FileName {
			p = readPolicy(t, fn)
			continue
		}
		if fn.path == "evidence.json" {
			if err := json.Unmarshal([]byte(fn.text), &known); err != nil {
				t.Fatalf("%s: %v", fn.path, err)
			}
			continue
		}
		if c := openCards(t, fn); c != nil {
			cards = append(cards, c)
			byPath[c.Path] = c.Doc
			continue
		}
		f := open(t, fn, facts.platform)
		byPath[f.Path] = f.Doc
		all = append(all, f)
	}
	client.Shadow(all)
	rules := []*rule.Rule{r}
	if strings.HasPrefix(r.ID, "policy/") {
		rules = catalog.All()
	}
	machine.Files, machine.Today = all, pageToday()
	found, incomplete := engine.Judge(engine.Input{Files: all, Cards: cards, Machine: &machine, Trust: evidence(t, all, known), Rules: rules, Facts: facts, Limits: limits.Default})
	for _, i := range incomplete {
		t.Fatalf("%s: %s", i.Path, i.Detail)
	}
	var docs []*source.Doc
	for _, f := range all {
		if f.Doc != nil {
			docs = append(docs, f.Doc)
		}
	}
	for _, c := range cards {
		docs = append(docs, c.Doc)
	}
	found = p.Apply(found, docs, pageToday(), policy.Files(all, pageRoot))
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Rule != r.ID || f.Status != finding.Active })
	return found, byPath
}

// evidence is what a page says of the servers of its files. Every word of it must be about one of them.
func evidence(t *testing.T, files []*client.File, known map[string]*trusted.Server) (all []*trusted.Server) {
	t.Helper()
	age := func(at time.Time) *time.Duration {
		if at.IsZero() {
			return nil
		}
		d := pageToday().Sub(at)
		return &d
	}
	for _, f := range files {
		for _, s := range f.Servers {
			k := known[s.Name]
			if k == nil {
				continue
			}
			one := trusted.Of(s)
			for _, p := range k.Packages {
				i := slices.IndexFunc(one.Packages, func(have *trusted.Package) bool { return have.Name == p.Name })
				if i < 0 {
					t.Fatalf("%s starts no package %s", s.Name, p.Name)
				}
				have := *one.Packages[i]
				*one.Packages[i] = *p
				p = one.Packages[i]
				p.Type, p.Ecosystem, p.Want, p.Pin, p.Word, p.Start, p.End = have.Type, have.Ecosystem, have.Want, have.Pin, have.Word, have.Start, have.End
				p.Age = age(p.Published)
			}
			if one.Record = k.Record; one.Record != nil {
				one.Record.Age = age(one.Record.Published)
			}
			delete(known, s.Name)
			all = append(all, one)
		}
	}
	for name := range known {
		t.Fatalf("evidence.json speaks of %s, which no file has", name)
	}
	return all
}

// held is a lock as doctor finds it: one of the user where it lies in the home folder.
func held(t *testing.T, fn fence) *lock.Held {
	t.Helper()
	rest, own := strings.CutPrefix(fn.path, "~/")
	at := path.Join(pageRoot, fn.path)
	if own {
		at = path.Join(pageHome, rest)
	}
	h := &lock.Held{File: lock.Open(fn.path, at, []byte(fn.text), limits.Default), Own: own, Places: lock.Places{Project: path.Dir(at), Home: pageHome}}
	if h.Err != nil {
		t.Fatalf("%s: %v", fn.path, h.Err)
	}
	return h
}

// judgeLock runs a rule on a lock, or on what changed from one answer of a server to another.
func judgeLock(t *testing.T, r *rule.Rule, files []fence, facts *pageFacts) []finding.Finding {
	t.Helper()
	c := verify.Check{Locked: rule.Locked{File: &lock.File{Path: "was.json", Lock: &lock.Lock{}}, Today: pageToday()}, Facts: facts, Limits: limits.Default}
	var pinned []*lock.Server
	var cards []*card.Server
	for _, fn := range files {
		switch fn.path {
		case lock.FileName:
			c.File = lock.Open(fn.path, fn.path, []byte(fn.text), limits.Default)
		case "trust.yaml":
			doc, err := source.Parse(fn.path, []byte(fn.text), source.YAML, limits.Default)
			if err != nil {
				t.Fatal(err)
			}
			trust, err := sign.ReadTrust(doc, limits.Default)
			if err != nil {
				t.Fatal(err)
			}
			c.Demands(verify.Demand{Trust: trust})
		case "gates.json":
			if err := json.Unmarshal([]byte(fn.text), &c.Locked.Gates); err != nil {
				t.Fatal(err)
			}
		case policy.FileName:
			c.Covers(readPolicy(t, fn).Servers)
		default:
			doc, err := source.Parse(fn.path, []byte(fn.text), source.JSON, limits.Default)
			if err != nil {
				t.Fatal(err)
			}
			cards = append(cards, card.Read(doc).Servers[0])
			s, err := lock.Take("shop", cards[len(cards)-1])
			if err != nil {
				t.Fatal(err)
			}
			if l := doc.Root().Get("launch"); l.Valid() {
				if err := json.Unmarshal(l.Raw(), &s.Launch); err != nil {
					t.Fatal(err)
				}
			}
			pinned = append(pinned, s)
		}
	}
	if len(pinned) == 2 {
		c.Changes = drift.Compare(pinned[0], pinned[1], limits.Default)
		verify.Weigh(c.Changes, false, facts, limits.Default, func(string) (before, after *card.Server) { return cards[0], cards[1] })
	}
	found, incomplete := engine.Judge(engine.Input{Locks: []*rule.Locked{&c.Locked}, Rules: []*rule.Rule{r}, Facts: facts, Limits: limits.Default})
	for _, i := range incomplete {
		t.Fatalf("%s: %s", i.Path, i.Detail)
	}
	return found
}

// judgeManifest runs a rule on a server.json, with the other files beside it.
func judgeManifest(t *testing.T, r *rule.Rule, files []fence, facts *pageFacts) []finding.Finding {
	t.Helper()
	var f *manifest.File
	var beside manifest.Folder
	for _, fn := range files {
		parsed := func(format source.Format) *source.Doc {
			doc, err := source.Parse(fn.path, []byte(fn.text), format, limits.Default)
			if err != nil {
				t.Fatalf("%s: %v", fn.path, err)
			}
			return doc
		}
		switch path.Base(fn.path) {
		case manifest.FileName:
			if f = manifest.Open(fn.path, path.Join(pageRoot, fn.path), parsed(source.JSON)); f == nil {
				t.Fatalf("%s is no manifest", fn.path)
			}
		case "package.json":
			beside.Package = parsed(source.JSON)
		case "pyproject.toml":
			beside.Project = parsed(source.TOML)
		case "README.md":
			beside.Readme = &manifest.Text{Path: fn.path, Raw: []byte(fn.text)}
		case "Dockerfile":
			beside.Image = &manifest.Text{Path: fn.path, Raw: []byte(fn.text)}
		default:
			t.Fatalf("%s is nothing that lies beside a manifest", fn.path)
		}
	}
	f.Beside = []manifest.Folder{beside}
	found, incomplete := engine.Judge(engine.Input{Manifests: []*manifest.File{f}, Rules: []*rule.Rule{r}, Facts: facts, Limits: limits.Default})
	for _, i := range incomplete {
		t.Fatalf("%s: %s", i.Path, i.Detail)
	}
	return found
}

func pageToday() time.Time { return time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC) }

func readPolicy(t *testing.T, fn fence) *policy.Policy {
	t.Helper()
	doc, err := source.Parse(fn.path, []byte(fn.text), source.YAML, limits.Default)
	if err != nil {
		t.Fatalf("%s: %v", fn.path, err)
	}
	p, err := policy.Read(doc, pageToday())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lines(found []finding.Finding, several bool) []string {
	var out []string
	for _, f := range found {
		l := fmt.Sprintf("%d:%d %s %s", f.Location.Line, f.Location.Column, f.Severity, f.Message)
		if several {
			l = f.Location.Path + ":" + l
		}
		out = append(out, l)
	}
	return out
}

func TestPages(t *testing.T) {
	for _, r := range catalog.All() {
		t.Run(strings.ReplaceAll(r.ID, "/", "."), func(t *testing.T) { checkPage(t, r) })
	}
}

func checkPage(t *testing.T, r *rule.Rule) {
	page := catalog.Page(r.ID)
	sections := parsePage(t, r.ID, page)
	if len(strings.TrimSpace(strings.SplitN(page, "## ", 2)[0])) < len(r.ID)+20 {
		t.Error("the page does not say what the rule finds")
	}
	var heads []string
	var bad *section
	var badFound []finding.Finding
	var badFiles map[string]*source.Doc
	fixed := false
	for i := range sections {
		s := &sections[i]
		kind, _, _ := strings.Cut(s.head, ":")
		heads = append(heads, kind)
		switch kind {
		case "Bad":
			if len(s.findings) == 0 || len(s.files) == 0 {
				t.Fatalf("%q shows no file or no finding", s.head)
			}
			facts := newFacts(t, s.facts)
			bad = s
			badFound, badFiles = judge(t, r, s.files, facts)
			got, want := lines(badFound, len(s.files) > 1 && s.files[0].path != "was.json" && r.Trust == nil && r.Traffic == nil), s.findings
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: findings\n%s\nwant\n%s", s.head, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, f := range badFound {
				if f.Rule != r.ID || f.Fingerprint == "" || f.Location.Path == "" {
					t.Errorf("%s: finding %+v", s.head, f)
				}
			}
		case "Fixed":
			fixed = true
			checkFix(t, r, bad, badFound, badFiles, s)
		case "Good":
			if s.hasFinds || len(s.files) == 0 {
				t.Fatalf("%q must show files and no findings", s.head)
			}
			found, _ := judge(t, r, s.files, newFacts(t, s.facts))
			if len(found) > 0 {
				t.Errorf("%s: %s", s.head, strings.Join(lines(found, true), "\n"))
			}
		}
	}
	for _, want := range []string{"Why", "Bad", "Good"} {
		if !strings.Contains(" "+strings.Join(heads, " ")+" ", " "+want+" ") {
			t.Errorf("the page has no %q section", want)
		}
	}
	if canFix := r.Fix == finding.Safe || r.Fix == finding.Unsafe; canFix != fixed {
		t.Errorf("the rule's fix is %q, and the page has a Fixed section: %v", r.Fix, fixed)
	}
	if r.Fix != "" && r.FixDescription == "" {
		t.Error("the rule has a fix and does not describe it")
	}
}

// checkFix applies every fix of the section before and compares all files.
func checkFix(t *testing.T, r *rule.Rule, bad *section, found []finding.Finding, files map[string]*source.Doc, s *section) {
	t.Helper()
	if bad == nil {
		t.Fatal("Fixed without Bad")
	}
	edits := map[string][]finding.Edit{}
	for _, f := range found {
		if f.Fix != nil && f.Fix.Safety != finding.Manual {
			edits[f.Location.Path] = append(edits[f.Location.Path], f.Fix.Edits...)
		}
	}
	var after []fence
	for _, fn := range bad.files {
		d := files[shown(fn.path)]
		out, err := source.Apply(d.Raw, edits[d.Path])
		if err != nil {
			t.Fatalf("%s: %v", fn.path, err)
		}
		after = append(after, fence{fn.lang, fn.path, string(out)})
	}
	sort.SliceStable(after, func(i, j int) bool { return after[i].path < after[j].path })
	for _, want := range s.files {
		ok := false
		for _, got := range after {
			if got.path == want.path {
				ok = true
				if got.text != want.text {
					t.Errorf("%s: %s becomes\n%s\nwant\n%s", s.head, got.path, got.text, want.text)
				}
			}
		}
		if !ok {
			t.Errorf("%s names %s, which Bad does not", s.head, want.path)
		}
	}
	facts := newFacts(t, bad.facts)
	again, _ := judge(t, r, after, facts)
	for _, f := range again {
		for _, b := range found {
			if b.Fix != nil && b.Fix.Safety != finding.Manual && b.Location.Pointer == f.Location.Pointer && b.Kind == f.Kind {
				t.Errorf("%s: still %s", s.head, f.Message)
			}
		}
	}
}

// shown is the path that a report shows for a fence.
func shown(p string) string { return path.Clean(p) }
