package net

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	stdnet "net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// names is a resolver whose answer to the n-th question about a name is the n-th of its list, the last for good.
type names struct {
	addresses map[string][]string // "1.2.3.4 5.6.7.8", in order of the questions
	asked     atomic.Int32
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	i := int(n.asked.Add(1)) - 1
	lists := n.addresses[host]
	if len(lists) == 0 {
		return nil, &stdnet.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var all []netip.Addr
	for text := range strings.FieldsSeq(lists[min(i, len(lists)-1)]) {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

func small() limits.Set {
	lim := limits.Default
	lim.DialTime, lim.TLSTime, lim.HeaderTime, lim.IdleTime, lim.RequestTime = 100*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond, 60*time.Millisecond, 250*time.Millisecond
	return lim
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func get(d *Door, url string) (*wire.HTTPResponse, string, error) {
	r, err := d.Send(context.Background(), &wire.HTTPRequest{Verb: "GET", URL: url})
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r, string(text), err
}

func fault(faults []wire.Fault, kind wire.FaultKind) (wire.Fault, bool) {
	for _, f := range faults {
		if f.Kind == kind {
			return f, true
		}
	}
	return wire.Fault{}, false
}

// at is a URL of the test's server under another name.
func at(s *httptest.Server, host string) string {
	u, _ := url.Parse(s.URL)
	return u.Scheme + "://" + host + ":" + u.Port()
}

func TestTheConnectionGoesToTheJudgedAddressAndTheNameStays(t *testing.T) {
	var host, sni string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { host, sni = r.Host, r.TLS.ServerName }))
	ca, key := authority(t)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{leaf(t, ca, key, "mcp.test")}}
	s.StartTLS()
	defer s.Close()
	resolver := &names{addresses: map[string][]string{"mcp.test": {"127.0.0.1"}}}
	d := door(t, Options{AllowPrivate: true, CAFile: caFile(t, ca), Resolver: resolver})
	r, _, err := get(d, at(s, "mcp.test"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(host, "mcp.test:") || sni != "mcp.test" || resolver.asked.Load() != 1 || !strings.HasPrefix(r.Certificate, "sha256:") {
		t.Errorf("host %q, server name %q, %d look-ups, certificate %q", host, sni, resolver.asked.Load(), r.Certificate)
	}
}

func TestANameThatLeadsInsideIsRefusedWhenItIsDialled(t *testing.T) {
	hits := 0
	s := serve(t, func(http.ResponseWriter, *http.Request) { hits++ })
	for _, addresses := range []string{"127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "8.8.8.8 127.0.0.1", "0.0.0.0", "224.0.0.1", "2002:7f00:1::"} {
		d := door(t, Options{AllowInsecureHTTP: true, Resolver: &names{addresses: map[string][]string{"public.test": {addresses}}}, Limits: small()})
		_, _, err := get(d, at(s, "public.test"))
		if cause(err) != wire.CauseRefused {
			t.Errorf("%s: %v", addresses, err)
		}
	}
	if hits > 0 {
		t.Errorf("%d requests arrived", hits)
	}
}

// A server that probes for others must not be made to ask itself, nor to tell what a name of its own network resolves to.
func TestWhereWeListenOurselvesIsReachedUnderNoName(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { t.Error("we asked ourselves") })
	own := netip.MustParseAddrPort(s.Listener.Addr().String())
	resolver := &names{addresses: map[string][]string{"self.example": {"127.0.0.1"}, "mapped.example": {"::ffff:127.0.0.1"}}}
	for _, at0 := range []netip.AddrPort{own, netip.AddrPortFrom(netip.IPv4Unspecified(), own.Port()), netip.AddrPortFrom(netip.IPv6Unspecified(), own.Port())} {
		d := door(t, Options{AllowPrivate: true, AllowInsecureHTTP: true, Own: []netip.AddrPort{at0}, Resolver: resolver, Limits: small()})
		for _, host := range []string{"127.0.0.1", "127.1", "0x7f000001", "[::ffff:127.0.0.1]", "self.example", "mapped.example"} {
			if _, _, err := get(d, at(s, host)); cause(err) != wire.CauseRefused || !strings.Contains(err.Error(), "leads to this program itself") {
				t.Errorf("%v, %s: %v", at0, host, err)
			}
		}
		if _, _, err := get(d, "http://127.0.0.1:"+fmt.Sprintf("0%d", own.Port())); cause(err) != wire.CauseRefused {
			t.Errorf("another spelling of the port: %v", err)
		}
	}
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	if _, _, err := get(door(t, Options{AllowPrivate: true, AllowInsecureHTTP: true, Own: []netip.AddrPort{own}, Limits: small()}), other.URL); err != nil {
		t.Errorf("another port: %v", err)
	}
}

func TestAStrangerIsNotToldWhatANameResolvesTo(t *testing.T) {
	resolver := &names{addresses: map[string][]string{"db.vendor.com": {"10.9.8.7"}}}
	_, _, err := get(door(t, Options{Stranger: true, Resolver: resolver, Limits: small()}), "https://db.vendor.com/")
	if cause(err) != wire.CauseRefused || strings.Contains(err.Error(), "10.9") {
		t.Error(err)
	}
	if _, _, err = get(door(t, Options{Resolver: resolver, Limits: small()}), "https://db.vendor.com/"); err == nil || !strings.Contains(err.Error(), "10.9.8.7") {
		t.Errorf("the user is told: %v", err)
	}
}

func TestANameThatIsReboundIsRefused(t *testing.T) {
	hits := 0
	s := serve(t, func(http.ResponseWriter, *http.Request) { hits++ })
	resolver := &names{addresses: map[string][]string{"localhost": {"127.0.0.1", "10.0.0.1"}, "public.test": {"", "", "8.8.8.8", "127.0.0.1"}}}
	d := door(t, Options{Named: at(s, "localhost"), AllowInsecureHTTP: true, Resolver: resolver, Limits: small()})
	if _, _, err := get(d, at(s, "localhost")); err != nil {
		t.Fatal(err)
	}
	d.Close()
	if _, _, err := get(d, at(s, "localhost")); cause(err) != wire.CauseRefused {
		t.Errorf("localhost elsewhere: %v", err)
	}
	if _, _, err := get(d, at(s, "public.test")); cause(err) == wire.CauseRefused || err == nil {
		t.Errorf("a public address was not tried: %v", err)
	}
	if _, _, err := get(d, at(s, "public.test")); cause(err) != wire.CauseRefused {
		t.Errorf("a public name that came home: %v", err)
	}
	if hits != 1 {
		t.Errorf("%d requests arrived", hits)
	}
	// Plain HTTP is allowed to this machine because it is this machine.
	for _, elsewhere := range []string{"10.0.0.1", "8.8.8.8"} {
		d := door(t, Options{Named: at(s, "localhost"), AllowPrivate: true, Resolver: &names{addresses: map[string][]string{"localhost": {elsewhere}}}, Limits: small()})
		if _, _, err := get(d, at(s, "localhost")); cause(err) != wire.CauseRefused {
			t.Errorf("localhost at %s: %v", elsewhere, err)
		}
	}
}

func TestChangedAddressesAreNotedNotRefused(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	resolver := &names{addresses: map[string][]string{"a.test": {"127.0.0.1", "127.0.0.1", "127.0.0.1 10.255.255.1"}}}
	d := door(t, Options{AllowPrivate: true, AllowInsecureHTTP: true, Resolver: resolver})
	for i, want := range []bool{false, false, true} {
		r, _, err := get(d, at(s, "a.test"))
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := fault(r.Faults, wire.AddressesChanged); ok != want || ok && !strings.Contains(f.Detail, "10.255.255.1") {
			t.Errorf("request %d: %v", i, r.Faults)
		}
		d.Close()
	}
}

func TestAnUnknownNameAndAClosedPortSaySo(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	s.Close()
	d := door(t, Options{Named: s.URL, AllowInsecureHTTP: true, Resolver: &names{}})
	if _, _, err := get(d, s.URL); cause(err) != wire.CauseUnreachable {
		t.Errorf("a closed port: %v", err)
	}
	if _, _, err := get(d, "http://nowhere.test/"); cause(err) != wire.CauseUnresolved {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestARedirectIsReportedAndNotFollowed(t *testing.T) {
	hits := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hits++
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(307)
	})
	d := door(t, Options{Named: s.URL})
	for to, want := range map[string]string{"http://169.254.169.254/latest?token=x": "http://169.254.169.254/latest", "/mcp/": s.URL + "/mcp/", "": ""} {
		r, _, err := get(d, s.URL+"/mcp?to="+url.QueryEscape(to))
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := fault(r.Faults, wire.Redirect); !ok || f.Target != want || f.Status != 307 || r.Status != 307 {
			t.Errorf("to %q: %+v", to, r.Faults)
		}
	}
	if hits != 3 {
		t.Errorf("%d requests arrived", hits)
	}
}

func TestEveryBodyHasItsLimit(t *testing.T) {
	sent := make(chan int, 10)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/error" {
			w.WriteHeader(400)
		}
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		}
		n, chunk := 0, bytes.Repeat([]byte("a"), 32*limits.KiB)
		for n < 64*limits.MiB {
			m, err := w.Write(chunk)
			if n += m; err != nil {
				break
			}
		}
		sent <- n
	})
	lim := limits.Default
	d := door(t, Options{Named: s.URL})
	for _, c := range []struct {
		path string
		want wire.Body
		max  int
	}{{"/", wire.Page, lim.PageBytes}, {"/", wire.Handshake, lim.HandshakeBytes},
		{"/error", wire.Page, lim.ErrorBodyBytes}, {"/stream", wire.Page, lim.StreamBytes}, {"/", wire.Relayed, lim.GuardedFrame}, {"/error", wire.Relayed, lim.ErrorBodyBytes}} {
		r, err := d.Send(context.Background(), &wire.HTTPRequest{Verb: "GET", URL: s.URL + c.path, Want: c.want})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if len(text) != c.max || cause(err) != wire.CauseTooLarge {
			t.Errorf("%s: %d bytes, %v; want %d", c.path, len(text), err, c.max)
		}
		if n := <-sent; n > c.max+16*limits.MiB {
			t.Errorf("%s: %d bytes were sent", c.path, n)
		}
	}
}

