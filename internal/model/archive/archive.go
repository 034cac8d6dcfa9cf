// Package archive reads tar files of strangers without writing anything anywhere. It reads strictly: where two readers of tar
// may see two things (links, sparse files, sizes in extended headers, one name twice, something behind the end), it gives no
// answer and says why. What it accepts, archive/tar reads alike.
//
// Format: POSIX.1-2001 pax and ustar, the long names of GNU tar; plain, or gzip (RFC 1952) of one member.
package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Entry is a file or a folder. Path has slashes and no "./"; Digest is "sha256:…" of a file's bytes, "" for a folder.
type Entry struct {
	Path   string
	Folder bool
	Mode   int64 // the permission bits, set-user-id and the like included
	Size   int64
	Digest string
	// Bytes are those of a file that was asked for, nil for another.
	Bytes []byte
}

// Fault is why an archive, or an entry of it, is not accepted.
type Fault struct {
	Reason Reason
	// Path is the entry's as it stands there, "" for the archive's own.
	Path, Detail string
}

func (f *Fault) Error() string {
	if f.Path == "" {
		return f.Detail
	}
	return f.Path + ": " + f.Detail
}

// Reason is a word for scripts.
type Reason string

// The reasons.
const (
	Unsupported Reason = "unsupported"  // no tar, or packed in a way that is not read
	Malformed   Reason = "malformed"    // no tar that all readers read alike
	CutOff      Reason = "cut-off"      // it ends before its end
	TooLarge    Reason = "too-large"    // more entries, bytes, or names than are read
	Bomb        Reason = "bomb"         // far more bytes than were packed
	Traversal   Reason = "traversal"    // a name that leads out, or that systems read differently
	Link        Reason = "link"         // a symbolic or a hard link
	Special     Reason = "special-file" // a device, a pipe, a type that nobody knows
	Duplicate   Reason = "duplicate"    // one name twice, or a file in the place of a folder
	Sparse      Reason = "sparse"       // a file with holes
	Extended    Reason = "extended"     // an extended header that readers take differently
	Trailing    Reason = "trailing"     // something behind the end
)

// Archive is what was read.
type Archive struct {
	Gzip    bool
	Entries []Entry
	// Bytes are those of all files together.
	Bytes int64
	// Faults are why this is not all; entries at fault are not in Entries.
	Faults []*Fault
}

const block = 512

// Read reads an archive. keep says of which files the bytes are wanted, by path.
func Read(raw []byte, keep func(path string) bool, lim limits.Set) *Archive {
	a := &Archive{}
	r := &reader{Archive: a, lim: lim, keep: keep, seen: map[string]string{}}
	var in io.Reader = bytes.NewReader(raw)
	switch kind := packed(raw); kind {
	case "":
	case "gzip":
		a.Gzip = true
		src := bytes.NewReader(raw)
		z, err := gzip.NewReader(src)
		if err != nil {
			r.fault(Malformed, "", "it begins as gzip does, and is none: "+err.Error())
			return a
		}
		z.Multistream(false)
		in = &inflater{z: z, packed: int64(len(raw)), lim: lim}
		defer func() {
			if len(a.Faults) == 0 && src.Len() > 0 {
				r.fault(Trailing, "", fmt.Sprintf("%d bytes stand behind the end of the gzip data, which some readers take for more of it", src.Len()))
			}
		}()
	default:
		r.fault(Unsupported, "", "it is "+kind+": only tar, and tar in gzip, is read")
		return a
	}
	r.in = bufio.NewReaderSize(in, lim.ArchiveBuffer)
	var f *Fault
	if err := r.all(); errors.As(err, &f) {
		a.Faults = append(a.Faults, f)
	} else if err != nil {
		r.fault(Malformed, "", err.Error())
	}
	return a
}

