package grade

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// document is one that a client looks for before it dials.
type document struct {
	trial wire.Trial
	// use is what a client does with it, without what it does where there is none.
	use, without string
	// text says that it is no JSON. deep ones are never worth points.
	text, deep bool
}

var documents = []document{
	{trial: wire.ResourceAtPath, use: "a client finds here who grants access to this endpoint (RFC 9728, section 3.1)", without: "a client that needs no access goes on"},
	{trial: wire.ResourceAtRoot, use: "a client finds here who grants access to the host, where the endpoint's own document is missing", without: "a client that needs no access goes on"},
	{trial: wire.AuthServer, use: "a client of 2025-03-26 finds here where to log in (RFC 8414)", without: "a client does not look for a login here"},
	{trial: wire.WellKnownMCP, use: "some clients and registries read it: a convention", without: "nothing is lost: it is a convention"},
	{trial: wire.WellKnownJSON, use: "some clients and registries read it: a convention", without: "nothing is lost: it is a convention"},
	{trial: wire.RootJSON, use: "some crawlers read it: a convention", without: "nothing is lost: it is a convention"},
	{trial: wire.LLMsText, use: "agents that read the site begin here: a convention", without: "nothing is lost: it is a convention", text: true},
	{trial: wire.ServerCard, use: "a client learns of the server before it dials (draft: SEP-2127)", without: "nothing is lost: it is a draft", deep: true},
	{trial: wire.AICatalog, use: "a client finds the servers of the host (draft)", without: "nothing is lost: it is a draft", deep: true},
	{trial: wire.AuthServerAtPath, use: "a client finds here where to log in (RFC 8414, section 3.1)", without: "a client looks at the root next", deep: true},
	{trial: wire.OpenIDAtRoot, use: "a client finds here where to log in (OpenID Connect)", without: "nothing is lost", deep: true},
	{trial: wire.OpenIDAtPath, use: "a client finds here where to log in (OpenID Connect)", without: "nothing is lost", deep: true},
	{trial: wire.OpenIDAppended, use: "a client finds here where to log in (OpenID Connect)", without: "nothing is lost", deep: true},
}

// What faults of discovery cost, of fifteen points.
const (
	costNoWay   = 8 // it asks for credentials and says nowhere how to get them
	costRoot    = 4 // access is described for the host, and not for the endpoint
	costSoft    = 5 // what is missing looks as if it were there
	costInvalid = 2 // each document that can not be read
)

func (l *lane) discovery() score.Section {
	s := score.Section{Max: maxDiscovery, Rows: []score.Row{}}
	if l.stdio { // nobody looks for documents of a program
		return s
	}
	lost, soft, tried := 0.0, false, false
	cost := func(r *score.Row, points float64) {
		r.Max, lost = points, lost+points
	}
	state := map[wire.Trial]string{}
	for _, d := range documents {
		t := l.one(d.trial)
		if t == nil {
			continue
		}
		r := l.document(d, t)
		state[d.trial] = r.Verdict
		tried = tried || r.Verdict != skipped
		switch r.Verdict {
		case soft404:
			if !soft && !d.deep {
				soft = true
				cost(&r, costSoft)
			}
		case invalid, wrong:
			if !d.deep {
				cost(&r, costInvalid)
			}
		}
		s.Rows = append(s.Rows, r)
	}
	byPath := state[wire.ResourceAtPath]
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Check == string(wire.ResourceAtRoot) && r.Verdict == served && l.one(wire.ResourceAtPath) != nil && byPath != served && byPath != skipped {
			cost(r, costRoot)
			r.Effect = "a client that follows RFC 9728 asks for the endpoint's own document, and finds none"
			r.Fix = "serve the same document at " + l.one(wire.ResourceAtPath).Detail
		}
	}
	if r := l.wayIn(byPath == served || state[wire.ResourceAtRoot] == served); r != nil {
		if r.Verdict == wrong {
			cost(r, costNoWay)
		}
		s.Rows = append(s.Rows, *r)
	}
	s.Applies = tried
	if tried {
		s.Score = math.Max(0, maxDiscovery-lost)
	}
	return s
}

// wayIn is the row on an endpoint that wants credentials: how a client learns where to get them. nil for one that wants none.
func (l *lane) wayIn(described bool) *score.Row {
	for i := range l.trials {
		t := &l.trials[i]
		if t.Status != 401 || t.Trial.Discovery() {
			continue
		}
		r := row("authorization", "WWW-Authenticate, or a document on the protected resource", t)
		if described || t.Header.Get("www-authenticate") != "" {
			r = say(r, ok, "a client learns where to get access", "")
		} else {
			r = say(r, wrong, "a client is refused and can not find out where to get access", "answer 401 with WWW-Authenticate: Bearer resource_metadata=\"…\", and serve that document (RFC 9728)")
		}
		return &r
	}
	return nil
}

func (l *lane) document(d document, t *wire.Tried) score.Row {
	r := row(string(d.trial), t.Detail, t)
	random := l.one(wire.RandomPath)
	switch {
	case unchecked(t), t.Status == 0:
		return say(r, skipped, "it could not be looked at: "+cmp.Or(t.Failure, "HTTP "+strconv.Itoa(t.Status)), "")
	case t.Cause == wire.CauseTooLarge && t.Status == 200:
		return say(r, skipped, "it is larger than what is read", "")
	case t.Status == 401 || t.Status == 403:
		return say(r, gated, "a client that looks before it logs in sees nothing", "")
	case t.Status >= 500:
		return say(r, wrong, "a client does not know whether the document exists (HTTP "+strconv.Itoa(t.Status)+")", "answer 404 where there is none")
	case t.Status >= 300 && t.Status < 400:
		return say(r, missing, d.without+"; it leads elsewhere, where not every client follows", "")
	case t.Status != 200:
		return say(r, missing, d.without, "")
	case t.Page(), random != nil && random.Status == 200 && alike(t, random):
		return say(r, soft404, "a client takes a page for the document, and fails on its first character", "answer 404 where there is none")
	case d.text:
		return say(r, served, d.use, "")
	case !isObject(t.Body):
		return say(r, invalid, "a client that needs it stops here: it is no JSON object", "serve a JSON object, or 404")
	}
	return say(r, served, d.use, "")
}

// alike says that an answer is what the server gives for a path that can not exist.
func alike(t, random *wire.Tried) bool {
	return t.Header.MediaType() == random.Header.MediaType() && (t.Body == random.Body || !isObject(t.Body) && len(t.Body) == len(random.Body))
}

func isObject(body string) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix([]byte(body), []byte("\xEF\xBB\xBF")))
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}
