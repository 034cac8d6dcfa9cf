package test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/tool/migrating"
)

// A script that says a row and runs nothing, or something else, makes no table.
func TestDocsCallNothingAnExitCodeThatWasNotRun(t *testing.T) {
	for script, ok := range map[string]bool{
		"#: mcpm | x | 0 |\ncode 0 mcpassay version\n":                        true,
		"#: mcpm | x | 0 |\n\n# said\n[unix] interrupt 130 mcpassay lint -\n": true,
		"#: mcpm | x | 0 |\n": false,
		"#: mcpm | x | 0 |\nexec true\ncode 0 mcpassay version\n":         false,
		"#: mcpm | x | 0 |\n#: mcpm | y | 0 |\ncode 0 mcpassay version\n": false,
		"#: mcpm | x |\ncode 0 mcpassay version\n":                        false,
		"#: nobody | x | 0 |\ncode 0 mcpassay version\n":                  false,
		"# no row\n": false,
	} {
		if _, err := migrating.Exits(script); (err == nil) != ok {
			t.Errorf("%q: %v", script, err)
		}
	}
}

var (
	ticked   = regexp.MustCompile("`([^`]+)`")
	ruleID   = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)*/[a-z0-9-]+$`)
	flagName = regexp.MustCompile(`(?:^|[^\w-])(--[a-z][a-z0-9_-]*)`)
)

// Every word of ours in the tables is one of the program: a command with those flags and values, a rule, a tool, a word of its reports.
func TestDocsOnMigratingNameWhatWeHave(t *testing.T) {
	schema, err := migrating.Run("report", "schema")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := migrating.RunWith(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`, "serve")
	if err != nil {
		t.Fatal(err)
	}
	said := schema + tools + readRepository(t, "docs/lock.md") + readRepository(t, "docs/guard.md")
	count := 0
	for _, d := range migrating.Documents() {
		for _, w := range migrating.Words(d) {
			if w.Ours == "" && w.Why == "" {
				t.Errorf("%s: %s is not here, and nobody says why", d, w.Theirs)
			}
			for _, m := range ticked.FindAllStringSubmatch(w.Ours, -1) {
				count++
				word := m[1]
				switch {
				case strings.HasPrefix(word, "mcpassay "):
					commandExists(t, word)
				case ruleID.MatchString(word):
					if _, ok := catalog.ByID(word); !ok {
						t.Errorf("%s: %s becomes the rule %s, which does not exist", d, w.Theirs, word)
					}
				case w.Kind == migrating.Tool:
					if !strings.Contains(tools, `"name":"`+word+`"`) {
						t.Errorf("%s: %s becomes the tool %s, which mcpassay serve does not have", d, w.Theirs, word)
					}
				case !strings.Contains(said, `"`+word+`"`) && !strings.Contains(said, "`"+word+"`"):
					t.Errorf("%s: %s becomes %q, which is in no report", d, w.Theirs, word)
				}
			}
			for _, m := range ticked.FindAllStringSubmatch(w.Why, -1) {
				if strings.HasPrefix(m[1], "mcpassay ") {
					commandExists(t, m[1])
				}
			}
		}
	}
	if count < 150 {
		t.Errorf("only %d words of ours were looked for", count)
	}
}

// commandExists asks the program for the help of a command line, and looks for its flags there, and for the values of those flags that
// take one of a few words.
func commandExists(t *testing.T, line string) {
	t.Helper()
	words := strings.Fields(line)[1:]
	var verb []string
	for _, w := range words {
		if !regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(w) {
			break
		}
		if len(verb) > 0 { // a subcommand, or a word that the verb takes
			if _, err := migrating.Run(append(slices.Clone(verb), w, "--help")...); err != nil {
				break
			}
		}
		verb = append(verb, w)
	}
	help, err := migrating.Run(append(slices.Clone(verb), "--help")...)
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	for i, w := range words {
		name, _, _ := strings.Cut(w, "=")
		if !strings.HasPrefix(name, "--") || name == "--" {
			continue
		}
		_, row, ok := strings.Cut(help, " "+name+" ")
		if !ok {
			t.Errorf("%s: the program has no %s there", line, name)
			continue
		}
		row, _, _ = strings.Cut(row, "\n")
		if i+1 < len(words) && regexp.MustCompile(`^[a-z]+$`).MatchString(words[i+1]) && !strings.Contains(row, words[i+1]) {
			t.Errorf("%s: %s takes no %s: %s", line, name, words[i+1], row)
		}
	}
}

// seedsOf are the documents themselves, which lie beside the repository, each with what is found in it.
var seedsOf = map[migrating.Document]string{
	migrating.Ctxlint: "mcp-config-lint-spec.md", migrating.Warden: "warden-doctor.txt", migrating.Cards: "tool-card-linter.txt",
	migrating.Mcpm: "mcpm-contracts.txt", migrating.Endpoint: "endpoint-lint.json",
}