// What is relayed may take its time, and a stream of it has no end: whoever reads it judges its parts.
func TestWhatIsRelayedIsNotHurried(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(300 * time.Millisecond)
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		fmt.Fprint(w, "a")
		w.(http.Flusher).Flush()
		time.Sleep(150 * time.Millisecond)
		fmt.Fprint(w, strings.Repeat("b", 2000))
	})
	lim := small()
	lim.HeaderTime, lim.StreamBytes = 0, 1000
	for _, path := range []string{"/", "/stream"} {
		r, err := door(t, Options{Named: s.URL, Limits: lim}).Send(context.Background(), &wire.HTTPRequest{Verb: "POST", URL: s.URL + path, Want: wire.Relayed})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if len(text) != 2001 || err != nil {
			t.Errorf("%s: %d bytes, %v", path, len(text), err)
		}
	}
}

func TestABodyAtItsLimitIsWhole(t *testing.T) {
	lim := limits.Default
	lim.PageBytes = 1000
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.Repeat("a", 1000)) })
	if _, text, err := get(door(t, Options{Named: s.URL, Limits: lim}), s.URL); len(text) != 1000 || err != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestAHeaderHasItsLimit(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", limits.KiB))
		}
	})
	if _, _, err := get(door(t, Options{Named: s.URL}), s.URL); cause(err) != wire.CauseTooLarge {
		t.Errorf("100 KiB of header: %v", err)
	}
}

func zipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	return b.Bytes()
}

func TestACompressedBodyIsReportedAndBounded(t *testing.T) {
	var accepted string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		accepted = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", r.URL.Query().Get("as"))
		switch r.URL.Path {
		case "/small":
			w.Write(zipped([]byte("hello, hello, hello")))
		case "/bomb":
			w.Write(zipped(make([]byte, 90*limits.KiB))) // within the limit of a page
		case "/big":
			text := make([]byte, 110*limits.KiB)
			rand.Read(text)
			w.Write(zipped(text))
		case "/broken":
			w.Write([]byte("this is no gzip"))
		case "/cut":
			w.Write(zipped([]byte("hello, hello, hello"))[:20])
		}
	})
	lim := limits.Default
	lim.PageBytes = 100 * limits.KiB
	d := door(t, Options{Named: s.URL, Limits: lim})
	for _, c := range []struct {
		path, text string
		cause      wire.Cause
	}{
		{"/small?as=gzip", "hello, hello, hello", ""}, {"/small?as=X-GZIP", "hello, hello, hello", ""},
		{"/bomb?as=gzip", "", wire.CauseTooLarge}, {"/big?as=gzip", "", wire.CauseTooLarge}, {"/small?as=br", "", wire.CauseEncoded},
		{"/small?as=gzip,gzip", "", wire.CauseEncoded}, {"/broken?as=gzip", "", wire.CauseEncoded}, {"/broken?as=deflate", "", wire.CauseEncoded}, {"/cut?as=gzip", "", wire.CauseBroken},
	} {
		r, text, err := get(d, s.URL+c.path)
		if cause(err) != c.cause || c.cause == "" && text != c.text {
			t.Errorf("%s: %.20q, %v", c.path, text, err)
		}
		if _, ok := fault(r.Faults, wire.Compressed); !ok {
			t.Errorf("%s: not reported", c.path)
		}
	}
	if accepted != "identity" {
		t.Errorf("Accept-Encoding: %s", accepted)
	}
}

