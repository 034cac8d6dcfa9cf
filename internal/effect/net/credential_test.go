package net

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdnet "net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

const secret = `fake-"token"-0123456789` // the quotes become \" in JSON

func env(values ...string) Env {
	return func(name string) (string, bool) {
		for i := 0; i < len(values); i += 2 {
			if values[i] == name {
				return values[i+1], true
			}
		}
		return "", false
	}
}

func token(t *testing.T, target string) Credential {
	t.Helper()
	c, err := BearerEnv(target, "TOKEN", env("TOKEN", secret))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestACredentialGoesToItsOriginAlone(t *testing.T) {
	var seen []string
	note := func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization")+"|"+r.Header.Get("X-Key"))
	}
	a, b := serve(t, note), serve(t, note)
	key, err := HeaderEnv(b.URL, "X-Key=KEY", env("KEY", "of b"))
	if err != nil {
		t.Fatal(err)
	}
	d := door(t, Options{AllowPrivate: true, Credentials: []Credential{token(t, a.URL+"/mcp"), key}})
	for _, u := range []string{a.URL + "/mcp", a.URL + "/other", b.URL, strings.Replace(a.URL, "127.0.0.1", "localhost", 1)} {
		if _, _, err := get(d, u); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"Bearer " + secret + "|", "Bearer " + secret + "|", "|of b", "|"}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("sent %q, want %q", seen, want)
	}
}

func TestACredentialIsNeverShown(t *testing.T) {
	c := token(t, "https://example.com/mcp")
	asJSON, err := json.Marshal(struct{ C Credential }{c})
	if err != nil {
		t.Fatal(err)
	}
	all := string(asJSON) + fmt.Sprint(c, &c, []Credential{c}, Options{Credentials: []Credential{c}})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		all += fmt.Sprintf(verb, c) + fmt.Sprintf(verb, struct{ c Credential }{c}) + fmt.Sprintf(verb, &c)
	}
	if strings.Contains(all, "0123456789") || strings.Contains(all, fmt.Sprintf("%x", "0123456789")) || !strings.Contains(all, "Authorization for https://example.com:443") {
		t.Error(all)
	}
}

func TestCredentialsAreReadStrictly(t *testing.T) {
	const target = "https://example.com/"
	file := func(text string) string { return write(t, "token", []byte(text), 0o600) }
	if c, err := BearerFile(target, file(secret+"\r\n"), limits.Default); err != nil || c.line() != "Bearer "+secret {
		t.Errorf("a token and a line end: %v", err)
	}
	var errs []error
	try := func(_ Credential, err error) { errs = append(errs, err) }
	for _, text := range []string{"", "\n", "hunter2 hunter2", "hunter2\x00", "hunter2é", "hunter2\nhunter2", strings.Repeat("hunter2", limits.Default.CredentialBytes)} {
		try(BearerFile(target, file(text), limits.Default))
	}
	try(BearerFile(target, "missing", limits.Default))
	try(BearerEnv(target, "NONE", env()))
	try(BearerEnv(target, "EMPTY", env("EMPTY", "")))
	try(BearerEnv("stdio", "T", env("T", "hunter2")))
	try(BearerEnv(target, "T", env("T", "hunter2\r\nX: y")))
	for _, spec := range []string{"X-Key", "X-Key=", "=T", "X Key=T", "X:Key=T", "Host=T", "mcp-session-id=T", "Content-Length=T", "Proxy-Authorization=T", "X-Key=NONE", "X-Key=BAD"} {
		try(HeaderEnv(target, spec, env("T", "hunter2", "BAD", "hunter2\r\nX: y")))
	}
	for i, err := range errs {
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func TestATokenThatOthersMayReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	for mode, ok := range map[uint32]bool{0o600: true, 0o400: true, 0o644: false, 0o640: false, 0o604: false} {
		_, err := BearerFile("https://example.com/", modeFile(t, mode), limits.Default)
		if (err == nil) != ok {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestACredentialThatComesBackIsMasked(t *testing.T) {
	inJSON, _ := json.Marshal(secret)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		flush := w.(http.Flusher).Flush
		body := `{"echo":` + string(inJSON) + `,"plain":'` + secret + `'}`
		for i := range len(body) {
			io.WriteString(w, body[i:i+1])
			flush()
		}
	})
	d := door(t, Options{Named: s.URL, Credentials: []Credential{token(t, s.URL)}})
	r, text, err := get(d, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text+fmt.Sprint(r.Header), "0123456789") || len(text) != len(`{"echo":,"plain":''}`)+len(inJSON)+len(secret) {
		t.Errorf("%s %v", text, r.Header)
	}
	_, inHeader := fault(r.Faults, wire.CredentialEchoed)
	_, inBody := fault(r.Late(), wire.CredentialEchoed)
	if !inHeader || !inBody {
		t.Errorf("header %v, body %v", inHeader, inBody)
	}
	u := "http" + raw(t, func(c stdnet.Conn) {
		c.Read(make([]byte, 4096))
		io.WriteString(c, secret+"\r\n\r\n")
	})
	d = door(t, Options{Named: u, Credentials: []Credential{token(t, u)}})
	if _, _, err := get(d, u); err == nil || strings.Contains(err.Error(), "0123456789") {
		t.Errorf("an answer that is no HTTP: %v", err)
	}
}

func TestWhatIsMaskedIsMaskedOnce(t *testing.T) {
	for value, says := range map[string]string{"********": "********", "Bearer ********": "Bearer ********", "*******": "*******"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Echo", says)
			io.WriteString(w, says)
		})
		c, err := Field(s.URL, "Authorization", value)
		if err != nil {
			t.Fatal(err)
		}
		if _, text, err := get(door(t, Options{Named: s.URL, Credentials: []Credential{c}}), s.URL); err != nil || strings.Trim(text, "*Bear ") != "" {
			t.Errorf("%s: %q, %v", value, text, err)
		}
	}
}

