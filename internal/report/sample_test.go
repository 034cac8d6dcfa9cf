package report

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
)

// Names that a config or a file name may carry. Each drives something when it is printed raw.
const (
	ansiName     = "\x1b]0;owned\x07\x1b[2Jgit\u009b31mhub"              // terminal title, clear screen, C1 CSI
	bidiName     = "safe\u202egpj.exe\u2066x\u2069"                      // right-to-left override, isolates
	tagName      = "files\U000e0041\U000e0042\u200b\ufeff\u3164"         // tag characters, zero width, Hangul filler
	commandName  = "x\n::error file=.github/workflows/ci.yml::pwned"     // a new line and a workflow command
	azureName    = "##vso[task.setvariable variable=PATH]/tmp ##[group]" // build system commands inside a line
	cdataName    = "]]><script>alert(1)</script>&#x1b;\x00\ufffe"        // XML
	markdownName = "[click](https://evil.example) |@octocat| `x` <img src=x> #1 :tada: www.evil.example gh-1 $x$"
	commandPath  = "::error file=a,line=1::pwned/.mcp.json"
	hostilePath  = "a b/\x1b[31m%0A,:#[x](y)\u202e/mcp.json"
)

func fingerprint(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// sampleEnv is a deterministic run of lint in a repository at /home/ann/work/app.
func sampleEnv() Env {
	return Env{
		Version: "0.1.0", Verb: "lint", StartedAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Platform: "linux",
		EnvMode: "none", Deterministic: true, Profile: "production", PolicySource: "mcpassay.yaml", Exit: 2,
		Abs: func(path string) string {
			if home, ok := strings.CutPrefix(path, "~/"); ok {
				return "/home/ann/" + home
			}
			return filepath.Join("/home/ann/work/app", path)
		},
		GitRoot: func(abs string) (string, bool) {
			return "/home/ann/work/app", strings.HasPrefix(abs, "/home/ann/work/app")
		},
		Rules: func(id string) (RuleInfo, bool) {
			switch id {
			case "auth/literal-token":
				return RuleInfo{ID: id, Title: "A token is written into a config", Severity: finding.Error,
					Text: "A token in a config file is read by every program of the user.\n\nMove it to a variable.",
					URL:  home + "/blob/main/docs/rules/auth/literal-token.md", Tags: []string{"secret", "auth"},
					Aliases: []string{"WRD-AUTH-TOKEN-IN-CONFIG"}, OWASP: "MCP01", CWE: []int{798, 312}}, true
			case "launch/unpinned-package":
				return RuleInfo{ID: id, Title: "A package without a version is started", Severity: finding.Warning,
					Confidence: finding.Medium, Text: "Whoever publishes next runs on this machine.", Tags: []string{"supply-chain"},
					OWASP: "MCP04", CWE: []int{1357}}, true
			case "mcp-schema/invalid-json":
				return RuleInfo{ID: id, Title: "MCP config file is not valid JSON.", Severity: finding.Error, Tags: []string{"schema"}}, true
			}
			return RuleInfo{}, false
		},
	}
}

func at(path string, line, column, offset, length int, pointer string) finding.Location {
	return finding.Location{Path: path, Line: line, Column: column, EndLine: line, EndColumn: column + length,
		Offset: offset, Length: length, Pointer: pointer}
}

// sample is a run with everything in it: hostile names, a suppressed finding, related places, fixes, a finding
// about a whole file, advice, a skip and incomplete files.
func sample() *engine.Result {
	res := &engine.Result{
		Subjects: []finding.Subject{
			{ID: "s1", Kind: "config", Path: ".mcp.json", Client: "claude-code", Scope: "project", Digest: fingerprint(".mcp.json")},
			{ID: "s2", Kind: "server", Parent: "s1", Name: "github", Transport: "stdio"},
			{ID: "s3", Kind: "server", Parent: "s1", Name: ansiName, Transport: "http"},
			{ID: "s4", Kind: "config", Path: "~/.cursor/mcp.json", Client: "cursor", Scope: "user", Digest: fingerprint("cursor")},
			{ID: "s5", Kind: "server", Parent: "s4", Name: "github", Transport: "stdio", Disabled: true},
			{ID: "s6", Kind: "config", Path: hostilePath, Client: "cursor", Scope: "project"},
			{ID: "s7", Kind: "server", Parent: "s6", Name: markdownName},
			{ID: "s8", Kind: "config", Path: commandPath, Client: "claude-code"},
			{ID: "s9", Kind: "server", Parent: "s8", Name: commandName},
			{ID: "s10", Kind: "config", Path: "clean/.mcp.json", Client: "claude-code"},
		},
		Skipped:    []finding.Skip{{Path: "~/.config/" + bidiName, Reason: "symlink", Detail: "points to ../" + azureName, Hint: "mcpassay doctor --config '~/.config/x'"}},
		Incomplete: []finding.Incomplete{{Path: "broken/" + cdataName, Cause: "syntax", Detail: "line 3: " + commandName}, {Path: "locked.json", Cause: "unreadable", Detail: "permission denied", Hint: "chmod u+r locked.json"}},
		Excluded:   []string{"dist/mcp.json"},
		Files:      6, Servers: 6,
	}
	for i, name := range []string{ansiName, bidiName, tagName, commandName, azureName, cdataName, markdownName, "```\n# x", "::error ::x"} {
		res.Drift = append(res.Drift, drift.Change{Server: name, Item: "tool " + name, Class: drift.Text, Severity: []string{"error", "info", ""}[i%3],
			Cues: []string{"card/poisoned"}[:i%2], Pointers: drift.Pointers{Changed: []string{"/" + name}}, Before: []string{name}, After: []string{"ghp_x7Kq2Lm9Rt4Vw8Zb3Nc6Yd1Fg5Hj0PsAeUoQ", name}})
	}
	token := finding.Finding{Rule: "auth/literal-token", Aliases: []string{"WRD-AUTH-TOKEN-IN-CONFIG"}, Severity: finding.Error,
		Message: `Server "github" has a GitHub token (40 characters) in env GITHUB_TOKEN`, Subject: "s2", Server: "github",
		Location: at(".mcp.json", 6, 25, 101, 42, "/mcpServers/github/env/GITHUB_TOKEN"),
		Related: []finding.Related{{Rule: "mcp-security/hardcoded-api-key"},
			{Message: "the same token is here", Location: ptr(at("~/.cursor/mcp.json", 9, 3, 200, 42, "/mcpServers/github/env/GITHUB_TOKEN"))}},
		Fix: &finding.Fix{Safety: finding.Unsafe, Title: "read it from ${GITHUB_TOKEN}", Exports: []string{"GITHUB_TOKEN"},
			Edits: []finding.Edit{{Offset: 101, Length: 42, Text: `"${GITHUB_TOKEN}"`}}}}
	add := func(f finding.Finding) {
		f.Fingerprint = fingerprint(f.Rule + f.Location.Path + f.Message)
		res.Findings = append(res.Findings, f)
	}
	add(token)
	for i, name := range []string{ansiName, bidiName, tagName, commandName, azureName, cdataName, markdownName} {
		add(finding.Finding{Rule: "launch/unpinned-package", Severity: finding.Warning, Confidence: finding.Medium,
			Message: "Server \"" + name + "\" starts a package without a version", Subject: "s3", Server: name,
			Location: at(".mcp.json", 10+i, 3, 300+10*i, 8, "/mcpServers/"+name)})
	}
	add(finding.Finding{Rule: "config/no-such-thing", Severity: finding.Info, Message: "first info", Location: at(".mcp.json", 30, 1, 600, 2, "")})
	add(finding.Finding{Rule: "config/no-such-thing", Severity: finding.Info, Message: "second info", Location: at(hostilePath, 1, 1, 0, 2, "")})
	add(finding.Finding{Rule: "mcp-urls/missing-path", Severity: finding.Error, Advice: true, Blast: finding.BlastEntry,
		Message: "URL has no path", Subject: "s7", Location: at(hostilePath, 4, 14, 57, 26, "/servers/x/url"),
		Fix: &finding.Fix{Safety: finding.Manual, Title: "ask " + markdownName}})
	add(finding.Finding{Rule: "launch/unpinned-package", Severity: finding.Warning, Message: "known and accepted", Subject: "s9",
		Location: at(commandPath, 2, 1, 10, 4, "/mcpServers/x"), Status: finding.Suppressed,
		Suppression: &finding.Suppression{Kind: "policy", Reason: "pinned elsewhere " + cdataName, Owner: "platform", Expires: "2027-03-31"}})
	add(finding.Finding{Rule: "auth/literal-token", Severity: finding.Error, Message: "A whole file", Subject: "s9", Location: finding.Location{Path: commandPath}})
	return res
}

// doctorSample is doctor's table: files read, missing and skipped, servers of each kind, and next commands.
func doctorSample() *engine.Result {
	res := sample()
	res.Posture = &engine.Posture{
		Clients: []engine.ClientPosture{
			{Client: "claude-code", Name: "Claude Code", Installed: true,
				Files: []engine.FilePosture{{Path: "~/.claude.json", Scope: "user", State: "missing"}, {Path: ".mcp.json", Scope: "project", State: "read"}},
				Servers: []engine.ServerPosture{
					{Name: "github", Path: ".mcp.json", Scope: "project", Transport: "stdio", State: "enabled", Error: 1},
					{Name: ansiName, Path: ".mcp.json", Scope: "project", Transport: "http", State: "shadowed", Warning: 7},
					{Name: "::error ::x", Path: ".mcp.json", Scope: "project", Transport: "stdio", State: "enabled"}}},
			{Client: "cursor", Name: "Cursor", Installed: true,
				Files: []engine.FilePosture{{Path: "~/.cursor/mcp.json", Scope: "user", State: "read"},
					{Path: ".cursor/mcp.json", Scope: "project", State: "skipped", Detail: "symlink"}},
				Servers: []engine.ServerPosture{{Name: "github", Path: "~/.cursor/mcp.json", Scope: "user", Transport: "stdio", State: "disabled"}}},
			{Client: "vscode", Name: "VS Code", Installed: true},
			{Client: "zed", Name: "Zed"},
		},
		Next: []engine.NextStep{{Why: "Read the file that was skipped", Command: "mcpassay doctor --config '~/.config/x'"},
			{Why: "See every finding", Command: "mcpassay lint --global -v"}},
		Looked: []string{"~/.claude.json", "~/.cursor/mcp.json"},
	}
	return res
}

// nothingSample is doctor on a machine without a config.
func nothingSample() *engine.Result {
	return &engine.Result{Posture: &engine.Posture{
		Clients: []engine.ClientPosture{{Client: "cursor", Name: "Cursor", Installed: true}, {Client: "zed", Name: "Zed"}},
		Looked:  []string{"~/.claude.json", "~/.cursor/mcp.json", ".mcp.json"}}}
}

func ptr[T any](v T) *T { return &v }