// raw serves connections by hand.
func raw(t *testing.T, handle func(stdnet.Conn)) string {
	t.Helper()
	l, err := stdnet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	return "://" + l.Addr().String() + "/"
}

func TestASlowServerIsLeftInTime(t *testing.T) {
	silent := func(c stdnet.Conn) { io.Copy(io.Discard, c) }
	bytewise := func(text string) func(stdnet.Conn) {
		return func(c stdnet.Conn) {
			c.Read(make([]byte, 4096))
			for i := range len(text) {
				if _, err := c.Write([]byte(text[i : i+1])); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
			silent(c)
		}
	}
	head := "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nContent-Type: application/json\r\n\r\n"
	for _, c := range []struct {
		name, scheme string
		handle       func(stdnet.Conn)
		short        func(*limits.Set) *time.Duration
	}{
		{"never answers", "http", silent, func(l *limits.Set) *time.Duration { return &l.HeaderTime }},
		{"never shakes hands", "https", silent, func(l *limits.Set) *time.Duration { return &l.TLSTime }},
		{"a header byte by byte", "http", bytewise(strings.Repeat("HTTP/1.1 200 OK\r\nX: ", 10_000)), func(l *limits.Set) *time.Duration { return &l.HeaderTime }},
		{"a body that stops", "http", func(c stdnet.Conn) { c.Read(make([]byte, 4096)); io.WriteString(c, head+"{"); silent(c) }, func(l *limits.Set) *time.Duration { return &l.IdleTime }},
		{"a body byte by byte", "http", bytewise(head + strings.Repeat(" ", 100_000)), func(l *limits.Set) *time.Duration { return &l.RequestTime }},
	} {
		lim := limits.Default // of which one deadline is short, so that none of the others can be what ends the request
		lim.TLSTime, lim.HeaderTime, lim.IdleTime, lim.RequestTime = time.Minute, time.Minute, time.Minute, time.Minute
		*c.short(&lim) = 150 * time.Millisecond
		u := c.scheme + raw(t, c.handle)
		begun := time.Now()
		_, _, err := get(door(t, Options{Named: u, Limits: lim}), u)
		if took := time.Since(begun); cause(err) != wire.CauseTimeout || took > 30*time.Second {
			t.Errorf("%s: %v after %v", c.name, err, took)
		}
	}
}

func TestAStreamMayBeSilentUntilTheCallerEndsIt(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	lim := small()
	lim.RequestTime = 20 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
	defer cancel()
	begun := time.Now()
	r, err := door(t, Options{Named: s.URL, Limits: lim}).Send(ctx, &wire.HTTPRequest{Verb: "GET", URL: s.URL, Want: wire.Stream})
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(r.Body)
	r.Body.Close()
	if took := time.Since(begun); cause(err) != wire.CauseTimeout || took < 140*time.Millisecond {
		t.Errorf("%v after %v", err, took)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if _, err := door(t, Options{Named: s.URL}).Send(ctx, &wire.HTTPRequest{Verb: "GET", URL: s.URL}); cause(err) != wire.CauseCanceled {
		t.Errorf("interrupted: %v", err)
	}
}

func TestAnAnswerThatIsNoHTTPOrBreaksOffSaysSo(t *testing.T) {
	for text, want := range map[string]wire.Cause{
		"SSH-2.0-OpenSSH\r\n": wire.CauseAnswer,
		"":                    wire.CauseBroken,
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{":              wire.CauseBroken,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{": wire.CauseBroken,
	} {
		u := "http" + raw(t, func(c stdnet.Conn) {
			c.Read(make([]byte, 4096))
			io.WriteString(c, text)
		})
		if _, _, err := get(door(t, Options{Named: u, Limits: small()}), u); cause(err) != want {
			t.Errorf("%q: %v (%s)", text, err, cause(err))
		}
	}
}

// What follows a switch of protocols is no body that a context could end.
func TestAServerThatSwitchesProtocolsUnaskedIsNotListenedTo(t *testing.T) {
	u := "http" + raw(t, func(c stdnet.Conn) {
		c.Read(make([]byte, 4096))
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		for {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	ended := make(chan string, 1)
	go func() {
		r, body, err := get(door(t, Options{Named: u, Limits: small()}), u)
		ended <- fmt.Sprint(r != nil && r.Status == 101, body, err)
	}()
	select {
	case got := <-ended:
		if got != fmt.Sprint(true, "", nil) {
			t.Error(got)
		}
	case <-time.After(10 * time.Second):
		t.Error("it is listened to for ever")
	}
}

// A server that speaks before it is asked: what it said goes nowhere, and the standard library's log of it is silent.
func TestAServerThatSpeaksFirstIsNoAnswer(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	u := "http" + raw(t, func(c stdnet.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		io.Copy(io.Discard, c)
	})
	lim := small()
	lim.HeaderTime = 30 * time.Millisecond // it may also be taken for silence
	d := door(t, Options{Named: u, Limits: lim})
	for range 10 {
		if _, _, err := get(d, u); err != nil && (strings.HasPrefix(string(cause(err)), "not") || strings.Contains(err.Error(), "readLoop")) {
			t.Errorf("%s: %v", cause(err), err)
		}
	}
	if logged.Len() > 0 {
		t.Errorf("logged %q", logged.String())
	}
}

func authority(t *testing.T) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test root"}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	ca, _ := x509.ParseCertificate(der)
	return ca, key
}

func leaf(t *testing.T, ca *x509.Certificate, caKey *ecdsa.PrivateKey, name string) tls.Certificate {
	t.Helper()
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<40))
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: serial, DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}, ca, &key.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func write(t *testing.T, name string, text []byte, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func caFile(t *testing.T, ca *x509.Certificate) string {
	return write(t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Raw}), 0o600)
}

func TestCertificatesAreCheckedAndAChangeIsNoted(t *testing.T) {
	ca, key := authority(t)
	certs := []tls.Certificate{leaf(t, ca, key, "mcp.test"), leaf(t, ca, key, "mcp.test")}
	turn := atomic.Int32{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, len(r.TLS.PeerCertificates)) }))
	s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &certs[int(turn.Add(1)-1)%2], nil
	}}
	s.Config.ErrorLog = nil
	s.StartTLS()
	defer s.Close()
	resolver := &names{addresses: map[string][]string{"mcp.test": {"127.0.0.1"}, "other.test": {"127.0.0.1"}}}
	if _, _, err := get(door(t, Options{AllowPrivate: true, Resolver: resolver}), at(s, "mcp.test")); cause(err) != wire.CauseTLS {
		t.Errorf("an unknown root: %v", err)
	}
	mine := leaf(t, ca, key, "me")
	der, _ := x509.MarshalECPrivateKey(mine.PrivateKey.(*ecdsa.PrivateKey))
	d := door(t, Options{AllowPrivate: true, Resolver: resolver, CAFile: caFile(t, ca),
		CertFile: write(t, "me.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: mine.Certificate[0]}), 0o600),
		KeyFile:  write(t, "me.key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)})
	for i, want := range []bool{false, true} {
		r, text, err := get(d, at(s, "mcp.test"))
		if err != nil || text != "1" {
			t.Fatalf("%v, %s client certificates", err, text)
		}
		if _, changed := fault(r.Faults, wire.CertificateChanged); changed != want {
			t.Errorf("request %d: %v", i, r.Faults)
		}
		d.Close()
	}
	if _, _, err := get(d, at(s, "other.test")); cause(err) != wire.CauseTLS {
		t.Errorf("another name: %v", err)
	}
	s.TLS.MaxVersion = tls.VersionTLS11
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11, Certificates: certs}
	old.StartTLS()
	defer old.Close()
	if _, _, err := get(d, at(old, "mcp.test")); cause(err) != wire.CauseTLS {
		t.Errorf("TLS 1.1: %v", err)
	}
	if _, _, err := get(d, "https"+raw(t, func(c stdnet.Conn) { io.WriteString(c, "HTTP/1.1 400 no\r\n\r\n") })); cause(err) != wire.CauseTLS {
		t.Errorf("no TLS at all: %v", err)
	}
	for _, opt := range []Options{{CAFile: "missing"}, {CAFile: write(t, "no.pem", []byte("x"), 0o600)}, {CertFile: caFile(t, ca)}, {CertFile: caFile(t, ca), KeyFile: caFile(t, ca)}} {
		opt.Limits = limits.Default
		if _, err := New(opt); err == nil {
			t.Errorf("%+v was taken", opt)
		}
	}
}

func TestTheEnvironmentNamesNoProxyAndAPersonDoes(t *testing.T) {
	var asked string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) { asked = r.RequestURI; fmt.Fprint(w, "by proxy") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "direct") })
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("ALL_PROXY", proxy.URL)
	d := door(t, Options{Named: s.URL, AllowInsecureHTTP: true, Resolver: &names{}})
	if _, _, err := get(d, "http://public.test/x"); cause(err) != wire.CauseUnresolved {
		t.Errorf("the environment's proxy was asked: %v", err)
	}
	d = door(t, Options{Named: s.URL, AllowInsecureHTTP: true, Proxy: proxy.URL, Resolver: &names{}})
	if _, text, err := get(d, "http://public.test/x"); err != nil || text != "by proxy" || asked != "http://public.test/x" {
		t.Errorf("%q, asked for %q, %v", text, asked, err)
	}
	if _, text, err := get(d, s.URL); err != nil || text != "direct" {
		t.Errorf("this machine: %q, %v", text, err)
	}
	if _, _, err := get(d, "http://10.0.0.1/"); cause(err) != wire.CauseRefused {
		t.Errorf("a private address through the proxy: %v", err)
	}
	for _, bad := range []string{"socks5://127.0.0.1:1", "http://user:hunter2@proxy.test", "proxy.test:8080", "%"} {
		if _, err := New(Options{Proxy: bad, Limits: limits.Default}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A probe asks whether a server minds the name of another: the connection still goes where the URL says, and nowhere else.
func TestAnotherHostIsNamedAndNotReached(t *testing.T) {
	var host string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { host = r.Host })
	n := &names{}
	d, err := New(Options{Named: s.URL, Resolver: n, Limits: limits.Default})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct{ set, want string }{{"evil.example", "evil.example"}, {"", strings.TrimPrefix(s.URL, "http://")}} {
		r, err := d.Send(context.Background(), &wire.HTTPRequest{Verb: "GET", URL: s.URL, Host: c.set})
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if host != c.want || n.asked.Load() != 0 {
			t.Errorf("host %q, %d names looked up", host, n.asked.Load())
		}
	}
}