func TestATokenIsMaskedWithoutItsSchemeToo(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"you":"0123456789abcdef"}`) })
	c, err := Field(s.URL, "authorization", "Bearer 0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	r, text, err := get(door(t, Options{Named: s.URL, Credentials: []Credential{c}}), s.URL)
	if err != nil || strings.Contains(text, "0123456789") {
		t.Errorf("%q, %v", text, err)
	}
	if _, told := fault(r.Late(), wire.CredentialEchoed); !told {
		t.Error("not told")
	}
}

func TestTheMaskHoldsBackNoMoreThanTheStartOfASecret(t *testing.T) {
	for in, want := range map[string]string{"abc": "abc", "abcdef": "******", "ababcdef": "ab******", "abcabcdefabc": "abc******abc", "xabcde": "xabcde", "": "", "uvwxyz abcdef": "****** ******"} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
			m := &masker{r: r, secrets: [][]byte{[]byte("abcdef"), []byte("uvwxyz")}, found: func() {}}
			if got, err := io.ReadAll(iotest.OneByteReader(m)); string(got) != want || err != nil {
				t.Errorf("%q: %q, %v", in, got, err)
			}
		}
	}
	r, w := io.Pipe()
	m := &masker{r: r, secrets: [][]byte{[]byte("abcdef")}, found: func() {}}
	go w.Write([]byte("data\n\nab"))
	buf := make([]byte, 100)
	if n, err := m.Read(buf); string(buf[:n]) != "data\n\n" || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	w.CloseWithError(errors.New("gone"))
	if n, err := m.Read(buf); string(buf[:n]) != "ab" || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if _, err := m.Read(buf); err == nil {
		t.Error("the error was lost")
	}
}

func FuzzMask(f *testing.F) {
	f.Add([]byte("xxababcdefyy"), []byte("abcdef"), uint8(2))
	f.Add([]byte("aaaaaa"), []byte("aaa"), uint8(1))
	f.Fuzz(func(t *testing.T, text, secret []byte, size uint8) {
		if len(secret) == 0 || bytes.Contains(secret, []byte("*")) {
			return
		}
		m := &masker{r: &iotestChunks{bytes.NewReader(bytes.Clone(text)), int(size) + 1}, secrets: [][]byte{secret}, found: func() {}}
		got, err := io.ReadAll(m)
		if err != nil || len(got) != len(text) || bytes.Contains(got, secret) {
			t.Fatalf("%q of %q: %v", got, text, err)
		}
		for i := range got {
			if got[i] != text[i] && got[i] != '*' {
				t.Fatalf("byte %d changed to %q", i, got[i])
			}
		}
	})
}

type iotestChunks struct {
	r    io.Reader
	size int
}

func (c *iotestChunks) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.size)]) }

func modeFile(t *testing.T, mode uint32) string {
	path := write(t, "token", []byte(secret), 0o600)
	if err := os.Chmod(path, os.FileMode(mode)); err != nil {
		t.Fatal(err)
	}
	return path
}
