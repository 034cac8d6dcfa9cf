// Package net is the one door to the network. It speaks HTTP/1.1 to addresses that it judged itself: a name is resolved,
// every address of it is judged, and the connection goes to an address that passed, so that no second look-up can lead
// elsewhere. It follows no redirect, keeps no cookie, takes no proxy from the environment, and bounds every answer in bytes
// and in time. A credential goes to the one origin that it was given for.
//
// Sources: the IANA special-purpose address registries; RFC 9110.
package net

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	stdnet "net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options is what a person allows.
type Options struct {
	// Named is the URL that a person typed, "" for none: its host may be this machine, and then without TLS.
	Named string
	// AllowPrivate opens the private ranges, this machine included. AllowInsecureHTTP allows http:// everywhere.
	AllowPrivate, AllowInsecureHTTP bool
	// Own are addresses at which this program itself listens: they are reached under no name. One without an address of its own
	// (0.0.0.0, ::) stands for every address of this machine.
	Own []netip.AddrPort
	// Stranger says that somebody else than the user of this program named the URL: what a name resolves to is not told.
	Stranger bool
	// Proxy is the URL of a proxy, "" for none. A proxy looks names up itself: only addresses in URLs are judged then.
	Proxy string
	// CAFile holds further roots, CertFile and KeyFile a client's certificate, all PEM.
	CAFile, CertFile, KeyFile string
	Credentials               []Credential
	UserAgent                 string
	// Resolver is the system's where it is nil.
	Resolver Resolver
	Limits   limits.Set
}

// Door opens connections for one run. It may be used concurrently.
type Door struct {
	opt       Options
	lim       limits.Set
	named     string // host:port
	proxy     string // host:port
	transport *http.Transport

	mu           sync.Mutex
	addresses    map[string][]netip.Addr // by host
	certificates map[string]string       // by origin
	noticed      []wire.Fault            // while dialling
}

// New makes a door. It opens nothing but the files that are named.
func New(opt Options) (*Door, error) {
	d := &Door{opt: opt, lim: opt.Limits, addresses: map[string][]netip.Addr{}, certificates: map[string]string{}}
	if d.opt.Resolver == nil {
		d.opt.Resolver = stdnet.DefaultResolver
	}
	if opt.Named != "" {
		if u, err := url.Parse(opt.Named); err == nil {
			origin, _ := wire.Origin(u)
			_, d.named, _ = strings.Cut(origin, "://")
		}
	}
	log.SetOutput(io.Discard) // net/http writes there what a server sent unasked, and nobody else of us does
	config, err := tlsConfig(opt)
	if err != nil {
		return nil, err
	}
	d.transport = &http.Transport{
		DialContext:            d.dial,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    d.lim.TLSTime,
		ResponseHeaderTimeout:  d.lim.HeaderTime,
		MaxResponseHeaderBytes: int64(d.lim.HeaderBytes),
		IdleConnTimeout:        d.lim.RunTime,
		DisableCompression:     true,
		Protocols:              new(http.Protocols),
	}
	d.transport.Protocols.SetHTTP1(true)
	if opt.Proxy != "" {
		proxy, err := url.Parse(opt.Proxy)
		var origin string
		var ok bool
		if err == nil {
			origin, ok = wire.Origin(proxy)
		}
		if !ok || proxy.User != nil {
			return nil, errors.New("the proxy is no http:// or https:// URL without a password")
		}
		_, d.proxy, _ = strings.Cut(origin, "://")
		d.transport.Proxy = func(r *http.Request) (*url.URL, error) {
			if loopbackHost(r.URL.Hostname()) { // which would be the proxy's own
				return nil, nil
			}
			return proxy, nil
		}
	}
	return d, nil
}

