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
// with the reason in the commit.
const (
	leastRecall      = 0.0
	leastError       = 0.0
	leastBlock       = 0.0
	mostFalseWarning = 0 // benign cards
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
	if got := res.At(eval.Warning).Cards; got > mostFalseWarning {
		t.Errorf("%d benign cards at warning, more than %d: %v", got, mostFalseWarning, res.Alarms)
	}
	for _, tier := range []eval.Tier{eval.Error, eval.Block} {
		if got := res.At(tier).Cards; got > 0 {
			t.Errorf("%d benign cards at %s: %v", got, tier, res.Alarms)
		}
	}
	if res.Failed > 0 {
		t.Errorf("a default run fails on %d benign servers", res.Failed)
	}
}

// TestTheSharedCardsAreScored prints the table of the public cards.
func TestTheSharedCardsAreScored(t *testing.T) {
	dir := shared(t, "corpus/cards")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cards in %s: %v", dir, err)
	}
	t.Logf("%-12s %5s %5s  %7s %6s %6s %6s  %s", "file", "cases", "hosts", "warning", "error", "block", "ten", "rates at warning")
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
		if len(c.Cases) == 0 || res.Cases() != len(c.Cases) {
			t.Errorf("%s: %d cases scored of %d", c.Path, res.Cases(), len(c.Cases))
		}
		var all eval.Counts
		for _, row := range res.Rows {
			for _, tier := range []eval.Tier{eval.Warning, eval.Error, eval.Block, eval.Ten} {
				*all.At(tier) += *row.Found.At(tier)
			}
		}
		rates := ""
		if res.Hostile > 0 {
			rates = percentOf(res.At(eval.Warning).Found, res.Hostile) + " recall"
		}
		if res.Benign > 0 {
			rates += " " + percentOf(res.At(eval.Warning).Cards, res.Benign) + " of cards, " +
				percentOf(res.At(eval.Warning).Servers, res.Servers) + " of servers falsely, " + percentOf(res.Failed, res.Servers) + " of servers fail"
		}
		t.Logf("%-12s %5d %5d  %7d %6d %6d %6d  %s", strings.TrimSuffix(c.Path, ".jsonl"), len(c.Cases), res.Servers, all.Warning, all.Error, all.Block, all.Ten, rates)
	}
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
