package osv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

func record(t testing.TB, affected, more string) *Record {
	t.Helper()
	r, err := Read([]byte(`{"id":"GHSA-aaaa-bbbb-cccc","summary":"It reads too much.","affected":[` + affected + `]` + more + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func about(ecosystem, name, events string) string {
	return fmt.Sprintf(`{"package":{"ecosystem":%q,"name":%q},"ranges":[{"type":"SEMVER","events":[%s]}]}`, ecosystem, name, events)
}

func TestARecordIsAboutTheVersionsOfItsRanges(t *testing.T) {
	t.Parallel()
	r := record(t, about("npm", "@example/files", `{"introduced":"0"},{"fixed":"1.2.0"},{"introduced":"2.0.0"},{"last_affected":"2.1.0"}`)+","+
		about("PyPI", "Example_Notes", `{"introduced":"1.0"},{"fixed":"1.10"}`), "")
	for _, c := range []struct {
		kind          pkg.Type
		name, version string
		yes           bool
		fixed         string
	}{
		{pkg.NPM, "@example/files", "1.0.0", true, "1.2.0"}, {pkg.NPM, "@example/files", "1.2.0-rc.1", true, "1.2.0"}, {pkg.NPM, "@example/files", "1.2.0", false, ""},
		{pkg.NPM, "@example/files", "2.1.0", true, ""}, {pkg.NPM, "@example/files", "2.1.1", false, ""}, {pkg.NPM, "@example/other", "1.0.0", false, ""},
		{pkg.PyPI, "example.notes", "1.9", true, "1.10"}, {pkg.PyPI, "example-notes", "1.10", false, ""}, {pkg.PyPI, "example-notes", "0.9", false, ""}, {pkg.Cargo, "@example/files", "1.0.0", false, ""},
	} {
		if yes, fixed := r.Affects(c.kind, c.name, c.version); yes != c.yes || fixed != c.fixed {
			t.Errorf("%s %s: %v %q, want %v %q", c.name, c.version, yes, fixed, c.yes, c.fixed)
		}
	}
	// The order in which events are written does not matter, and a list of versions counts without ranges.
	if yes, fixed := record(t, about("npm", "a", `{"fixed":"2.0.0"},{"introduced":"1.0.0"}`), "").Affects(pkg.NPM, "a", "1.5.0"); !yes || fixed != "2.0.0" {
		t.Error(yes, fixed)
	}
	if yes, _ := record(t, `{"package":{"ecosystem":"npm","name":"a"},"versions":["1.0.0"]}`, "").Affects(pkg.NPM, "a", "1.0.0"); !yes {
		t.Error("a listed version")
	}
	if yes, _ := record(t, `{"package":{"ecosystem":"npm","name":"a"},"ranges":[{"type":"GIT","events":[{"introduced":"0"}]}]}`, "").Affects(pkg.NPM, "a", "1.0.0"); yes {
		t.Error("commits are no versions")
	}
	if yes, _ := record(t, about("npm", "a", `{"introduced":"0"}`), `,"withdrawn":"2026-01-01T00:00:00Z"`).Affects(pkg.NPM, "a", "1.0.0"); yes {
		t.Error("it was withdrawn")
	}
}

func TestHowGraveARecordIs(t *testing.T) {
	t.Parallel()
	vector := func(v string) string { return `,"severity":[{"type":"CVSS_V3","score":"` + v + `"}]` }
	for more, want := range map[string]string{
		`,"database_specific":{"severity":"MODERATE"}`:                                                              "medium",
		`,"database_specific":{"severity":"LOW"},"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N"}]`: "low",
		vector("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"):                                                      "critical", // 9.8
		vector("CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N"):                                                      "medium",   // 6.1
		vector("CVSS:3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H"):                                                      "high",     // 7.8
		vector("CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N"):                                                      "low",
		vector("CVSS:3.1/AV:N"): "high", // not to be read
		`,"severity":[{"type":"CVSS_V4","score":"CVSS:4.0/AV:N"}]`: "high",
		"":                          "high",
		`,"aliases":["MAL-2026-1"]`: "critical",
	} {
		if got := record(t, "", more).Level(); got != want {
			t.Errorf("%s: %s, want %s", more, got, want)
		}
	}
	for v, want := range map[string]float64{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H": 9.8, "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N": 6.1, "CVSS:3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H": 7.8,
		"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H": 9.9, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N": 0} {
		if got, ok := cvss3(v); !ok || got != want {
			t.Errorf("%s: %v, want %v", v, got, want)
		}
	}
}

func TestAnAnswerThatIsNoneIsNotNoVulnerability(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{`{}`: true, `{"vulns":[{"id":"A"}],"next_page_token":"x"}`: true, ``: false, `[]`: false, `null`: false, `{"vulns":[{}]}`: false, `{"vulns":[null]}`: false,
		`{"vulns":{}}`: false, `{"code":3,"message":"no"}`: false, `{"next_page_token":"` + strings.Repeat("x", limits.Default.CursorBytes+1) + `"}`: false, `<html>`: false} {
		if _, _, err := ReadAnswer([]byte(raw), limits.Default); (err == nil) != ok {
			t.Errorf("%.40s: %v", raw, err)
		}
	}
	if got := string(Query(pkg.PyPI, `a"b`, "1", "")); got != `{"package":{"ecosystem":"PyPI","name":"a\"b"},"version":"1"}` {
		t.Error(got)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"id":"A","affected":[{"package":{"ecosystem":"npm","name":"a"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"2.0.0"}]}],"versions":["3.0.0"]}],"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H"}]}`), "1.0.0")
	f.Fuzz(func(t *testing.T, raw []byte, version string) {
		r, err := Read(raw)
		if err != nil {
			return
		}
		if l := r.Level(); l != "critical" && l != "high" && l != "medium" && l != "low" {
			t.Fatalf("%q", l)
		}
		yes, fixed := r.Affects(pkg.NPM, "a", version)
		if !yes && fixed != "" {
			t.Fatalf("%q is mended in %q and was never broken", version, fixed)
		}
	})
}
