package grade

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// worth gives a row its points: all of most for ok, half for partial.
func worth(r score.Row, most float64) score.Row {
	r.Max = most
	switch r.Verdict {
	case ok:
		r.Points = most
	case partial:
		r.Points = most / 2
	case skipped:
		r.Max = 0
	}
	return r
}

// row begins a row about a trial: its status and code as they came.
func row(check, expected string, t *wire.Tried) score.Row {
	r := score.Row{Check: check, Expected: expected, Verdict: skipped, Effect: "it was not tried"}
	if t != nil {
		r.HTTPStatus = t.Status
		r.Code, _ = t.Code()
	}
	return r
}

// say sets the outcome of a row.
func say(r score.Row, verdict, effect, fix string) score.Row {
	r.Verdict, r.Effect, r.Fix = verdict, effect, fix
	return r
}

func (l *lane) handshake() score.Section {
	if l.modern {
		return l.gate(l.discovered())
	}
	return l.gate(l.initialized())
}

// gate leaves nothing of the section where the handshake itself failed.
func (l *lane) gate(rows []score.Row) score.Section {
	if l.began() {
		return section(maxHandshake, rows)
	}
	return score.Section{Max: maxHandshake, Applies: true, Rows: rows[:1]}
}

// failed is the row of a handshake that led nowhere.
func (l *lane) failed(r score.Row) score.Row {
	effect := "no client can connect"
	if g := l.gap(wire.PartHandshake); g != nil {
		effect = "no client can connect: " + g.Detail
		if g.Cause == wire.CauseAuth {
			return say(r, gated, "a client has to authorize first", "")
		}
	}
	return say(r, wrong, effect, "answer with a result that names the revision to speak")
}

func (l *lane) initialized() []score.Row {
	t := l.one(wire.Initialize)
	first := row("initialize", "a result with protocolVersion, capabilities, serverInfo", t)
	hello := l.Node.Get("hello")
	if !l.began() {
		return []score.Row{worth(l.failed(first), 10)}
	}
	rows := []score.Row{worth(say(first, ok, "clients speak "+l.Revision+" with it", ""), 10)}

	t = l.one(wire.InitializeUnpublished)
	r := row("initialize-unpublished", "a revision that exists, or an error", t)
	if t != nil && !unchecked(t) {
		version := result(t).Get("protocolVersion").Text()
		_, isError := t.Code()
		switch {
		case t.Status >= 500:
			r = say(r, wrong, "a client of the future sees a server that is broken", "answer with the newest revision that you speak")
		case isError, slices.Contains(wire.Legacy(), version), version == wire.Modern:
			r = say(r, ok, "clients newer than the server can still talk to it", "")
		case version != "":
			r = say(r, wrong, fmt.Sprintf("it agrees to %q, which nobody published: a client believes it", version), "answer with the newest revision that you speak")
		default:
			r = say(r, wrong, "a client of the future gets no answer that it understands", "answer with the newest revision that you speak")
		}
	}
	rows = append(rows, worth(r, 6))

	t = l.one(wire.InitializeAgain)
	r = row("initialize-again", "the same answer as before", t)
	if t != nil && !unchecked(t) {
		_, isError := t.Code()
		switch {
		case same(result(t), hello):
			r = say(r, ok, "a client that reconnects finds the same server", "")
		case l.stdio && isError:
			r = say(r, ok, "one process is one session: it says so", "")
		case result(t).Valid():
			r = say(r, wrong, "two clients that ask the same are told different things", "answer an equal initialize equally")
		default:
			r = say(r, wrong, "a client that reconnects is refused", "begin a new session for an initialize without one")
		}
	}
	if l.Transport != wire.SSE { // whose stream is the session: a second one says nothing
		rows = append(rows, worth(r, 4))
	}
	rows = append(rows, l.mediaType(wire.Initialize)...)
	r = row("introduction", "capabilities, and serverInfo with name and version", nil)
	if hello.Get("capabilities").Kind() == source.Object && l.Info.Get("name").Text() != "" && l.Info.Get("version").Text() != "" {
		r = say(r, ok, "a client knows whom it talks to", "")
	} else {
		r = say(r, wrong, "a client does not know whom it talks to, or what to ask for", "send capabilities, and serverInfo with name and version")
	}
	rows = append(rows, worth(r, 2))
	return append(rows, l.shape(wire.Initialize)...)
}

