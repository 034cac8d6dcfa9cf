package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// letters are what random patterns are made of.
var letters = []string{"a", "b", "-", "0", "1", ".", "^", "$", "*", "+", "?", "{2}", "{1,3}", "{", "}", "{,2}", "{2,}", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!",
	"(?<n>", "(?<", "(?P<n>", "(?i)", "[", "]", "[^", "a-z", "z-a", "|", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "\\-", "\\.", "\\/", "\\_", "\\a", "\\A", "\\Z",
	"\\1", "\\2", "\\0", "\\01", "\\k<n>", "\\k", "\\cA", "\\c", "\\c1", "\\x41", "\\x4", "\\u0041", "\\u{41}", "\\u{110000}", "\\u00", "\\ud83d\\ude00", "\\p{L}", "\\p{Lu}",
	"\\P{L}", "\\p{Script=Greek}", "\\p{Greek}", "\\p{Letter}", "\\p", "\\p{x}", "\\p{ASCII}", "\\n", "\\t", "\\v", "é", "😀", " ", "\\", "&&", "--", "_", "~", "/", "#", "\n"}

// needNode skips where Node, the judge of these tests, is not installed; CI installs it.
func needNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	switch {
	case err == nil:
	case os.Getenv("MCPASSAY_CI") != "":
		t.Fatal("CI has no node")
	default:
		t.Skip("there is no node: apt-get install nodejs")
	}
	return node
}

// TestNodeAgreesOnWhichPatternsCompile asks a real engine of ECMA-262, with and without the u flag.
func TestNodeAgreesOnWhichPatternsCompile(t *testing.T) {
	node := needNode(t)
	random := rand.New(rand.NewPCG(3, 4))
	var all []string
	for range 10_000 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		all = append(all, b.String())
	}
	const script = `const all = JSON.parse(require("fs").readFileSync(0));
const ok = (p, f) => { try { new RegExp(p, f); return 1 } catch { return 0 } };
console.log(JSON.stringify(all.map(p => ok(p, "u") + 2 * ok(p, ""))))`
	in, _ := json.Marshal(all)
	cmd := exec.Command(node, "-e", script)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []int
	if err := json.Unmarshal(out, &verdicts); err != nil {
		t.Fatal(err)
	}
	bad, count := 0, map[string]int{}
	for i, p := range all {
		got := readPattern(p, limits.Default.PatternDepth, noForm, nil)
		ours, want := "both modes", "both modes"
		switch {
		case got.bad != "":
			ours = "no mode"
		case got.loose != "":
			ours = "without u"
		}
		switch verdicts[i] {
		case 0:
			want = "no mode"
		case 1, 3:
			// What compiles with the u flag is what JSON Schema asks for.
		case 2:
			want = "without u"
		}
		count[want]++
		if ours != want {
			t.Errorf("%q compiles in %s, we say %s (%s%s)", p, want, ours, got.bad, got.loose)
			if bad++; bad > 40 {
				t.FailNow()
			}
		}
	}
	t.Log(count)
}

// TestPatternsMatchAsInNode compares what our form of a pattern matches.
func TestPatternsMatchAsInNode(t *testing.T) {
	node := needNode(t)
	random := rand.New(rand.NewPCG(5, 6))
	type ask struct{ P, T string }
	var all []ask
	signs := []string{"a", "b", "c", "z", "A", "0", "1", "_", "-", ".", " ", "\n", "\t", "é", "Σ", "😀", "\u2028", "\u00A0", "\uFEFF", "/", "]", "^", "\\", "n"}
	around := []string{"%s%s", "%s|%s", "(?=%s)%s", "(?!%s)%s", "(?<=%s)%s", "(?<!%s)%s", "(%s)%s\\1", "(?<m>%s)|\\k<m>%s", "(?:%s)?%s", "(?:%s)*?%s$", "(a|(%s))+%s\\2"}
	for len(all) < 10_000 {
		var b, text strings.Builder
		part := func() string {
			var b strings.Builder
			for range 1 + random.IntN(3) {
				b.WriteString(letters[random.IntN(len(letters))])
			}
			return b.String()
		}
		fmt.Fprintf(&b, around[random.IntN(len(around))], part(), part())
		if p := readPattern(b.String(), limits.Default.PatternDepth, noForm, nil); p.bad != "" || p.loose != "" {
			continue
		}
		for range random.IntN(5) {
			text.WriteString(signs[random.IntN(len(signs))])
		}
		all = append(all, ask{b.String(), text.String()})
	}
	const script = `const all = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify(all.map(({P, T}) => new RegExp(P, "u").test(T))))`
	in, _ := json.Marshal(all)
	cmd := exec.Command(node, "-e", script)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []bool
	if err := json.Unmarshal(out, &verdicts); err != nil {
		t.Fatal(err)
	}
	bad, count := 0, map[string]int{}
	for i, a := range all {
		m := compilePattern(a.P, limits.Default, func(int64) bool { return true })
		steps, left := limits.Default.SchemaSteps, time.Second
		got, problem := m.match(a.T, func(n int64) bool { steps -= n; return steps >= 0 }, &left)
		switch {
		case problem != "":
			count[problem]++
			continue
		case m.linear != nil:
			count["RE2"]++
		default:
			count["regexp2"]++
		}
		count[fmt.Sprint(got)]++
		if got != verdicts[i] && !(strings.Contains(a.P, `\B`) && strings.Contains(a.T, "😀")) { // V8 looks within a surrogate pair
			t.Errorf("%q on %q: node says %v, we %v", a.P, a.T, verdicts[i], got)
			if bad++; bad > 40 {
				t.FailNow()
			}
		}
	}
	t.Log(count)
}

