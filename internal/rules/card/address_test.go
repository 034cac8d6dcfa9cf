package card

import (
	"regexp"
	"testing"
)

func TestAddressesOfRealResourcesAreRight(t *testing.T) {
	for _, s := range []string{"file:///a/b.md", "postgres://host/db/table", "test://static/resource/1", "memo://insights", "https://example.com/a?b=c#d",
		"urn:isbn:0451450523", "ui://weather/view.html", "config://app", "note:x", "http://[::1]/", "data:text/plain;base64,AAAA", "file:///Ünï.md", "a+b-c.d:%20"} {
		if why := badURI(s); why != "" {
			t.Errorf("%q: %s", s, why)
		}
	}
	for _, s := range []string{"notes.md", "/etc/hosts", "1a:b", ":b", "file:", "file:///a b", "x:%zz", "x:%2", "x:<a>", "x:\x00", "", "x:{y}"} {
		if badURI(s) == "" {
			t.Errorf("%q is taken for an address", s)
		}
	}
}

func TestTemplatesOfTheRFCAreRight(t *testing.T) {
	for _, s := range []string{"{var}", "{+path}/here", "X{#var}", "map?{x,y}", "{+path:6}/here", "X{.x,y}", "{/var:1,var}/here", "{;x,y,empty}", "{?x,y}", "?fixed=yes{&x}",
		"{list*}", "{/list*,path:4}", "{half}", "github://{owner}/{repo}", "a%20b{v.w_x%2d}", "resource://all", "{v:9999}"} {
		if why := badTemplate(s); why != "" {
			t.Errorf("%q: %s", s, why)
		}
	}
	for _, s := range []string{"{", "}", "{}", "{a", "a}", "{a}}", "{{a}}", "{a b}", "{a,}", "{,a}", "{=a}", "{!a}", "{a:0}", "{a:10000}", "{a:x}", "{a-b}", "{.}", "{a..b}",
		"{a.}", "a b{c}", "{%2}", "{*}", "{a**}", "{$a}"} {
		if badTemplate(s) == "" {
			t.Errorf("%q is taken for a template", s)
		}
	}
}

// The grammar of RFC 6570, section 2, with literals of every script, as one expression.
var grammar = regexp.MustCompile(`^(?:(?:[^\x00-\x20\x7f"<>\\^` + "`" + `{|}%]|%[0-9A-Fa-f]{2})|\{[+#./;?&]?` + varspec + `(?:,` + varspec + `)*\})*$`)

const (
	varchar = `(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})`
	varspec = varchar + `(?:\.?` + varchar + `)*(?:\*|:[1-9][0-9]{0,3})?`
)

// FuzzTemplate holds what is taken for a template against the grammar.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"{var}", "{+path:6}/a%20", "{", "a{b}}", "{a*:3}", "{a:3*}", "{.x,y*}", "é{é}", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := badTemplate(s) == "", grammar.MatchString(s); got != want {
			t.Errorf("%q: taken %v, the grammar says %v", s, got, want)
		}
	})
}