func (l *lane) discovered() []score.Row {
	t := l.one(wire.Discover)
	first := row("discover", "supportedVersions and capabilities", t)
	if !l.began() {
		return []score.Row{worth(l.failed(first), 16)}
	}
	hello := l.Node.Get("hello")
	rows := []score.Row{worth(say(first, ok, "clients speak "+l.Revision+" with it", ""), 16)}

	t = l.one(wire.DiscoverUnpublished)
	r := row("discover-unpublished", "HTTP 400, error -32022 with data.supported", t)
	if l.stdio {
		r.Expected = "error -32022 with data.supported"
	}
	if t != nil && !unchecked(t) {
		code, isError := t.Code()
		supported := reply(t).Get("error").Get("data").Get("supported").Kind() == source.Array
		const fix = "answer HTTP 400 with error -32022 and the revisions in data.supported"
		switch {
		case code == wire.CodeUnsupportedVersion && supported && (l.stdio || t.Status == 400):
			r = say(r, ok, "clients newer than the server learn what it speaks", "")
		case code == wire.CodeUnsupportedVersion:
			r = say(r, partial, "a client newer than the server learns that it is too new, not what to speak", fix)
		case isError:
			r = say(r, wrong, "a client newer than the server takes this for a fault of its request", fix)
		case t.Answered():
			r = say(r, wrong, "it agrees to a revision that nobody published", fix)
		default:
			r = say(r, wrong, "a client newer than the server takes it for one of the older era, and asks again", fix)
		}
	}
	rows = append(rows, worth(r, 6))

	t = l.one(wire.DiscoverAgain)
	r = row("discover-again", "the same answer as before", t)
	if t != nil && !unchecked(t) {
		if same(result(t), hello) {
			r = say(r, ok, "what a client keeps of the answer stays true", "")
		} else {
			r = say(r, wrong, "what a client keeps of the answer is wrong a moment later", "answer an equal request equally")
		}
	}
	rows = append(rows, worth(r, 4))
	rows = append(rows, l.mediaType(wire.Discover)...)
	r = row("introduction", "serverInfo in _meta", nil)
	if l.Info.Get("name").Text() != "" {
		r = say(r, ok, "a client knows whom it talks to", "")
	} else {
		r = say(r, wrong, "a client does not know whom it talks to", "put serverInfo into the _meta of results")
	}
	rows = append(rows, worth(r, 1))
	r = row("cache-hints", "resultType, ttlMs and cacheScope", nil)
	if len(wire.CheckResult(hello)) == 0 {
		r = say(r, ok, "a client knows how long the answer holds", "")
	} else {
		r = say(r, wrong, "a client that follows the schema refuses the result, or asks every time", "send resultType, ttlMs and cacheScope with the result")
	}
	rows = append(rows, worth(r, 1))
	return append(rows, l.shape(wire.Discover)...)
}

// mediaType is the row on the type of the first answer, where there is HTTP.
func (l *lane) mediaType(of wire.Trial) []score.Row {
	t := l.one(of)
	if t == nil || l.Transport != wire.HTTP {
		return nil
	}
	r := row("content-type", wire.MediaJSON+" or "+wire.MediaEvents, t)
	switch media := t.Header.MediaType(); media {
	case wire.MediaJSON, wire.MediaEvents:
		r = say(r, ok, "a client knows how to read the answer", "")
	default:
		r = say(r, wrong, "clients refuse an answer of type "+wire.Excerpt([]byte(media), limits.Default), "answer as application/json or text/event-stream")
	}
	return []score.Row{worth(r, 2)}
}

// shape is the row that says how the server answers. It has no points.
func (l *lane) shape(of wire.Trial) []score.Row {
	t := l.one(of)
	if t == nil {
		return nil
	}
	how := "one line for each message"
	switch {
	case l.Transport == wire.SSE:
		how = "one event stream for all answers (the transport of 2024-11-05)"
	case l.Transport == wire.HTTP && t.Header.MediaType() == wire.MediaEvents:
		how = "an event stream for each answer"
	case l.Transport == wire.HTTP:
		how = "a JSON body for each answer"
	}
	if t.Session {
		how += ", in a session"
	}
	return []score.Row{say(row("transport", "", nil), ok, fmt.Sprintf("%s; the first after %d ms", how, t.ElapsedMS), "")}
}

// same says that two results are equal but for the white space between their values.
func same(a, b source.Node) bool {
	return a.Valid() && bytes.Equal(compact(a), compact(b))
}
