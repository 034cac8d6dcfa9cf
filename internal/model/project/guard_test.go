package project

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func guardOf(t *testing.T, yaml string) (*Guard, []Fault) {
	t.Helper()
	doc, err := source.Parse("mcpassay.yaml", []byte(yaml), source.YAML, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return ReadGuard(doc.Root().Get("guard"))
}

func TestAGuardSectionIsReadWhole(t *testing.T) {
	t.Parallel()
	g, faults := guardOf(t, `
guard:
  servers:
    "git*":
      default: ask
      rate: 100/1h
      tools:
        "delete_*": deny
        read:
          access: allow
          rate: 10/1m
          paths: {path: ["${project}/docs", "~/notes", 'C:\docs']}
          hosts: {url: [example.com, "*.example.org", "[::1]:80"]}
          sql: {query: [select, comments]}
  rules:
    toxic-flow: block
`)
	if len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	s := g.Servers[0]
	if s.Pattern != "git*" || s.Default != AccessAsk || s.Rate != (Rate{100, time.Hour}) || s.Line != 4 || len(s.Tools) != 2 {
		t.Errorf("%+v", s)
	}
	if d := s.Tools[0]; d.Pattern != "delete_*" || d.Access != AccessDeny || d.Line != 8 {
		t.Errorf("%+v", d)
	}
	if r := s.Tools[1]; r.Access != AccessAllow || r.Rate.Calls != 10 || len(r.Paths[0].Values) != 3 || r.Hosts[0].Argument != "url" || r.SQL[0].Values[1] != "comments" {
		t.Errorf("%+v", r)
	}
	if len(g.Rules) != 1 || g.Rules[0].Pattern != "toxic-flow" || g.Rules[0].Action != "block" {
		t.Errorf("%+v", g.Rules)
	}
	if g, faults := guardOf(t, "version: '1'"); len(g.Servers)+len(faults) > 0 {
		t.Errorf("%+v %+v", g, faults)
	}
}

func TestWhatAGuardSectionCanNotMeanIsAFault(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"guard: 1":                                                                   "not a mapping",
		"guard: {server: {}}":                                                        `did you mean "servers"?`,
		"guard: {servers: []}":                                                       "not a mapping",
		"guard: {servers: {a: deny}}":                                                "not a mapping",
		`guard: {servers: {"": {}}}`:                                                 "means no name",
		"guard: {servers: {a: {tool: {}}}}":                                          `did you mean "tools"?`,
		"guard: {servers: {a: {}, a: {}}}":                                           "stands twice",
		"guard: {servers: {a: {default: maybe}}}":                                    "none of allow, ask, deny",
		"guard: {servers: {a: {tools: {x: denied}}}}":                                `did you mean "deny"?`,
		"guard: {servers: {a: {tools: {x: {acces: deny}}}}}":                         `did you mean "access"?`,
		"guard: {servers: {a: {tools: {x: {access: no}}}}}":                          "none of allow, ask, deny",
		"guard: {servers: {a: {rate: 10}}}":                                          "a number",
		"guard: {servers: {a: {rate: 0/1m}}}":                                        "no rate",
		"guard: {servers: {a: {rate: 10/m}}}":                                        "no rate",
		"guard: {servers: {a: {rate: 10001/1m}}}":                                    "no rate",
		"guard: {servers: {a: {rate: 1/9999999d}}}":                                  "no rate",
		"guard: {servers: {a: {tools: {x: {paths: {p: [docs]}}}}}}":                  "can not be one of the paths",
		`guard: {servers: {a: {tools: {x: {paths: {p: ["/a/../b"]}}}}}}`:             "can not be one of the paths",
		`guard: {servers: {a: {tools: {x: {paths: {p: ["${projects}/a"]}}}}}}`:       "can not be one of the paths",
		`guard: {servers: {a: {tools: {x: {paths: {p: ["~root/a"]}}}}}}`:             "can not be one of the paths",
		"guard: {servers: {a: {tools: {x: {paths: {p: /a}}}}}}":                      "not a list",
		"guard: {servers: {a: {tools: {x: {paths: {p: []}}}}}}":                      "may say nothing",
		"guard: {servers: {a: {tools: {x: {hosts: {u: ['https://example.com']}}}}}}": "can not be one of the hosts",
		"guard: {servers: {a: {tools: {x: {hosts: {u: ['example.com:0']}}}}}}":       "can not be one of the hosts",
		"guard: {servers: {a: {tools: {x: {hosts: {u: ['[x]']}}}}}}":                 "can not be one of the hosts",
		"guard: {servers: {a: {tools: {x: {sql: {q: [selct]}}}}}}":                   `did you mean "select"?`,
		"guard: {rules: {toxic-flow: warn}}":                                         "none of note, redact, ask, block",
	} {
		g, faults := guardOf(t, in)
		said := ""
		for _, f := range faults {
			said += f.Msg + ": " + f.Hint + "\n"
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", in, said, want)
		}
		for _, s := range g.Servers { // what can not be read lets nothing in
			for _, tool := range s.Tools {
				if strings.Contains(want, "allow, ask") && tool.Access != AccessDeny {
					t.Errorf("%s: %s", in, tool.Access)
				}
			}
		}
	}
}
