package test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpassay/mcpassay/internal/speech"
)

// runOfWords is from how many words on an entry that stands in a labelled card is taken from it.
const runOfWords = 4

// TestNoWordDataIsTakenFromLabelledCards holds that rules come from ideas: nothing in their word data is a run of words that
// stands in one of the cards and frames that they are measured on.
func TestNoWordDataIsTakenFromLabelledCards(t *testing.T) {
	runs := map[string]string{}
	entries := slices.Collect(speech.Words())
	if len(entries) == 0 {
		t.Fatal("the rules have no words: the test proves nothing")
	}
	for _, entry := range append(entries, append(literals(t, "../internal/speech"), literals(t, "../internal/rules/traffic")...)...) {
		words := plainWords(entry)
		for i := 0; i+runOfWords <= len(words); i++ {
			runs[strings.Join(words[i:i+runOfWords], " ")] = entry
		}
	}
	var files []string
	for _, kind := range []string{"cards/*.jsonl", "wire/frames.jsonl", "wire/guard-corpus/*/*/*.json"} {
		some, err := filepath.Glob(filepath.Join(shared(t, "corpus"), kind))
		if err != nil || len(some) == 0 {
			t.Fatalf("no labelled %s: %v", kind, err)
		}
		files = append(files, some...)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			words := plainWords(lines.Text())
			for i := 0; i+runOfWords <= len(words); i++ {
				if entry, ok := runs[strings.Join(words[i:i+runOfWords], " ")]; ok {
					t.Errorf("%q stands in %s", entry, filepath.Base(name))
					delete(runs, strings.Join(words[i:i+runOfWords], " "))
				}
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// literals are the strings of a package's code, its tests apart.
func literals(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no code in %s: %v", dir, err)
	}
	var all []string
	for _, name := range files {
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// What a rule says to people is no data that it looks for.
		if strings.HasSuffix(name, "_test.go") || bytes.Contains(code, []byte("rule.Rule{")) || filepath.Base(name) == "report.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, code, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && !strings.Contains(text, ";") && len(strings.Fields(text)) < 40 { // lists are entries, checked one by one
					all = append(all, text)
				}
			}
			return true
		})
	}
	return all
}

// plainWords are the words of a text in small letters.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
}
