// Package registry asks registries: the MCP registry for records of servers, and those of packages for what is known of
// their bytes. All of it goes through the one guarded door to the network, which judges addresses, follows no redirect and
// bounds every answer. Answers are kept on disk with their ETag, so that they can be asked for cheaply, and used, with their
// age, where nobody is to be asked.
package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/registry"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// Door is the network.
type Door interface {
	Send(ctx context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error)
}

// Client asks one MCP registry. It may be used concurrently.
type Client struct {
	// Base is the registry's URL, as Base gives it.
	Base  string
	Door  Door
	Cache *Cache // nil keeps nothing
	// Offline asks nobody: what was kept is the answer, whatever its age.
	Offline bool
	Now     func() time.Time
	Limits  limits.Set
}

// Base reads the URL of a registry that a person named: a URL without a query, with or without the version of the API.
func Base(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("the URL can not be read")
	}
	if _, ok := wire.Origin(u); !ok || u.Opaque != "" {
		return "", errors.New("it is no http:// or https:// URL with a host")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("it holds a user, a query or a fragment")
	}
	base := strings.TrimRight(raw, "/?#")
	for _, version := range []string{"/v0.1", "/v0"} {
		base = strings.TrimSuffix(base, version)
	}
	return strings.TrimRight(base, "/"), nil
}

// Origin says where an answer comes from.
type Origin struct {
	// Asked is when the registry last said so.
	Asked time.Time
	// Kept says that it was taken from the disk, and the registry was not asked.
	Kept bool
}

// older is the origin of an answer that is made of two.
func (o Origin) older(p Origin) Origin {
	if o.Asked.IsZero() || p.Asked.Before(o.Asked) {
		o.Asked = p.Asked
	}
	o.Kept = o.Kept || p.Kept
	return o
}

// Query says what is listed.
type Query struct {
	// Search is a part of the name, "" for all.
	Search string
	// Latest leaves all but the latest version of a server out.
	Latest bool
	// Deleted lists those too that the registry took away.
	Deleted bool
	// Cursor is where a listing that was interrupted goes on, "" at its beginning.
	Cursor string
	// Size is how many records a page holds, 0 for the most.
	Size int
	// Since leaves out what was not changed after it, zero for nothing. The registry takes it together with Deleted alone.
	Since time.Time
	// Fresh is how old a page may be that was kept, before it is asked for again.
	Fresh time.Duration
}

func (q Query) check(c *Client) error {
	term := strings.TrimSpace(q.Search)
	if n := utf8.RuneCountInString(term); q.Search != "" && n < c.Limits.SearchRunes {
		return &registry.Error{Kind: registry.TooShort, Registry: c.Base, Detail: fmt.Sprintf("%d characters at least", c.Limits.SearchRunes)}
	}
	return nil
}

func (q Query) values(c *Client) url.Values {
	v := url.Values{}
	size := c.Limits.RegistryPage
	if q.Size > 0 {
		size = min(q.Size, size)
	}
	v.Set("limit", strconv.Itoa(size))
	if term := strings.TrimSpace(q.Search); term != "" {
		v.Set("search", term)
	}
	if q.Latest {
		v.Set("version", "latest")
	}
	if q.Deleted {
		v.Set("include_deleted", "true")
	}
	if !q.Since.IsZero() {
		v.Set("updated_since", q.Since.UTC().Format(time.RFC3339))
	}
	return v
}

// ErrEnough ends a listing without an error when a visitor returns it.
var ErrEnough = errors.New("enough")

// List reads a listing page by page and gives each to visit, of which nothing is kept. at is the cursor of the page that
// could not be had, or that visit refused: a listing goes on there.
//
// The registry answers a cursor that it does not know with an empty page and no word of it. A full page may name a next one
// that is empty, so only then is that the end.
func (c *Client) List(ctx context.Context, q Query, visit func(*registry.Page) error) (at string, from Origin, err error) {
	if err := q.check(c); err != nil {
		return q.Cursor, from, err
	}
	v := q.values(c)
	size, _ := strconv.Atoi(v.Get("limit"))
	astray := func(why string) error {
		return &registry.Error{Kind: registry.BadCursor, Registry: c.Base, Detail: why}
	}
	at = q.Cursor
	seen := map[string]bool{}
	for full, n := false, 0; ; n++ {
		if n == c.Limits.RegistryPages {
			return at, from, astray(fmt.Sprintf("it has more than %d pages", n))
		}
		if at != "" {
			v.Set("cursor", at)
			seen[at] = true
		}
		body, origin, err := c.get(ctx, "/v0.1/servers?"+v.Encode(), q.Fresh, registry.Error{})
		var e *registry.Error
		if errors.As(err, &e) && e.Kind == registry.Refused && at != "" && (e.Status == 400 || e.Status == 422) {
			return at, from, astray("it refuses the cursor of the next page: " + e.Detail)
		}
		if err != nil {
			return at, from, err
		}
		from = from.older(origin)
		page, err := registry.ReadPage(body, c.Limits)
		if err != nil {
			return at, from, c.malformed(registry.Error{}, err)
		}
		if len(page.Records)+len(page.Bad) == 0 && at != "" && !full {
			return at, from, astray("it has nothing behind the cursor of a page that was not the last")
		}
		if err := visit(page); err != nil {
			if errors.Is(err, ErrEnough) {
				return page.Next, from, nil
			}
			return at, from, err
		}
		if page.Next == "" || len(page.Records)+len(page.Bad) == 0 && full {
			return "", from, nil
		}
		if seen[page.Next] {
			return at, from, astray("a page leads to one before it")
		}
		full, at = len(page.Records)+len(page.Bad) >= size, page.Next
	}
}

