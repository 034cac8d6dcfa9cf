package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
)

var errIndex = errors.New("the index is corrupt")

// nameList is a sorted list of names in one piece of memory: an index has ten thousands.
type nameList struct {
	text []byte
	ends []int
}

func (l *nameList) at(i int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.text[start:l.ends[i]]
}

func (l *nameList) has(name string) bool {
	want := []byte(name)
	i := sort.Search(len(l.ends), func(i int) bool { return bytes.Compare(l.at(i), want) >= 0 })
	return i < len(l.ends) && bytes.Equal(l.at(i), want)
}

// The index format is git's Documentation/gitformat-index: a header, entries sorted by name, extensions
// and a checksum.
const (
	headerSize = len("DIRC") + 4 + 4
	hashSize   = sha1.Size
	modeAt     = 24 // offsets in an entry
	flagsAt    = 40 + hashSize
	nameAt     = flagsAt + 2
	padding    = 8 // entries of versions 2 and 3 end at a multiple

	flagExtended   = 0x4000
	flagsKnown     = 0x6000 // of the extended flags: skip-worktree, intent-to-add
	lengthMask     = 0x0fff // a name that is longer is found by its NUL
	modeTypeMask   = 0o170000
	modeFolder     = 0o040000
	extensionStart = 4 + 4 // an extension's name and size
)

// decodeIndex gives the names in an index of version 2, 3 or 4, at most maxText bytes of them. It reads
// names only, an order of magnitude faster than a decoder of everything, and refuses what it can not
// be sure of: other versions, a split or sparse index, an extension that must be understood and is not,
// a checksum that does not fit.
func decodeIndex(data []byte, maxText int) (nameList, error) {
	if len(data) < headerSize+hashSize || !bytes.HasPrefix(data, []byte("DIRC")) {
		return nameList{}, fmt.Errorf("%w: it has no header", errIndex)
	}
	body, sum := data[:len(data)-hashSize], data[len(data)-hashSize:]
	// A checksum of zeros says that there is none (index.skipHash).
	if real := sha1.Sum(body); !bytes.Equal(sum, real[:]) && !bytes.Equal(sum, make([]byte, hashSize)) {
		return nameList{}, fmt.Errorf("%w: its checksum does not fit", errIndex)
	}
	version := binary.BigEndian.Uint32(data[len("DIRC"):])
	if version < 2 || version > 4 {
		return nameList{}, fmt.Errorf("the index has version %d", version)
	}
	d := indexDecoder{version: version, rest: body[headerSize:], maxText: maxText}
	count := int(binary.BigEndian.Uint32(data[len("DIRC")+4:]))
	if count > len(d.rest)/nameAt {
		return nameList{}, fmt.Errorf("%w: it is too short for its %d entries", errIndex, count)
	}
	d.names.ends = make([]int, 0, count)
	d.names.text = make([]byte, 0, min(len(d.rest)-count*nameAt, maxText))
	for range count {
		if err := d.entry(); err != nil {
			return nameList{}, err
		}
	}
	if err := d.extensions(); err != nil {
		return nameList{}, err
	}
	return d.names, nil
}

type indexDecoder struct {
	version uint32
	rest    []byte
	names   nameList
	last    []byte // the name before
	maxText int
}

func (d *indexDecoder) entry() error {
	if len(d.rest) < nameAt {
		return fmt.Errorf("%w: it ends inside an entry", errIndex)
	}
	if binary.BigEndian.Uint32(d.rest[modeAt:])&modeTypeMask == modeFolder {
		return errors.New("the index is sparse")
	}
	flags := binary.BigEndian.Uint16(d.rest[flagsAt:])
	at := nameAt
	if flags&flagExtended != 0 {
		if d.version < 3 || len(d.rest) < at+2 || binary.BigEndian.Uint16(d.rest[at:])&^flagsKnown != 0 {
			return errors.New("the index has an entry with unknown flags")
		}
		at += 2
	}
	drop := 0
	if d.version == 4 {
		// The name shares all but the last drop bytes with the one before.
		var n int
		if drop, n = varint(d.rest[at:]); n == 0 || drop > len(d.last) {
			return fmt.Errorf("%w: a name is cut by more than it has", errIndex)
		}
		at += n
	}
	length := bytes.IndexByte(d.rest[at:], 0)
	if length < 0 {
		return fmt.Errorf("%w: it ends inside a name", errIndex)
	}
	suffix := d.rest[at : at+length]
	size := at + length + 1
	if d.version < 4 {
		if said := int(flags & lengthMask); said != min(length, lengthMask) {
			return fmt.Errorf("%w: a name is %d bytes long, not %d", errIndex, length, said)
		}
		size = (at + length + padding) / padding * padding
		if size > len(d.rest) {
			return fmt.Errorf("%w: it ends inside an entry", errIndex)
		}
	}
	d.rest = d.rest[size:]
	return d.add(len(d.last)-drop, suffix)
}

// add appends the name made of the first keep bytes of the last one (version 4) and suffix.
func (d *indexDecoder) add(keep int, suffix []byte) error {
	if d.version < 4 {
		keep = 0
	}
	if len(d.names.text)+keep+len(suffix) > d.maxText {
		return errors.New("the index holds too many names")
	}
	start := len(d.names.text)
	d.names.text = append(append(d.names.text, d.last[:keep]...), suffix...)
	name := d.names.text[start:]
	switch order := bytes.Compare(d.last, name); {
	case len(name) == 0, order > 0:
		return fmt.Errorf("%w: its names are not in order", errIndex)
	case order == 0: // another side of a conflict
		d.names.text = d.names.text[:start]
	default:
		d.names.ends = append(d.names.ends, len(d.names.text))
		d.last = name
	}
	return nil
}

// varint reads git's offset encoding: seven bits a byte, each further byte adding one to what came
// before. n is the number of bytes, 0 where there is no whole number of a sane size.
func varint(data []byte) (value, n int) {
	const more, bits = 0x80, 7
	for i, c := range data {
		value = value<<bits + int(c&^more)
		if c&more == 0 {
			return value, i + 1
		}
		if value++; value > math.MaxInt32>>bits {
			break
		}
	}
	return 0, 0
}

// extensions looks at the names of the extensions only: one in lower case must be understood.
func (d *indexDecoder) extensions() error {
	for len(d.rest) > 0 {
		if len(d.rest) < extensionStart {
			return fmt.Errorf("%w: it ends inside an extension", errIndex)
		}
		name, size := string(d.rest[:4]), binary.BigEndian.Uint32(d.rest[4:])
		switch {
		case name == "link":
			return errors.New("the index is split")
		case name == "sdir":
			return errors.New("the index is sparse")
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("the index has the unknown extension %q", name)
		case uint64(size) > uint64(len(d.rest)-extensionStart):
			return fmt.Errorf("%w: it ends inside an extension", errIndex)
		}
		d.rest = d.rest[extensionStart+int(size):]
	}
	return nil
}