func tlsConfig(opt Options) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	read := func(path string) ([]byte, error) {
		raw, _, err := files.Read(path, files.ReadOptions{MaxBytes: opt.Limits.FoundBytes})
		return raw, err
	}
	if opt.CAFile != "" {
		raw, err := read(opt.CAFile)
		if err != nil {
			return nil, err
		}
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			config.RootCAs = x509.NewCertPool()
		}
		if !config.RootCAs.AppendCertsFromPEM(raw) {
			return nil, fmt.Errorf("%s: no certificate in PEM", opt.CAFile)
		}
	}
	if opt.CertFile == "" && opt.KeyFile == "" {
		return config, nil
	}
	cert, err := read(opt.CertFile)
	if err != nil {
		return nil, err
	}
	key, err := read(opt.KeyFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", opt.CertFile, opt.KeyFile, err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// Close ends the connections that nobody uses.
func (d *Door) Close() { d.transport.CloseIdleConnections() }

// Check judges a URL without opening it, as far as that goes: a name is judged when it is dialled.
func (d *Door) Check(rawURL string) error {
	_, err := d.parse(rawURL)
	return err
}

// Send makes one request and gives the answer's header; the body is read by whoever asked. Its error is a *wire.Failure.
func (d *Door) Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	u, err := d.parse(r.URL)
	if err != nil {
		return nil, err
	}
	cancel := context.CancelFunc(func() {})
	if most := d.lim.RequestTime; r.Want != wire.Stream && r.Want != wire.Relayed {
		if r.Want == wire.Artifact {
			most = d.lim.ArtifactTime
		}
		ctx, cancel = context.WithTimeoutCause(ctx, most, &wire.Failure{Cause: wire.CauseTimeout, Detail: fmt.Sprintf("no whole answer within %v", most)})
	}
	ctx, stop := context.WithCancelCause(ctx)
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Verb, u.String(), body)
	if err != nil {
		stop(nil)
		cancel()
		return nil, refuse("the request can not be made")
	}
	for _, h := range r.Header {
		req.Header.Add(h[0], h[1])
	}
	req.Host = r.Host
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", d.opt.UserAgent)
	origin, _ := wire.Origin(u)
	for _, c := range d.opt.Credentials {
		if c.Origin == origin {
			req.Header.Set(c.Header, c.line())
		}
	}
	resp, err := d.transport.RoundTrip(req)
	if err != nil {
		err = d.explain(ctx, err)
		stop(nil)
		cancel()
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols { // nobody asked for it, and no context would end the reading of what follows
		resp.Body.Close()
		resp.Body = http.NoBody
	}
	out := &wire.HTTPResponse{Status: resp.StatusCode, Header: wire.Header{}}
	for name, values := range resp.Header {
		for _, v := range values {
			masked, found := d.mask([]byte(v), origin)
			if found {
				out.Faults = append(out.Faults, wire.Fault{Kind: wire.CredentialEchoed, Detail: "in the header " + name})
			}
			out.Header[strings.ToLower(name)] = append(out.Header[strings.ToLower(name)], string(masked))
		}
	}
	out.Faults = append(out.Faults, d.dialled()...)
	out.Faults = append(out.Faults, d.redirect(u, out)...)
	if resp.TLS != nil && len(resp.TLS.PeerCertificates) > 0 {
		sum := sha256.Sum256(resp.TLS.PeerCertificates[0].Raw)
		out.Certificate = "sha256:" + hex.EncodeToString(sum[:])
		out.Faults = append(out.Faults, d.certificate(origin, out.Certificate)...)
	}
	b := &bodyReader{door: d, raw: resp.Body, ctx: ctx, stop: stop, cancel: cancel, lasts: r.Want == wire.Relayed && resp.StatusCode < 300}
	out.Faults = append(out.Faults, b.decode(out.Header, d.cap(r.Want, out), d.secrets(origin))...)
	out.Body, out.Late = b, b.late
	return out, nil
}

// cap is how many bytes of an answer are read, once decoded.
func (d *Door) cap(want wire.Body, r *wire.HTTPResponse) int {
	switch {
	case r.Status < 200 || r.Status > 299:
		return d.lim.ErrorBodyBytes
	case want == wire.Relayed && r.Header.MediaType() == wire.MediaEvents:
		return endless
	case want == wire.Relayed:
		return d.lim.GuardedFrame
	case r.Header.MediaType() == wire.MediaEvents:
		return d.lim.StreamBytes
	case want == wire.Handshake:
		return d.lim.HandshakeBytes
	case want == wire.Document:
		return d.lim.DocumentBytes
	case want == wire.Artifact:
		return d.lim.ArtifactBytes
	}
	return d.lim.PageBytes
}

// endless is a body whose parts are bounded by who reads them.
const endless = math.MaxInt - 1

// redirect notes where an answer leads. It is never followed.
func (d *Door) redirect(u *url.URL, r *wire.HTTPResponse) []wire.Fault {
	if r.Status < 300 || r.Status > 399 || r.Status == http.StatusNotModified {
		return nil
	}
	f := wire.Fault{Kind: wire.Redirect, Status: r.Status}
	if to, err := u.Parse(r.Header.Get("location")); err == nil && r.Header.Get("location") != "" {
		f.Target = wire.ShownURL(to)
	}
	return []wire.Fault{f}
}

// certificate notes the certificate of an origin.
func (d *Door) certificate(origin, now string) []wire.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.certificates[origin]
	d.certificates[origin] = now
	if before == "" || before == now {
		return nil
	}
	return []wire.Fault{{Kind: wire.CertificateChanged, Detail: before + ", then " + now}}
}

// dialled are the faults that were noticed while connections were made.
func (d *Door) dialled() []wire.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	faults := d.noticed
	d.noticed = nil
	return faults
}

