package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// aToken has the form of a GitHub token and was never one.
func aToken() string { return "gh" + "p_" + strings.Repeat("xY7", 12) }

func TestNoFormatShowsASecretThatStandsForAName(t *testing.T) {
	token := aToken()
	pointer := "/mcpServers/" + token + "/env/https:~1~1u:hunter2hunter2@a.example~1x"
	at := finding.Location{Path: ".mcp.json", Line: 1, Column: 1, Pointer: pointer}
	res := &engine.Result{
		Subjects: []finding.Subject{{ID: "s1", Kind: "config", Path: ".mcp.json"}, {ID: "s2", Kind: "server", Parent: "s1", Name: token,
			Protocol: &finding.Protocol{Requested: token, Negotiated: token, Era: token, Capabilities: []string{token}, ServerInfo: finding.ServerInfo{Name: "x " + token, Version: token}}}},
		Findings: []finding.Finding{{Rule: "x/y", Severity: finding.Error, Message: "m", Subject: "s2", Server: token, Location: at,
			Related: []finding.Related{{Message: "of " + token, Location: &at}},
			Fix:     &finding.Fix{Safety: finding.Unsafe, Title: "rename " + token, Exports: []string{token}, Edits: []finding.Edit{{Text: token}}},
		}, {Rule: "x/y", Severity: finding.Error, Message: "n", Location: at, Status: finding.Suppressed,
			Suppression: &finding.Suppression{Kind: "inline", Reason: "it is " + token, Owner: token, Expires: "2027-01-01"}}},
		Skipped:    []finding.Skip{{Path: "a", Reason: "symlink", Detail: "to " + token}},
		Incomplete: []finding.Incomplete{{Path: "b", Cause: "syntax", Detail: "at " + token}},
		Posture:    &engine.Posture{Clients: []engine.ClientPosture{{Client: "c", Servers: []engine.ServerPosture{{Name: token}}}}},
	}
	env := sampleEnv()
	env.Verbose = true
	rep := Build(res, env)
	if f := rep.Findings[0]; f.Fix.Edits != nil || f.Location.Pointer != "/mcpServers/<secret: github-pat>/env/https:~1~1u:<secret: url-userinfo>@a.example~1x" {
		t.Errorf("%+v %+v", f.Location, f.Fix)
	}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, format, rep, env); err != nil {
			t.Fatal(err)
		}
		if out := b.String(); strings.Contains(out, token) || strings.Contains(out, "hunter2") {
			t.Errorf("%s:\n%s", format, out)
		}
	}
	if at.Pointer != pointer {
		t.Error("the caller's place was changed")
	}
}

func TestAPointerWithoutASecretIsUnchanged(t *testing.T) {
	for _, p := range []string{"", "/", "/a~1b/~0", "/mcpServers/github-enterprise/env/GITHUB_TOKEN", "//x/"} {
		if got := cleanPointer(p); got != p {
			t.Errorf("%q becomes %q", p, got)
		}
	}
}

func TestAFixWithMoreEditsThanAnybodyReadsShowsNone(t *testing.T) {
	x := &finding.Fix{Title: "t", Edits: make([]finding.Edit, limits.Default.ShownEdits)}
	if got := cleanFix(x); len(got.Edits) != len(x.Edits) {
		t.Errorf("%d edits", len(got.Edits))
	}
	x.Edits = append(x.Edits, finding.Edit{})
	if got := cleanFix(x); got.Edits != nil || len(x.Edits) != limits.Default.ShownEdits+1 {
		t.Errorf("%d edits", len(got.Edits))
	}
}
