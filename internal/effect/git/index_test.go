package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func (l *nameList) all() []string {
	names := make([]string, len(l.ends))
	for i := range names {
		names[i] = string(l.at(i))
	}
	return names
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// indexed makes a repository with the given tracked names, without files.
func indexed(t testing.TB, names ...string) string {
	t.Helper()
	root := t.TempDir()
	git(t, root, "", "init", "-q")
	var info strings.Builder
	for _, name := range names {
		fmt.Fprintf(&info, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t%s\x00", name)
	}
	git(t, root, info.String(), "update-index", "-z", "--index-info")
	return root
}

// The judge is git ls-files.
func agree(t *testing.T, root, what string, version uint32) {
	t.Helper()
	data := readFile(t, filepath.Join(root, ".git", "index"))
	if got := binary.BigEndian.Uint32(data[4:]); got != version {
		t.Fatalf("%s: git wrote version %d", what, got)
	}
	names, err := decodeIndex(data, limits.Default.IndexBytes)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	want := strings.Split(strings.TrimSuffix(git(t, root, "", "ls-files", "-z"), "\x00"), "\x00")
	want = slices.Compact(want) // a conflict is listed once a side
	if got := names.all(); !slices.Equal(got, want) {
		t.Errorf("%s: %d names, git has %d\n%.200q\n%.200q", what, len(got), len(want), got, want)
	}
	for _, name := range want {
		if !names.has(name) || names.has(name+"x") || names.has(name[:len(name)-1]) && !slices.Contains(want, name[:len(name)-1]) {
			t.Errorf("%s: has(%q) is wrong", what, name)
		}
	}
}

func TestTheIndexOfEachVersionGivesTheNamesThatGitLists(t *testing.T) {
	needGit(t)
	root := indexed(t, ".mcp.json", ".cursor/mcp.json", "a", "a.b", "a/b", "ab", "é.json", "new\nline", "sp ace",
		strings.Repeat("long/", 818)+"12345", strings.Repeat("long/", 818)+"1234", strings.Repeat("long/", 900)+"x", "z")
	agree(t, root, "version 2", 2)
	git(t, root, "", "update-index", "--index-version", "4")
	agree(t, root, "version 4", 4)
	put(t, filepath.Join(root, "later.json"), "{}")
	git(t, root, "", "add", "-N", "later.json")
	agree(t, root, "version 4, an entry to be added", 4)
	git(t, root, "", "update-index", "--index-version", "2")
	agree(t, root, "version 3", 3)
	git(t, root, "", "-c", "index.skipHash=true", "update-index", "--force-write-index")
	agree(t, root, "without a checksum, where this git can", 3)
}

func TestTheIndexOfManyFilesGivesTheNamesThatGitLists(t *testing.T) {
	needGit(t)
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf("packages/project-%04d/%s.json", i/7, strings.Repeat("n", i%300+1)))
	}
	root := indexed(t, names...)
	agree(t, root, "version 2", 2)
	git(t, root, "", "update-index", "--index-version", "4")
	agree(t, root, "version 4", 4)
}

func TestAFileInConflictIsTracked(t *testing.T) {
	needGit(t)
	root := indexed(t, "a.json", "z.json")
	const blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	git(t, root, fmt.Sprintf("0 %040d\ta.json\n100644 %s 1\tm.json\n100644 %s 2\tm.json\n100644 %s 3\tm.json\n", 0, blob, blob, blob), "update-index", "--index-info")
	agree(t, root, "conflict", 2)
	r, _ := FindRepo(root)
	tracked(t, r, filepath.Join(root, "m.json"), Yes, "")
	tracked(t, r, filepath.Join(root, "a.json"), No, "")
}

