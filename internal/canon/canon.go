// Package canon makes the digests and fingerprints that reports and locks compare.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest is "sha256:" and the hex SHA-256 of the bytes.
func Digest(b []byte) string {
	const name = "sha256:"
	sum := sha256.Sum256(b)
	var text [len(name) + 2*sha256.Size]byte
	copy(text[:], name)
	hex.Encode(text[len(name):], sum[:])
	return string(text[:])
}

// Fingerprint is the digest of parts that can not run into each other: each is preceded by its length.
func Fingerprint(parts ...string) string {
	var buf [512]byte // most of them fit
	b := buf[:0]
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(len(p)), 10)
		b = append(b, ':')
		b = append(b, p...)
	}
	return Digest(b)
}

// JSON is the one form of a JSON value that digests are made of: RFC 8785, but for integers, which keep the digits that
// they were written with: a double holds none beyond 2^53, and two of them would be one. It refuses text that is no JSON,
// that names a member twice or is not UTF-8, and numbers that no double holds. The input is left as it is.
func JSON(raw []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return nil, err
	}
	if bytes.Contains(v, []byte(largest)) { // which is also what a number beyond it becomes
		return v, inRange(raw)
	}
	return v, nil
}

// Is says whether a text is the one form of its value already.
func Is(raw []byte) bool {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	v := jsontext.Value(append((*room)[:0], raw...))
	*room = v
	return v.Canonicalize(jsontext.CanonicalizeRawInts(false)) == nil && bytes.Equal(v, raw) && (!bytes.Contains(v, []byte(largest)) || inRange(raw) == nil)
}

// rooms are what Is works in: a lock asks it for every item.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// largest is the largest double, as RFC 8785 writes it.
const largest = "1.7976931348623157e+308"

// inRange says whether a double holds every number of a text, but for integers.
func inRange(raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		switch t, err := d.ReadToken(); {
		case err != nil:
			return nil // the end: what is wrong with it was seen before
		case t.Kind() == '0' && strings.ContainsAny(t.String(), ".eE"):
			if _, err := strconv.ParseFloat(t.String(), 64); err != nil {
				return fmt.Errorf("the number at %s is larger than a double can be", d.StackPointer())
			}
		}
	}
}
