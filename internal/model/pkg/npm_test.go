package pkg

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

const sri512 = "sha512-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="

func TestIntegrityIsComparedByTheStrongestCommonAlgorithm(t *testing.T) {
	const a256, b256, sha1 = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256-//////////////////////////////////////////8=", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="
	other512 := "sha512-" + strings.Repeat("/", 85) + "w=="
	for _, c := range []struct {
		a, b string
		want Relation
	}{
		{sri512, sri512, Equal}, {sri512, other512, Drift}, {sri512, a256, Format}, {sri512 + " " + a256, other512 + " " + a256, Drift}, {sri512 + " " + a256, a256, Equal},
		{a256 + "?option", a256, Equal}, {a256 + " " + b256, b256, Equal}, {sha1, sha1, Format}, {"SHA256-" + strings.TrimPrefix(a256, "sha256-"), a256, Equal},
	} {
		a, errA := ParseSRI(c.a)
		b, errB := ParseSRI(c.b)
		if errA != nil || errB != nil || CompareHashes(a, b) != c.want || CompareHashes(b, a) != c.want {
			t.Errorf("%.20s and %.20s: %s, want %s (%v, %v)", c.a, c.b, CompareHashes(a, b), c.want, errA, errB)
		}
	}
	for _, bad := range []string{"", "sha512-AAAA", "md5-AAAA", "sha512", "sha512-!!!", "sha512:00"} {
		if h, err := ParseSRI(bad); err == nil {
			t.Errorf("%q is %v", bad, h)
		}
	}
	h, err := ParseSRI(sri512)
	if err != nil || h[0].SRI() != sri512 || !strings.HasPrefix(h[0].String(), "sha512:0000") {
		t.Errorf("%v, %v", h, err)
	}
	if back, err := ParseHash(h[0].String()); err != nil || back.String() != h[0].String() {
		t.Errorf("%v, %v", back, err)
	}
}

func TestAVersionOfNPMIsReadWithAllThatDecidesOnIt(t *testing.T) {
	raw := `{"name":"@a/b","version":"1.0.0","deprecated":"use c","scripts":{"postinstall":"node x","test":"y"},"engines":{"node":">=20"},
	"dist":{"integrity":"` + sri512 + `","shasum":"0000000000000000000000000000000000000000","tarball":"https://r.example/b.tgz","attestations":{"url":"https://r.example/att","provenance":{"predicateType":"https://slsa.dev/provenance/v1"}}}}`
	p, err := ReadNPMVersion([]byte(raw), "@a/b", "1.0.0", limits.Default)
	if err != nil || p.Deprecated != "use c" || p.InstallScripts[0] != "postinstall" || p.Engines["node"] != ">=20" || p.Attestations == "" || p.Predicate == "" || len(p.Files[0].Hashes) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	if d := p.Digests(); len(d) != 1 || !strings.HasPrefix(d[0], "sha512:") {
		t.Error(d)
	}
	var un *Unenforceable
	if _, err := ReadNPMVersion([]byte(`{"name":"b","version":"1.0.0","dist":{"shasum":"0000000000000000000000000000000000000000"}}`), "b", "1.0.0", limits.Default); !errors.As(err, &un) {
		t.Errorf("SHA-1 alone: %v", err)
	}
	for _, bad := range []string{`{}`, `[]`, `{"name":"b","version":"2.0.0"}`, `{"name":"c","version":"1.0.0"}`, `{"name":"b","version":"1.0.0","dist":{"integrity":"sha512-x"}}`, `{"name":"b","version":"1.0.0","dist":7}`} {
		if p, err := ReadNPMVersion([]byte(bad), "b", "1.0.0", limits.Default); err == nil {
			t.Errorf("%s: %+v", bad, p)
		}
	}
}

