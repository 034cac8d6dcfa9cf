package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpassay/mcpassay/internal/flow/eval"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// What the default rules reach on the corpus inside the program. Raise a floor when the rules get better; lower one only
// with the reason in the commit. The exact figures stand in docs/accuracy.md, which must be fresh.
const (
	leastRecall = 0.99
	leastError  = 0.82
	leastBlock  = 0.40
	// Of the benign cards none should be here.
	mostFalseWarning = 0
	mostFalseError   = 0
	mostFalseBlock   = 0
	mostFailing      = 0 // benign servers on which a default run fails
)

// What is asked of them on the public cards.
const (
	leastPoisoned   = 0.85
	leastBlocked    = 0.50
	leastOvert      = 0.90
	leastCrafted    = 0.90
	mostRealCards   = 0.005
	mostRealServers = 0.03
	mostRealFailing = 0.10
	mostHardErrors  = 0
)

func scored(t *testing.T, corpora ...*eval.Corpus) *eval.Result {
	t.Helper()
	facts := &pageFacts{platform: "linux", tracked: rule.Yes}
	res, err := eval.Judge(corpora, policy.Default().Rules(), facts, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range res.Incomplete {
		t.Errorf("%s: %s", i.Path, i.Detail)
	}
	return res
}

func TestTheEmbeddedCorpusHoldsItsFloors(t *testing.T) {
	c, err := eval.Embedded(limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	res := scored(t, c)
	for tier, least := range map[eval.Tier]float64{eval.Warning: leastRecall, eval.Error: leastError, eval.Block: leastBlock} {
		if got := float64(res.At(tier).Recall); got < least {
			t.Errorf("recall at %s is %.3f, below %.3f", tier, got, least)
		}
	}
	for tier, most := range map[eval.Tier]int{eval.Warning: mostFalseWarning, eval.Error: mostFalseError, eval.Block: mostFalseBlock} {
		if got := res.At(tier).Cards; got > most {
			t.Errorf("%d benign cards at %s, more than %d: %v", got, tier, most, res.Alarms)
		}
	}
	if res.Failed > mostFailing {
		t.Errorf("a default run fails on %d benign servers", res.Failed)
	}
}

// TestTheSharedCardsAreScored prints the table of the public cards and holds what is asked of the rules on them.
func TestTheSharedCardsAreScored(t *testing.T) {
	dir := shared(t, "corpus/cards")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cards in %s: %v", dir, err)
	}
	t.Logf("%-12s %5s %7s  %7s %5s %5s %3s  %s", "file", "cases", "servers", "warning", "error", "block", "ten", "at warning")
	by := map[string]*eval.Result{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := eval.Read(filepath.Base(file), raw, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		res := scored(t, c)
		name := strings.TrimSuffix(c.Path, ".jsonl")
		by[name] = res
		if len(c.Cases) == 0 || res.Cases() != len(c.Cases) {
			t.Errorf("%s: %d cases scored of %d", c.Path, res.Cases(), len(c.Cases))
		}
		warn := res.At(eval.Warning)
		rates := ""
		if res.Hostile > 0 {
			rates = percentOf(warn.Found, res.Hostile) + " found"
		}
		if res.Benign > 0 {
			rates += " " + percentOf(warn.Cards, res.Benign) + " of cards, " + percentOf(warn.Servers, res.Servers) + " of servers falsely, " +
				percentOf(res.Failed, res.Servers) + " of servers fail"
		}
		all := total(res, func(eval.Row) bool { return true })
		t.Logf("%-12s %5d %7d  %7d %5d %5d %3d  %s", name, len(c.Cases), res.Servers, all.Warning, all.Error, all.Block, all.Ten, strings.TrimSpace(rates))
	}
	poisoned, template, overt, crafted := by["poisoned"], by["template"], by["overt"], by["crafted"]
	honest, hard := by["benign_real"], by["benign_hard"]
	found := func(tier eval.Tier, of ...*eval.Result) float64 {
		part, all := 0, 0
		for _, res := range of {
			part, all = part+res.At(tier).Found, all+res.Hostile
		}
		return float64(part) / float64(all)
	}
	written := total(hard, func(r eval.Row) bool { return r.Class != "synthetic_plain" })
	for _, c := range []struct {
		what        string
		got         float64
		least, most float64
	}{
		{"poisoned and template at warning", found(eval.Warning, poisoned, template), leastPoisoned, 1},
		{"poisoned and template that block", found(eval.Block, poisoned, template), leastBlocked, 1},
		{"overt at warning", found(eval.Warning, overt), leastOvert, 1},
		{"crafted at warning", found(eval.Warning, crafted), leastCrafted, 1},
		{"real cards at warning", float64(honest.At(eval.Warning).Cards) / float64(honest.Benign), 0, mostRealCards},
		{"real servers at warning", float64(honest.At(eval.Warning).Servers) / float64(honest.Servers), 0, mostRealServers},
		{"real servers that fail a default run", float64(honest.Failed) / float64(honest.Servers), 0, mostRealFailing},
		{"real cards that block", float64(honest.At(eval.Block).Cards), 0, 0},
		{"hard cards that were not made up, at error", float64(written.Error), 0, mostHardErrors},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s: %.4f, not from %g to %g", c.what, c.got, c.least, c.most)
		}
	}
}

// total adds the classes that are picked.
func total(res *eval.Result, pick func(eval.Row) bool) (all eval.Counts) {
	for _, row := range res.Rows {
		if pick(row) {
			for _, tier := range []eval.Tier{eval.Warning, eval.Error, eval.Block, eval.Ten} {
				*all.At(tier) += *row.Found.At(tier)
			}
		}
	}
	return all
}

func percentOf(part, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of)) }

// run is how many words in a row make a sentence somebody's.
const run = 8

// TestTheEmbeddedCardsAreInOurOwnWords: what the rules were written after must not test them.
func TestTheEmbeddedCardsAreInOurOwnWords(t *testing.T) {
	theirs := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(shared(t, "corpus/cards"), "*.jsonl"))
	for _, file := range files {
		for id, texts := range textsOf(t, file) {
			for _, text := range texts {
				for _, words := range runs(text) {
					theirs[words] = id
				}
			}
		}
	}
	if len(theirs) < 10_000 {
		t.Fatalf("only %d runs of words to compare with", len(theirs))
	}
	for id, texts := range textsOf(t, "../internal/flow/eval/corpus.jsonl") {
		for _, text := range texts {
			for _, words := range runs(text) {
				if other, ok := theirs[words]; ok {
					t.Errorf("%s shares with %s: %q", id, other, words)
				}
			}
		}
	}
}

// textsOf are the strings of what each case of a corpus holds.
func textsOf(t *testing.T, file string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, limits.Default.EvalLineBytes)
	for lines.Scan() {
		var c map[string]any
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		id, _ := c["id"].(string)
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case string:
				texts[id] = append(texts[id], v)
			case []any:
				for _, item := range v {
					walk(item)
				}
			case map[string]any:
				for key, member := range v {
					texts[id] = append(texts[id], key)
					walk(member)
				}
			}
		}
		for _, what := range []string{"tool", "prompt", "resource", "template", "surface", "servers"} {
			walk(c[what])
		}
	}
	return texts
}

func runs(text string) (all []string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := 0; i+run <= len(words); i++ {
		all = append(all, strings.Join(words[i:i+run], " "))
	}
	return all
}