// Search is the records whose name holds a term, most of them, and whether there are more.
func (c *Client) Search(ctx context.Context, term string, most int, deleted bool) (all []*registry.Record, bad []registry.Fault, more bool, from Origin, err error) {
	if term == "" {
		term = " " // which is a term, and too short a one
	}
	_, from, err = c.List(ctx, Query{Search: term, Latest: true, Deleted: deleted, Size: most}, func(p *registry.Page) error {
		bad = append(bad, p.Bad...)
		all = append(all, p.Records...)
		all, _ = registry.Unique(all)
		if len(all) > most || len(all) == most && p.Next != "" {
			all, more = all[:most], true
			return ErrEnough
		}
		return nil
	})
	return all, bad, more, from, err
}

// Version is one version of a server, "latest" for the one that the registry calls so. One that was deleted is there, with
// that status.
func (c *Client) Version(ctx context.Context, name, version string) (*registry.Record, Origin, error) {
	about := registry.Error{Registry: c.Base, Name: name, Version: version}
	if err := askable(about); err != nil {
		return nil, Origin{}, err
	}
	body, from, err := c.get(ctx, "/v0.1/servers/"+url.PathEscape(name)+"/versions/"+url.PathEscape(version)+"?include_deleted=true", 0, about)
	if err != nil {
		return nil, from, err
	}
	rec, err := registry.ReadRecord(body, c.Limits)
	switch {
	case err != nil:
		return nil, from, c.malformed(about, err)
	case rec.Name != name, rec.Version != version && !registry.LooksLatest(version):
		return nil, from, c.malformed(about, fmt.Errorf("it is about %s %s", wire.Excerpt([]byte(rec.Name), c.Limits), wire.Excerpt([]byte(rec.Version), c.Limits)))
	}
	return rec, from, nil
}

// Versions are all versions of a server, those that were deleted too, in the registry's order.
func (c *Client) Versions(ctx context.Context, name string) (all []*registry.Record, bad []registry.Fault, from Origin, err error) {
	about := registry.Error{Registry: c.Base, Name: name}
	if err := askable(about); err != nil {
		return nil, nil, Origin{}, err
	}
	body, from, err := c.get(ctx, "/v0.1/servers/"+url.PathEscape(name)+"/versions?include_deleted=true", 0, about)
	if err != nil {
		return nil, nil, from, err
	}
	page, err := registry.ReadPage(body, c.Limits)
	if err != nil {
		return nil, nil, from, c.malformed(about, err)
	}
	for _, r := range page.Records {
		if r.Name != name {
			return nil, nil, from, c.malformed(about, fmt.Errorf("it is about %s too", wire.Excerpt([]byte(r.Name), c.Limits)))
		}
	}
	if all, _ = registry.Unique(page.Records); len(all) == 0 && len(page.Bad) == 0 {
		about.Kind = registry.NotFound
		return nil, nil, from, &about
	}
	return all, page.Bad, from, nil
}

// askable refuses what no path can name, before it is asked for.
func askable(about registry.Error) error {
	about.Kind = registry.NotFound
	switch {
	case !registry.GoodName(about.Name):
		about.Detail = "a name is like io.github.owner/server"
		return &about
	case strings.Trim(about.Version, ".") == "" && about.Version != "":
		return &about
	}
	return nil
}

func (c *Client) malformed(about registry.Error, err error) error {
	about.Kind, about.Registry, about.Detail = registry.Malformed, c.Base, err.Error()
	return &about
}

// get asks for one answer. about is what an error names.
func (c *Client) get(ctx context.Context, path string, fresh time.Duration, about registry.Error) ([]byte, Origin, error) {
	about.Registry = c.Base
	k := asking{door: c.Door, cache: c.Cache, offline: c.Offline, now: c.Now, lim: c.Limits, about: about}
	return k.get(ctx, c.Base+path, fresh)
}

// plainText is the type of an index of crates: lines of JSON.
const plainText = "text/plain"

// asking is one question to any registry that answers with a document.
type asking struct {
	door    Door
	cache   *Cache
	offline bool
	now     func() time.Time
	lim     limits.Set
	about   registry.Error
	accept  string
	// body is what is posted, nil for a GET. What it is answered is kept under its digest.
	body []byte
	// challenge is the WWW-Authenticate header of an answer that asks for a token.
	challenge string
}

func (k *asking) fail(kind registry.Kind, status int, detail string) *registry.Error {
	e := k.about
	e.Kind, e.Status, e.Detail = kind, status, detail
	return &e
}

