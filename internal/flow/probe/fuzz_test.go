package probe

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/scan"
	"github.com/mcpassay/mcpassay/internal/grade"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// scripted is a server that answers with what a fuzzer wrote, one paragraph an answer: a line with the type of the body,
// then the body, in which ID is the id of the request.
type scripted struct {
	answers []string
	next    int
}

func (s *scripted) Send(_ context.Context, r *wire.HTTPRequest) (*wire.HTTPResponse, error) {
	if len(s.answers) == 0 {
		return nil, &wire.Failure{Cause: wire.CauseBroken, Detail: "nothing to say"}
	}
	one := s.answers[s.next%len(s.answers)]
	s.next++
	media, body, _ := strings.Cut(one, "\n")
	status := 200
	if media, found := strings.CutPrefix(media, "!"); found {
		return respond(500, media, body), nil
	}
	m := parse(r.Body)
	h := respond(status, media, strings.ReplaceAll(body, "ID", m.id()))
	h.Header["mcp-session-id"] = []string{"fuzzed-session-0123456789"}
	h.Body = io.NopCloser(io.LimitReader(h.Body, 1<<16))
	return h, nil
}

// Whatever a server answers, the transcript can be read again, is written in the same bytes, and has a score; the budget
// holds, and no session is kept.
func FuzzProbe(f *testing.F) {
	const good = `application/json` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"},"tools":[{"name":"t"}],"nextCursor":"x"}}`
	f.Add(good)
	f.Add("text/event-stream\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"supportedVersions\":[\"2026-07-28\"]}}\n\n" + good)
	f.Add("\xdc0")
	f.Add("!text/html\n<!doctype html>\n\n" + good)
	f.Add("application/json\n[{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"protocolVersion\":\"2025-11-25\"}}]\n\napplication/json\nfuzzed-session-0123456789")
	f.Fuzz(func(t *testing.T, script string) {
		o := options()
		o.Limits.RetryWait, o.Limits.RetryAfter, o.Limits.ProbeAtOnce = 0, 0, 1
		o.Limits.RequestTime = 5 * time.Second
		o.Limits.ProbeLarge, o.Limits.ProbeNesting = 10, 10
		o.Deep = len(script)%2 == 1
		server := &scripted{answers: strings.Split(script, "\n\n")}
		all := Surfaces(t.Context(), Target{Label: "fuzz", URL: "http://localhost/mcp", Door: server}, o)
		most := o.Limits.ProbeRequests
		if o.Deep {
			most = o.Limits.ProbeDeepRequests
		}
		if server.next > most {
			t.Errorf("%d requests", server.next)
		}
		for _, s := range all {
			raw := s.Encode()
			read, err := wire.ReadSurface("saved", raw, limits.Default)
			if err != nil {
				t.Fatalf("%v\n%s", err, raw)
			}
			if again := read.Encode(); !bytes.Equal(raw, again) {
				t.Errorf("written:\n%s\nagain:\n%s", raw, again)
			}
			for _, x := range s.Trials {
				if strings.Contains(x.Body+x.Failure, "fuzzed-session-0123456789") {
					t.Errorf("a session is kept: %+v", x)
				}
			}
		}
		doc, err := source.Parse("saved", scan.Document(all), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if c := grade.Of(card.Read(doc).Servers, nil); c == nil || c.Total < 0 || c.Total > 100 {
			t.Errorf("%+v", c)
		}
	})
}
