package report

import (
	"bytes"
	stdjson "encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

var update = flag.Bool("update", false, "write the golden files")

func render(t *testing.T, format string, res *engine.Result, env Env) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, Build(res, env), env); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// everyReport calls f for each golden report: every format on a hostile run, and the text of other runs.
func everyReport(t *testing.T, f func(t *testing.T, name, format string, res *engine.Result, env Env)) {
	pretty := func(env Env) Env { env.Color, env.Width = true, 100; return env }
	narrow := func(env Env) Env { env.Width = 60; return env }
	verbose := func(env Env) Env { env.Verbose = true; return env }
	doctor := func(env Env) Env { env.Verb, env.FailOn = "doctor", finding.Info; return env }
	clean := func(env Env) Env { env.Exit = 0; return env }
	for _, c := range []struct {
		name, format string
		res          *engine.Result
		env          Env
	}{
		{"lint.txt", "text", sample(), sampleEnv()},
		{"lint-verbose.txt", "text", sample(), verbose(sampleEnv())},
		{"lint-pretty.txt", "text", sample(), pretty(sampleEnv())},
		{"lint.json", "json", sample(), sampleEnv()},
		{"lint.jsonl", "jsonl", sample(), sampleEnv()},
		{"lint.sarif", "sarif", sample(), sampleEnv()},
		{"lint.junit.xml", "junit", sample(), sampleEnv()},
		{"lint.github", "github", sample(), sampleEnv()},
		{"lint.md", "markdown", sample(), sampleEnv()},
		{"doctor.txt", "text", doctorSample(), doctor(sampleEnv())},
		{"doctor-pretty.txt", "text", doctorSample(), doctor(pretty(sampleEnv()))},
		{"doctor-narrow.txt", "text", doctorSample(), narrow(doctor(sampleEnv()))},
		{"doctor.json", "json", doctorSample(), doctor(sampleEnv())},
		{"doctor.jsonl", "jsonl", doctorSample(), doctor(sampleEnv())},
		{"nothing.txt", "text", nothingSample(), clean(doctor(sampleEnv()))},
		{"clean.txt", "text", &engine.Result{Files: 3, Servers: 7}, clean(sampleEnv())},
		{"clean.json", "json", &engine.Result{Files: 3, Servers: 7}, clean(sampleEnv())},
		{"clean.sarif", "sarif", &engine.Result{Files: 3, Servers: 7}, clean(sampleEnv())},
		{"clean.junit.xml", "junit", &engine.Result{Files: 3, Servers: 7}, clean(sampleEnv())},
		{"clean.md", "markdown", &engine.Result{Files: 3, Servers: 7}, clean(sampleEnv())},
	} {
		t.Run(c.name, func(t *testing.T) { f(t, c.name, c.format, c.res, c.env) })
	}
}

func TestReportsAreTheGoldenFiles(t *testing.T) {
	everyReport(t, func(t *testing.T, name, format string, res *engine.Result, env Env) {
		got := render(t, format, res, env)
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("differs from %s (-update writes it):\n%s", golden, got)
		}
	})
}

// ours are the escape sequences of the pretty text, and nothing else.
var ours = regexp.MustCompile("\x1b\\[[0-9]{1,2}m")

func TestNoFormatPrintsACharacterThatDrivesAnything(t *testing.T) {
	everyReport(t, func(t *testing.T, name, format string, res *engine.Result, env Env) {
		drivesNothing(t, format, string(render(t, format, res, env)))
	})
}

// drivesNothing says where a report could drive a terminal or a build system.
func drivesNothing(t *testing.T, format, report string) {
	t.Helper()
	for n, line := range strings.Split(ours.ReplaceAllString(report, ""), "\n") {
		if !utf8.ValidString(line) {
			t.Errorf("line %d is not UTF-8: %q", n+1, line)
		}
		for _, r := range line {
			if text.Unsafe(r) && r != text.Replacement {
				t.Errorf("line %d holds %U: %q", n+1, r, line)
			}
		}
		if strings.Contains(line, "##vso") || strings.Contains(line, "##[") {
			t.Errorf("line %d holds a build system's command: %q", n+1, line)
		}
		if format != "github" && strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("line %d starts a workflow command: %q", n+1, line)
		}
	}
}

func TestTerminalLinesFitTheTerminal(t *testing.T) {
	env := sampleEnv()
	for _, width := range []int{70, 80, 100, 120} {
		env.Width = width
		out, _, _ := strings.Cut(string(render(t, "text", sample(), env)), "Not checked") // commands to paste are not cut
		for line := range strings.Lines(out) {
			if n := text.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
	}
}

// The table of doctor is laid out anew where it does not fit: a table that the terminal breaks can not be read.
func TestTheTableOfDoctorFitsTheTerminal(t *testing.T) {
	for _, res := range []*engine.Result{doctorSample(), nothingSample()} {
		for width := 60; width < 130; width++ {
			env := sampleEnv()
			env.Width = width
			out := string(render(t, "text", res, env))
			if i := strings.Index(out, "CLIENT"); i >= 0 {
				out = out[i:]
			} else if i := strings.Index(out, "Claude Code\n"); i >= 0 {
				out = out[i:]
			}
			out, _, _ = strings.Cut(out, "\nNext\n")
			for line := range strings.Lines(out) {
				if n := text.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns of %d: %q", n, width, line)
				}
			}
		}
	}
}