// Every command, flag, id, tool, decision and exit code that the five documents name has its row.
func TestDocsOnMigratingNameAllThatTheDocumentsDo(t *testing.T) {
	page := readRepository(t, migrating.Page)
	exits, err := migrating.Exits(readRepository(t, migrating.Script))
	if err != nil {
		t.Fatal(err)
	}
	for d, name := range seedsOf {
		raw, err := os.ReadFile(shared(t, "seeds/"+name))
		if err != nil {
			t.Fatal(err)
		}
		found := seedWords(t, d, string(raw))
		counts := map[string]int{}
		for _, f := range found {
			counts[f.kind]++
			if !hasRow(d, f, page, exits) {
				t.Errorf("%s names the %s %q, and %s has no row of it", name, f.kind, f.word, migrating.Page)
			}
		}
		t.Logf("%s: %v", name, counts)
		for kind, least := range map[migrating.Document]map[string]int{
			migrating.Ctxlint:  {"rule": 29},
			migrating.Warden:   {"command": 5, "flag": 12, "rule": 5, "exit code": 3, "decision": 2},
			migrating.Cards:    {"command": 12, "flag": 50, "rule": 5, "exit code": 4, "decision": 6},
			migrating.Mcpm:     {"command": 25, "flag": 20, "rule": 1, "exit code": 20, "tool": 7, "decision": 14},
			migrating.Endpoint: {"command": 4, "tool": 7, "decision": 5},
		}[d] {
			if counts[kind] < least {
				t.Errorf("%s: only %d words that are a %s were found", name, counts[kind], kind)
			}
		}
	}
}

type seedWord struct{ kind, word, of string }

// hasRow says whether the tables speak of a word.
func hasRow(d migrating.Document, f seedWord, page string, exits []migrating.Exit) bool {
	switch f.kind {
	case "rule":
		return strings.Contains(f.word, "*") && len(catalog.Match(f.word)) > 0 || strings.Contains(page, "`"+f.word+"`")
	case "exit code":
		return slices.ContainsFunc(exits, func(e migrating.Exit) bool {
			code := e.Theirs == f.word || e.Theirs == "its own" && f.word == "0"
			return e.Document == d && code && (f.of == "" || strings.HasPrefix(e.Case, "`"+f.of))
		})
	}
	return slices.ContainsFunc(migrating.Words(d), func(w migrating.Word) bool {
		switch f.kind {
		case "command":
			return w.Kind == migrating.Command && (w.Theirs == f.word || strings.HasPrefix(w.Theirs, f.word+" ") || slices.Contains(strings.Fields(strings.ReplaceAll(w.Theirs, ",", " ")), f.word))
		case "flag":
			return slices.Contains(strings.Fields(w.Theirs), f.word)
		case "tool":
			return w.Kind == migrating.Tool && w.Theirs == f.word
		}
		return w.Kind == migrating.Decision && slices.Contains(strings.Split(w.Theirs, ", "), f.word)
	})
}

// noFlags are flags that the documents name and that are not theirs.
var noFlags = map[migrating.Document][]string{
	migrating.Warden: {"--key", "--header", "--openai_api_key", "--pin-eligible", "--help"}, // of servers, whose values are masked; prose
}

// noIDs are names in the same letters that are no rules: variables and files.
var noIDs = []string{"RULE_ID", "MCP_AUDIT_TOKEN", "MCP_CALLBACK_URL", "O_APPEND", "RELEASE_VERIFICATION"}

