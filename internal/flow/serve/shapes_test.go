package serve_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// What we tell others to answer, we answer ourselves.
func TestEveryRequestShapeGetsTheAnswerThatItsResourceSays(t *testing.T) {
	t.Parallel()
	origin := usual().open(t)
	var doc struct {
		Shapes []struct {
			Era, Name string
			Request   struct {
				Verb   string
				Header map[string]string
				Body   string
			}
			Answer struct {
				Status, Code int
				Result       string
			}
		}
	}
	if err := json.Unmarshal([]byte(send(t, "GET", origin+"/mcp-transport.json", "", nil).body), &doc); err != nil || len(doc.Shapes) < 30 {
		t.Fatalf("%d shapes, %v", len(doc.Shapes), err)
	}
	for _, path := range []string{"/mcp", "/mcp/lint"} {
		for _, s := range doc.Shapes {
			fields := map[string]string{"content-type": "", "accept": ""}
			for name, value := range s.Request.Header {
				fields[name] = value
			}
			g := send(t, s.Request.Verb, origin+path, s.Request.Body, fields)
			body := g.body
			if _, events, ok := strings.Cut(body, "data: "); ok {
				body = events[strings.LastIndex(events, "data: ")+len("data: "):]
			}
			var m struct {
				Result map[string]json.RawMessage
				Error  struct{ Code int }
			}
			if s.Answer.Status != 202 && json.Unmarshal([]byte(body), &m) != nil {
				t.Errorf("%s %s: no JSON: %s", s.Era, s.Name, g.body)
			}
			if g.status != s.Answer.Status || m.Error.Code != s.Answer.Code && s.Answer.Status != 405 {
				t.Errorf("%s %s: %d, code %d, want %d, %d: %s", s.Era, s.Name, g.status, m.Error.Code, s.Answer.Status, s.Answer.Code, g.body)
			}
			if want := s.Answer.Result; want != "" && m.Result[want] == nil {
				t.Errorf("%s %s: the result lacks %s: %s", s.Era, s.Name, want, g.body)
			}
			if s.Era == "modern" && s.Answer.Status == 200 && string(m.Result["resultType"]) != `"complete"` {
				t.Errorf("%s %s: no resultType: %s", s.Era, s.Name, g.body)
			}
			if g.header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s %s: it gave a session", s.Era, s.Name)
			}
		}
	}
}
