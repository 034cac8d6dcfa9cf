package launch

import (
	"math/rand/v2"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

func TestJoinQuotesOnlyWhatNeedsIt(t *testing.T) {
	for _, c := range []struct {
		argv           []string
		posix, windows string
	}{
		{argv("mcpassay pin -- npx -y @scope/pkg@1.2.3"), "mcpassay pin -- npx -y @scope/pkg@1.2.3", `mcpassay pin "--" npx -y "@scope/pkg@1.2.3"`},
		{[]string{"m", "a b", "--k=v", ""}, "m 'a b' --k=v ''", `m "a b" "--k=v" ""`},
		{[]string{"m", "it's", `a\b`, "$(x)", "`x`"}, `m 'it'\''s' 'a'\\'b' '$(x)' '` + "`x`'", `m "it's" a\b "$([char]36)(x)" "$([char]96)x$([char]96)"`},
		{[]string{"m", "a\nb", "\x1b[2J", "\u202e"}, `m $'a\012b' $'\033[2J' $'\342\200\256'`, `m "a$([char]10)b" "$([char]27)[2J" "$([char]8238)"`},
		{[]string{"m", `say "hi"`, "100%", "a;b", "a&b"}, `m 'say "hi"' '100%' 'a;b' 'a&b'`, `m "say $([char]34)hi$([char]34)" "100$([char]37)" "a;b" "a&b"`},
		{[]string{"m", "é", "-rf", "~", "#x", "*"}, "m 'é' -rf '~' '#x' '*'", `m "é" -rf "~" "#x" "*"`},
		{[]string{`C:\a b\x.exe`, `C:\d e\`}, `'C:'\\'a b'\\'x.exe' 'C:'\\'d e'\\`, `& "C:\a b\x.exe" "C:\d e$([char]92)"`},
		{[]string{"A=b", "C=d"}, "'A=b' C=d", `& "A=b" "C=d"`},
		{[]string{"if", "=ls"}, "'if' '=ls'", `if "=ls"`},
		{[]string{"m", "##vso[x]", "\n##["}, `m '#''#vso[x]' $'\012#\043['`, `m "#$([char]35)vso[x]" "$([char]10)#$([char]35)["`},
		{nil, "", ""},
	} {
		if got := Join(c.argv, "linux"); got != c.posix {
			t.Errorf("%q\n got %s\nwant %s", c.argv, got, c.posix)
		}
		if got := Join(c.argv, "windows"); got != c.windows {
			t.Errorf("%q\n got %s\nwant %s", c.argv, got, c.windows)
		}
	}
}

// hostile makes an argv of the pieces that shells care about.
func hostile(r *rand.Rand) []string {
	pieces := []string{"a", "b", " ", "\n", "\r", "\t", "'", `"`, `\`, "$", "(", ")", "`", "&", "|", ";", "<", ">", "#", "!", "%", "^", "~",
		"*", "?", "[", "{", "}", "=", "-", "--", "--%", "@", "é", "\u202e", "\x1b", "\x00", "\xff", "\U000e0041", "\u201c", "$(x)", "${x}", "%x%", "\\\n", "if", "1", ","}
	argv := make([]string, 1+r.IntN(4))
	for i := range argv {
		for range r.IntN(6) {
			argv[i] += pieces[r.IntN(len(pieces))]
		}
	}
	return argv
}

func TestWhatJoinWritesIsReadBackAsTheSameArgv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		argv := hostile(r)
		joinHolds(t, argv)
	}
}

// joinHolds is the property of Join for any argv.
func joinHolds(t *testing.T, argv []string) {
	t.Helper()
	line := Join(argv, "linux")
	if ls := ParseShell(line); len(ls) != 1 || !reflect.DeepEqual(ls[0].Argv, argv) {
		t.Fatalf("%q is written as %s and read back as %d commands", argv, line, len(ls))
	}
	valid := make([]string, len(argv))
	for i := range argv {
		valid[i] = string([]rune(argv[i])) // each bad byte becomes one U+FFFD: Windows has no bytes to give
	}
	windows := Join(argv, "windows")
	if len(argv) == 0 {
		valid = nil
	}
	if got, ok := readPowerShell(windows); !ok || !reflect.DeepEqual(got, valid) {
		t.Fatalf("%q is written as %s and read back as %q", argv, windows, got)
	}
	for _, l := range []string{line, windows} {
		if strings.Contains(l, "##") {
			t.Fatalf("%q holds what a build system takes for a command", l)
		}
		for _, c := range l {
			if !unicode.IsPrint(c) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c) {
				t.Fatalf("%q holds the character %U", l, c)
			}
		}
	}
}

var (
	windowsWord = regexp.MustCompile(`^(?:"((?:[^"%!$` + "`" + `“”„]|\$\(\[char\](?:\d+|::ConvertFromUtf32\(\d+\))\))*)"|[A-Za-z0-9_./\\:-]+)(?: |$)`)
	windowsChar = regexp.MustCompile(`\$\(\[char\](?:::ConvertFromUtf32\((\d+)\)|(\d+))\)`)
)

// readPowerShell reads a line of Join as PowerShell would, and refuses what cmd.exe could read otherwise:
// nothing outside quotes but plain characters, no quote, percent sign or expansion inside.
func readPowerShell(line string) (argv []string, ok bool) {
	line = strings.TrimPrefix(line, "& ")
	for line != "" {
		m := windowsWord.FindStringSubmatchIndex(line)
		if m == nil {
			return argv, false
		}
		word := strings.TrimSuffix(line[m[0]:m[1]], " ")
		if m[2] >= 0 {
			word = windowsChar.ReplaceAllStringFunc(line[m[2]:m[3]], func(s string) string {
				m := windowsChar.FindStringSubmatch(s)
				n, _ := strconv.Atoi(m[1] + m[2])
				return string(rune(n))
			})
		}
		argv = append(argv, word)
		line = line[m[1]:]
	}
	return argv, true
}

func TestARealShellReadsJoinBack(t *testing.T) {
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "fish"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		t.Run(shell, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			var script strings.Builder
			var want []string
			for range 300 {
				argv := hostile(r)
				for i, a := range argv {
					a = strings.ReplaceAll(a, "\x00", "")
					if shell != "bash" && shell != "zsh" && !shown(a) {
						a = "shown"
					}
					argv[i] = a
				}
				want = append(want, argv...)
				script.WriteString(Join(append([]string{"printf", `%s\0`}, argv...), "linux") + "\n")
			}
			out, err := exec.Command(path, "-c", script.String()).Output()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
			if !reflect.DeepEqual(got, want) {
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Fatalf("argument %d: %q, want %q", i, got[min(i, len(got)-1)], want[i])
					}
				}
			}
		})
	}
}