func TestASplitSparseOrSHA256IndexIsUnknown(t *testing.T) {
	needGit(t)
	split := indexed(t, "a.json", "b/c.json")
	git(t, split, "", "update-index", "--split-index")

	sparse := t.TempDir()
	for _, name := range []string{"in/a.json", "out/deep/b.json"} {
		put(t, filepath.Join(sparse, name), "{}")
	}
	git(t, sparse, "", "init", "-q")
	git(t, sparse, "", "add", ".")
	git(t, sparse, "", "commit", "-qm", "x")
	git(t, sparse, "", "sparse-checkout", "set", "--cone", "--sparse-index", "in")

	sha256 := t.TempDir()
	git(t, sha256, "", "init", "-q", "--object-format=sha256")
	put(t, filepath.Join(sha256, "a.json"), "{}")
	git(t, sha256, "", "add", ".")

	for root, reason := range map[string]string{split: "split", sparse: "sparse", sha256: "objectformat = sha256"} {
		r, ok := FindRepo(root)
		if !ok {
			t.Fatal("no repository")
		}
		tracked(t, r, filepath.Join(root, "in", "a.json"), Unknown, reason)
		tracked(t, r, filepath.Join(root, "none.json"), Unknown, reason)
	}
}

// entry is one of a made index: a name, its flags without the length, and its mode.
type entry struct {
	name  string
	flags uint16
	more  uint16 // extended flags, where flags says that there are
	mode  uint32
}

// encode writes an index of version 2, 3 or 4, with a valid checksum. It is told apart from the decoder
// by being written the other way round, from the format's description.
func encode(version uint32, entries []entry, extensions string) []byte {
	b := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	last := ""
	for _, e := range entries {
		start := len(b)
		b = append(b, make([]byte, 24)...)
		b = binary.BigEndian.AppendUint32(b, e.mode)
		b = append(b, make([]byte, 12+20)...)
		b = binary.BigEndian.AppendUint16(b, e.flags|uint16(min(len(e.name), 0xfff)))
		if e.flags&0x4000 != 0 {
			b = binary.BigEndian.AppendUint16(b, e.more)
		}
		if version == 4 {
			same := 0
			for same < len(last) && same < len(e.name) && last[same] == e.name[same] {
				same++
			}
			b = append(appendVarint(b, len(last)-same), e.name[same:]...)
			b = append(b, 0)
		} else {
			b = append(b, e.name...)
			b = append(b, make([]byte, 8-(len(b)-start)%8)...)
		}
		last = e.name
	}
	b = append(b, extensions...)
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

func appendVarint(b []byte, n int) []byte {
	digits := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		digits = append(digits, byte(0x80|n&0x7f))
	}
	slices.Reverse(digits)
	return append(b, digits...)
}

func plain(names ...string) []entry {
	var entries []entry
	for _, n := range names {
		entries = append(entries, entry{name: n, mode: 0o100644})
	}
	return entries
}