// packed names what the bytes begin as, "" for what may be a tar.
func packed(raw []byte) string {
	for _, m := range []struct{ magic, kind string }{
		{"\x1f\x8b", "gzip"}, {"PK\x03\x04", "a zip file"}, {"PK\x05\x06", "a zip file"}, {"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"},
		{"7z\xbc\xaf\x27\x1c", "7-Zip"}, {"\x04\x22\x4d\x18", "lz4"}, {"\x1f\x9d", "compress"},
	} {
		if bytes.HasPrefix(raw, []byte(m.magic)) {
			return m.kind
		}
	}
	return ""
}

// inflater ends where far more comes out than went in.
type inflater struct {
	z           io.Reader
	packed, out int64
	lim         limits.Set
}

func (i *inflater) Read(p []byte) (int, error) {
	n, err := i.z.Read(p)
	i.out += int64(n)
	switch {
	case i.out > i.lim.ArchiveContent:
		return 0, &Fault{Reason: TooLarge, Detail: fmt.Sprintf("more than %d bytes come out of it", i.lim.ArchiveContent)}
	case i.out > int64(i.lim.ArchiveFree) && i.out > i.packed*int64(i.lim.ArchiveRatio):
		return 0, &Fault{Reason: Bomb, Detail: fmt.Sprintf("more than %d times as many bytes come out as went in", i.lim.ArchiveRatio)}
	case err == io.EOF || err == nil:
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &Fault{Reason: CutOff, Detail: "the gzip data ends too early"}
	default:
		err = &Fault{Reason: Malformed, Detail: "the gzip data can not be read: " + err.Error()}
	}
	return n, err
}

type reader struct {
	*Archive
	in   *bufio.Reader
	lim  limits.Set
	keep func(string) bool
	// seen has the path of every entry, and of every folder above one, by what is taken for the same; folders end with a slash.
	seen  map[string]string
	count int
	names int // bytes of all names
}

func (r *reader) fault(why Reason, path, detail string) {
	if len(r.Faults) < r.lim.ShownFaults {
		r.Faults = append(r.Faults, &Fault{why, path, detail})
	}
}

// next are extended headers for the entry behind them.
type next struct {
	path  string
	given bool // by one of either kind
}

func (r *reader) all() error {
	var n next
	var head [block]byte
	for {
		if err := r.fill(head[:]); err != nil {
			return err
		}
		if head == [block]byte{} {
			if n.given {
				return &Fault{Reason: Extended, Detail: "an extended header stands before nothing"}
			}
			return r.end()
		}
		h, err := parse(&head)
		if err != nil {
			return err
		}
		if r.count++; r.count > r.lim.ArchiveEntries {
			return &Fault{Reason: TooLarge, Detail: fmt.Sprintf("it has more than %d entries", r.lim.ArchiveEntries)}
		}
		switch h.kind {
		case 'x', 'g', 'L':
			if err := r.extended(h, &n); err != nil {
				return err
			}
			continue
		}
		path := h.name
		if n.given {
			path = n.path
			if path == "" {
				path = h.name
			}
		}
		n = next{}
		if r.names += len(path); r.names > r.lim.ArchiveNames {
			return &Fault{Reason: TooLarge, Detail: fmt.Sprintf("its names have more than %d bytes together", r.lim.ArchiveNames)}
		}
		if err := r.entry(h, path); err != nil {
			return err
		}
	}
}

// fill reads one block.
func (r *reader) fill(b []byte) error {
	_, err := io.ReadFull(r.in, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &Fault{Reason: CutOff, Detail: "it ends without the two empty blocks that end a tar file"}
	}
	return err
}

