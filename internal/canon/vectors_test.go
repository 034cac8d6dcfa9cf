package canon

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cyberphone/json-canonicalization/go/src/webpki.org/jsoncanonicalizer"
)

// vectors is the folder of the test data of RFC 8785's author, in the module cache.
func vectors(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cyberphone/json-canonicalization").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "testdata")
}

func TestThePublishedVectorsOfRFC8785(t *testing.T) {
	dir := vectors(t)
	inputs, err := filepath.Glob(filepath.Join(dir, "input", "*.json"))
	if err != nil || len(inputs) < 6 {
		t.Fatalf("%q %v", inputs, err)
	}
	for _, name := range inputs {
		in, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		stem := strings.TrimSuffix(filepath.Base(name), ".json")
		text, err := os.ReadFile(filepath.Join(dir, "outhex", stem+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := JSON(in); err != nil || string(got) != string(want) {
			t.Errorf("%s: %s, %v; want %s", stem, got, err, want)
		}
	}
}

// TestThePublishedNumbersOfRFC8785 makes the first 100,000 lines of the published file of numbers and compares its digest. The
// doubles are written with an exponent: an integer keeps its digits here (see JSON), which RFC 8785 alone would round.
func TestThePublishedNumbersOfRFC8785(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(vectors(t), "numgen.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(source), "static := [...]uint64{")
	list, _, _ = strings.Cut(list, "\t}\n")
	if !ok {
		t.Fatal("the generator of the numbers has another form")
	}
	var bits []uint64
	for _, m := range regexp.MustCompile(`0x([0-9a-f]+)`).FindAllStringSubmatch(list, -1) {
		n, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		bits = append(bits, n)
	}
	for i := range uint64(2000) {
		bits = append(bits, 0x0010000000000000+i)
	}
	var block [sha256.Size]byte
	for len(bits) < 100_000 {
		block = sha256.Sum256(block[:])
		for i := range 4 {
			n := binary.LittleEndian.Uint64(block[8*i:])
			if f := math.Float64frombits(n); f != 0 && !math.IsNaN(f) && !math.IsInf(f, 0) {
				bits = append(bits, n)
			}
		}
	}
	digests := map[int]string{
		1000:    "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
		10_000:  "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
		100_000: "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
	}
	sum := sha256.New()
	for i, n := range bits[:100_000] {
		in := strconv.FormatFloat(math.Float64frombits(n), 'e', 17, 64)
		got, err := JSON([]byte(in))
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if again, err := JSON(got); err != nil || string(again) != string(got) {
			t.Fatalf("%s: %s, then %s, %v", in, got, again, err)
		}
		sum.Write([]byte(strconv.FormatUint(n, 16) + "," + string(got) + "\n"))
		if want := digests[i+1]; want != "" && hex.EncodeToString(sum.Sum(nil)) != want {
			t.Errorf("the first %d numbers have another digest", i+1)
		}
	}
}

// TestWhereWeDifferFromRFC8785 are the values that its author's program writes otherwise, and each has its reason.
func TestWhereWeDifferFromRFC8785(t *testing.T) {
	for in, why := range map[string]string{
		`[9007199254740993]`:         "two integers that a double can not tell apart are two values",
		`[100000000000000000000000]`: "the same",
	} {
		theirs, err := jsoncanonicalizer.Transform([]byte(in))
		ours, err2 := JSON([]byte(in))
		if err != nil || err2 != nil || string(ours) != in || string(theirs) == in {
			t.Errorf("%s: %s here, %s there (%v, %v): %s", in, ours, theirs, err, err2, why)
		}
	}
	for _, in := range []string{`[9007199254740992]`, `[-9007199254740992]`, `[9007199254740993.0]`, `[-0]`, `[1e21,1e-7,0.1,5E-324]`,
		`{"b":[{"d":1,"c":"\u007f\u0001/"}],"a":{}}`, `[ ]`, `["\ud83d\ude00"]`} {
		theirs, err := jsoncanonicalizer.Transform([]byte(in))
		ours, err2 := JSON([]byte(in))
		if err != nil || err2 != nil || string(ours) != string(theirs) {
			t.Errorf("%s: %s here, %s there (%v, %v)", in, ours, theirs, err, err2)
		}
	}
}
