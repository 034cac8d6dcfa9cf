package client

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var wantIDs = []string{
	"amazon-q", "amp", "antigravity", "augment", "claude-code", "claude-desktop", "cline", "codex", "continue",
	"copilot-cli", "copilot-jetbrains", "crush", "cursor", "deepagents", "devin", "factory-droid", "gemini-cli", "goose",
	"grok-cli", "jetbrains-ai", "jetbrains-junie", "kilo", "kimi-code", "kiro", "lm-studio", "mistral-vibe", "opencode",
	"qodo", "qwen-code", "roo-code", "rovo-dev", "trae", "visual-studio", "vscode", "warp", "windsurf", "zed",
}

func mustID(t testing.TB, id string) *Client {
	t.Helper()
	c, ok := ByID(id)
	if !ok {
		t.Fatalf("no client %q", id)
	}
	return c
}

func decode(t testing.TB) []Client {
	t.Helper()
	raw, err := os.ReadFile("clients.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []Client
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestTableHasEveryClientOnce(t *testing.T) {
	if len(wantIDs) != 37 {
		t.Fatalf("the list of the test has %d ids", len(wantIDs))
	}
	var got []string
	for _, c := range Table() {
		if c.Kind == Program {
			got = append(got, c.ID)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, wantIDs) {
		t.Errorf("clients\n got %v\nwant %v", got, wantIDs)
	}
	if k := mustID(t, "claude-ai").Kind; k != Remote {
		t.Errorf("claude-ai is %q", k)
	}
	if k := mustID(t, "mcp-registry").Kind; k != Manifest {
		t.Errorf("mcp-registry is %q", k)
	}
	if n := len(Table()); n != len(wantIDs)+2 {
		t.Errorf("%d rows", n)
	}
}

func TestGeneratedTableIsFresh(t *testing.T) {
	rows := decode(t)
	if len(rows) != len(Table()) {
		t.Fatalf("clients.json has %d rows, clients_gen.go %d: run go generate ./internal/model/client", len(rows), len(Table()))
	}
	for i, c := range Table() {
		rows[i].own = rows[i].ownFields()
		if !reflect.DeepEqual(*c, rows[i]) {
			t.Errorf("%s differs from clients.json: run go generate ./internal/model/client", c.ID)
		}
	}
}

func TestRowsAreDatedAndSourced(t *testing.T) {
	for _, c := range Table() {
		day, err := time.Parse(time.DateOnly, c.AsOf)
		if err != nil || day.Year() < 2025 {
			t.Errorf("%s: as of %q", c.ID, c.AsOf)
		}
		if len(c.Sources) == 0 || slices.Contains(c.Sources, "") {
			t.Errorf("%s: sources %q", c.ID, c.Sources)
		}
		for name, have := range map[string]struct {
			value string
			of    []string
		}{
			"confidence":     {string(c.Confidence), []string{"high", "medium", "low"}},
			"env confidence": {string(c.Env.Confidence), []string{"high", "medium", "low"}},
			"status":         {c.Status, []string{"active", "discontinued"}},
			"kind":           {string(c.Kind), []string{"client", "remote", "manifest"}},
			"shape":          {string(c.Shape), []string{"map", "list", "tables"}},
			"format":         {c.Format, formats},
			"comments":       {c.Comments, []string{"yes", "no", "unverified"}},
			"bom":            {c.BOM, []string{"accepts", "rejects", "unknown"}},
			"expands":        {c.Env.Expands, []string{"yes", "no", "unknown"}},
			"unset":          {c.Env.Unset, []string{"literal", "empty", "error", "unknown"}},
			"typeRequired":   {c.Remote.TypeRequired, []string{"", "remote", "always"}},
			"urlWithoutType": {string(c.Remote.URLWithoutType), []string{"", "http", "sse", "dropped", "error"}},
			"windowsScripts": {c.WindowsScripts, []string{"", "likely", "yes"}},
			"badEntry":       {c.BadEntry, []string{"", "entry", "file", "client"}},
		} {
			if !slices.Contains(have.of, have.value) {
				t.Errorf("%s: %s is %q", c.ID, name, have.value)
			}
		}
		if c.Name == "" || len(c.Transports) == 0 {
			t.Errorf("%s: name %q, transports %v", c.ID, c.Name, c.Transports)
		}
		if c.Kind == Program && (len(c.RootKeys) == 0 || len(c.Known) == 0 || len(c.Command) == 0) {
			t.Errorf("%s: rootKeys %v, known %v, command %v", c.ID, c.RootKeys, c.Known, c.Command)
		}
		if len(c.Locations) == 0 && c.ID != "qodo" && c.ID != "claude-ai" {
			t.Errorf("%s: no location", c.ID)
		}
		for _, s := range append(slices.Concat(c.Notes, c.Sources), c.Env.Note) {
			if strings.ContainsAny(s, "\n<") {
				t.Errorf("%s: %q does not fit on a line of docs/clients.md", c.ID, s)
			}
		}
	}
}

var (
	formats = []string{FormatJSON, FormatJSONC, FormatTOML, FormatYAML}
	scopes  = []string{ScopeProject, ScopeLocal, ScopeUser, ScopeSystem, ScopeManaged, ScopePlugin, ScopeExtension, ScopeAgent}
)

func TestReferenceFormsAreOfTheClosedList(t *testing.T) {
	for _, c := range Table() {
		e := &c.Env
		if e.Expands == "no" && len(e.Forms) > 0 || e.Expands == "yes" && len(e.Forms) == 0 {
			t.Errorf("%s expands %s with forms %q", c.ID, e.Expands, e.Forms)
		}
		if e.Expands != "yes" && e.Write != "" {
			t.Errorf("%s writes %q without knowing that it is expanded", c.ID, e.Write)
		}
		for _, f := range append([]FormatForms{{c.Format, e.Forms, e.Write}}, e.Formats...) {
			if f.Write != "" && !slices.Contains(f.Forms, f.Write) {
				t.Errorf("%s writes %q, which it does not expand", c.ID, f.Write)
			}
			for _, form := range f.Forms {
				if !slices.Contains(Forms[:], form) {
					t.Errorf("%s: unknown form %q", c.ID, form)
				}
			}
		}
	}
	if forms, write := mustID(t, "continue").Env.For(FormatJSON); write != "${VAR}" || len(forms) != 1 {
		t.Errorf("Continue turns ${VAR} of a JSON file into a secret: got %q, %q", forms, write)
	}
	if _, write := mustID(t, "continue").Env.For(FormatYAML); write != "${{ secrets.VAR }}" {
		t.Errorf("Continue's YAML form is %q", write)
	}
}

func TestEveryFieldThatARowNamesIsKnown(t *testing.T) {
	for _, c := range Table() {
		if c.Kind != Program {
			continue
		}
		need := slices.Concat(c.Safety.Off, c.Safety.On, c.Safety.Approve, c.Safety.Allow, c.Safety.Deny, c.Env.Instead)
		if c.Remote.TypeKey != "" {
			need = append(need, c.Remote.TypeKey)
		}
		for _, k := range c.Remote.URLKeys {
			need = append(need, k.Key)
		}
		for _, u := range c.Timeouts {
			need = append(need, u.Field)
			if u.Unit != "ms" && u.Unit != "s" {
				t.Errorf("%s: %s in %q", c.ID, u.Field, u.Unit)
			}
		}
		for _, r := range c.Runs {
			if !slices.Contains(Forms[:], Form(r)) {
				need = append(need, r)
			}
		}
		for ours, theirs := range c.Fields {
			if !slices.Contains([]string{"command", "args", "env", "url", "headers", "cwd", "envFile"}, ours) {
				t.Errorf("%s: fields has %q, which is not one of our names", c.ID, ours)
			}
			for _, f := range theirs {
				first, _, _ := strings.Cut(f, "/")
				need = append(need, first)
			}
		}
		for _, f := range need {
			if !slices.Contains(c.Known, f) {
				t.Errorf("%s: %q is not among its known fields", c.ID, f)
			}
		}
		for i, f := range c.Known {
			if slices.Contains(c.Known[:i], f) {
				t.Errorf("%s: %q is known twice", c.ID, f)
			}
		}
	}
}

func TestTransportWords(t *testing.T) {
	for _, c := range Table() {
		r := &c.Remote
		if r.Writes != "" {
			if m, ok := r.Transport(r.Writes); !ok || m != HTTP {
				t.Errorf("%s writes %q for Streamable HTTP, but reads it as %q", c.ID, r.Writes, m)
			}
		}
		if r.TypeKey != "" && len(r.Types) == 0 || r.TypeKey == "" && (len(r.Types) > 0 || r.TypeRequired != "") {
			t.Errorf("%s: type key %q, words %v, required %q", c.ID, r.TypeKey, r.Types, r.TypeRequired)
		}
		for _, w := range r.Types {
			if !slices.Contains([]Transport{Stdio, HTTP, SSE, Builtin}, w.Means) || !slices.Contains(c.Transports, w.Means) {
				t.Errorf("%s: %q means %q; transports %v", c.ID, w.Word, w.Means, c.Transports)
			}
		}
		if c.Kind == Program && (len(r.URLKeys) > 0) != (slices.Contains(c.Transports, HTTP)) {
			t.Errorf("%s: URL keys %v, transports %v", c.ID, r.URLKeys, c.Transports)
		}
	}
	for _, tc := range []struct {
		id, word string
		want     Transport
	}{
		{"cline", "streamableHttp", HTTP}, {"cline", "http", ""}, {"roo-code", "streamable-http", HTTP},
		{"opencode", "local", Stdio}, {"opencode", "remote", HTTP}, {"opencode", "sse", ""}, {"copilot-cli", "local", Stdio},
		{"goose", "platform", Builtin}, {"claude-code", "streamable-http", HTTP}, // documented as an alias
		{"claude-code", "streamableHttp", ""}, // hangwin/mcp-chrome#173: the entry does not load
	} {
		if got, _ := mustID(t, tc.id).Remote.Transport(tc.word); got != tc.want {
			t.Errorf("%s reads %q as %q, want %q", tc.id, tc.word, got, tc.want)
		}
	}
}

func TestLimitsAreUsable(t *testing.T) {
	for _, c := range Table() {
		for _, n := range []NameLimit{c.Limits.ServerName, c.Limits.ToolName} {
			if _, err := regexp.Compile(n.Pattern); err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
			if n.Max < 0 || n.Format != "" && !strings.Contains(n.Format, "{tool}") {
				t.Errorf("%s: limit %+v", c.ID, n)
			}
		}
	}
	cursor, claude := mustID(t, "cursor").Limits.ToolName, mustID(t, "claude-code").Limits.ToolName
	if cursor.Max != 60 || claude.Max != 64 {
		t.Errorf("sparfenyuk/mcp-proxy#45: Cursor counts to 60, Claude to 64; have %d and %d", cursor.Max, claude.Max)
	}
	if claude.Plugin == "" {
		t.Error("ChromeDevTools/chrome-devtools-mcp#1169: a plugin doubles the prefix")
	}
}

func TestLocationsAreWellFormed(t *testing.T) {
	for _, c := range Table() {
		for i := range c.Locations {
			l := &c.Locations[i]
			if strings.ContainsAny(l.Path+l.Fallback, `\`) || strings.Contains(l.Path, "//") || strings.HasSuffix(l.Path, "/") {
				t.Errorf("%s: path %q", c.ID, l.Path)
			}
			if !slices.Contains(scopes, l.Scope) || !slices.Contains([]Reads{ReadsYes, ReadsNo, ReadsLegacy}, l.Reads) {
				t.Errorf("%s: %q has scope %q, reads %q", c.ID, l.Path, l.Scope, l.Reads)
			}
			if len(c.Precedence) > 0 && l.Reads != ReadsNo && !slices.Contains(c.Precedence, l.Scope) {
				t.Errorf("%s: precedence %v does not place scope %q", c.ID, c.Precedence, l.Scope)
			}
			if l.Reads == ReadsNo && l.Note == "" {
				t.Errorf("%s: %q is dead without a word on what is read instead", c.ID, l.Path)
			}
			if l.Format != "" && !slices.Contains(formats, l.Format) {
				t.Errorf("%s: %q has format %q", c.ID, l.Path, l.Format)
			}
			for _, os := range l.OS {
				if !slices.Contains([]string{"linux", "darwin", "windows"}, os) {
					t.Errorf("%s: %q is for %q", c.ID, l.Path, os)
				}
			}
			for _, r := range l.Roots {
				if !strings.HasPrefix(r.At, "/") || r.Scope != "" && !slices.Contains(scopes, r.Scope) {
					t.Errorf("%s: %q has root %+v", c.ID, l.Path, r)
				}
			}
		}
	}
}

func TestAliasesAreUnique(t *testing.T) {
	owner := map[string]string{}
	for _, c := range Table() {
		for _, n := range append([]string{c.ID}, c.Aliases...) {
			if have, ok := owner[n]; ok {
				t.Errorf("%q names %s and %s", n, have, c.ID)
			}
			owner[n] = c.ID
			if got, ok := ByID(n); !ok || got != c {
				t.Errorf("ByID(%q) is %v", n, got)
			}
			if !slices.Contains(Names(), n) {
				t.Errorf("Names lacks %q", n)
			}
		}
	}
	if c, ok := ByID("generic-mcp"); ok {
		t.Errorf("generic-mcp names %s", c.ID)
	}
}

func TestShortNamesOfConfigCollectionsAreAliases(t *testing.T) {
	for alias, id := range map[string]string{
		"amazonq": "amazon-q", "gemini": "gemini-cli", "gemini-ext": "gemini-cli", "roo": "roo-code", "junie": "jetbrains-junie",
		"factory": "factory-droid", "visualstudio": "visual-studio", "claude-code-dotclaude": "claude-code", "amp": "amp",
		"antigravity": "antigravity", "windsurf": "windsurf", "zed": "zed",
	} {
		if c, ok := ByID(alias); !ok || c.ID != id {
			t.Errorf("%q is %v, want %s", alias, c, id)
		}
	}
}

func TestFactsFromPublicBugs(t *testing.T) {
	if c := mustID(t, "claude-code"); c.Remote.URLWithoutType != Dropped || c.Remote.TypeRequired != "remote" {
		t.Errorf("anthropics/claude-code#73885: %+v", c.Remote)
	}
	if c := mustID(t, "claude-code"); c.Env.Unset != "literal" || !slices.Contains(c.Env.Fields, "headers") {
		t.Errorf("anthropics/claude-code#51581: %+v", c.Env)
	}
	if c := mustID(t, "vscode"); slices.Contains(c.Env.Forms, "${VAR}") || c.Env.Write != "${env:VAR}" {
		t.Errorf("microsoft/vscode#264448: %+v", c.Env)
	}
	if c := mustID(t, "codex"); c.BadEntry != "client" {
		t.Errorf("openai/codex#29396: one bad table breaks %q", c.BadEntry)
	}
	if c := mustID(t, "codex"); slices.Contains(c.Known, "type") {
		t.Error("farion1231/cc-switch#5820: type is no key of Codex")
	}
	if c := mustID(t, "roo-code"); slices.Contains(c.Env.Builtins, "workspaceFolder") {
		t.Error("RooCodeInc/Roo-Code#4739: workspaceFolder is unknown to Roo Code")
	}
	if c := mustID(t, "kiro"); c.Env.Confidence != Low {
		t.Errorf("kirodotdev/Kiro#6635: documents and reports differ, yet the confidence is %q", c.Env.Confidence)
	}
	if c := mustID(t, "cline"); c.Remote.URLWithoutType != SSE {
		t.Errorf("a URL without a type is SSE to Cline, not %q", c.Remote.URLWithoutType)
	}
	for _, id := range []string{"claude-desktop", "windsurf", "gemini-cli"} {
		if c := mustID(t, id); c.BOM != "rejects" {
			t.Errorf("google-gemini/gemini-cli#25675 and its like: %s %s a BOM", id, c.BOM)
		}
	}
	if c := mustID(t, "crush"); !slices.Contains(c.Runs, "$(command)") {
		t.Errorf("$(command) in a crush.json runs when it is loaded; have %q", c.Runs)
	}
	if c := mustID(t, "opencode"); !c.Switches { // opencode.ai/docs/mcp-servers: overriding remote defaults
		t.Error("an opencode entry may hold a switch alone")
	}
	if c := mustID(t, "amazon-q"); !c.UniqueNames {
		t.Error("Amazon Q wants server names unique over its scopes")
	}
	if claude, cline := mustID(t, "claude-code"), mustID(t, "cline"); claude.Safety.Honours("disabled") || !cline.Safety.Honours("disabled") {
		t.Error("disabled holds a server back in Cline, not in Claude Code")
	}
}

func TestRootsOfALocation(t *testing.T) {
	at := func(c *Client, l *Location) string {
		var s []string
		for _, r := range c.Roots(l) {
			s = append(s, r.At)
		}
		return strings.Join(s, " ")
	}
	claude := mustID(t, "claude-code")
	if got := at(claude, nil); got != "/mcpServers /projects/*/mcpServers /" {
		t.Errorf("roots of a file of any name: %q", got)
	}
	if got := at(claude, &claude.Locations[0]); got != "/mcpServers" {
		t.Errorf("roots of .mcp.json: %q", got)
	}
	if got := at(mustID(t, "amp"), nil); got != "/amp.mcpServers" {
		t.Errorf("Amp's root key is one key with a dot: %q", got)
	}
}

func BenchmarkDecode(b *testing.B) {
	raw, err := os.ReadFile("clients.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		var rows []Client
		if err := json.Unmarshal(raw, &rows); err != nil {
			b.Fatal(err)
		}
	}
}

func TestBreaksNameAShapeALossAndASource(t *testing.T) {
	met := map[CardShape]bool{}
	for _, c := range Table() {
		for _, b := range c.Breaks {
			met[b.Shape] = true
			if _, err := time.Parse(time.DateOnly, b.AsOf); err != nil || b.Source == "" || !slices.Contains(CardShapes[:], b.Shape) ||
				!slices.Contains([]string{"session", "server", "tool", "call"}, b.Loses) || !slices.Contains([]Confidence{High, Medium, Low}, b.Confidence) {
				t.Errorf("%s: %+v", c.ID, b)
			}
			if c.BreaksOn(b.Shape).Source != b.Source {
				t.Errorf("%s names %s twice", c.ID, b.Shape)
			}
		}
	}
	for _, s := range CardShapes {
		if !met[s] {
			t.Errorf("no client breaks on %s", s)
		}
	}
}