func (k *asking) get(ctx context.Context, address string, fresh time.Duration) ([]byte, Origin, error) {
	key := address
	if k.body != nil {
		key += "#" + canon.Digest(k.body)
	}
	kept, have := k.cache.get(key, k.lim)
	switch {
	case k.offline && !have:
		return nil, Origin{}, k.fail(registry.NotCached, 0, "")
	case k.offline, have && fresh > 0 && k.now().Sub(kept.Asked).Abs() < fresh: // one of tomorrow is of a clock that was wrong
		return kept.body, Origin{Asked: kept.Asked, Kept: true}, nil
	}
	for try := 0; ; try++ {
		body, header, err := k.once(ctx, address, kept, have)
		if err == nil {
			if body == nil { // not modified
				body, header = kept.body, wire.Header{"etag": {kept.ETag}}
			}
			now := k.now()
			if k.sound(body) {
				k.cache.put(answer{URL: key, ETag: header.Get("etag"), Asked: now, body: body}, k.lim)
			}
			return body, Origin{Asked: now}, nil
		}
		var e *registry.Error
		again := errors.As(err, &e) && (e.Kind == registry.RateLimited || e.Kind == registry.Unreachable && (e.Status == 0 || e.Status >= 500))
		if !again || try == k.lim.RegistryTries || e.Wait > k.lim.RetryAfter || ctx.Err() != nil {
			return nil, Origin{}, err
		}
		pause := k.lim.RetryWait << try
		pause = max(e.Wait, pause) + rand.N(pause) // so that those who failed together do not come back together
		select {
		case <-ctx.Done():
			return nil, Origin{}, err
		case <-time.After(pause):
		}
	}
}

// sound says that an answer may take the place of the one that was kept: the page of a network that wants a login may not.
func (k *asking) sound(body []byte) bool {
	return !wire.LooksLikeHTML(body) && (k.accept == plainText || json.Valid(body))
}

// once asks once. A nil body is an answer that has not changed.
func (k *asking) once(ctx context.Context, address string, kept answer, have bool) ([]byte, wire.Header, error) {
	r := &wire.HTTPRequest{Verb: "GET", URL: address, Want: wire.Page, Header: [][2]string{{"Accept", k.accept}}}
	if k.accept == "" {
		r.Header[0][1] = wire.MediaJSON
	}
	if k.body != nil {
		r.Verb, r.Body = "POST", k.body
		r.Header = append(r.Header, [2]string{"Content-Type", wire.MediaJSON})
	}
	have = have && kept.ETag != "" && k.body == nil
	if have {
		r.Header = append(r.Header, [2]string{"If-None-Match", kept.ETag})
	}
	resp, err := k.door.Send(ctx, r)
	if err != nil {
		return nil, nil, k.failed(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case resp.Status == 304 && have:
		return nil, nil, nil
	case resp.Status == 200 && err != nil:
		return nil, nil, k.failed(err)
	case resp.Status == 200:
		return body, resp.Header, nil
	}
	if resp.Status == 401 {
		k.challenge = resp.Header.Get("www-authenticate")
	}
	return nil, nil, k.answered(resp, body)
}

// failed says what it means that no answer came.
func (k *asking) failed(err error) error {
	var f *wire.Failure
	if !errors.As(err, &f) {
		return k.fail(registry.Unreachable, 0, err.Error())
	}
	switch f.Cause {
	case wire.CauseRefused:
		return k.fail(registry.Refused, 0, f.Error())
	case wire.CauseTooLarge, wire.CauseEncoded, wire.CauseAnswer:
		return k.fail(registry.Malformed, 0, f.Error())
	}
	return k.fail(registry.Unreachable, 0, f.Error())
}

// answered says what an answer other than 200 means.
func (k *asking) answered(resp *wire.HTTPResponse, body []byte) error {
	words := registry.Problem(body, k.lim)
	status := fmt.Sprintf("it answers HTTP %d", resp.Status)
	if words != "" {
		status += ", " + words
	}
	switch s := resp.Status; {
	case s == 404 || s == 410:
		return k.fail(registry.NotFound, s, "")
	case s == 429:
		e := k.fail(registry.RateLimited, s, words)
		e.Wait = after(resp.Header.Get("retry-after"), k.now())
		return e
	case s >= 300 && s <= 399:
		for _, f := range resp.Faults {
			if f.Kind == wire.Redirect && f.Target != "" {
				status += " and leads to " + f.Target + ", where nobody follows"
			}
		}
		return k.fail(registry.Refused, s, status)
	case s >= 500:
		e := k.fail(registry.Unreachable, s, status)
		e.Wait = after(resp.Header.Get("retry-after"), k.now())
		return e
	case s >= 400:
		return k.fail(registry.Refused, s, status)
	}
	return k.fail(registry.Malformed, resp.Status, status)
}

// after reads Retry-After (RFC 9110, section 10.2.3): seconds or a date; 0 for neither.
func after(value string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		return time.Duration(min(n, int(24*time.Hour/time.Second))) * time.Second
	}
	if t, err := time.Parse(time.RFC1123, value); err == nil && t.After(now) {
		return t.Sub(now)
	}
	return 0
}