// end reads the second empty block, and what stands behind it.
func (r *reader) end() error {
	var b [block]byte
	if err := r.fill(b[:]); err != nil {
		return err
	}
	if b != [block]byte{} {
		return &Fault{Reason: Trailing, Detail: "an empty block stands in its midst: some readers end there, and others go on"}
	}
	buf := make([]byte, r.lim.ArchiveBuffer)
	for {
		n, err := r.in.Read(buf)
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return &Fault{Reason: Trailing, Detail: "something stands behind its end"}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// header is one block, read.
type header struct {
	name string
	mode int64
	size int64
	kind byte
	// pax says that it is of the ustar format, in which there are extended headers.
	pax bool
}

func parse(b *[block]byte) (*header, error) {
	bad := func(what string) error {
		return &Fault{Reason: Malformed, Detail: "a header is damaged: " + what}
	}
	sum, err := octal(b[148:156])
	if err != nil {
		return nil, bad("its checksum is no number")
	}
	total := int64(8 * ' ')
	for i, c := range b {
		if i < 148 || i >= 156 {
			total += int64(c)
		}
	}
	if sum != total {
		return nil, bad("its checksum is wrong")
	}
	h := &header{kind: b[156]}
	if h.size, err = octal(b[124:136]); err != nil {
		return nil, bad("its size is no octal number")
	}
	if h.mode, err = octal(b[100:108]); err != nil {
		return nil, bad("its mode is no octal number")
	}
	// Owner, group and time, and the numbers of a device, which are not there in a header without a magic.
	for _, f := range [][]byte{b[108:116], b[116:124], b[136:148], b[329:337], b[337:345]} {
		if _, err := octal(f); err != nil {
			return nil, bad("an owner, a time or a device is no octal number")
		}
	}
	name, err := words(b[0:100])
	if err != nil {
		return nil, bad("its name goes on behind its end")
	}
	switch magic := string(b[257:265]); magic {
	case "ustar\x0000":
		h.pax = true
		prefix, err := words(b[345:500])
		if err != nil {
			return nil, bad("its name goes on behind its end")
		}
		if prefix != "" {
			name = prefix + "/" + name
		}
		if len(bytes.Trim(b[500:], "\x00")) > 0 {
			return nil, bad("it has fields that its format does not have")
		}
	case "ustar  \x00": // GNU, whose fields for sparse files and times lie where the prefix does
		if len(bytes.Trim(b[345:], "\x00")) > 0 {
			return nil, &Fault{Reason: Sparse, Path: name, Detail: "it has fields of GNU tar that readers take differently"}
		}
	case "\x00\x00\x00\x00\x00\x00\x00\x00":
		if len(bytes.Trim(b[257:], "\x00")) > 0 {
			return nil, bad("it has fields that its format does not have")
		}
	default:
		return nil, &Fault{Reason: Unsupported, Detail: "it is no tar file that is known (ustar, pax, GNU)"}
	}
	h.name = name
	return h, nil
}

// words is a text that ends with its first NUL, behind which only NULs may stand.
func words(b []byte) (string, error) {
	s, rest, _ := bytes.Cut(b, []byte{0})
	if len(bytes.Trim(rest, "\x00")) > 0 {
		return "", errors.New("text behind its end")
	}
	return string(s), nil
}

// octal reads a number: digits, with spaces before and spaces or NULs behind. Nothing is 0.
func octal(b []byte) (n int64, err error) {
	s := bytes.TrimLeft(b, " ")
	s = bytes.TrimRight(s, " \x00")
	for _, c := range s {
		if c < '0' || c > '7' {
			return 0, errors.New("no octal number")
		}
		n = n<<3 | int64(c-'0')
	}
	return n, nil
}

// extended reads a header that is about the next entry (x, L) or about all (g).
func (r *reader) extended(h *header, n *next) error {
	if h.size > int64(r.lim.ArchiveHeader) {
		return &Fault{Reason: TooLarge, Detail: fmt.Sprintf("an extended header has more than %d bytes", r.lim.ArchiveHeader)}
	}
	raw, err := r.take(h.size)
	if err != nil {
		return err
	}
	if h.kind != 'g' {
		if n.given {
			return &Fault{Reason: Extended, Detail: "two extended headers stand before one entry"}
		}
		n.given = true
	} else if n.given {
		return &Fault{Reason: Extended, Detail: "a header about all entries stands between an entry and its own"}
	}
	if h.kind == 'L' {
		if n.path, err = words(raw); err != nil || n.path == "" {
			return &Fault{Reason: Extended, Detail: "a long name goes on behind its end, or is none"}
		}
		return nil
	}
	records, err := pax(raw)
	if err != nil {
		return &Fault{Reason: Extended, Detail: "an extended header can not be read: " + err.Error()}
	}
	seen := map[string]bool{}
	for _, rec := range records {
		key, value := rec[0], rec[1]
		switch {
		case seen[key]:
			return &Fault{Reason: Extended, Detail: fmt.Sprintf("an extended header says %q twice", text.Line(key, r.lim.ShownRunes))}
		case key == "comment", h.kind == 'x' && harmless(key):
		case strings.HasPrefix(key, "GNU.sparse."):
			return &Fault{Reason: Sparse, Detail: "it holds a file with holes"}
		case h.kind == 'x' && key == "path" && value != "":
			n.path = value
		default: // size above all: readers that do not know it see other entries
			return &Fault{Reason: Extended, Detail: fmt.Sprintf("an extended header says %q, which readers take differently", text.Line(key, r.lim.ShownRunes))}
		}
		seen[key] = true
	}
	return nil
}

// harmless are the records that change no name, type or size.
func harmless(key string) bool {
	switch key {
	case "mtime", "atime", "ctime", "uname", "gname", "uid", "gid", "LIBARCHIVE.creationtime", "SCHILY.dev", "SCHILY.ino", "SCHILY.nlink":
		return true
	}
	return false
}

// pax reads records of the form "LENGTH KEY=VALUE\n".
func pax(raw []byte) (all [][2]string, err error) {
	for len(raw) > 0 {
		space := bytes.IndexByte(raw, ' ')
		length := 0
		if space < 1 || space > 9 || raw[0] == '0' {
			return nil, errors.New("a record without its length")
		}
		for _, c := range raw[:space] {
			if c < '0' || c > '9' {
				return nil, errors.New("a record without its length")
			}
			length = 10*length + int(c-'0')
		}
		if length <= space+2 || length > len(raw) || raw[length-1] != '\n' {
			return nil, errors.New("a record of another length than it says")
		}
		key, value, ok := strings.Cut(string(raw[space+1:length-1]), "=")
		if !ok || key == "" || strings.ContainsRune(key+value, 0) {
			return nil, errors.New("a record without a name, or with a NUL in it")
		}
		all = append(all, [2]string{key, value})
		raw = raw[length:]
	}
	return all, nil
}

// take reads bytes and the padding behind them.
func (r *reader) take(size int64) ([]byte, error) {
	var b bytes.Buffer
	if err := r.copy(&b, size); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// copy hands the bytes of an entry on, and reads the padding behind them, which must be empty.
func (r *reader) copy(to io.Writer, size int64) error {
	n, err := io.Copy(to, io.LimitReader(r.in, size))
	if err != nil {
		return err
	}
	if n < size {
		return &Fault{Reason: CutOff, Detail: "it ends in the midst of an entry"}
	}
	var pad [block]byte
	rest := pad[:(block-size%block)%block]
	if err := r.fill(rest); err != nil {
		return err
	}
	if len(bytes.Trim(rest, "\x00")) > 0 {
		return &Fault{Reason: Trailing, Detail: "something stands between two entries"}
	}
	return nil
}

// entry takes one entry. What is wrong with it alone is noted, and the next one is read.
func (r *reader) entry(h *header, name string) error {
	wrong := func(why Reason, detail string) error {
		r.fault(why, name, detail)
		return r.copy(io.Discard, h.size)
	}
	e := Entry{Mode: h.mode, Size: h.size}
	switch h.kind {
	case '0', 0:
	case '5':
		if e.Folder = true; h.size != 0 {
			return &Fault{Reason: Malformed, Path: name, Detail: "a folder with bytes of its own: readers take them differently"}
		}
	case '1', '2':
		if h.size != 0 {
			return &Fault{Reason: Malformed, Path: name, Detail: "a link with bytes of its own: readers take them differently"}
		}
		return wrong(Link, "a link: what it stands for depends on where it is unpacked")
	case '3', '4', '6':
		if h.size != 0 {
			return &Fault{Reason: Malformed, Path: name, Detail: "a device with bytes of its own: readers take them differently"}
		}
		return wrong(Special, "a device or a pipe")
	case 'K':
		return &Fault{Reason: Link, Detail: "a link with a long name"}
	case 'S':
		return &Fault{Reason: Sparse, Path: name, Detail: "a file with holes"}
	default:
		return &Fault{Reason: Special, Path: name, Detail: fmt.Sprintf("an entry of the unknown type %q", h.kind)}
	}
	path, why := clean(name, e.Folder, r.lim)
	if why != "" {
		return wrong(Traversal, why)
	}
	if path == "" { // the folder itself
		return nil
	}
	if why := r.twice(path, e.Folder); why != "" {
		return wrong(Duplicate, why)
	}
	e.Path = path
	if e.Folder {
		r.Entries = append(r.Entries, e)
		return nil
	}
	if r.Bytes += e.Size; r.Bytes > r.lim.ArchiveContent {
		return &Fault{Reason: TooLarge, Detail: fmt.Sprintf("its files have more than %d bytes", r.lim.ArchiveContent)}
	}
	sum := sha256.New()
	var to io.Writer = sum
	var kept *bytes.Buffer
	if r.keep != nil && r.keep(path) && e.Size <= int64(r.lim.NamedBytes) {
		kept = &bytes.Buffer{}
		to = io.MultiWriter(sum, kept)
	}
	if err := r.copy(to, e.Size); err != nil {
		return err
	}
	e.Digest = digest(sum)
	if kept != nil {
		e.Bytes = append([]byte{}, kept.Bytes()...)
	}
	r.Entries = append(r.Entries, e)
	return nil
}

func digest(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// clean is the path of an entry, or why it has none that every system reads alike.
func clean(name string, folder bool, lim limits.Set) (path, why string) {
	switch {
	case !utf8.ValidString(name):
		return "", "its name is no UTF-8"
	case len(name) > lim.ArchiveName:
		return "", fmt.Sprintf("its name has more than %d bytes", lim.ArchiveName)
	case strings.ContainsFunc(name, text.Unsafe):
		return "", "its name holds characters that do not show"
	case strings.ContainsAny(name, `\:`):
		return "", `its name holds \ or :, which lead elsewhere on Windows`
	case strings.HasPrefix(name, "/"):
		return "", "its name begins at the root"
	case strings.HasSuffix(name, "/") && !folder:
		return "", "a file with the name of a folder"
	}
	path = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	if path == "." || path == "" && folder && name != "/" && name != "" {
		return "", ""
	}
	if strings.Count(path, "/") >= lim.ArchiveDepth {
		return "", fmt.Sprintf("it lies more than %d folders deep", lim.ArchiveDepth)
	}
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "..":
			return "", "its name leads out of the folder"
		case part == "" || part == ".":
			return "", "its name has an empty part"
		case strings.TrimRight(part, " .") != part:
			return "", "a part of its name ends with a dot or a space, which Windows drops"
		}
	}
	return path, ""
}

// twice says why a path can not stand beside those before it: a person or a file system takes it for one of them, or one is a
// file where the other has a folder.
func (r *reader) twice(path string, folder bool) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		if why := r.within(path[:i]); why != "" {
			return why
		}
	}
	key := same(path)
	if had, ok := r.seen[key]; ok && !(folder && had == path+"/") {
		return "its name can not be told from that of " + strings.TrimSuffix(had, "/")
	}
	r.seen[key] = path
	if folder {
		r.seen[key] = path + "/"
	}
	return ""
}

// within enters the folders of a path, the innermost first: above one that is known all are.
func (r *reader) within(dir string) string {
	key := same(dir)
	switch had, ok := r.seen[key]; {
	case ok && had == dir+"/":
		return ""
	case ok && !strings.HasSuffix(had, "/"):
		return "it lies below the file " + had
	case ok:
		return "the name of its folder can not be told from that of " + strings.TrimSuffix(had, "/")
	}
	if i := strings.LastIndexByte(dir, '/'); i >= 0 {
		if why := r.within(dir[:i]); why != "" {
			return why
		}
	}
	r.seen[key] = dir + "/"
	return ""
}

// same is equal for two paths that a file system, or a person, takes for one.
func same(path string) string { return text.Skeleton(path) }
