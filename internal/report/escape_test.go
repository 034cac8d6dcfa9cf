package report

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

var hostileNames = []string{ansiName, bidiName, tagName, commandName, azureName, cdataName, markdownName, commandPath, hostilePath,
	"", "%0A::error::x", "a%25b", "@@a", "## x", "###", "&#64;octocat", `\|`, "a\\", "::x", "user@host.example", "ＷＷＷ.x", "\xff\xfe"}

var (
	reference = regexp.MustCompile(`&#[0-9]+;`)
	// what GitHub looks for in a finished page: mentions, issues, emoji, addresses
	active = regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|:[a-z0-9_+-]+:|://|www\.[a-z0-9]|gh-[0-9]`)
)

func FuzzMarkdownKeepsTextAsText(f *testing.F) {
	for _, s := range hostileNames {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := markdown(s)
		if bare := reference.ReplaceAllString(out, ""); strings.ContainsAny(bare, "\\`*_{}[]<>&|~#@$:!\n\r") {
			t.Errorf("%q becomes %q, which Markdown reads", s, out)
		}
		page := html.UnescapeString(out)
		if strings.ReplaceAll(page, "\u200b", "") != text.Safe(s, limits.Default.ShownURLRunes) {
			t.Errorf("%q reads %q", s, page)
		}
		if m := active.FindString(page); m != "" {
			t.Errorf("%q becomes a page with %q", s, m)
		}
	})
}

func FuzzGitHubAnnotationIsOneCommand(f *testing.F) {
	for _, s := range hostileNames {
		f.Add(s, s, s)
	}
	unescape := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	f.Fuzz(func(t *testing.T, path, title, message string) {
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		annotation{"error", finding.Location{Path: path, Line: 1}, title, message}.write(w, newPlacer(&Report{}, Env{}))
		w.Flush()
		line, ok := strings.CutSuffix(b.String(), "\n")
		if !ok || strings.ContainsAny(line, "\r\n") || !utf8.ValidString(line) {
			t.Fatalf("not one line: %q", b.String())
		}
		// as the runner reads it: ::command key=value,…::data
		rest, ok := strings.CutPrefix(line, "::error ")
		properties, data, found := strings.Cut(rest, "::")
		if !ok || !found {
			t.Fatalf("not a command: %q", line)
		}
		for _, p := range strings.Split(properties, ",") {
			key, value, _ := strings.Cut(p, "=")
			switch key {
			case "line", "col":
				if value != "1" {
					t.Errorf("%s is %q", key, value)
				}
			case "file":
				if unescape.Replace(value) != plain(strings.TrimPrefix(slashed(path), "./"), 0) {
					t.Errorf("file is %q of %q", value, path)
				}
			case "title":
				if unescape.Replace(value) != plain(title, 0) {
					t.Errorf("title is %q of %q", value, title)
				}
			default:
				t.Errorf("%q injected a property: %q", line, p)
			}
		}
		if got := unescape.Replace(data); !strings.HasSuffix(got, plain(message, 0)) {
			t.Errorf("message is %q of %q", got, message)
		}
	})
}

func FuzzJSONKeepsValuesAndDrivesNothing(f *testing.F) {
	for _, s := range hostileNames {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := encode([]string{s, `\`, s})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(doc) {
			if text.Unsafe(r) && r != text.Replacement {
				t.Errorf("%q holds %U", doc, r)
			}
		}
		if bytes.Contains(doc, []byte("##")) {
			t.Errorf("%q holds ##", doc)
		}
		var back []string
		if err := stdjson.Unmarshal(doc, &back); err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); utf8.ValidString(s) && back[0] != want || back[2] != back[0] {
			t.Errorf("%q reads %q", s, back[0])
		}
	})
}

func FuzzBrokenLinesAreTheSameJSON(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":"\\\"}],["},[],{}],"c":{"d":[1,2]},"e":[],"f":"x"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var compact, again bytes.Buffer
		if len(doc) == 0 || doc[0] != '{' || stdjson.Compact(&compact, doc) != nil {
			t.Skip()
		}
		if err := stdjson.Compact(&again, breakLines(compact.Bytes())); err != nil || !bytes.Equal(again.Bytes(), compact.Bytes()) {
			t.Errorf("%s becomes %s: %v", compact.Bytes(), again.Bytes(), err)
		}
	})
}

// The bound of the report format: three times what was judged, 300 bytes a subject, and 4 KiB.
func TestJSONStaysNearTheSizeOfWhatItJudged(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for _, servers := range []int{0, 1, 10, 100, 2000} {
		for _, findings := range []int{0, 1} { // of each server
			var config strings.Builder
			res := &engine.Result{Files: 1, Servers: servers}
			res.Subjects = append(res.Subjects, finding.Subject{ID: "s0", Kind: "config", Path: ".vscode/mcp.json", Client: "vscode", Scope: "project", Digest: fingerprint("x")})
			config.WriteString("{\n  \"servers\": {\n")
			for i := range servers {
				name := fmt.Sprintf("server-%d-%x", i, rnd.Uint32())
				id := fmt.Sprintf("s%d", i+1)
				res.Subjects = append(res.Subjects, finding.Subject{ID: id, Kind: "server", Parent: "s0", Name: name, Transport: "http"})
				start := config.Len()
				fmt.Fprintf(&config, "    %q: {\n      \"type\": \"http\",\n      \"url\": \"http://mcp%d.example.com/mcp\"\n    },\n", name, i)
				for range findings {
					res.Findings = append(res.Findings, finding.Finding{Rule: "mcp-security/http-no-tls", Severity: finding.Warning,
						Message: fmt.Sprintf("Server %q uses HTTP without TLS", name), Subject: id, Fingerprint: fingerprint(name),
						Location: at(".vscode/mcp.json", i*4, 14, start+40, 30, "/servers/"+name+"/url")})
				}
			}
			config.WriteString("  }\n}\n")
			most := 3*config.Len() + 300*len(res.Subjects) + 4*limits.KiB
			if got := len(render(t, "json", res, sampleEnv())); got > most {
				t.Errorf("%d servers with %d findings: %d bytes for a config of %d, want at most %d", servers, findings, got, config.Len(), most)
			}
		}
	}
}
