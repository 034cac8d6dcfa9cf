package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpassay/mcpassay/internal/model/oauth"
)

// Vault keeps tokens. What All could not open is its error, and the others are given all the same.
type Vault interface {
	All(ctx context.Context) ([]oauth.Kept, error)
	Keep(ctx context.Context, k oauth.Kept) error
}

// ErrNotKept says that no token is kept for a server.
var ErrNotKept = errors.New("no token is kept for it")

// Choose is the kept token for an endpoint: that of the resource which says most about it, and of two such the newer.
func Choose(all []oauth.Kept, endpoint string) (best oauth.Kept, ok bool) {
	for _, k := range all {
		if !oauth.Covers(k.Resource, endpoint) {
			continue
		}
		if !ok || len(k.Resource) > len(best.Resource) || len(k.Resource) == len(best.Resource) && k.Obtained.After(best.Obtained) {
			best, ok = k, true
		}
	}
	return best, ok
}

// Fresh is the kept token for the endpoint. One that has expired is refreshed first, and kept anew.
func (f *Flow) Fresh(ctx context.Context, v Vault) (oauth.Kept, error) {
	login := "mcpassay auth login " + f.Endpoint
	find := func() (oauth.Kept, error) {
		all, err := v.All(ctx)
		k, ok := Choose(all, f.Endpoint)
		switch {
		case !ok && err != nil: // it may be among these
			return k, &Problem{What: "not all kept tokens can be opened", Hint: login, Err: err}
		case !ok:
			return k, &Problem{Hint: login, Err: ErrNotKept}
		}
		if _, err := oauth.CheckURL("server's URL", f.Endpoint, f.Limits); err != nil {
			return k, &Problem{What: err.Error(), Hint: "a token is sent to https:// only, or to this machine"}
		}
		return k, nil
	}
	k, err := find()
	if err != nil || !k.Token.Expired(f.Now(), f.Limits) {
		return k, err
	}
	if k.Token.Refresh == "" {
		return k, &Problem{What: fmt.Sprintf("the kept token expired at %s, and can not be refreshed", k.Token.Expires.UTC().Format(time.RFC3339)), Hint: login}
	}
	t, err := f.Protocol.Refresh(ctx, k.Grant, k.Token.Refresh)
	if err != nil {
		// Another process may have been faster: a refresh token is good once.
		if again, err := find(); err == nil && !again.Token.Expired(f.Now(), f.Limits) {
			return again, nil
		}
		return k, &Problem{What: "the kept token can not be refreshed", Hint: login, Err: err}
	}
	if len(t.Scopes) == 0 {
		t.Scopes = k.Token.Scopes
	}
	k.Token, k.Obtained = t, f.Now().UTC()
	if err := v.Keep(ctx, k); err != nil {
		return k, &Problem{What: "the refreshed token can not be kept", Hint: login, Err: err}
	}
	return k, nil
}