func TestADamagedOrUnknownIndexIsRefused(t *testing.T) {
	good := encode(2, plain("a", "b/c", "d"), "")
	if names, err := decodeIndex(good, 100); err != nil || len(names.ends) != 3 {
		t.Fatalf("the sound index: %v", err)
	}
	unsummed := bytes.Clone(good)
	clear(unsummed[len(good)-hashSize:])
	if _, err := decodeIndex(unsummed, 100); err != nil {
		t.Errorf("without a checksum (index.skipHash): %v", err)
	}
	flip := func(at int) []byte {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		return bad
	}
	for what, c := range map[string]struct {
		data   []byte
		reason string
	}{
		"empty":              {nil, "corrupt"},
		"no signature":       {flip(0), "corrupt"},
		"flipped bit":        {flip(80), "checksum"},
		"flipped checksum":   {flip(len(good) - 1), "checksum"},
		"cut":                {good[:len(good)-7], "checksum"},
		"version 1":          {encode(1, nil, ""), "version 1"},
		"version 5":          {encode(5, nil, ""), "version 5"},
		"out of order":       {encode(2, plain("b", "a"), ""), "order"},
		"an empty name":      {encode(2, plain("", "a"), ""), "order"},
		"a folder":           {encode(3, []entry{{name: "dir/", mode: 0o040000}}, ""), "sparse"},
		"extended version 2": {encode(2, []entry{{name: "a", flags: 0x4000}}, ""), "unknown flags"},
		"unknown flags":      {encode(3, []entry{{name: "a", flags: 0x4000, more: 0x8000}}, ""), "unknown flags"},
		"split":              {encode(2, plain("a"), "link\x00\x00\x00\x00"), "split"},
		"sparse":             {encode(2, plain("a"), "sdir\x00\x00\x00\x00"), "sparse"},
		"extension":          {encode(2, plain("a"), "what\x00\x00\x00\x00"), `"what"`},
		"long extension":     {encode(2, plain("a"), "TREE\x00\x00\x00\x09"), "extension"},
		"half an extension":  {encode(2, plain("a"), "TRE"), "extension"},
		"too many names":     {encode(2, plain(strings.Repeat("n", 101)), ""), "too many"},
	} {
		if names, err := decodeIndex(c.data, 100); err == nil || !strings.Contains(err.Error(), c.reason) || len(names.ends) != 0 {
			t.Errorf("%s: %d names, %v, want %q", what, len(names.ends), err, c.reason)
		}
	}
	if _, err := decodeIndex(encode(2, plain("a"), "TREE\x00\x00\x00\x01xUNTR\x00\x00\x00\x00"), 100); err != nil {
		t.Errorf("optional extensions: %v", err)
	}
	if _, err := decodeIndex(encode(3, []entry{{name: "a", flags: 0x4000, more: 0x6000}, {name: "b"}}, ""), 100); err != nil {
		t.Errorf("known extended flags: %v", err)
	}
}

// A small file of version 4 could name gigabytes: each name takes all of the one before.
func TestAnIndexThatGrowsWhenReadIsStopped(t *testing.T) {
	var entries []entry
	name := strings.Repeat("x", 1000)
	for i := range 1000 {
		entries = append(entries, entry{name: fmt.Sprintf("%s%04d", name, i)})
	}
	data := encode(4, entries, "")
	if names, err := decodeIndex(data, 2<<20); err != nil || len(names.ends) != 1000 {
		t.Fatalf("%d names, %v", len(names.ends), err)
	}
	if _, err := decodeIndex(data, len(data)); err == nil || errors.Is(err, errIndex) {
		t.Errorf("%d bytes naming a megabyte: %v", len(data), err)
	}
}

// What was decoded encodes to an index that decodes to the same; and nothing panics.
func FuzzDecodeIndex(f *testing.F) {
	for version := uint32(2); version <= 4; version++ {
		f.Add(encode(version, plain("a", "a/b", "b", strings.Repeat("n", 5000)), "TREE\x00\x00\x00\x00"))
		f.Add(encode(version, []entry{{name: "x", flags: 0x4000, more: 0x2000}, {name: "y", flags: 0x1000}, {name: "y", flags: 0x2000}}, ""))
	}
	f.Add(encode(2, nil, "link\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > hashSize {
			clear(data[len(data)-hashSize:]) // no checksum: let the decoder see the rest
		}
		const most = 1 << 16
		names, err := decodeIndex(data, most)
		if err != nil {
			return
		}
		all := names.all()
		if !slices.IsSorted(all) || len(slices.Compact(all)) != len(names.ends) || len(names.text) > most {
			t.Fatalf("names %q", names.all())
		}
		for version := uint32(2); version <= 4; version++ {
			again, err := decodeIndex(encode(version, plain(names.all()...), ""), most)
			if err != nil || !slices.Equal(again.all(), names.all()) {
				t.Fatalf("version %d of %q: %q, %v", version, names.all(), again.all(), err)
			}
		}
	})
}

func BenchmarkIndexNames(b *testing.B) {
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf("packages/project-%04d/src/module_%02d.ts", i/20, i%20))
	}
	for _, version := range []uint32{2, 4} {
		data := encode(version, plain(names...), "")
		b.Run(fmt.Sprintf("v%d", version), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if l, err := decodeIndex(data, limits.Default.IndexBytes); err != nil || !l.has(names[777]) {
					b.Fatal(err)
				}
			}
		})
	}
}
