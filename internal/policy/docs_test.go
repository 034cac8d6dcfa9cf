package policy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page is the reference of every key: its examples work, and it leaves no key and no profile out.
func TestThePagesExamplesWork(t *testing.T) {
	page, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	fences := regexp.MustCompile("(?s)```\\w+ (\\S+)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(fences) != 3 {
		t.Fatalf("%d examples", len(fences))
	}
	for _, f := range fences {
		name, text := f[1], f[2]
		if strings.HasSuffix(name, ".json") {
			all, _ := notes(parse(t, name, text), today)
			if len(all) != 1 || all[0].problem != "" || all[0].target < 0 {
				t.Errorf("%s: %+v", name, all)
			}
			continue
		}
		if p := mustRead(t, name, text); len(p.Suppressions) != 1 || len(p.Severity) != 1 || len(p.Ignore) != 1 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	r := &reader{failOn: keyFailOn}
	for _, word := range append(append(r.policyKeys(), ProfileNames()...), "rule", "server", "tool", "path", "client", "reason", "owner", "expires") {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("the page does not explain %s", word)
		}
	}
}

func TestThePageOfTheGuardSaysWhatAPolicyMay(t *testing.T) {
	page, err := os.ReadFile("../../docs/guard.md")
	if err != nil {
		t.Fatal(err)
	}
	fences := regexp.MustCompile("(?s)```\\w+ (\\S+)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(fences) != 1 {
		t.Fatalf("%d examples", len(fences))
	}
	g := mustRead(t, fences[0][1], fences[0][2]).Guard
	if len(g.Servers) != 2 || len(g.Servers[0].Tools) != 3 || len(g.Servers[1].Tools) != 3 || len(g.Rules) != 1 {
		t.Errorf("%+v", g)
	}
	for _, word := range []string{"servers", "default", "tools", "rate", "paths", "hosts", "sql", "rules", "access", "allow", "ask", "deny", "multiple", "comments", "with"} {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("the page does not explain %s", word)
		}
	}
}
