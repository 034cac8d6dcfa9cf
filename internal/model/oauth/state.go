package oauth

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// StateVersion is the version of a state file.
const StateVersion = 1

// State is what is remembered between the question that a person takes to the authorization server and the answer. It
// holds secrets: Nonce is the "state" of RFC 6749, Verifier that of RFC 7636.
type State struct {
	Version int `json:"version"`
	Grant
	Nonce      string    `json:"state"`
	Verifier   string    `json:"verifier"`
	SaysIssuer bool      `json:"saysIssuer,omitempty"`
	Expires    time.Time `json:"expires"`
}

func (State) String() string { return "<secret: state>" }

// GoString is for %#v.
func (s State) GoString() string { return s.String() }

// ReadState reads a state file. Its errors do not quote it.
func ReadState(raw []byte, lim limits.Set) (s State, err error) {
	if _, err := Object(raw, lim); err != nil {
		return State{}, err
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return State{}, errors.New("not a state file")
	}
	if s.Version != StateVersion || s.Nonce == "" || s.Verifier == "" || s.Expires.IsZero() {
		return State{}, errors.New("not a state file of this version")
	}
	if _, err := CheckURL("token endpoint", s.TokenEndpoint, lim); err != nil {
		return State{}, err
	}
	return s, nil
}

// Answer is what an authorization server sent a person back with.
type Answer struct {
	Code string
	// Error and Detail are what it says instead of a code (RFC 6749, section 4.1.2.1), cut to the limit.
	Error, Detail string
}

// Mine says that a callback is about this question, whatever it answers.
func (s State) Mine(callback string) bool {
	u, err := url.Parse(callback)
	return err == nil && subtle.ConstantTimeCompare([]byte(u.Query().Get("state")), []byte(s.Nonce)) == 1
}

// Accept judges a callback. A nil error says that it is the answer to this question, be it a code or a refusal; with an
// error nothing in it is to be believed.
func (s State) Accept(callback string, now time.Time, lim limits.Set) (Answer, error) {
	if !now.Before(s.Expires) {
		return Answer{}, fmt.Errorf("the authorization expired at %s", s.Expires.UTC().Format(time.RFC3339))
	}
	if len(callback) > 2*lim.TokenBytes {
		return Answer{}, fmt.Errorf("the callback has more than %d bytes", 2*lim.TokenBytes)
	}
	u, err := url.Parse(callback)
	if err != nil { // which would quote the code
		return Answer{}, errors.New("the callback is no URL")
	}
	expect, err := url.Parse(s.RedirectURI)
	if err != nil {
		return Answer{}, errors.New("the redirect URI is no URL")
	}
	got, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Answer{}, errors.New("the query of the callback can not be read")
	}
	own := expect.Query()
	switch {
	case u.Fragment != "":
		return Answer{}, errors.New("the callback holds a fragment, which no authorization code comes in")
	case u.Scheme != expect.Scheme || !strings.EqualFold(u.Host, expect.Host) || u.EscapedPath() != expect.EscapedPath() || u.User != nil || u.Opaque != expect.Opaque:
		return Answer{}, fmt.Errorf("the callback is not at the redirect URI %s", s.RedirectURI)
	}
	for name := range own {
		if got.Get(name) != own.Get(name) {
			return Answer{}, fmt.Errorf("the callback is not at the redirect URI %s", s.RedirectURI)
		}
	}
	for name, values := range got {
		if len(values) > 1 && !own.Has(name) { // RFC 6749, section 3.1
			return Answer{}, fmt.Errorf("the callback holds %q twice", wire.Excerpt([]byte(name), lim))
		}
	}
	switch nonce := got.Get("state"); {
	case nonce == "":
		return Answer{}, errors.New("the callback holds no state: it answers no question of ours")
	case subtle.ConstantTimeCompare([]byte(nonce), []byte(s.Nonce)) != 1:
		return Answer{}, errors.New("the callback's state is another one: it answers another question")
	}
	// RFC 9207, section 2.4. An issuer that is named although the server does not announce it has to be right, too.
	switch iss := got.Get("iss"); {
	case iss == "" && (s.SaysIssuer || got.Has("iss")):
		return Answer{}, fmt.Errorf("the callback does not name its issuer, as %s says that it would", s.Issuer)
	case iss != "" && iss != s.Issuer:
		return Answer{}, &MixedUpError{Want: s.Issuer, Got: wire.Excerpt([]byte(iss), lim)}
	}
	a := Answer{Code: got.Get("code"), Error: wire.Excerpt([]byte(got.Get("error")), lim), Detail: wire.Excerpt([]byte(got.Get("error_description")), lim)}
	switch {
	case a.Code != "" && a.Error != "":
		return Answer{}, errors.New("the callback holds both a code and an error")
	case a.Code == "" && a.Error == "":
		return Answer{}, errors.New("the callback holds no code")
	case len(a.Code) > lim.TokenBytes:
		return Answer{}, fmt.Errorf("the code has more than %d bytes", lim.TokenBytes)
	}
	return a, nil
}
