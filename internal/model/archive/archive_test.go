package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// made is a tar of headers; a file's bytes are those of its name unless its size says otherwise.
func made(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		body := []byte(h.Name)
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag != tar.TypeReg {
			body = nil
		}
		h.Size = int64(len(body))
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnArchiveIsReadWhole(t *testing.T) {
	long := "package/" + strings.Repeat("long/", 40) + "name.js" // a name for an extended header
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		headers := []tar.Header{{Name: "package/", Typeflag: tar.TypeDir, Mode: 0o755, Format: format}, {Name: "package/package.json", Format: format}, {Name: "./package/bin.js", Mode: 0o4755, Format: format}}
		if format != tar.FormatUSTAR {
			headers = append(headers, tar.Header{Name: long, Format: format})
		}
		raw := made(t, headers...)
		for _, in := range [][]byte{raw, zipped(t, raw)} {
			a := Read(in, func(p string) bool { return p == "package/package.json" }, limits.Default)
			if len(a.Faults) > 0 || len(a.Entries) != len(headers) {
				t.Fatalf("%v: %v, %+v", format, a.Faults, a.Entries)
			}
			if !a.Entries[0].Folder || string(a.Entries[1].Bytes) != "package/package.json" || a.Entries[2].Path != "package/bin.js" || a.Entries[2].Mode != 0o4755 || a.Entries[2].Bytes != nil {
				t.Errorf("%v: %+v", format, a.Entries)
			}
			if sum := sha256.Sum256([]byte("package/package.json")); a.Entries[1].Digest != "sha256:"+hex.EncodeToString(sum[:]) {
				t.Error(a.Entries[1].Digest)
			}
			if n := len(headers); n == 4 && a.Entries[3].Path != long {
				t.Error(a.Entries[3].Path)
			}
		}
	}
}