// seedWords finds what a document names, by how it is written.
func seedWords(t *testing.T, d migrating.Document, text string) []seedWord {
	t.Helper()
	seen := map[seedWord]bool{}
	add := func(kind, word, of string) {
		if word = strings.TrimSpace(word); word != "" {
			seen[seedWord{kind, word, of}] = true
		}
	}
	each := func(pattern string, do func(m []string)) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			do(m)
		}
	}
	list := func(pattern, kind string) {
		each(pattern, func(m []string) {
			for _, w := range strings.Split(m[1], ",") {
				add(kind, w, "")
			}
		})
	}
	if d != migrating.Endpoint && d != migrating.Ctxlint {
		for _, m := range flagName.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(noFlags[d], m[1]) {
				add("flag", m[1], "")
			}
		}
	}
	// A verb that has verbs below it is named with them.
	command := func(prefix string, m []string, groups ...string) {
		word := m[1]
		if slices.Contains(groups, m[1]) {
			if m[2] == "" {
				return
			}
			word += " " + m[2]
		}
		add("command", prefix+word, "")
	}
	switch d {
	case migrating.Ctxlint:
		each("`(mcp-[a-z]+/[a-z-]+)`", func(m []string) { add("rule", m[1], "") })
	case migrating.Warden:
		each(`\bmcp-warden ([a-z]+)(?: ([a-z]+))?`, func(m []string) { command("mcp-warden ", m, "auth", "lock") })
		each(`\b(lock) (rotate)\b`, func(m []string) { command("mcp-warden ", m, "lock") })
		each(`\bWRD-[A-Z*][A-Z*-]+`, func(m []string) { add("rule", m[0], "") })
		list(`(pin\.approved: (?:true|false))`, "decision")
		_, part, _ := strings.Cut(text, "5. Exit codes")
		for _, m := range regexp.MustCompile(`(?m)^(\d+)\s`).FindAllStringSubmatch(part, -1) {
			add("exit code", m[1], "")
		}
	case migrating.Cards:
		each(`\b(?:mcp-toolsmith|mcp-tool-card-linter|mcp_tool_card_linter) ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?`, func(m []string) {
			command("", m, "baseline", "authorize", "audit")
		})
		each(`Use ([a-z-]+) --format json and ([a-z]+) RULE_ID`, func(m []string) { add("command", m[1], ""); add("command", m[2], "") })
		each(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9*]+)+`, func(m []string) {
			if !slices.Contains(noIDs, m[0]) {
				add("rule", m[0], "")
			}
		})
		each(`(?m)^• (\w+_\w+)$`, func(m []string) { add("decision", m[1], "") })
		each(`\b(?:identity|publisher|baseline)_(?:changed|untrusted)\b`, func(m []string) { add("decision", m[0], "") })
		each(`(?m)^• (\d+): `, func(m []string) { add("exit code", m[1], "") })
	case migrating.Mcpm:
		prose := []string{"is", "could", "refuses", "produces"}
		each(`\bmcpm ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?`, func(m []string) {
			if !slices.Contains(prose, m[1]) {
				command("mcpm ", m, "guard", "publish")
			}
		})
		each(`mcpm guard [a-z]+ / ([a-z]+)`, func(m []string) { add("command", "mcpm guard "+m[1], "") })
		each(`--json is available on ([^.]*)\.`, func(m []string) {
			for _, w := range strings.Split(strings.ReplaceAll(m[1], " and ", " "), ",") {
				add("command", "mcpm "+strings.TrimSpace(w), "")
				add("command", "mcpm "+strings.TrimSpace(w)+" --json", "")
			}
		})
		each(`\bguard-[a-z]+(?:-[a-z]+){2,}\b`, func(m []string) { add("rule", m[0], "") })
		each(`\bmcpm_[a-z]+\b`, func(m []string) { add("tool", m[0], "") })
		list(`reasons include ([a-z, -]+)`, "decision")
		list(`kind \(([a-z, -]+)\)`, "decision")
		list(`existing (safe, caution, risky)`, "decision")
		list(`are "(not_run)"`, "decision")
		_, part, _ := strings.Cut(text, "Exit codes (stable)")
		part, _, _ = strings.Cut(part, "Any command exits 1")
		for _, m := range regexp.MustCompile(`(?m)^mcpm (--version|guard [a-z]+|[a-z-]+)(.*)$`).FindAllStringSubmatch(part, -1) {
			for _, code := range regexp.MustCompile(`(?:^|[^-\w.#])([0-9]+)(?:[^-\w.%]|$)`).FindAllStringSubmatch(strings.ReplaceAll(m[2], " ", "  "), -1) {
				if len(code[1]) != 1 {
					continue
				}
				add("exit code", code[1], "mcpm "+m[1])
				if also := regexp.MustCompile(`^ / (?:mcpm )?([a-z]+)`).FindStringSubmatch(m[2]); also != nil { // two commands in one row
					group, _, below := strings.Cut(m[1], " ")
					if !below {
						group = ""
					}
					add("exit code", code[1], strings.TrimSpace("mcpm "+group)+" "+also[1])
				}
			}
		}
	case migrating.Endpoint:
		var card struct {
			Tools []struct{ Name, Description string }
		}
		if err := json.Unmarshal([]byte(text), &card); err != nil {
			t.Fatal(err)
		}
		for _, tool := range card.Tools {
			add("tool", tool.Name, "")
			for _, m := range regexp.MustCompile(`the verdict \(([^)]*)\)`).FindAllStringSubmatch(tool.Description, -1) {
				for _, w := range regexp.MustCompile(`, | — [^—]* — or `).Split(m[1], -1) {
					add("decision", w, "")
				}
			}
		}
		each(`(?:dev)(/(?:a2a|mcp)/(?:lint|discovery|score))\b`, func(m []string) { add("command", m[1], "") })
		each(`fixture://[a-z/-]+`, func(m []string) { add("command", m[0], "") })
	}
	all := make([]seedWord, 0, len(seen))
	for w := range seen {
		all = append(all, w)
	}
	return all
}
