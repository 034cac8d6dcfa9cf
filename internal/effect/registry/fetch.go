package registry

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"slices"

	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Fetch downloads a file of a pin, writes it to w and holds its bytes to the hashes that are known: to any of those of the
// strongest algorithm. What w got must not be used before Fetch has answered nil. The error is a *registry.Error.
func (p *Packages) Fetch(ctx context.Context, pin *pkg.Pin, f pkg.File, w io.Writer) error {
	about := registry.Error{Name: string(pin.Type) + " package " + pin.Name, Version: pin.Version, Registry: pin.Base, Package: true}
	strongest, ok := pkg.Strongest(f.Hashes)
	if !ok {
		about.Kind, about.Detail = registry.Refused, "there is no digest to hold it to"
		return &about
	}
	at := place{base: f.URL}
	if pin.Type == pkg.NPM {
		own, err := p.npmPlace(ctx, pin.Base, pin.Name)
		if err != nil {
			return err
		}
		if sameOrigin(own.base, f.URL) {
			at.mine, at.token = own.mine, own.token
		}
	}
	if pin.Type == pkg.PyPI {
		at.mine = p.minePyPI(pin.Base, f.URL)
	}
	got, err := p.download(ctx, at, strongest.New(), w, about)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(f.Hashes, func(h pkg.Hash) bool { return h.Algorithm == strongest.Algorithm && string(h.Sum) == string(got) }) {
		about.Kind, about.Detail = registry.Mismatch, "its bytes have the digest "+pkg.Hash{Algorithm: strongest.Algorithm, Sum: got}.String()
		return &about
	}
	return nil
}

func sameOrigin(a, b string) bool {
	ua, errA := url.Parse(a)
	ub, errB := url.Parse(b)
	if errA != nil || errB != nil {
		return false
	}
	oa, okA := wire.Origin(ua)
	ob, okB := wire.Origin(ub)
	return okA && okB && oa == ob
}

// download reads a file to its end, over redirects, each of which the door judges as if it had been asked for. A place that a
// redirect leads to is given no token.
func (p *Packages) download(ctx context.Context, at place, h hash.Hash, w io.Writer, about registry.Error) ([]byte, error) {
	if p.Offline {
		about.Kind = registry.NotCached
		return nil, &about
	}
	for range p.Limits.FetchHops + 1 {
		k, err := p.ask(at, "*/*", about)
		if err != nil {
			return nil, err
		}
		resp, err := k.door.Send(ctx, &wire.HTTPRequest{Verb: "GET", URL: at.base, Want: wire.Artifact, Header: [][2]string{{"Accept", "*/*"}}})
		if err != nil {
			return nil, k.failed(err)
		}
		if resp.Status >= 300 && resp.Status <= 399 {
			resp.Body.Close()
			from, err := url.Parse(at.base)
			if err != nil {
				return nil, k.fail(registry.Malformed, resp.Status, "it leads nowhere")
			}
			to, err := from.Parse(resp.Header.Get("location"))
			if err != nil || resp.Header.Get("location") == "" {
				return nil, k.fail(registry.Malformed, resp.Status, "it leads nowhere")
			}
			next := place{base: to.String()}
			if at.mine && sameOrigin(at.base, next.base) {
				next.mine, next.token = true, at.token
			}
			at = next
			continue
		}
		defer resp.Body.Close()
		if resp.Status != 200 {
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				body = nil
			}
			return nil, k.answered(resp, body)
		}
		if _, err := io.Copy(io.MultiWriter(h, w), resp.Body); err != nil {
			var f *wire.Failure
			if !errors.As(err, &f) {
				return nil, err // the writer's
			}
			return nil, k.failed(err)
		}
		return h.Sum(nil), nil
	}
	about.Kind, about.Detail = registry.Refused, fmt.Sprintf("it leads on more than %d times", p.Limits.FetchHops)
	return nil, &about
}

// mcpb pins a bundle by the digest that its record gives, or without one by that of the bytes that are there now.
func (p *Packages) mcpb(ctx context.Context, address, version, digest string, about registry.Error) (*pkg.Pin, error) {
	pin := &pkg.Pin{Type: pkg.MCPB, Base: address, Name: address, Version: version}
	var h pkg.Hash
	var err error
	if digest != "" {
		if h, err = pkg.Hex("sha256", digest); err != nil {
			return nil, bad(about, place{base: address}, err)
		}
	} else {
		h = pkg.Hash{Algorithm: "sha256"}
		if h.Sum, err = p.download(ctx, place{base: address}, h.New(), io.Discard, about); err != nil {
			return nil, err
		}
	}
	pin.Files = []pkg.File{{Name: address, URL: address, Hashes: []pkg.Hash{h}}}
	return pin, nil
}
