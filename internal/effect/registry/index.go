package registry

import (
	"context"

	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// Index is what the registry lists, each server once. What was kept is brought up to date by a listing of what changed since;
// a listing that is interrupted goes on where it was. Where the registry can not be asked the index that was kept is given
// beside the error, nil where there is none: then nobody knows what changed.
func (c *Client) Index(ctx context.Context) (*registry.Index, Origin, error) {
	about := registry.Error{Registry: c.Base}
	key, lim := c.Base+"#index", c.Limits
	lim.PageBytes = lim.ListingBytes
	var x *registry.Index
	kept, have := c.Cache.get(key, lim)
	if have {
		var err error
		if x, err = registry.ReadIndex(kept.body, lim); err != nil {
			x = nil
		}
	}
	whole := x != nil && x.Next == ""
	if c.Offline {
		if !whole {
			about.Kind = registry.NotCached
			return nil, Origin{}, &about
		}
		return x, Origin{Asked: kept.Asked, Kept: true}, nil
	}
	began := c.Now()
	q := Query{Latest: true, Deleted: true}
	switch {
	case whole:
		q.Since = x.Since.Add(-lim.IndexOverlap)
	case x != nil:
		q.Cursor = x.Next
	default:
		x = &registry.Index{Since: began}
	}
	lister := *c
	lister.Cache = nil // the index is what is kept of the pages
	changed := false
	at, from, err := lister.List(ctx, q, func(p *registry.Page) error {
		changed = changed || len(p.Records) > 0
		x.Put(p.Records)
		return nil
	})
	save := func() {
		if raw := x.Encode(); len(raw) <= lim.ListingBytes {
			c.Cache.put(answer{URL: key, Asked: began, body: raw}, lim)
		}
	}
	switch {
	case err == nil:
		if whole {
			x.Since = began
		}
		x.Next = ""
		if changed || !whole || began.Sub(kept.Asked) > lim.IndexOverlap {
			save()
		} else {
			x.Since = kept.Asked
		}
		return x, from, nil
	case whole: // what was merged of the changes is as good as what was kept
		return x, Origin{Asked: kept.Asked, Kept: true}, err
	}
	if x.Next = at; at != "" && changed {
		save()
	}
	return nil, Origin{}, err
}
