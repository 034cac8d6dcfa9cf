package lock

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestTheSchemaSaysWhatALockHolds(t *testing.T) {
	value := func(raw []byte) any {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///lock.json", value(Schema())); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///lock.json")
	if err != nil {
		t.Fatal(err)
	}
	l := shop(t)
	one := *l.Get("shop")
	one.Launch.Values = map[string]string{"NODE_OPTIONS": "--no-warnings"}
	one.Launch.Headers, one.Launch.Cwd, one.Launch.URL = []string{"x-key"}, "${project}/a", "https://mcp.example.com/mcp"
	l.Put(&one) // the approved one is kept among the replaced
	a := &l.Approvals[0]
	a.Expires, a.Note, a.Accepted, a.Revoked = "2027-01-31", "read it", []Accepted{{"card/poisoned", "a test"}}, &Revocation{At: "2026-12-02T00:00:00Z", Reason: "sold"}
	l.Signatures = []Signature{{Server: "shop", Envelope: Envelope{PayloadType: "application/vnd.in-toto+json", Payload: "e30="}}}
	l.Signatures[0].Envelope.Signatures = append(l.Signatures[0].Envelope.Signatures, struct {
		KeyID string `json:"keyid,omitempty"`
		Sig   string `json:"sig"`
	}{"k", "c2ln"})
	if len(l.Replaced) != 1 {
		t.Fatal("nothing is replaced")
	}
	for _, lock := range []*Lock{l, {}, packaged(t)} {
		if err := s.Validate(value(lock.Encode())); err != nil {
			t.Errorf("%v\n%s", err, lock.Encode())
		}
	}
	for what, bad := range map[string][2]string{
		"a digest":    {`"launchDigest": "sha256:`, `"launchDigest": "sha512:`},
		"a member":    {`"lockVersion": 1`, `"lockVersion": 1, "more": 1`},
		"a later one": {`"lockVersion": 1`, `"lockVersion": 2`},
		"a day":       {`"expires":"2027-01-31"`, `"expires":"soon"`},
		"a surface":   {`"surfaceDigest"`, `"surface"`},
		"a hash":      {`"hashes":["sha512:`, `"hashes":["sha1:`},
		"a state":     {`"status":"verified"`, `"status":"good"`},
	} {
		l := l
		if !bytes.Contains(l.Encode(), []byte(bad[0])) {
			l = packaged(t)
		}
		raw := bytes.Replace(l.Encode(), []byte(bad[0]), []byte(bad[1]), 1)
		if bytes.Equal(raw, l.Encode()) || s.Validate(value(raw)) == nil {
			t.Errorf("%s that is wrong is valid", what)
		}
	}
}