func TestPatternsThatTakeForeverAreTold(t *testing.T) {
	for pattern, unsafe := range map[string]bool{
		`(a+)+`: true, `(a*)*`: true, `^(\w+\s?)+$`: true, `([^,]+,?)*`: true, `(a*b*)*c`: true, `(?:(?:a{0,50})b?){2,}`: true,
		`(a|a)*`: true, `([a-z]|\w)+x`: true, `(x(a|[ab])y)*`: true, `(.|\s)*`: true, `((a|b)|(c+))*d`: true, `(?=(a+)+b)c`: true,
		`(a|aa)+`: true, `(a|a?)+`: true, `(x+x+)+y`: true, `(.*a)*`: true, `^(.*?,){11}P`: true, `([\/\w .-]*)*`: true, `(ab|a|b)*`: true, `(\d{1,3}\d)*`: true,
		`(a|ab)*`: false, `(aa|b)*`: false, `(\d{4}-)*`: false, `^[\w.+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}$`: false, `^(?:v\d+(?:\.\d+)*(?:-[a-z]+)?)$`: false, `(.*a){2}`: false,
		`(a+)?`: false, `a+b+`: false, `(a|b)*`: false, `(\.[a-z]+)*`: false, `^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]+$`: false,
		`^(([a-z]|[a-z][a-z0-9-]*[a-z0-9])\.)*$`: false, `(\d{3}-){2}\d+`: false, `(a{2}){3}`: false, `([^"\\]|\\.)*`: false, `(.|\n)*`: false,
		`(\d+,)*\d+`: false, `^(0|[1-9]\d*)(\.(0|[1-9]\d*))*$`: false, `(é|ü)*`: false, `(\d|[^0-9])*`: false,
	} {
		work := limits.Default.PatternWork
		if p := readPattern(pattern, limits.Default.PatternDepth, noForm, &work); p.unsafe != unsafe || p.bad != "" {
			t.Errorf("%s: unsafe is %v, %s", pattern, p.unsafe, p.bad)
		}
	}
}

// TestReadingAPatternTakesTimeLinearInItsLength: twice the length takes at most some four times as long, in the best
// of several runs; a quadratic reader takes 64 times as long for eight times the length.
func TestReadingAPatternTakesTimeLinearInItsLength(t *testing.T) {
	if os.Getenv("MCPASSAY_BENCH") == "" {
		t.Skip("a ratio of times: make bench measures it")
	}
	for _, part := range []string{"(a+)", "(a+", "[a-z]", "[", "a|", "(?:a|b)*", `\1`, `\k<n>`, `\u{`, `\p{`, "(?<n>", "(?<", "{1,", `\`, "a{9}"} {
		cost := func(bytes int) time.Duration {
			s := strings.Repeat(part, bytes/len(part))
			best := time.Hour
			for range 5 {
				start := time.Now()
				readPattern(s, limits.Default.PatternDepth, noForm, nil)
				best = min(best, time.Since(start))
			}
			return best
		}
		small, large := cost(64_000), cost(8*64_000)
		if large > 32*small+time.Millisecond {
			t.Errorf("%s: %v for 64 kB, %v for eight times that", part, small, large)
		}
	}
}
