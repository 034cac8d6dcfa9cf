package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// says is a rule that reports cards whose description holds a word.
func says(id, word string, severity finding.Severity, tags ...string) *rule.Rule {
	return &rule.Rule{ID: id, Severity: severity, Message: id, Tags: tags, Card: func(p *rule.Pass, c *card.Card) {
		if strings.Contains(c.Description.Text(), word) {
			p.Report(rule.At(c.Description), nil)
		}
	}}
}

func line(id, label, class, server, description string) string {
	return fmt.Sprintf(`{"id":%q,"label":%q,"class":%q,"server":%q,"tool":{"name":%q,"description":%q,"inputSchema":{"type":"object"}}}`+"\n",
		id, label, class, server, id, description)
}

func read(t *testing.T, text string) *Corpus {
	t.Helper()
	c, err := Read("c.jsonl", []byte(text), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func score(t *testing.T, text string, rules ...*rule.Rule) *Result {
	t.Helper()
	res, err := Judge([]*Corpus{read(t, text)}, rules, nil, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func ids(list []Named) string {
	var all []string
	for _, n := range list {
		all = append(all, n.ID)
	}
	return strings.Join(all, " ")
}

func TestRatesCountEachCaseOnceAtTheTierOfItsGravestFinding(t *testing.T) {
	res := score(t, line("a", "hostile", "x", "", "evil")+line("b", "malicious", "x", "", "bad evil worst")+line("c", "hostile", "y", "", "quiet")+
		line("d", "benign", "plain", "s", "evil")+line("e", "benign", "plain", "s", "kind")+line("f", "benign", "plain", "t", "kind")+
		line("g", "not_poisoned", "lab", "", "evil"),
		says("card/evil", "evil", finding.Warning, rule.Poisoning), says("card/bad", "bad", finding.Error, rule.Unicode),
		says("card/worst", "worst", finding.Info, rule.Block), says("card/kind", "kind", finding.Error, rule.Schema))
	if res.Hostile != 3 || res.Benign != 3 || res.Servers != 2 || res.Warned != 3 || res.Failed != 2 || res.Rules != 3 {
		t.Errorf("totals %+v", res)
	}
	warn := res.At(Warning)
	if warn.Found != 2 || warn.Cards != 1 || warn.Servers != 1 || warn.Recall != share(2, 3) || warn.Precision != share(2, 3) || warn.F1 != share(2, 3) {
		t.Errorf("warning: %+v", warn)
	}
	if e := res.At(Error); e.Found != 1 || e.Cards != 0 || e.Precision != 1 || e.F1 != share(1, 2) {
		t.Errorf("error: %+v", e)
	}
	if b := res.At(Block); b.Found != 1 || b.Cards != 0 {
		t.Errorf("block: %+v", b)
	}
	if ids(res.Missed) != "c" || ids(res.Alarms) != "d" || res.Alarms[0].Rules[0] != "card/evil" || res.Alarms[0].Line != 4 {
		t.Errorf("missed %v, alarms %v", res.Missed, res.Alarms)
	}
	var rows []string
	for _, r := range res.Rows {
		rows = append(rows, fmt.Sprintf("%s %s %d %d", r.Label, r.Class, r.Cases, r.Found.Warning))
	}
	if got := strings.Join(rows, ", "); got != "hostile x 2 2, hostile y 1 0, benign plain 3 1, other lab 1 1" {
		t.Errorf("rows: %s", got)
	}
}

func TestBehaviourRulesCountOnlyForWhatAToolDoes(t *testing.T) {
	text := line("a", "hostile", "annotation_lie", "", "evil") + line("b", "hostile", "shadowing", "", "evil") + line("c", "benign", "plain", "", "evil")
	res := score(t, text, says("card/evil", "evil", finding.Warning, rule.Behaviour))
	if ids(res.Missed) != "b" || len(res.Alarms) != 0 || res.Warned != 1 {
		t.Errorf("missed %v, alarms %v, warned %d", res.Missed, res.Alarms, res.Warned)
	}
}

func TestOfACraftedAttackAnyRuleMaySpeak(t *testing.T) {
	text := `{"id":"a","kind":"attack","expect":"recursive-ref","tool":{"name":"n","description":"evil"}}` + "\n" +
		`{"id":"b","kind":"benign","expect":"none","tool":{"name":"n","description":"evil"}}` + "\n"
	res := score(t, text, says("card/evil", "evil", finding.Error, rule.Schema))
	if len(res.Missed) != 0 || len(res.Alarms) != 0 || res.Failed != 1 || res.Rows[0].Class != "crafted_recursive_ref" || res.Rows[1].Class != "crafted" {
		t.Errorf("%+v", res)
	}
}

// TestBenignCardsOfOneServerAreJudgedTogether: what several cards share is an alarm on each of them, and what is no card's
// is one on the server.
func TestBenignCardsOfOneServerAreJudgedTogether(t *testing.T) {
	shared := &rule.Rule{ID: "card/shared", Severity: finding.Warning, Message: "{names}", Tags: []string{rule.Poisoning}, Surface: func(p *rule.Pass, s *card.Server) {
		var g rule.Gather
		for _, c := range s.Cards {
			if strings.Contains(c.Description.Text(), "evil") {
				g.AddCard(c, rule.At(c.Description))
			}
		}
		g.Report(p, p.Rule.Message, nil)
	}}
	whole := &rule.Rule{ID: "card/whole", Severity: finding.Error, Message: "m", Tags: []string{rule.Poisoning}, Surface: func(p *rule.Pass, s *card.Server) {
		if len(s.Cards) == 3 {
			p.Report(rule.At(s.Node), nil)
		}
	}}
	text := line("a", "benign", "plain", "s", "evil") + line("b", "benign", "plain", "s", "evil") + line("c", "benign", "plain", "s", "kind") +
		line("d", "benign", "plain", "t", "evil") + line("e", "hostile", "x", "s", "evil")
	res := score(t, text, shared, whole)
	if ids(res.Alarms) != "a b d " || res.Servers != 2 || res.At(Warning).Servers != 2 || res.At(Warning).Cards != 4 {
		t.Errorf("%q, %+v", ids(res.Alarms), res.Tiers)
	}
	last := res.Alarms[3]
	if last.Server != "s" || *last.Tier != Error || !slices.Equal(last.Rules, []string{"card/whole"}) {
		t.Errorf("the server's alarm: %+v", last)
	}
}

func TestServersOfOneCaseAreComparedWithEachOther(t *testing.T) {
	both := &rule.Rule{ID: "card/both", Severity: finding.Warning, Message: "m", Tags: []string{rule.Poisoning}, Cards: func(p *rule.Pass, f *card.File) {
		if len(f.Servers) == 2 {
			p.Report(rule.At(f.Servers[1].Cards[0].Node), nil)
		}
	}}
	text := `{"id":"a","label":"hostile","class":"x","servers":{"one":{"tools":[{"name":"n"}]},"two":{"tools":[{"name":"n"}]}}}` + "\n"
	if res := score(t, text, both); len(res.Missed) != 0 {
		t.Errorf("missed %v", res.Missed)
	}
}

func TestPromptsResourcesTemplatesAndInstructionsAreCases(t *testing.T) {
	kinds := &rule.Rule{ID: "card/kinds", Severity: finding.Warning, Message: "m", Tags: []string{rule.Poisoning}, Surface: func(p *rule.Pass, s *card.Server) {
		if s.Instructions.Text() == "evil" {
			p.Report(rule.At(s.Instructions), nil)
		}
		for _, c := range s.Cards {
			if c.Kind != card.Tool {
				p.Report(rule.At(c.Node), nil)
			}
		}
	}}
	text := `{"id":"a","label":"hostile","class":"x","prompt":{"name":"n"}}
{"id":"b","label":"hostile","class":"x","resource":{"uri":"n:n"}}
{"id":"c","label":"hostile","class":"x","template":{"uriTemplate":"n:{n}"}}
{"id":"d","label":"hostile","class":"x","surface":{"instructions":"evil"}}
{"id":"e","label":"hostile","class":"x","surface":{"instructions":"kind","tools":[],"prompts":[{"name":"n"}]}}
{"id":"f","label":"hostile","class":"x","surface":{"instructions":"kind"}}
`
	if res := score(t, text, kinds); ids(res.Missed) != "f" {
		t.Errorf("missed %v", res.Missed)
	}
}

func TestARuleThatFailsIsIncompleteNeverAMiss(t *testing.T) {
	bad := &rule.Rule{ID: "card/bad", Message: "m", Card: func(*rule.Pass, *card.Card) { panic("boom") }}
	res := score(t, line("a", "hostile", "x", "", "evil"), bad)
	if len(res.Incomplete) != 1 || res.Incomplete[0].Path != "a" {
		t.Errorf("incomplete %+v", res.Incomplete)
	}
}

func TestSharesOfNothingAreUnknown(t *testing.T) {
	res := score(t, line("a", "benign", "plain", "", "kind"))
	r := res.At(Warning)
	if r.Recall.Known() || r.Precision.Known() || r.F1.Known() {
		t.Errorf("%+v", r)
	}
	if text, _ := r.Recall.MarshalJSON(); string(text) != "null" {
		t.Errorf("unknown is %s", text)
	}
	if text, _ := share(2, 3).MarshalJSON(); string(text) != "0.6667" {
		t.Errorf("two thirds are %s", text)
	}
}

func TestTheFloorLooksIntoEveryStringAndName(t *testing.T) {
	text := line("a", "hostile", "x", "", "IGNORE Previous") +
		`{"id":"b","label":"hostile","class":"x","tool":{"name":"n","inputSchema":{"properties":{"p":{"enum":[1,"~/.ssh"]}}}}}` + "\n" +
		`{"id":"c","label":"hostile","class":"x","tool":{"name":"n","inputSchema":{"properties":{"do not tell":{}}}}}` + "\n" +
		line("d", "hostile", "x", "", "kind") + line("e", "benign", "plain", "", "a system prompt")
	if r := score(t, text).At(Ten); r.Found != 3 || r.Cards != 1 || r.Servers != 1 {
		t.Errorf("%+v", r)
	}
	if n := len(floor()); n != 10 {
		t.Errorf("%d substrings", n)
	}
}

func TestACorpusWithAFaultIsNotReadAndTheFaultIsNamed(t *testing.T) {
	good := line("a", "benign", "plain", "", "kind")
	for text, want := range map[string]string{
		"":                     "c.jsonl: holds no case",
		good + "\n" + good:     "c.jsonl:2: ",
		good + good:            `c.jsonl:2: id "a" is that of line 1`,
		good + "{}\n":          `c.jsonl:2: has no "id"`,
		"[]":                   "c.jsonl:1: a line holds one JSON object",
		`{"id":"a"} // c`:      "c.jsonl:1: a line holds one JSON object",
		`{"id":"a","id":"b"}`:  "c.jsonl:1: a member stands there twice",
		`{"id":1}`:             `c.jsonl:1: "id" must be a string`,
		`{"id":"a","lable":1}`: `c.jsonl:1: unknown member "lable"`,
		`{"id":"a","label":"bad","class":"x","tool":{}}`:                               "c.jsonl:1: the label must be hostile or benign",
		`{"id":"a","kind":"bad","expect":"x","tool":{}}`:                               "c.jsonl:1: the label must be hostile or benign",
		`{"id":"a","label":"benign","tool":{}}`:                                        `c.jsonl:1: has no "class"`,
		`{"id":"a","label":"benign","class":"x"}`:                                      "c.jsonl:1: has none of tool, prompt",
		`{"id":"a","label":"benign","class":"x","tool":[]}`:                            `c.jsonl:1: "tool" must be an object`,
		`{"id":"a","label":"benign","class":"x","tool":{},"prompt":{}}`:                `c.jsonl:1: holds both "tool" and "prompt"`,
		`{"id":"a","label":"benign","class":"x","surface":{}}`:                         `c.jsonl:1: "surface" holds a server without cards`,
		`{"id":"a","label":"benign","class":"x","surface":{"tools":1}}`:                `c.jsonl:1: "surface" holds no server`,
		`{"id":"a","label":"benign","class":"x","surface":{"tools":[1,{}]}}`:           `c.jsonl:1: "surface" holds a list with an item that is no object`,
		`{"id":"a","label":"benign","class":"x","servers":{"a":1}}`:                    `c.jsonl:1: "servers" holds no server`,
		`{"id":"a","label":"benign","class":"x","servers":{"a":{"tools":[{}]},"b":1}}`: `c.jsonl:1: "servers" holds one without cards`,
	} {
		c, err := Read("c.jsonl", []byte(text), limits.Default)
		if err == nil || c != nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestEveryFaultOfACorpusIsNamed(t *testing.T) {
	_, err := Read("c.jsonl", []byte("{\n"+line("a", "benign", "plain", "", "")+"1\n"), limits.Default)
	if faults, ok := err.(Faults); !ok || len(faults) != 2 || !strings.HasPrefix(faults[1], "c.jsonl:3: ") {
		t.Errorf("%v", err)
	}
}

func TestACorpusIsBounded(t *testing.T) {
	two := line("a", "benign", "plain", "", "kind") + line("b", "benign", "plain", "", "kind")
	for name, lim := range map[string]limits.Set{
		"larger than":     {EvalBytes: len(two) - 1, EvalLineBytes: 1000, EvalCases: 2},
		"line is longer":  {EvalBytes: len(two), EvalLineBytes: 50, EvalCases: 2},
		"more than 1 cas": {EvalBytes: len(two), EvalLineBytes: 1000, EvalCases: 1},
	} {
		set := limits.Default
		set.EvalBytes, set.EvalLineBytes, set.EvalCases = lim.EvalBytes, lim.EvalLineBytes, lim.EvalCases
		if _, err := Read("c.jsonl", []byte(two), set); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		set.EvalBytes, set.EvalLineBytes, set.EvalCases = len(two), 1000, 2
		if _, err := Read("c.jsonl", []byte(two), set); err != nil {
			t.Errorf("at the limit: %v", err)
		}
	}
}

// A case may nest as deep as one line may, though its document is deeper by a list.
func TestACaseThatIsReadIsJudged(t *testing.T) {
	deep := func(n int) string {
		return `{"id":"a","label":"hostile","class":"x","tool":{"name":"n","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	}
	set := limits.Default
	n := set.Depth
	for ; n > 0; n-- {
		if c, err := Read("c.jsonl", []byte(deep(n)), set); err == nil {
			if _, err := Judge([]*Corpus{c}, nil, nil, set); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if n < set.Depth-4 {
		t.Errorf("only %d levels are read", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(line("a", "hostile", "x", "s", "evil") + line("b", "benign", "plain", "s", "kind") + line("c", "benign", "plain", "s", "")))
	f.Add([]byte(`{"id":"a","kind":"attack","expect":"x","surface":{"instructions":"evil"}}`))
	f.Add([]byte(`{"id":"a","label":"benign","class":"x","servers":{"a":{"tools":[{}]},"b":{"prompts":[{}]}}}`))
	rules := []*rule.Rule{says("card/evil", "evil", finding.Error, rule.Poisoning)}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := Read("c.jsonl", raw, limits.Default)
		if (c == nil) != (err != nil) {
			t.Fatalf("%v and %v", c, err)
		}
		if err != nil {
			return
		}
		// Whatever is read is judged, and every case is in one row.
		res, err := Judge([]*Corpus{c}, rules, nil, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range res.Rows {
			n += r.Cases
		}
		if n != len(c.Cases) || res.Hostile+res.Benign > n || len(res.Missed)+res.At(Warning).Found != res.Hostile {
			t.Errorf("%d cases: %+v", n, res)
		}
	})
}