func TestWhatReadersTakeDifferentlyIsRefused(t *testing.T) {
	plain := made(t, tar.Header{Name: "a"}, tar.Header{Name: "b"})
	edit := func(change func(b []byte)) []byte {
		b := bytes.Clone(plain)
		change(b)
		for at := 0; at+block <= len(b) && at <= 2*block; at += 2 * block { // both headers: their checksums
			if b[at] == 0 {
				continue
			}
			copy(b[at+148:], "        ")
			sum := 0
			for _, c := range b[at : at+block] {
				sum += int(c)
			}
			copy(b[at+148:], fmt.Sprintf("%06o\x00 ", sum))
		}
		return b
	}
	ext := func(kind byte, records string) []byte {
		b := edit(func(b []byte) {
			b[156] = kind
			copy(b[124:], fmt.Sprintf("%011o\x00", len(records)))
			copy(b[block:2*block], make([]byte, block))
			copy(b[block:], records)
		})
		return b
	}
	for name, c := range map[string]struct {
		raw  []byte
		want Reason
	}{
		"parent":                 {made(t, tar.Header{Name: "a/../../b"}), Traversal},
		"root":                   {made(t, tar.Header{Name: "/etc/passwd"}), Traversal},
		"drive":                  {made(t, tar.Header{Name: "c:x"}), Traversal},
		"backslash":              {made(t, tar.Header{Name: `a\..\b`}), Traversal},
		"dots":                   {made(t, tar.Header{Name: "a/./b"}), Traversal},
		"empty":                  {made(t, tar.Header{Name: "a//b"}), Traversal},
		"trailing dot":           {made(t, tar.Header{Name: "a./b"}), Traversal},
		"unseen":                 {made(t, tar.Header{Name: "a\u202eb", Format: tar.FormatPAX}), Traversal},
		"control":                {made(t, tar.Header{Name: "a\x1bb"}), Traversal},
		"deep":                   {made(t, tar.Header{Name: strings.Repeat("a/", 70) + "b", Format: tar.FormatPAX}), Traversal},
		"long":                   {made(t, tar.Header{Name: strings.Repeat("a", 1100), Format: tar.FormatPAX}), Traversal},
		"symbolic link":          {made(t, tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc"}), Link},
		"hard link":              {made(t, tar.Header{Name: "a"}, tar.Header{Name: "b", Typeflag: tar.TypeLink, Linkname: "a"}), Link},
		"long link":              {made(t, tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: strings.Repeat("l", 200), Format: tar.FormatGNU}), Link},
		"device":                 {made(t, tar.Header{Name: "a", Typeflag: tar.TypeChar}), Special},
		"pipe":                   {made(t, tar.Header{Name: "a", Typeflag: tar.TypeFifo}), Special},
		"twice":                  {made(t, tar.Header{Name: "a"}, tar.Header{Name: "a"}), Duplicate},
		"twice, spelt two ways":  {made(t, tar.Header{Name: "a"}, tar.Header{Name: "./a"}), Duplicate},
		"case":                   {made(t, tar.Header{Name: "README"}, tar.Header{Name: "readme"}), Duplicate},
		"case of a folder":       {made(t, tar.Header{Name: "A/x"}, tar.Header{Name: "a/y"}), Duplicate},
		"composed":               {made(t, tar.Header{Name: "é", Format: tar.FormatPAX}, tar.Header{Name: "e\u0301", Format: tar.FormatPAX}), Duplicate},
		"below a file":           {made(t, tar.Header{Name: "a"}, tar.Header{Name: "a/b"}), Duplicate},
		"in the place":           {made(t, tar.Header{Name: "a/b"}, tar.Header{Name: "a"}), Duplicate},
		"folder and file":        {made(t, tar.Header{Name: "a"}, tar.Header{Name: "a/", Typeflag: tar.TypeDir}), Duplicate},
		"old sparse":             {edit(func(b []byte) { b[156] = 'S' }), Sparse},
		"pax sparse":             {ext('x', "22 GNU.sparse.major=1\n"), Sparse},
		"gnu fields":             {edit(func(b []byte) { copy(b[257:], "ustar  \x00"); b[400] = '1' }), Sparse},
		"size in a pax header":   {ext('x', "12 size=1024"[:11]+"\n"), Extended},
		"link in a pax header":   {ext('x', "14 linkpath=a\n"), Extended},
		"attributes":             {ext('x', "30 SCHILY.xattr.user.a=bcdefg\n"), Extended},
		"path for all":           {ext('g', "10 path=a\n"), Extended},
		"key twice":              {ext('x', "10 path=a\n10 path=b\n"), Extended},
		"wrong length":           {ext('x', "11 path=a\n"), Extended},
		"no length":              {ext('x', "path=a\n"), Extended},
		"nul in a path":          {ext('x', "12 path=a\x00b\n"), Extended},
		"two headers":            {append(ext('x', "10 path=a\n")[:2*block], ext('x', "10 path=b\n")...), Extended},
		"header before nothing":  {append(ext('x', "10 path=a\n")[:2*block], make([]byte, 2*block)...), Extended},
		"text behind a name":     {edit(func(b []byte) { b[50] = 'x' }), Malformed},
		"number of base 256":     {edit(func(b []byte) { b[124] = 0x80 }), Malformed},
		"negative":               {edit(func(b []byte) { copy(b[124:], "-0000000001") }), Malformed},
		"checksum":               {func() []byte { b := bytes.Clone(plain); b[0] = 'z'; return b }(), Malformed},
		"unknown type":           {edit(func(b []byte) { b[156] = 'Z' }), Special},
		"a folder with bytes":    {edit(func(b []byte) { b[156] = '5' }), Malformed},
		"a link with bytes":      {edit(func(b []byte) { b[156] = '2' }), Malformed},
		"a device with bytes":    {edit(func(b []byte) { b[156] = '3' }), Malformed},
		"a file called a folder": {edit(func(b []byte) { copy(b[0:], "a/") }), Traversal},
		"another magic":          {edit(func(b []byte) { copy(b[257:], "tarus") }), Unsupported},
		"padding":                {func() []byte { b := bytes.Clone(plain); b[block+10] = 'x'; return b }(), Trailing},
		"behind the end":         {append(bytes.Clone(plain), plain...), Trailing},
		"an empty block amid":    {append(append(bytes.Clone(plain[:2*block]), make([]byte, block)...), plain[2*block:]...), Trailing},
		"cut in a file":          {plain[:block+10], CutOff},
		"cut behind a file":      {plain[:2*block], CutOff},
		"no second block":        {plain[:5*block], CutOff},
		"nothing":                {nil, CutOff},
		"zip":                    {[]byte("PK\x03\x04"), Unsupported},
		"xz":                     {[]byte("\xfd7zXZ\x00..."), Unsupported},
		"gzip cut":               {zipped(t, plain)[:40], CutOff},
		"gzip of nothing":        {[]byte("\x1f\x8b\x08"), Malformed},
		"gzip with a wrong sum":  {func() []byte { b := zipped(t, plain); b[len(b)-5] ^= 1; return b }(), Malformed},
		"two members":            {append(zipped(t, plain), zipped(t, plain)...), Trailing},
		"text behind gzip":       {append(zipped(t, plain), "hello"...), Trailing},
		"bomb":                   {zipped(t, append(plain, make([]byte, 64*limits.MiB)...)), Bomb},
		"gzip in gzip is no tar": {zipped(t, zipped(t, plain)), CutOff},
		"a large header":         {ext('x', "")[:0], CutOff},
	} {
		a := Read(c.raw, nil, limits.Default)
		if len(a.Faults) == 0 || a.Faults[0].Reason != c.want {
			t.Errorf("%s: %v, want %s", name, a.Faults, c.want)
		}
		for _, f := range a.Faults {
			if f.Detail == "" || f.Error() == "" {
				t.Errorf("%s: no words", name)
			}
		}
	}
}

func TestAnEntryAtFaultIsLeftOutAndTheOthersAreRead(t *testing.T) {
	a := Read(made(t, tar.Header{Name: "a"}, tar.Header{Name: "../b"}, tar.Header{Name: "c"}), nil, limits.Default)
	if len(a.Entries) != 2 || a.Entries[1].Path != "c" || len(a.Faults) != 1 || a.Faults[0].Path != "../b" {
		t.Errorf("%+v %v", a.Entries, a.Faults)
	}
}

func TestAFolderMayStandBehindItsFilesAndTwice(t *testing.T) {
	dir := tar.Header{Name: "a/", Typeflag: tar.TypeDir}
	if a := Read(made(t, tar.Header{Name: "a/b"}, dir, dir, tar.Header{Name: "a/c"}), nil, limits.Default); len(a.Faults) > 0 || len(a.Entries) != 4 {
		t.Errorf("%v", a.Faults)
	}
}

func TestEveryBoundOfAnArchiveIsHeld(t *testing.T) {
	raw := made(t, tar.Header{Name: "aaaa"}, tar.Header{Name: "b"}, tar.Header{Name: "c"})
	for name, set := range map[string]func(*limits.Set){
		"entries": func(l *limits.Set) { l.ArchiveEntries = 2 }, "names": func(l *limits.Set) { l.ArchiveNames = 4 },
		"content": func(l *limits.Set) { l.ArchiveContent = 4 },
	} {
		lim := limits.Default
		set(&lim)
		if a := Read(raw, nil, lim); len(a.Faults) != 1 || a.Faults[0].Reason != TooLarge {
			t.Errorf("%s: %v", name, a.Faults)
		}
	}
	lim := limits.Default
	lim.ArchiveHeader = 4
	if a := Read(made(t, tar.Header{Name: strings.Repeat("n", 200), Format: tar.FormatPAX}), nil, lim); len(a.Faults) != 1 || a.Faults[0].Reason != TooLarge {
		t.Errorf("header: %v", a.Faults)
	}
	lim = limits.Default
	lim.ArchiveContent = 3000
	if a := Read(zipped(t, raw), nil, lim); len(a.Faults) != 1 || a.Faults[0].Reason != TooLarge {
		t.Errorf("what comes out: %v", a.Faults)
	}
}

// mended gives every header its right checksum, so that what fuzzing changes is looked at.
func mended(raw []byte) []byte {
	b := bytes.Clone(raw)
	for at := 0; at+block <= len(b); {
		h := b[at : at+block]
		if len(bytes.Trim(h, "\x00")) == 0 {
			at += block
			continue
		}
		copy(h[148:], "        ")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
		size, err := octal(h[124:136])
		if err != nil || size > int64(len(b)) {
			break
		}
		at += block + int((size+block-1)/block*block)
	}
	return b
}

// What is accepted, the standard library reads alike: the same entries with the same bytes, and nothing more.
// Found by fuzzing: archive/tar refuses what stands there and was read here.
func TestADeviceThatIsNoNumberIsRefused(t *testing.T) {
	t.Parallel()
	raw := made(t, tar.Header{Name: "a", Format: tar.FormatGNU})
	copy(raw[335:], "/l")
	if a := Read(mended(raw), nil, limits.Default); len(a.Faults) == 0 {
		t.Error("it was read")
	}
}

func FuzzRead(f *testing.F) {
	plain := made(f, tar.Header{Name: "a"}, tar.Header{Name: "b/", Typeflag: tar.TypeDir}, tar.Header{Name: "b/c", Mode: 0o755})
	f.Add(plain)
	f.Add(zipped(f, plain))
	f.Add(made(f, tar.Header{Name: strings.Repeat("long/", 40) + "x", Format: tar.FormatPAX}, tar.Header{Name: "b", PAXRecords: map[string]string{"comment": "x"}, Format: tar.FormatPAX}))
	f.Add(made(f, tar.Header{Name: strings.Repeat("long/", 40) + "x", Format: tar.FormatGNU}))
	f.Add(made(f, tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "b"}))
	lim := limits.Default
	lim.ArchiveContent, lim.ArchiveFree = 4*limits.MiB, limits.MiB
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 2 && raw[0] != 0x1f {
			raw = mended(raw)
		}
		a := Read(raw, nil, lim)
		if len(a.Faults) > 0 {
			return
		}
		in := io.Reader(bytes.NewReader(raw))
		if a.Gzip {
			z, err := gzip.NewReader(in)
			if err != nil {
				t.Fatal(err)
			}
			in = z
		}
		r := tar.NewReader(in)
		at := 0
		for {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("the library refuses it: %v", err)
			}
			if h.Typeflag == tar.TypeXGlobalHeader {
				continue
			}
			name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
			if name == "" || name == "." {
				continue
			}
			body, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if at == len(a.Entries) {
				t.Fatalf("the library reads %q too", h.Name)
			}
			e := a.Entries[at]
			at++
			sum := sha256.Sum256(body)
			if e.Path != name || e.Folder != (h.Typeflag == tar.TypeDir) || !e.Folder && (e.Size != int64(len(body)) || e.Digest != "sha256:"+hex.EncodeToString(sum[:])) || e.Mode != h.Mode {
				t.Fatalf("%+v is %+v to the library", e, h)
			}
		}
		if at != len(a.Entries) {
			t.Fatalf("the library reads %d of %d", at, len(a.Entries))
		}
	})
}
