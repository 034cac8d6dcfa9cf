package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// trickyPatterns are the lines of a .gitignore that matchers get wrong: classes, stars beside slashes,
// spaces, escapes, and what is no pattern at all. Each stands alone in a file.
var trickyPatterns = []string{
	"a", "b/", "/a", "/b/", "a/b", "a/b/", "/a/b", "a/", "*", "*/", "/*", "/*/", "**", "**/", "/**", "/**/", "***",
	"!a", "!", "", "/", "//", "//a", "#a", `\#a`, `\!a`, "!#a", "##",
	"[!a]", "[^a]", "[!a]/", "[a-c]", "[c-a]", "[!a-c]*", "[]a]", "[]]", "[!]]", "[a-]", "[-a]", "[a-c-e]", "[]-a]",
	"[[:alpha:]]", "[[:digit:]]", "[[:upper:]]", "[![:alpha:]]", "[[:space:]]", "[[:punct:]]", "[[:xdigit:]]", "[[:alnum:]]*",
	"[[:blank:]]", "[[:cntrl:]]", "[[:graph:]]", "[[:lower:]]", "[[:print:]]",
	"[[:none:]]", "[[:alpha:]", "[[:alpha]]", "[[:]", "[[:]]", "[[::]]", "[[:al", "[", "[a", "[!", "[!]", "[]", "[]a", "a[", "[[", "[[]", `[\]]`, `[\a-\c]`, `[a\]`, `[\`,
	"[/]", "a[/]b", "[!x]b", "a[!x]b", "a[.-0]b", `[[:alpha:]-z]`, `[a-[:digit:]]`, `[a[:digit:]]`,
	"x/**", "/x/**", "x/**/", "**/x", "**/x/", "/**/x", "x/**/y", "x/**/**/y", "**/**", "**/**/y", "x/***/y", "***/y", "x/***",
	"x**", "x**/y", "x/**y", "x/y**", "**y", "**y/z", "x**y", "x/**y/z", "xx**/y", "?**/y", `\x**/y`, `x/\**/y`, `x/**\/y`, `**\/y`, `x\/**`, "x/**/*", "x/*/**", "*/**", "**/*", "*/*", "*/*/*", "**/x/**",
	"x/*", "x/*/z", "*/y", "*x/y", "x*/y", "x/*y", "x/?", "?/y", "?", "??", "x?y",
	"*.json", "*.json/", "/*.json", "x/*.json", "**/*.json", "*.j*n", "*.[jJ]son", "*json", "*.", ".*", ".*.json",
	"a ", "a  ", `a\ `, `a\  `, `a \ `, " a", "a\t", "a\\\\ ", "  ", `\ `, "!a ", "a/ ", "b/ ",
	`a\`, `\`, `\\`, `\a`, `\*`, `\?`, `\[`, `\[a]`, `a\/`, `a\/b`, `\/a`, `\\a`, `x/\y`, `*\`, `*\a`, `x\y`,
	"a\r", "a\r\r", "\r", "a\r ", "a \r", "\x00a", "a\x00b",
	"é", "[é]", "?.é", "\xff", "[\x80-\xff]", "??",
	"*a*a*a*", "**/a**/a**/a", "a*b*c", "*?", "?*", "*?*", "**?", "x/**?", "[*]", "[?]", "{a,b}", "(a)", "a+b", "^a", "a$", "a|b",
}

// trickyPaths are what the patterns are asked about, laid out in a folder so that git sees which of them
// are folders (they end with a slash).
var trickyPaths = []string{
	"a", "A", "b/", "b/a", "b/b/", "b/b/a", "c", "d", "e", "0", "5", "x/", "x/y/", "x/y/z", "x/y/z.json", "x/a/", "x/a/y", "x/a/b/", "x/a/b/y",
	"x/b", "xy/", "xy/y", "xay", "xx/", "xx/y", "xxay", "xz/", "xz/q/", "xz/q/y", "y/", "y/x/", "y/x/y", "y/z", "ay/", "ay/z", "x/ay/", "x/ay/z",
	"mcp.json", ".mcp.json", "x/mcp.json", "x.json/", "x.json/b", "json", "a.JSON", "a.Json", "a.", ".a",
	"a ", "a  ", " a", "a\t", " ", "\t", "#a", "!a", "##", "#", "!", "[", "]", "[a]", "[]", "[!]", "-", "^", "*", "?", `\`, `\a`, `a\`, `\\`, `a\b`, `x\y`, `\ `, "a\\ ",
	"a\r", "\r", "a\r ", "é", "a.é", "\xff", "\xc3", "\x80", "aa", "aaa", "abc", "aXbXc", "aXaXa", "a1b", "a.b", "a-b", "a+b", "a$", "^a", "{a,b}", "(a)", "a|b", "xby", "[b",
	"p/", "p/a/", "p/a/b/", "p/a/b/c", "p/a/a", "p/aXa/", "p/aXa/a", ":", "[:", "[[:]]", "z",
}

// randomPattern puts together the pieces that matter.
func randomPattern(r *rand.Rand) string {
	pieces := []string{"a", "b", "x", "y", "z", "/", "/", "/", "*", "*", "**", "**/", "/**", "?", "[a-x]", "[!a]", "[^x-z]", "[[:alpha:]]", `\`, `\*`, ".", "json", " ", "!", "]", "["}
	var b strings.Builder
	for range 1 + r.IntN(7) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// The judge is git itself: every pattern stands in a folder of its own and is asked of every path.
func TestIgnoredAgreesWithGit(t *testing.T) {
	needGit(t)
	root := t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("git takes a backslash in a path for a slash here")
	}
	git(t, root, "", "init", "-q")
	git(t, root, "", "config", "core.ignorecase", "false")
	patterns := slices.Clone(trickyPatterns)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		patterns = append(patterns, randomPattern(random))
	}
	for range 40 { // several in one file: the last one that matches decides
		var lines []string
		for range 2 + random.IntN(3) {
			lines = append(lines, strings.Repeat("!", random.IntN(2))+randomPattern(random))
		}
		patterns = append(patterns, strings.Join(lines, "\n"))
	}
	disagreements(t, root, patterns)
}

func disagreements(t *testing.T, root string, patterns []string) {
	t.Helper()
	var asked []string
	for i, p := range patterns {
		dir := fmt.Sprintf("p%03d", i)
		put(t, filepath.Join(root, dir, ".gitignore"), p+"\n")
		for _, path := range trickyPaths {
			// Files need not exist for git to judge them, folders do.
			if strings.HasSuffix(path, "/") {
				if err := os.MkdirAll(filepath.Join(root, dir, path), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			asked = append(asked, dir+"/"+strings.TrimSuffix(path, "/"))
		}
	}
	out := git(t, root, strings.Join(asked, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z")
	ignored := make(map[string]bool)
	for path := range strings.SplitSeq(out, "\x00") {
		ignored[path] = true
	}
	ig := new(Repos).Ignorer(root)
	wrong := 0
	for i, path := range asked {
		isDir := strings.HasSuffix(trickyPaths[i%len(trickyPaths)], "/")
		if got := ig.Ignored(path, isDir); got != ignored[path] {
			t.Errorf("pattern %q, path %q, folder %v: ignored %v, git says %v",
				patterns[i/len(trickyPaths)], path[len("p000/"):], isDir, got, ignored[path])
			if wrong++; wrong == 30 {
				t.Fatal("and more")
			}
		}
	}
	if len(ignored) < len(asked)/20 || len(ignored) > len(asked)*19/20 {
		t.Errorf("%d of %d paths are ignored: the test says little", len(ignored), len(asked))
	}
	if problems := ig.Problems(); len(problems) > 0 {
		t.Error(problems)
	}
}

// ignoredIn walks root and compares the files that are ignored, in the order of the walk.
func ignoredIn(t *testing.T, ig *Ignorer, root string, want ...string) {
	t.Helper()
	var got []string
	_, err := files.Walk(root, files.WalkOptions{
		Candidate: func(name, rel string) bool { return !strings.HasPrefix(name, ".git") },
	}, func(e files.Entry) {
		if e.Kind == files.Regular && ig.Ignored(e.Rel, false) {
			got = append(got, e.Rel)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("ignored under %s:\n  %q\nwant:\n  %q", root, got, want)
	}
}

func lay(t *testing.T, root string, contents map[string]string) {
	t.Helper()
	for name, content := range contents {
		put(t, filepath.Join(root, name), content)
	}
}

func TestTheDeepestFileThatMatchesDecides(t *testing.T) {
	root := t.TempDir()
	r := bareRepo(t, root)
	lay(t, root, map[string]string{
		".git/info/exclude": "*.log\n*.tmp\nlocal/\n",
		".gitignore":        "*.json\n!keep.json\n!b.log\ndist/\n/top\n",
		"a/.gitignore":      "!x.json\nkeep.json\n/top\n",
		"dist/.gitignore":   "!*\n",
		"a.log":             "", "b.log": "", "c.tmp": "", "local/f": "", "keep.json": "", "x.json": "", "top": "", "z/top": "",
		"a/x.json": "", "a/keep.json": "", "a/y.json": "", "a/top": "", "a/b/top": "", "a/b/x.json": "", "a/b/c.tmp": "",
		"dist/keep.json": "", "dist/deep/f": "", "a/dist/f": "",
	})
	want := []string{
		"a/b/c.tmp", "a/dist/f", "a/keep.json", "a/top", "a/y.json",
		"a.log", "c.tmp", "dist/deep/f", "dist/keep.json", "local/f", "top", "x.json",
	}
	ignoredIn(t, new(Repos).Ignorer(r.Root), root, want...)
	// From inside the repository the rules above hold too.
	ignoredIn(t, new(Repos).Ignorer(filepath.Join(root, "a")), filepath.Join(root, "a"), "b/c.tmp", "dist/f", "keep.json", "top", "y.json")
	ignoredIn(t, new(Repos).Ignorer(filepath.Join(root, "dist")), filepath.Join(root, "dist"), "deep/f", "keep.json")
	t.Chdir(filepath.Join(root, "a"))
	ignoredIn(t, new(Repos).Ignorer("."), ".", "b/c.tmp", "dist/f", "keep.json", "top", "y.json")
	// The order of the questions does not matter.
	ig := new(Repos).Ignorer(r.Root)
	for range 2 {
		for _, path := range slices.Backward(want) {
			if !ig.Ignored(path, false) {
				t.Errorf("%s is not ignored", path)
			}
		}
	}
}

func TestEachRepositoryAnswersForItself(t *testing.T) {
	root := t.TempDir()
	bareRepo(t, filepath.Join(root, "outer"))
	bareRepo(t, filepath.Join(root, "outer", "inner"))
	bareRepo(t, filepath.Join(root, "outer", "ignored", "inner"))
	bareRepo(t, filepath.Join(root, "other"))
	lay(t, root, map[string]string{
		".gitignore":                       "*\n", // in no repository: no say
		"f.json":                           "",
		"outer/.gitignore":                 "*.json\n*.log\nignored/\n",
		"outer/a.json":                     "",
		"outer/inner/.gitignore":           "*.log\n!a.json\n",
		"outer/inner/a.json":               "",
		"outer/inner/deep/a.log":           "",
		"outer/inner/deep/b.json":          "",
		"outer/ignored/a.txt":              "",
		"outer/ignored/inner/a.txt":        "",
		"outer/ignored/inner/.gitignore":   "b.txt\n",
		"outer/ignored/inner/sub/b.txt":    "",
		"outer/z.json":                     "",
		"other/.git/info/exclude":          "secret.json\n",
		"other/a.json":                     "",
		"other/sub/secret.json":            "",
		"outer/ignored/empty/.git/ignored": "an empty .git is no repository",
		"outer/ignored/empty/c.txt":        "",
	})
	ignoredIn(t, new(Repos).Ignorer(root), root,
		"other/sub/secret.json", "outer/a.json", "outer/ignored/a.txt", "outer/ignored/empty/c.txt",
		"outer/ignored/inner/sub/b.txt", "outer/inner/deep/a.log", "outer/z.json")
}

func TestAWholeTreeAgreesWithGit(t *testing.T) {
	needGit(t)
	root := t.TempDir()
	git(t, root, "", "init", "-q")
	git(t, root, "", "config", "core.ignorecase", "false")
	random := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "x", "y", "z.json", "mcp.json"}
	var paths []string
	for range 400 {
		var parts []string
		for range 1 + random.IntN(4) {
			parts = append(parts, names[random.IntN(4)]+"d")
		}
		path := strings.Join(append(parts, names[random.IntN(len(names))]), "/")
		put(t, filepath.Join(root, path), "")
		paths = append(paths, path)
		if random.IntN(12) == 0 {
			rule := strings.Repeat("!", random.IntN(2)) + strings.Repeat("/", random.IntN(2)) +
				[]string{"ad", "bd/xd", "**/yd", "[ab]d", "*.json", "xd/**", "x", "*d/y", "mcp.json"}[random.IntN(9)] + strings.Repeat("/", random.IntN(2))
			put(t, filepath.Join(root, parts[0], ".gitignore"), rule+"\n")
			put(t, filepath.Join(root, filepath.Join(parts...), ".gitignore"), rule+"\n")
		}
	}
	put(t, filepath.Join(root, ".git", "info", "exclude"), "b\n/ad/bd/\n")
	slices.Sort(paths)
	paths = slices.Compact(paths)
	out := git(t, root, strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z")
	want := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var got []string
	ig := new(Repos).Ignorer(root)
	for _, path := range paths {
		if ig.Ignored(path, false) {
			got = append(got, path)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) < 20 || len(want) > len(paths)-20 {
		t.Errorf("of %d paths\n%q\nare ignored, git says\n%q", len(paths), got, want)
	}
}

func TestAnIgnoreFileThatWasNotReadIsTold(t *testing.T) {
	root := t.TempDir()
	r := bareRepo(t, root)
	lay(t, root, map[string]string{
		"large/.gitignore": "*.json\n" + strings.Repeat("#", limits.Default.IgnoreBytes),
		"many/.gitignore":  strings.Repeat("*.json\n", limits.Default.IgnorePatterns+1),
		"most/.gitignore":  strings.Repeat("\n#\n*.json\n", limits.Default.IgnorePatterns),
		"dir/.gitignore/x": "",
		"good/.gitignore":  "\xEF\xBB\xBF*.json\r\n",
	})
	ig := new(Repos).Ignorer(r.Root)
	for dir, want := range map[string]bool{"large": false, "many": false, "most": true, "dir": false, "good": true} {
		if got := ig.Ignored(dir+"/mcp.json", false); got != want {
			t.Errorf("%s: ignored %v", dir, got)
		}
	}
	if got := ig.Problems(); len(got) != 3 {
		t.Errorf("problems: %v", got)
	}
}

// Git, since 2.32, does not follow a .gitignore that is a link.
func TestALinkedIgnoreFileIsNotFollowed(t *testing.T) {
	root := t.TempDir()
	r := bareRepo(t, root)
	put(t, filepath.Join(root, "rules"), "*.json\n")
	if err := os.Symlink("rules", filepath.Join(root, ".gitignore")); err != nil {
		t.Skipf("this user may not make symbolic links here: %v", err)
	}
	ig := new(Repos).Ignorer(r.Root)
	if ig.Ignored("mcp.json", false) || len(ig.Problems()) > 0 {
		t.Errorf("followed, or told of: %v", ig.Problems())
	}
}

// Patterns for which a matcher that tries everything takes exponential time.
func TestAHostilePatternCostsLittle(t *testing.T) {
	for _, line := range []string{
		strings.Repeat("*a", 60) + "b", strings.Repeat("**/a*", 60) + "b", "/" + strings.Repeat("*/**/", 60) + "b",
		strings.Repeat("[a-z]*", 500), strings.Repeat("**/", 400) + "*.b",
	} {
		patterns, _ := parsePatterns([]byte(line), 1)
		path := strings.Repeat(strings.Repeat("a", 60)+"/", 60) + strings.Repeat("a", 200)
		if patterns[0].match(path, path[strings.LastIndexByte(path, '/')+1:], false) {
			t.Errorf("%.20q matches", line)
		}
	}
}

// translate gives the regular expression that means the same as the part of a pattern after its literal,
// written from git's documentation of what wildcards mean. It knows no brackets.
func translate(p string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(p); {
		boundary := i == 0 || p[i-1] == '/'
		stars := len(p[i:]) - len(strings.TrimLeft(p[i:], "*"))
		after := p[i+stars:]
		switch {
		case stars >= 2 && boundary && after == "":
			b.WriteString(`.*`)
		case stars >= 2 && boundary && after[0] == '/':
			b.WriteString(`(.*/)?`)
			stars++
		case stars >= 2 && boundary && strings.HasPrefix(after, `\/`):
			b.WriteString(`.*`)
		case stars > 0:
			b.WriteString(`[^/]*`)
		case p[i] == '?':
			b.WriteString(`[^/]`)
		case p[i] == '\\':
			stars = 2
			b.WriteString(regexp.QuoteMeta(p[i+1 : i+2]))
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
		}
		i += max(stars, 1)
	}
	return b.String() + `\z`
}

// The matcher agrees with the regular expression of the same meaning, on patterns without brackets;
// patterns with brackets do not panic and, matched against anything, end.
func FuzzPattern(f *testing.F) {
	for _, p := range trickyPatterns {
		f.Add(p, "x/y/z.json")
	}
	f.Add("**/a*b/**/c", "a/aXb/d/e/c")
	f.Add(`**\/a`, "x/a")
	f.Fuzz(func(t *testing.T, line, path string) {
		const long = 200
		if len(line) > long || len(path) > long || path == "" || strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
			return
		}
		patterns, all := parsePatterns([]byte(line+"\n"), 1)
		name := path[strings.LastIndexByte(path, '/')+1:]
		for _, p := range patterns {
			got := p.match(path, name, true)
			if p.dirOnly && p.match(path, name, false) {
				t.Errorf("%q matches the file %q", line, path)
			}
			if strings.ContainsAny(line, "[\n\x00") || !all || strings.IndexFunc(line+path, func(r rune) bool { return r >= 0x80 }) >= 0 {
				continue
			}
			bare, _ := strings.CutPrefix(trimTrailingSpaces(strings.TrimSuffix(line, "\r")), "!")
			bare = strings.TrimSuffix(bare, "/")
			against := name
			if strings.Contains(bare, "/") {
				bare, against = strings.TrimPrefix(bare, "/"), path
			}
			cut := strings.IndexAny(bare, wildcards)
			if cut < 0 {
				cut = len(bare)
			}
			rest, ok := strings.CutPrefix(against, bare[:cut])
			if want := ok && regexp.MustCompile(translate(bare[cut:])).MatchString(rest); got != want {
				t.Errorf("pattern %q, path %q: %v, the expression %s says %v", line, path, got, translate(bare[cut:]), want)
			}
		}
	})
}

func BenchmarkIgnored(b *testing.B) {
	root := b.TempDir()
	r := bareRepo(b, root)
	put(b, filepath.Join(root, ".gitignore"), strings.Repeat("node_modules/\n*.log\n/dist\n**/coverage/*.json\n.env*\n", 10))
	var paths []string
	for i := range 1000 {
		for _, name := range []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"} {
			path := fmt.Sprintf("project-%04d/%s", i, name)
			put(b, filepath.Join(root, path), "")
			paths = append(paths, path)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		ig := new(Repos).Ignorer(r.Root)
		for _, path := range paths {
			if ig.Ignored(path, false) {
				b.Fatal(path)
			}
		}
	}
}