func TestTheTextNeverCallsAnUncheckedRunClean(t *testing.T) {
	for name, res := range map[string]*engine.Result{
		"skipped":        {Files: 1, Servers: 1, Skipped: []finding.Skip{{Path: "a", Reason: "symlink"}}},
		"incomplete":     {Files: 1, Servers: 1, Incomplete: []finding.Incomplete{{Path: "a", Cause: "syntax"}}},
		"all unread":     {Incomplete: []finding.Incomplete{{Path: "a", Cause: "syntax"}}},
		"doctor, unread": {Posture: &engine.Posture{}, Skipped: []finding.Skip{{Path: "a", Reason: "oversized"}}},
		"one of each":    {Skipped: []finding.Skip{{Path: "a", Reason: "x"}}, Incomplete: []finding.Incomplete{{Path: "a", Cause: "x"}}},
		"found and skipped": {Files: 2, Findings: []finding.Finding{{Rule: "a/b", Severity: finding.Error, Location: finding.Location{Path: "a"}}},
			Skipped: []finding.Skip{{Path: "a", Reason: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			env := sampleEnv()
			for _, format := range []string{"text", "markdown", "github"} {
				got := string(render(t, format, res, env))
				if strings.Contains(got, "clean") || strings.Contains(got, "no MCP configs found") {
					t.Errorf("%s calls it clean: %s", format, got)
				}
				if !strings.Contains(got, "could not be checked") && !strings.Contains(got, " skipped") {
					t.Errorf("%s does not say what was not checked: %s", format, got)
				}
			}
		})
	}
}

func TestEveryReportValidatesAndReadsBackTheSame(t *testing.T) {
	everyReport(t, func(t *testing.T, name, format string, res *engine.Result, env Env) {
		if format != "json" {
			t.Skip("not the document")
		}
		doc := render(t, format, res, env)
		if err := Validate(doc); err != nil {
			t.Fatal(err)
		}
		var back Report
		if err := stdjson.Unmarshal(doc, &back); err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := Write(&again, "json", &back, env); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(doc, again.Bytes()) {
			t.Errorf("written again:\n%s\nwant:\n%s", again.Bytes(), doc)
		}
	})
}

func TestJSONKeepsTheTrueNames(t *testing.T) {
	var rep Report
	if err := stdjson.Unmarshal(render(t, "json", sample(), sampleEnv()), &rep); err != nil {
		t.Fatal(err)
	}
	for i, want := range sample().Subjects {
		if got := rep.Subjects[i]; got.Name != want.Name || got.Path != want.Path {
			t.Errorf("subject %d is %q %q, want %q %q", i, got.Name, got.Path, want.Name, want.Path)
		}
	}
}

func TestArraysAreNeverNull(t *testing.T) {
	for _, res := range []*engine.Result{{}, {Findings: []finding.Finding{{}}, Posture: &engine.Posture{Clients: []engine.ClientPosture{{}}}}} {
		for _, format := range []string{"json", "jsonl", "sarif"} {
			if doc := render(t, format, res, Env{}); bytes.Contains(doc, []byte("null")) {
				t.Errorf("%s: %s", format, doc)
			}
		}
	}
}

func TestADeterministicReportNamesItsContent(t *testing.T) {
	env := sampleEnv()
	a, b := Build(sample(), env), Build(sample(), env)
	if a.Run.ID != b.Run.ID || !strings.HasPrefix(a.Run.ID, "urn:sha256:") {
		t.Errorf("ids of equal runs: %s and %s", a.Run.ID, b.Run.ID)
	}
	if a.Run.StartedAt != "1970-01-01T00:00:00Z" {
		t.Errorf("startedAt is %s", a.Run.StartedAt)
	}
	env.Exit = 1
	if c := Build(sample(), env); c.Run.ID == a.Run.ID {
		t.Error("another content has the same id")
	}
	env.Deterministic = false
	c, d := Build(sample(), env), Build(sample(), env)
	if c.Run.ID == d.Run.ID || c.Run.StartedAt != "2026-11-30T12:00:00Z" {
		t.Errorf("ids of two runs: %s and %s at %s", c.Run.ID, d.Run.ID, c.Run.StartedAt)
	}
}

func TestADeterministicReportHoldsNoPathOfTheMachine(t *testing.T) {
	for _, format := range Formats() {
		if out := render(t, format, doctorSample(), sampleEnv()); bytes.Contains(out, []byte("/home/ann")) {
			t.Errorf("%s: %s", format, out)
		}
	}
}

func TestJSONLinesAreOneObjectEach(t *testing.T) {
	lines := bytes.Split(bytes.TrimSuffix(render(t, "jsonl", doctorSample(), sampleEnv()), []byte("\n")), []byte("\n"))
	kinds := map[string]int{}
	for i, line := range lines {
		var v map[string]any
		if err := stdjson.Unmarshal(line, &v); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		kind := v["kind"].(string)
		kinds[kind]++
		if (kind == "run") != (i == 0) || (kind == "summary") != (i == len(lines)-1) {
			t.Errorf("line %d is %s", i+1, kind)
		}
	}
	res := doctorSample()
	if kinds["finding"] != len(res.Findings) || kinds["subject"] != len(res.Subjects) || kinds["skipped"] != 1 ||
		kinds["incomplete"] != 2 || kinds["posture"] != 1 {
		t.Errorf("kinds: %v", kinds)
	}
}

func TestJUnitFailsOnlyWhatFailsTheRun(t *testing.T) {
	for _, c := range []struct {
		verb                   string
		failOn                 finding.Severity
		failures, errs, silent int
	}{
		{"lint", finding.Error, 3, 3, 1}, {"lint", finding.Warning, 4, 3, 1}, {"lint", finding.Info, 6, 3, 1}, {"lint", finding.Never, 0, 3, 1},
		{"doctor", finding.Error, 2, 3, 1}, {"doctor", finding.Info, 5, 3, 1}, // advice does not count
	} {
		env := sampleEnv()
		env.Verb, env.FailOn = c.verb, c.failOn
		var doc junitSuites
		if err := xml.Unmarshal(render(t, "junit", sample(), env), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Failures != c.failures || doc.Errors != c.errs || doc.Skipped != c.silent {
			t.Errorf("%s, fail on %s: %d failures, %d errors, %d skipped, want %v", c.verb, c.failOn, doc.Failures, doc.Errors, doc.Skipped, c)
		}
		var sum junitCounts
		for _, s := range doc.Suites {
			sum.Tests, sum.Failures, sum.Errors, sum.Skipped = sum.Tests+s.Tests, sum.Failures+s.Failures, sum.Errors+s.Errors, sum.Skipped+s.Skipped
			if s.Tests != len(s.Cases) {
				t.Errorf("suite %q counts %d of %d cases", s.Name, s.Tests, len(s.Cases))
			}
		}
		if sum != doc.junitCounts {
			t.Errorf("the suites have %+v, the document says %+v", sum, doc.junitCounts)
		}
	}
}

func TestMarkdownStaysBelowTheSizeOfAComment(t *testing.T) {
	res := sample()
	for i := range 3000 {
		f := res.Findings[i%8]
		res.Findings = append(res.Findings, f)
		res.Incomplete = append(res.Incomplete, res.Incomplete[0])
	}
	out := string(render(t, "markdown", res, sampleEnv()))
	if len(out) > limits.Default.MarkdownBytes+limits.KiB {
		t.Errorf("%d bytes", len(out))
	}
	if !strings.Contains(out, "more: see the full report") || !strings.Contains(out, "| error |") || !strings.Contains(out, "| incomplete |") {
		t.Error("a cut report does not say so, or one of its tables is missing")
	}
}

func TestFormatOfReadsTheSuffix(t *testing.T) {
	for name, want := range map[string]string{
		"r.json": "json", "r.JSONL": "jsonl", "r.ndjson": "jsonl", "r.sarif": "sarif", "r.sarif.json": "sarif",
		"junit.xml": "junit", "r.junit.xml": "junit", "a/r.md": "markdown", "r.txt": "text", "r": "", "r.html": "html", "r.htm": "html", "r.htmlx": "", "json": "",
	} {
		if got, ok := FormatOf(name); got != want || ok != (want != "") {
			t.Errorf("FormatOf(%q) = %q, %v", name, got, ok)
		}
	}
}

func TestAnUnknownFormatNamesTheKnownOnes(t *testing.T) {
	err := Write(io.Discard, "yaml", Build(sample(), sampleEnv()), sampleEnv())
	if err == nil || !strings.Contains(err.Error(), `"yaml"`) || !strings.Contains(err.Error(), "sarif") {
		t.Errorf("error: %v", err)
	}
	if out := render(t, "none", sample(), sampleEnv()); len(out) != 0 {
		t.Errorf("none prints %q", out)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAFailedWriteIsAnError(t *testing.T) {
	for _, format := range Formats() {
		err := Write(failingWriter{}, format, Build(sample(), sampleEnv()), sampleEnv())
		if (err == nil) != (format == "none") {
			t.Errorf("%s: %v", format, err)
		}
	}
}
