package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The suite needs Node 22, which the package node brings.
const suiteVersion, suiteNode = "0.2.0-alpha.12", "22.23.3"

// expectedFailures is how many scenarios may stand in the lists of expected failures. It only ever goes down.
var expectedFailures = map[string]int{"2025-11-25": 5, "2026-07-28": 0}

// suite is the conformance suite, installed once a machine, and the Node that runs it.
func suite(t *testing.T) (node, script string) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			lacks(t, "needs %s: apt-get install nodejs npm", name)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "mcpassay-test", "conformance-"+suiteVersion)
	node = filepath.Join(dir, "node_modules", "node", "bin", "node")
	script = filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, path := range []string{node, script} {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "@modelcontextprotocol/conformance@"+suiteVersion, "node@"+suiteNode).CombinedOutput()
		if _, missing := os.Stat(path); err != nil || missing != nil {
			lacks(t, "the conformance suite can not be installed: %v: %s", err, out)
		}
	}
	return node, script
}

// The official suite finds what its two newest revisions require, but for what the lists in test/conformance give reasons for.
func TestTheOfficialConformanceSuitePasses(t *testing.T) {
	node, script := suite(t)
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0", "--conformance-fixtures")
	total := regexp.MustCompile(`Total: (\d+) passed`)
	for revision, most := range expectedFailures {
		list, err := filepath.Abs(filepath.Join("conformance", revision+".yml"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n  - "); n > most {
			t.Errorf("%d failures of %s are expected: %d are the most", n, revision, most)
		}
		cmd := exec.Command(node, script, "server", "--url", endpoint, "--requirements", revision, "--expected-failures", list, "-o", t.TempDir())
		out, err := cmd.CombinedOutput()
		m := total.FindStringSubmatch(string(out))
		if err != nil || m == nil {
			_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
			t.Errorf("%s: %v\n%s", revision, err, summary)
		}
		if m != nil {
			t.Logf("%s: %s checks passed", revision, m[1])
		}
	}
	if code := interrupt(); code != 0 {
		t.Errorf("an interrupt ends it with %d", code)
	}
}

// What the fixtures answer is not offered to anybody else.
func TestTheFixturesOfTheSuiteAreHidden(t *testing.T) {
	t.Parallel()
	answers := served(t, t.TempDir(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, toolCall(2, "test_simple_text", struct{}{}), `{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`)
	if strings.Contains(string(answers["1"]), "test_") || answers["2"] != nil || answers["3"] != nil {
		t.Errorf("%.300s", answers)
	}
	if help := string(shownBy(t, t.TempDir(), "", "serve", "--help")); strings.Contains(help, "conformance") {
		t.Errorf("%s", help)
	}
}
