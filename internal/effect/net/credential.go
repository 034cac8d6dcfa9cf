package net

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Credential is the value of one header field for one origin. The value shows in no output: it can be had from here only by
// the door that sends it.
type Credential struct {
	// Origin is the scheme, host and port that it goes to, as wire.Origin spells it.
	Origin string
	// Header is the name of the field.
	Header string

	scheme string        // "Bearer " or ""
	value  func() string // a function, so that no verb of fmt and no walk over the fields shows it
}

// String, GoString and MarshalJSON say what it is, not what it holds.
func (c Credential) String() string { return "<secret: " + c.Header + " for " + c.Origin + ">" }

// GoString is for %#v.
func (c Credential) GoString() string { return c.String() }

// MarshalJSON is for whoever writes a struct that holds one.
func (c Credential) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

func (c Credential) line() string { return c.scheme + c.value() }

// Env looks an environment variable up.
type Env func(name string) (value string, ok bool)

// BearerEnv takes a bearer token from a variable.
func BearerEnv(target, name string, env Env) (Credential, error) {
	value, ok := env(name)
	if !ok || value == "" {
		return Credential{}, fmt.Errorf("variable %s is not set", name)
	}
	return bearer(target, "variable "+name, value)
}

// BearerFile takes a bearer token from a file that only its owner can read.
func BearerFile(target, path string, lim limits.Set) (Credential, error) {
	raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: lim.CredentialBytes, Private: true})
	if err != nil {
		return Credential{}, err
	}
	return bearer(target, path, strings.TrimRight(string(raw), "\r\n"))
}

// Bearer is a bearer token that this program keeps.
func Bearer(target, token string) (Credential, error) { return bearer(target, "the kept token", token) }

func bearer(target, from, value string) (Credential, error) {
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r >= 0x7F }) {
		return Credential{}, errors.New(from + ": a token is visible ASCII without spaces")
	}
	return makeCredential(target, "Authorization", "Bearer ", value)
}

// HeaderEnv reads NAME=VAR: a header field whose value is in a variable.
func HeaderEnv(target, spec string, env Env) (Credential, error) {
	header, name, ok := strings.Cut(spec, "=")
	if !ok || name == "" {
		return Credential{}, errors.New("a header is given as NAME=VARIABLE")
	}
	value, set := env(name)
	if !set || value == "" {
		return Credential{}, fmt.Errorf("variable %s is not set", name)
	}
	return Field(target, header, value)
}

// Field is a header field for the origin of a URL. Its errors do not hold the value.
func Field(target, header, value string) (Credential, error) {
	value = strings.Trim(value, " \t")
	if header == "" || strings.ContainsFunc(header, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)) // RFC 9110, section 5.6.2
	}) {
		return Credential{}, fmt.Errorf("%q is no name of a header field", header)
	}
	if ours(header) {
		return Credential{}, fmt.Errorf("the header field %s is part of the protocol and can not be set", header)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r != '\t' && r < ' ' || r >= 0x7F }) {
		return Credential{}, fmt.Errorf("the value of the header field %s is not visible ASCII", header)
	}
	return makeCredential(target, header, "", value)
}

// ours are the fields that HTTP or MCP gives a meaning which is not the user's.
func ours(header string) bool {
	switch h := strings.ToLower(header); h {
	case "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "accept",
		"accept-encoding", "content-encoding", "content-type", "last-event-id":
		return true
	default:
		return strings.HasPrefix(h, "mcp-") || strings.HasPrefix(h, "proxy-")
	}
}

func makeCredential(target, header, scheme, value string) (Credential, error) {
	u, err := url.Parse(target)
	if err == nil {
		if origin, ok := wire.Origin(u); ok {
			return Credential{Origin: origin, Header: header, scheme: scheme, value: func() string { return value }}, nil
		}
	}
	return Credential{}, errors.New("a credential needs an http:// or https:// URL to go to")
}

// secrets are the spellings of the credentials of an origin, of all for "", with and without the scheme before them.
func (d *Door) secrets(origin string) [][]byte {
	var all []string
	for _, c := range d.opt.Credentials {
		if origin != "" && c.Origin != origin {
			continue
		}
		value := c.value()
		all = append(all, value)
		if _, bare, ok := strings.Cut(value, " "); ok && strings.EqualFold(c.Header, "Authorization") {
			all = append(all, strings.TrimSpace(bare))
		}
	}
	return wire.Spellings(all...)
}

// mask overwrites the credentials of an origin in text, of all for "". It works in place.
func (d *Door) mask(text []byte, origin string) (masked []byte, found bool) {
	return text, wire.Hide(text, d.secrets(origin))
}
