package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/drift"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// of is a report with findings, each "FINGERPRINT severity" or "FINGERPRINT severity suppressed".
func of(all ...string) *Report {
	rep := &Report{Subjects: []finding.Subject{{ID: "s1", Kind: "config"}, {ID: "s2", Kind: "server", Parent: "s1", Name: "shop"}, {ID: "s3", Kind: "server", Parent: "s1"}}}
	for _, one := range all {
		words := strings.Fields(one)
		f := finding.Finding{Rule: "a/b", Fingerprint: words[0], Status: finding.Active, Subject: "s2", Message: one}
		f.Severity, _ = finding.ParseSeverity(words[1])
		if len(words) > 2 {
			f.Status = words[2]
		}
		rep.Findings = append(rep.Findings, f)
	}
	return rep
}

func TestFindingsOfTwoReportsAreTold(t *testing.T) {
	for _, c := range []struct {
		before, after []string
		want          string
	}{
		{[]string{"a error", "b info"}, []string{"b info", "a error"}, "same 2"},
		{nil, []string{"a error"}, "new [a error] same 0"},
		{[]string{"a error"}, nil, "gone [a error] same 0"},
		{[]string{"a error"}, []string{"a warning"}, "changed [error>a warning] same 0"},
		{[]string{"a error"}, []string{"a error suppressed"}, "changed [error>a error suppressed] same 0"},
		// Several findings of one fingerprint: those that are alike find each other, and none stands for two.
		{[]string{"a error", "a error"}, []string{"a error"}, "gone [a error] same 1"},
		{[]string{"a error"}, []string{"a error", "a error"}, "new [a error] same 1"},
		{[]string{"a info", "a error"}, []string{"a error", "a warning"}, "changed [info>a warning] same 1"},
		{[]string{"a info", "a error", "b info"}, []string{"a error", "a warning", "a info"}, "new [a warning] gone [b info] same 2"},
	} {
		res := Compare(of(c.before...), of(c.after...))
		var got []string
		list := func(word string, all []string) {
			if len(all) > 0 {
				got = append(got, fmt.Sprint(word, " ", all))
			}
		}
		messages := func(all []finding.Finding) (out []string) {
			for _, f := range all {
				out = append(out, f.Message)
			}
			return out
		}
		var changed []string
		for _, turn := range res.Compared.Changed {
			changed = append(changed, turn.Was.Severity.String()+">"+turn.Finding.Message)
		}
		list("new", messages(res.Findings))
		list("gone", messages(res.Compared.Gone))
		list("changed", changed)
		got = append(got, fmt.Sprint("same ", res.Compared.Same))
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, s, c.want)
		}
	}
}

// What one of two runs did not look at is neither gone nor new, and how the runs differ is said.
func TestWhatTwoRunsDidNotBothLookAtIsSaid(t *testing.T) {
	before, after := of("a error"), of()
	before.Skipped = []finding.Skip{{Path: "x", Reason: "symlink"}}
	after.Incomplete = []finding.Incomplete{{Path: "y", Cause: "syntax", Detail: "line 1"}}
	after.Policy.Profile, after.Policy.Ignore = "spec", []string{"a/*"}
	res := Compare(before, after)
	if want := []finding.Incomplete{{Path: "y", Cause: "syntax", Detail: "line 1"}, {Path: "x", Cause: "symlink", Detail: "of the first report"}}; !slices.Equal(res.Incomplete, want) {
		t.Errorf("%+v", res.Incomplete)
	}
	if want := []string{`the profile was "" and is "spec"`, `the ignored rules was "" and is "a/*"`}; !slices.Equal(res.Compared.Notes, want) {
		t.Errorf("%q", res.Compared.Notes)
	}
}

func TestOnlyWhatIsNewHasSubjects(t *testing.T) {
	res := Compare(of(), of("a error"))
	if len(res.Subjects) != 2 || res.Subjects[0].ID != "s1" || res.Subjects[1].Name != "shop" {
		t.Errorf("%+v", res.Subjects)
	}
	if gone := Compare(of("a error"), of()).Compared.Gone; gone[0].Subject != "" {
		t.Errorf("it belongs to %q, which is a subject of the other report", gone[0].Subject)
	}
}

// The comparison of hostile reports drives nothing, in any format that shows one.
func TestAComparisonStaysText(t *testing.T) {
	hostile := sample()
	res := Compare(&Report{Findings: Build(sample(), sampleEnv()).Findings}, of(fingerprint("a")+" error"))
	res.Findings[0].Aliases, res.Findings[0].Related, res.Findings[0].Confidence = []string{}, []finding.Related{}, finding.High
	res.Compared.Notes = append(res.Compared.Notes, ansiName, commandName, markdownName)
	turn := finding.Turn{Finding: hostile.Findings[1]}
	turn.Was.Severity, turn.Was.Status = finding.Info, finding.Active
	turn.Finding.Status, turn.Finding.Related, turn.Finding.Aliases = finding.Active, []finding.Related{}, []string{}
	res.Compared.Changed = append(res.Compared.Changed, turn)
	env := sampleEnv()
	env.Verb = "diff"
	for _, format := range []string{"text", "markdown", "json", "jsonl"} {
		printed := string(render(t, format, res, env))
		if strings.ContainsAny(printed, "\x1b\u202e\u2066\u009b") || strings.Contains(printed, "##[") || strings.Contains(printed, "##vso") {
			t.Errorf("%s: %q", format, printed)
		}
		for line := range strings.Lines(printed) {
			if strings.HasPrefix(line, "::") {
				t.Errorf("%s: %s", format, line)
			}
			if format == "markdown" && strings.ContainsAny(strings.NewReplacer("<code>", "", "</code>", "", "<br>", "").Replace(line), "<`@") {
				t.Errorf("%s: %s", format, line)
			}
		}
	}
	doc := render(t, "json", res, env)
	if err := Validate(doc); err != nil {
		t.Error(err)
	}
	rep, err := Read(doc)
	if err != nil || rep.Compared == nil || len(rep.Compared.Gone) != len(res.Compared.Gone) {
		t.Errorf("%v", err)
	}
	var b bytes.Buffer
	if err := Write(&b, "json", rep, env); err != nil || !bytes.Equal(b.Bytes(), doc) {
		t.Errorf("read and written again it is another: %v", err)
	}
}

// What changed at the end of a long text is shown, and how much of it is not.
func TestALongLineIsShownWhereItDiffers(t *testing.T) {
	long := strings.Repeat("ä word ", 1000)
	c := &drift.Change{Before: []string{"/title: Order", "/description: " + long}, After: []string{"/description: " + long + "and the key"}}
	lines, _ := sides(c, limits.Default.ShownFaults)
	if got := lines[2]; !strings.HasPrefix(got, "+ /description: …") || !strings.HasSuffix(got, "and the key") || len(got) > 200 {
		t.Errorf("%q", got)
	}
	c.After[0] = "/description: x" + long
	if lines, _ = sides(c, limits.Default.ShownFaults); !strings.HasSuffix(lines[2], " more)") {
		t.Errorf("%q", lines[2])
	}
	if lines, _ = sides(c, 0); !strings.HasSuffix(lines[2], long) {
		t.Errorf("who approves sees %q", lines[2])
	}
}
