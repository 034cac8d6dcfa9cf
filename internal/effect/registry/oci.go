package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/oauth"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// manifests are the types of what a tag stands for: an index of platforms, or one image.
const manifests = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json, " +
	"application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json"

// oci finds the digest that a reference stands for now: that of the bytes of its manifest. It is asked by the distribution
// API over our own door; the library for it brings 47 packages with HTTP, credentials and logs of their own (measured).
func (p *Packages) oci(ctx context.Context, ref string, about registry.Error) (*pkg.Pin, error) {
	im, err := pkg.ParseImage(ref)
	if err != nil {
		about.Kind, about.Detail = registry.NotFound, err.Error()
		return nil, &about
	}
	host, path := im.Host, im.Path
	if host == "" || host == "docker.io" || host == "index.docker.io" {
		host = dockerHub
		if !strings.Contains(path, "/") {
			path = "library/" + path
		}
	}
	at := place{base: "https://" + host}
	if u, err := url.Parse(at.base); err == nil && oauth.Loopback(u.Hostname()) { // as Docker does it
		at.base = "http://" + host
	}
	want := cmp.Or(im.Digest, im.Tag, "latest")
	address := at.base + "/v2/" + path + "/manifests/" + want
	k, err := p.ask(at, manifests, about)
	if err != nil {
		return nil, err
	}
	raw, from, err := k.get(ctx, address, 0)
	var e *registry.Error
	if errors.As(err, &e) && e.Status == 401 && k.challenge != "" {
		if at.token, err = p.ociToken(ctx, at, k.challenge, path, about); err != nil {
			return nil, err
		}
		cache := k.cache // what anybody is given may be kept
		if k, err = p.ask(at, manifests, about); err != nil {
			return nil, err
		}
		k.cache = cache
		raw, from, err = k.get(ctx, address, 0)
	}
	p.told(from, err)
	if err != nil {
		return nil, err
	}
	digest := pkg.Hash{Algorithm: "sha256"}
	if im.Digest != "" {
		if digest, err = pkg.ParseHash(im.Digest); err != nil {
			return nil, bad(about, at, err)
		}
	}
	h := digest.New()
	h.Write(raw)
	got := pkg.Hash{Algorithm: digest.Algorithm, Sum: h.Sum(nil)}
	if im.Digest != "" && got.String() != im.Digest {
		about.Kind, about.Registry, about.Detail = registry.Mismatch, at.base, "its manifest has the digest "+got.String()
		return nil, &about
	}
	name := cmp.Or(im.Host, "docker.io") + "/" + im.Path
	return &pkg.Pin{Type: pkg.OCI, Base: at.base, Name: name, Version: im.Tag, Files: []pkg.File{{Name: name + "@" + got.String(), URL: at.base + "/v2/" + path + "/manifests/" + got.String(), Hashes: []pkg.Hash{got}}}}, nil
}

// ociToken gets the token that anybody is given.
func (p *Packages) ociToken(ctx context.Context, at place, challenge, path string, about registry.Error) (string, error) {
	realm, service, scope, ok := pkg.Challenge(challenge)
	if !ok {
		about.Kind, about.Registry, about.Detail = registry.Refused, at.base, "it wants a login of another kind than Bearer"
		return "", &about
	}
	q := url.Values{"scope": {cmp.Or(scope, fmt.Sprintf("repository:%s:pull", path))}}
	if service != "" {
		q.Set("service", service)
	}
	sep := "?"
	if strings.Contains(realm, "?") {
		sep = "&"
	}
	k, err := p.ask(place{base: realm}, "", about)
	if err != nil {
		return "", err
	}
	k.cache, k.offline = nil, p.Offline
	raw, _, err := k.get(ctx, realm+sep+q.Encode(), 0)
	if err != nil {
		return "", err
	}
	token, err := pkg.TokenOf(raw, p.Limits)
	if err != nil {
		return "", bad(about, place{base: realm}, err)
	}
	return token, nil
}