func TestATagAndARangeAreResolvedAsNPMDoes(t *testing.T) {
	raw := `{"name":"b","dist-tags":{"latest":"1.2.0","next":"2.0.0-rc.1","lost":"9.0.0"},"versions":{"1.0.0":{},"1.2.0":{},"1.3.0":{},"2.0.0-rc.1":{}}}`
	p, err := ReadPackument([]byte(raw), "b", limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	for want, is := range map[string]string{"": "1.2.0", "latest": "1.2.0", "next": "2.0.0-rc.1", "^1.0.0": "1.2.0", ">1.2.0": "1.3.0", "1.0.0": "1.0.0", "lost": "", "none": "", "^3": ""} {
		if got, err := p.Pick(want); got != is || (err == nil) != (is != "") {
			t.Errorf("%q: %q, %v", want, got, err)
		}
	}
	if _, err := ReadPackument([]byte(raw), "c", limits.Default); err == nil {
		t.Error("an answer about another package was taken")
	}
}

func TestSettingsOfNPM(t *testing.T) {
	env := func(name string) string { return map[string]string{"TOKEN": "t0", "HOST": "h.example"}[name] }
	raw := "\uFEFF; comment\n# another\n registry = https://r.example/ \n@a:registry=https://${HOST}/a/\n//r.example/:_authToken=${TOKEN}\n//r.example/deep/:_authToken=\"t1\"\n" +
		"//x.example/:_authToken=${NONE}\n//r.example/:_password=p\nbroken\n=x\n[section]\n"
	rc := ParseNPMRC([]byte(raw), env)
	for name, want := range map[string]string{"b": "https://r.example/", "@a/b": "https://h.example/a/", "@c/b": "https://r.example/"} {
		if got := rc.For(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for u, want := range map[string]string{"https://r.example/b": "t0", "https://r.example": "t0", "https://r.example/deep/b": "t1", "https://r.example/deeper/b": "t0", "https://r.example:444/": "", "https://other.example/": "",
		"https://x.example/b": "${NONE}"} {
		if got := rc.Token(u); got != want {
			t.Errorf("%s: %q", u, got)
		}
	}
	if hostile := ParseNPMRC([]byte(raw), nil); len(hostile.Tokens) > 0 || hostile.Scopes["@a"] != "https://${HOST}/a/" {
		t.Errorf("%+v", hostile)
	}
}

// Each line was tried with npm 11: it takes the registry that want says, and a file that a repository brings must not name one
// for npm and another for us.
func TestSettingsOfNPMAreReadAsNPMReadsThem(t *testing.T) {
	const evil = "https://evil.example/"
	for raw, want := range map[string]string{
		`"registry"=` + evil:                                     evil,
		`'registry'=` + evil:                                     evil,
		"#c\rregistry=" + evil:                                   evil,
		"registry#c=" + evil:                                     evil,
		"registry;c = " + evil:                                   evil,
		"registry=" + evil + " ;@good.example":                   evil,
		"registry=\"" + evil + "\"":                              evil,
		`registry="https:\u002f\u002fevil.example/"`:             evil,
		"registry=" + evil + "\n[x]\nregistry=https://a.example": evil,
		"registry=" + evil + "\nregistry":                        evil,
		"REGISTRY=" + evil:                                       "",
		"[x]\nregistry=" + evil:                                  "",
		`registry=https://a.example/\;x`:                         "https://a.example/;x",
	} {
		if rc := ParseNPMRC([]byte(raw), nil); rc.Registry != want || len(rc.Decides) > 0 {
			t.Errorf("%q: %+v", raw, rc)
		}
	}
	for _, raw := range []string{"globalconfig=/tmp/x", "userconfig = ./x", "cache=./c", `"cache"=./c`, "package=evil", "package[]=evil", "call=id", "node-options=--import=./x", "prefer-offline",
		"script-shell=./x", "registry[]=" + evil, "@a:registry[]=" + evil, "registry${X?}=" + evil, "${X}=1", "proxy=http://x", "strict-ssl=false", "cafile=./x"} {
		if rc := ParseNPMRC([]byte(raw), nil); len(rc.Decides) != 1 {
			t.Errorf("%q: %+v", raw, rc)
		}
	}
	env := func(name string) string { return map[string]string{"HOST": "h.example"}[name] }
	if rc := ParseNPMRC([]byte("registry${X?}=https://${HOST}${Y?}/"), env); rc.Registry != "https://h.example/" || len(rc.Decides) > 0 {
		t.Errorf("%+v", rc)
	}
	if rc := ParseNPMRC([]byte("engine-strict=true\nsave-exact=true\nignore-scripts=true\n//r.example/:_authToken=x"), nil); len(rc.Decides) > 0 {
		t.Errorf("what decides nothing: %+v", rc)
	}
}

func TestNamesOfNPM(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "@a/b": true, "A.b-c_d~e": true, "": false, "@a": false, "a/b": false, "@a/b/c": false, "../x": false, ".x": false, "a b": false, "@/b": false, "@a/": false, "a?b": false, "ä": false} {
		if GoodNPM(name) != want {
			t.Errorf("%q", name)
		}
	}
}

func FuzzNPM(f *testing.F) {
	f.Add([]byte(`{"name":"b","version":"1.0.0","dist":{"integrity":"` + sri512 + `"}}`))
	f.Add([]byte(`{"name":"b","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"b","version":"1.0.0"}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if p, err := ReadNPMVersion(raw, "b", "1.0.0", limits.Default); err == nil && len(p.Digests()) == 0 {
			t.Fatal("pinned by nothing")
		}
		if p, err := ReadPackument(raw, "b", limits.Default); err == nil {
			if v, err := p.Pick("^1.0.0"); err == nil {
				p.Pin(v)
			}
		}
		ParseNPMRC(raw, func(string) string { return "x" })
		ParseNPMRC(raw, nil)
	})
}
