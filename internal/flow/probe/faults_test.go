package probe

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// The findings on recorded servers are the faults that were measured when the recordings were made, and no others.
func TestRecordedServersGetTheFindingsOfTheFaultsThatTheyHave(t *testing.T) {
	for _, c := range []struct{ name, era, rules string }{
		{"everything-http", wire.EraLegacy, "accepted-junk batch-body dead-session foreign-host foreign-origin ignored-cursor open-cors refused-accept wrong-error-code"},
		{"context7", wire.EraModern, "foreign-host foreign-origin invalid-document open-cors refused-accept root-metadata-only server-error"},
		{"context7", wire.EraLegacy, "batch-body foreign-host foreign-origin ignored-cursor invalid-document open-cors refused-accept root-metadata-only server-error"},
		{"gosdk-stateless-json", wire.EraLegacy, "foreign-origin plain-error"},
		{"gosdk-stateless-json", wire.EraModern, "foreign-origin plain-error wrong-version-error"},
		{"mcpgo", wire.EraLegacy, "accepted-junk dead-session foreign-origin missing-session"},
		{"mcpgo", wire.EraModern, "accepted-junk foreign-origin wrong-version-error"},
		{"notion-noauth", wire.EraLegacy, "hidden-authorization"},
	} {
		t.Run(c.name+" "+c.era, func(t *testing.T) {
			t.Parallel()
			all, _ := corpus(t, c.name)
			o := options()
			o.Era, o.Deep = c.era, true
			surfaces := probed(t, replaySession(t, all), o)
			for _, s := range surfaces {
				s.Trials = slices.DeleteFunc(s.Trials, func(t wire.Tried) bool { // no recording has these of the modern era
					return c.era == wire.EraModern && (t.Trial == wire.CursorUnknown || t.Trial == wire.InitializeRemoved)
				})
				for i := range s.Trials {
					if greets := strings.HasSuffix(string(s.Trials[i].Trial), "-evil") || strings.HasPrefix(string(s.Trials[i].Trial), "accept-"); greets && c.era == wire.EraModern {
						s.Trials[i].Session = false // it is the legacy era that was recorded
					}
					// A recording gives every session the same id.
					s.Trials[i].Faults = slices.DeleteFunc(s.Trials[i].Faults, func(f wire.Fault) bool { return f.Kind == wire.WeakSession })
				}
			}
			var got, said []string
			for _, f := range grades(t, surfaces).findings {
				if name, ok := strings.CutPrefix(f.Rule, "endpoint/"); ok {
					got, said = append(got, name), append(said, f.Severity.String()+" "+f.Message)
				}
			}
			slices.Sort(got)
			if text := strings.Join(slices.Compact(got), " "); text != c.rules {
				t.Errorf("%s\nwant\n%s\n%s", text, c.rules, strings.Join(said, "\n"))
			}
		})
	}
}

// replaySession serves a recording as replay does, and knows that a session ends and that the messages of a batch have ids.
func replaySession(t *testing.T, all map[string]recorded) string {
	t.Helper()
	var ended atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v := vectorOf(r, body, "/mcp")
		switch {
		case v == "Z1-DELETE":
			ended.Store(true)
		case v == "ping" && ended.Load():
			v = "Z2-ping-after-delete"
		}
		got, known := all[v]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if bytes.HasPrefix(body, []byte("[{")) {
			got.Res.Body = strings.NewReplacer(`"id":1`, `"id":901`, `"id": 1`, `"id": 901`, `"id":2`, `"id":902`, `"id": 2`, `"id": 902`).Replace(got.Res.Body)
		}
		answerAs(t, w, got, body)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}
