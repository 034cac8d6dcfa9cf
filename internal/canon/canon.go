// Package canon makes the digests and fingerprints that reports and locks compare.
package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
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
