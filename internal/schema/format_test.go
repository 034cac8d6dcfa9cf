package schema

import (
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestFormatsAreTold(t *testing.T) {
	for name, texts := range map[string]map[string]bool{
		"date-time":             {"2026-02-28T23:59:60Z": true, "2026-02-28t10:00:00.5+05:30": true, "2026-02-29T10:00:00Z": false, "2026-02-28 10:00:00Z": false, "2026-02-28T10:00:00": false, "2026-02-28T": false},
		"date":                  {"2024-02-29": true, "2023-02-29": false, "24-02-29": false, "2024-2-9": false},
		"time":                  {"22:59:60-01:00": true, "22:59:60Z": false, "24:00:00Z": false, "10:00:00.Z": false, "10:00:00+24:00": false},
		"duration":              {"P1DT2H": true, "P3W": true, "PT1M": true, "P": false, "PT": false, "P1H": false, "P1Y2D": false, "P1WT1H": false},
		"email":                 {"a.b@example.com": true, `"a b"@example.com`: true, "a@[127.0.0.1]": true, "a@[IPv6:::1]": true, ".a@example.com": false, "a": false, "a@b@c": false},
		"hostname":              {"a-b.example": true, "-a.example": false, "a..b": false, "a_b": false, "": false},
		"ipv4":                  {"127.0.0.1": true, "127.0.0.01": false, "127.0.0": false, "::1": false},
		"ipv6":                  {"::1": true, "fe80::1%eth0": false, "1.2.3.4": false},
		"uri":                   {"https://a.example/b?c#d": true, "/b": false, "http://a b": false, "http://a.example/%zz": false, "http://a@b@c/": false, "http://[::1]/": true, "http://a/[": false},
		"uri-reference":         {"/b": true, "#x": true, "a/b//c@d@e": true, `\\a`: false},
		"uuid":                  {"2eb8aa08-aa98-11ea-b4aa-73b441d16380": true, "2eb8aa08aa9811eab4aa73b441d16380": false, "2eb8aa08-aa98-11ea-b4aa-73b441d1638g": false},
		"json-pointer":          {"": true, "/a~1b~0": true, "a": false, "/~2": false, "/~": false},
		"relative-json-pointer": {"0": true, "1/a": true, "2#": true, "01": false, "/a": false, "-1": false},
		"regex":                 {"^(?=a)$": true, "(": false, `\a`: false},
	} {
		for text, want := range texts {
			if yes, known := format(name, text, limits.Default); yes != want || !known {
				t.Errorf("%s %q: %v", name, text, yes)
			}
		}
	}
	if _, known := format("iri", "x", limits.Default); known {
		t.Error("a format that nobody checks is known")
	}
}

func TestAFormatIsAnAnnotationUnlessAskedFor(t *testing.T) {
	o := options()
	schema, value := parse(t, `{"format":"date"}`), parse(t, `"soon"`)
	if out := New(schema, o).Validate(value); out.Verdict != Valid {
		t.Errorf("as an annotation: %v", out)
	}
	o.Formats = true
	if out := New(schema, o).Validate(value); out.Verdict != Invalid || len(out.Violations) != 1 {
		t.Errorf("as an assertion: %v", out)
	}
}