// dial connects to an address of a host that passed. The transport puts the name into the Host field and the handshake.
func (d *Door) dial(ctx context.Context, network, hostPort string) (stdnet.Conn, error) {
	host, port, err := stdnet.SplitHostPort(hostPort)
	if err != nil {
		return nil, refuse("no host and port: " + hostPort)
	}
	origin, _ := wire.Origin(&url.URL{Scheme: "http", Host: hostPort})
	_, place, _ := strings.Cut(origin, "://")
	toProxy := d.proxy != "" && place == d.proxy
	addresses, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if !toProxy { // a proxy is named by the user, wherever it is
		allow := d.permit(origin, host)
		for _, a := range addresses { // a name that is half public and half private is a trick
			if err := allow.check(host, a); err != nil {
				if d.opt.Stranger && host != a.String() { // the names of a network of one's own are not for them
					return nil, refuse(host + " has an address that is not of the public internet")
				}
				return nil, err
			}
			if d.isOwn(a, port) {
				return nil, refuse(host + " leads to this program itself")
			}
		}
		d.remember(host, addresses)
	}
	var last error
	for i, a := range addresses {
		dialer := stdnet.Dialer{Timeout: d.lim.DialTime}
		if i < len(addresses)-1 { // one that does not answer leaves time for the next
			dialer.Timeout /= 2
		}
		conn, err := dialer.DialContext(ctx, "tcp", stdnet.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, unreachable(host, last)
}

// isOwn says that an address and a port lead to this program itself.
func (d *Door) isOwn(a netip.Addr, port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(d.opt.Own, func(own netip.AddrPort) bool {
		if own.Port() != uint16(n) {
			return false
		}
		return own.Addr().Unmap() == a || own.Addr().IsUnspecified() && ofThisMachine(a)
	})
}

// ofThisMachine says that an address is one of this machine's. Where its addresses are not known, any could be.
func ofThisMachine(a netip.Addr) bool {
	all, err := stdnet.InterfaceAddrs()
	return a.IsLoopback() || err != nil || slices.ContainsFunc(all, func(of stdnet.Addr) bool {
		p, err := netip.ParsePrefix(of.String())
		return err == nil && p.Addr().Unmap() == a
	})
}

// resolve gives the addresses of a host, IPv4-mapped ones as what they are.
func (d *Door) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	a, _, bad := literal(host)
	if bad {
		return nil, refuse(host + " is no address, and no name may end in a number")
	}
	if a.IsValid() {
		return []netip.Addr{a.Unmap()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.lim.DialTime)
	defer cancel()
	found, err := d.opt.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(found) == 0 {
		why := ""
		if dns := (*stdnet.DNSError)(nil); errors.As(err, &dns) {
			why = ": " + dns.Err
		}
		return nil, &wire.Failure{Cause: wire.CauseUnresolved, Detail: host + " has no address" + why}
	}
	addresses := make([]netip.Addr, len(found))
	for i, a := range found {
		addresses[i] = a.Unmap()
	}
	return addresses, nil
}

// remember notes the addresses of a name. Public names move about: a change is noted and no more.
func (d *Door) remember(host string, addresses []netip.Addr) {
	now := slices.Clone(addresses)
	slices.SortFunc(now, netip.Addr.Compare)
	now = slices.Compact(now)
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.addresses[host]
	d.addresses[host] = now
	if before != nil && !slices.Equal(before, now) {
		d.noticed = append(d.noticed, wire.Fault{Kind: wire.AddressesChanged, Detail: fmt.Sprintf("%s was %v and is %v", host, before, now)})
	}
}

func unreachable(host string, err error) *wire.Failure {
	f := &wire.Failure{Cause: wire.CauseUnreachable, Detail: "no connection to " + host}
	if timed(err) {
		f.Cause = wire.CauseTimeout
	}
	if no := syscall.Errno(0); errors.As(err, &no) {
		f.Detail += ": " + no.Error()
	} else if timed(err) {
		f.Detail += " in time"
	}
	return f
}

func timed(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// explain turns what the transport or a body said into a failure. Its words may quote the peer, and a peer may quote our
// credential: it is masked.
func (d *Door) explain(ctx context.Context, err error) *wire.Failure {
	var failure *wire.Failure
	if errors.As(err, &failure) {
		return failure
	}
	if cause := context.Cause(ctx); cause != nil {
		switch {
		case errors.As(cause, &failure):
			return failure
		case errors.Is(cause, context.Canceled):
			return &wire.Failure{Cause: wire.CauseCanceled, Detail: "interrupted"}
		}
		return &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer in time"}
	}
	text, _ := d.mask([]byte(strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: ")), "")
	detail := wire.Excerpt(text, d.lim)
	var verify *tls.CertificateVerificationError
	var operation *stdnet.OpError
	switch {
	case timed(err):
		return &wire.Failure{Cause: wire.CauseTimeout, Detail: "no answer in time: " + detail}
	case errors.As(err, &verify), strings.Contains(detail, "tls: "), strings.Contains(detail, "HTTP response to HTTPS client"):
		return &wire.Failure{Cause: wire.CauseTLS, Detail: detail}
	case strings.Contains(detail, "readLoopPeekFail"): // what the transport calls it
		return &wire.Failure{Cause: wire.CauseAnswer, Detail: "the server spoke before it was asked"}
	case strings.Contains(detail, "headers exceeded"):
		return &wire.Failure{Cause: wire.CauseTooLarge, Detail: fmt.Sprintf("a header of more than %d bytes", d.lim.HeaderBytes)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &operation):
		return &wire.Failure{Cause: wire.CauseBroken, Detail: "the connection ended within the answer"}
	}
	return &wire.Failure{Cause: wire.CauseAnswer, Detail: detail}
}
