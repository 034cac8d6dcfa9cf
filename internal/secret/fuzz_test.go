package secret

import (
	"strings"
	"testing"
)

// For any text: no panic; spans are in range, sorted and apart; a mask removes what was found; masked text
// has no hit, so that masking twice changes nothing.
func FuzzSecret(f *testing.F) {
	for kind, c := range cases {
		for _, tpl := range append(c.yes, c.no...) {
			f.Add(string(kind), strings.NewReplacer("[[", "", "]]", "").Replace(fake(tpl)))
		}
	}
	for _, s := range []string{"${A:-${B:-x}", "a://u:p w@h?k=v#t=u", `{"a":{"key":"\u0041bc\n9"},"b":["` + "\x00\xff", "Basic dXNlcjpIdW50ZXIyMiE=", "host=a password=b3c4d5e6f7", "sid=abc; t=", "curl -H 'X-Api-Key: c3Jk9dPq2xAb' https://h", "<secret: x", "--token=", "-H", "Bearer  ", "%24%7B%", "`", "$(", "{{", "%A%"} {
		f.Add("API_KEY", s)
	}
	f.Fuzz(func(t *testing.T, key, s string) {
		IsPlaceholder(key, s)
		IsReference(s)
		SecretName(s)
		for name, in := range map[string]struct {
			find func(string) []Hit
			mask func(string) string
		}{
			"value":  {func(s string) []Hit { return Value(key, s) }, func(s string) string { return maskNamed(key, s) }},
			"header": {func(s string) []Hit { return Header(key, s) }, func(s string) string { return maskHeader(key, s) }},
			"text":   {Text, Mask},
			"url":    {URL, MaskURL},
			"args":   {func(s string) []Hit { return argHits(s) }, func(s string) string { return MaskArgs([]string{s})[0] }},
			"flag":   {nil, func(s string) string { return MaskArgs([]string{"--" + key, s})[1] }},
		} {
			if in.find != nil {
				hits := in.find(s)
				end := 0
				for _, h := range hits {
					if h.Start < end || h.End <= h.Start || h.End > len(s) || h.Kind == "" || h.Title == "" || h.LengthClass == "" {
						t.Fatalf("%s: bad hits %+v in %q", name, hits, s)
					}
					end = h.End
				}
				if in.mask != nil {
					masked := in.mask(s)
					if again := in.find(masked); len(again) != 0 {
						t.Fatalf("%s: %q is masked to %q, which has %+v", name, s, masked, again)
					}
					for _, h := range hits {
						found := s[h.Start:h.End]
						if len(found) >= opaqueLength && strings.Count(masked, found) >= strings.Count(s, found) {
							t.Fatalf("%s: %q is still in %q", name, found, masked)
						}
					}
				}
			}
			if in.mask != nil {
				if once := in.mask(s); in.mask(once) != once {
					t.Fatalf("%s: masking %q twice changes %q", name, s, once)
				}
			}
		}
		if masked := Mask(s); len(URL(masked)) > 0 && len(Text(masked)) > 0 {
			t.Fatalf("%q is masked to %q", s, masked)
		}
	})
}

func argHits(s string) []Hit {
	var out []Hit
	for _, h := range Args([]string{s}) {
		out = append(out, h.Hit)
	}
	return out
}

// The text of a whole config file goes through the scan: about 0.15 GB a second on one core.
func BenchmarkText(b *testing.B) {
	s := strings.Repeat(`{"mcpServers":{"x":{"command":"npx","args":["-y","@scope/server-name@1.2.3"],"env":{"PATTERN":"${X}","PATH":"/usr/bin"}}}}`+"\n", 1<<13)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if Text(s) != nil {
			b.Fatal("a hit in clean text")
		}
	}
}

// What one server of a config asks: 10,000 of them are to be judged in 60 ms, with everything else.
func BenchmarkOneServer(b *testing.B) {
	key := fake("{x:32}")
	for name, run := range map[string]func(){
		"neutral":   func() { Value("LOG_LEVEL", "debug") },
		"reference": func() { Value("GITHUB_TOKEN", "${GITHUB_TOKEN}") },
		"secret":    func() { Value("PLACE_API_KEY", key) },
		"url":       func() { URL("https://mcp.example.test/v1/mcp") },
		"args":      func() { Args([]string{"-y", "@modelcontextprotocol/server-github", "--root", "/home/u/src"}) },
		"header":    func() { Header("Authorization", "Bearer ${TOKEN}") },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

// maskNamed and maskHeader replace what Value and Header find: a span of theirs must hold the whole secret.
func maskNamed(key, value string) string {
	return settled(value, func(s string) []Hit { return Value(key, s) })
}

func maskHeader(name, value string) string {
	return settled(value, func(s string) []Hit { return Header(name, s) })
}
