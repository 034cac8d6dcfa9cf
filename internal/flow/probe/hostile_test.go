package probe

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// bomb inflates to 64 MiB.
var bomb = func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	zeros := make([]byte, limits.MiB)
	for range 64 {
		z.Write(zeros)
	}
	z.Close()
	return b.Bytes()
}()

// attacks are what a hostile server may answer with, whatever it is asked.
var attacks = map[string]func(w http.ResponseWriter, r *http.Request, m msg){
	"a body without an end": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		for chunk := bytes.Repeat([]byte(" "), 64*limits.KiB); r.Context().Err() == nil; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	},
	"a slow body": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	},
	"silence": func(w http.ResponseWriter, r *http.Request, m msg) { <-r.Context().Done() },
	"a bomb": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb)
	},
	"a stream without an end": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaEvents)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"); err != nil {
				return
			}
		}
	},
	"a redirect": func(w http.ResponseWriter, r *http.Request, m msg) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
	},
	"a login page": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!DOCTYPE html><form action=/login>")
	},
	"answers to somebody else": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		io.WriteString(w, `{"jsonrpc":"2.0","id":"somebody else's","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}}`)
	},
	"deep JSON": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		io.WriteString(w, `{"jsonrpc":"2.0","id":`+m.id()+`,"result":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}`)
	},
	"a connection that ends": func(w http.ResponseWriter, r *http.Request, m msg) { panic(http.ErrAbortHandler) },
	"half of an answer": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"jsonrpc":"2.0",`)
	},
	"control characters": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("Content-Type", wire.MediaJSON)
		io.WriteString(w, `{"jsonrpc":"2.0","id":`+m.id()+`,"error":{"code":-32000,"message":"\u001b]0;owned\u0007\u202e"}}`)
	},
	"a huge header": func(w http.ResponseWriter, r *http.Request, m msg) {
		w.Header().Set("X", strings.Repeat("x", 200*limits.KiB))
	},
}

// Whatever it meets, and wherever, a probe ends in time and never calls what it could not check clean.
func TestAHostileServerIsNeitherWaitedForNorCalledClean(t *testing.T) {
	phases := map[string]func(r *http.Request, m msg) bool{
		"everywhere":       func(*http.Request, msg) bool { return true },
		"behind the hello": func(r *http.Request, m msg) bool { return m.Method != "initialize" && m.Method != "server/discover" },
		"at the tools":     func(r *http.Request, m msg) bool { return m.Method == "tools/list" },
		"at a mistake":     func(r *http.Request, m msg) bool { return m.bad && r.Method == "POST" },
	}
	for name, attack := range attacks {
		for phase, when := range phases {
			t.Run(name+" "+phase, func(t *testing.T) {
				t.Parallel()
				p := &peer{legacy: true}
				p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
					if !when(r, m) {
						return false
					}
					attack(w, r, m)
					return true
				}
				o := impatient()
				begun := time.Now()
				g := grades(t, probed(t, p.serve(t), o))
				if took := time.Since(begun); took > 30*time.Second {
					t.Errorf("it took %v", took)
				}
				if g.card.Total == 100 && len(g.incomplete) == 0 {
					t.Errorf("called clean\n%s", rowsOf(g.card))
				}
				if phase != "at a mistake" && len(g.incomplete) == 0 {
					t.Errorf("nothing is incomplete: %d %s", g.card.Total, g.card.Grade)
				}
				if raw := g.server.File.Doc.Raw; len(raw) > limits.MiB {
					t.Errorf("%d bytes are kept", len(raw))
				}
				if n := p.requests(); n > o.Limits.ProbeRequests*(1+o.Limits.ListRetries) {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
}

func TestAHostileServerIsBoundedInADeepProbeToo(t *testing.T) {
	for _, name := range []string{"silence", "a body without an end", "a bomb", "a stream without an end"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &peer{legacy: true}
			p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
				if m.Method == "initialize" || m.Method == "tools/list" {
					return false
				}
				attacks[name](w, r, m)
				return true
			}
			o := impatient()
			o.Deep = true
			o.Limits.RunTime = 3 * time.Second
			begun := time.Now()
			g := grades(t, probed(t, p.serve(t), o))
			if took := time.Since(begun); took > 20*time.Second || g.card.Total == 100 || g.card.Total > 75 && len(g.incomplete) == 0 {
				t.Errorf("%v, %d, %v", took, g.card.Total, g.incomplete)
			}
			if len(g.incomplete) > 12 {
				t.Errorf("%d entries say the same", len(g.incomplete))
			}
		})
	}
}

// A server may repeat what it was given. It is not kept.
func TestNoSessionAndNoCredentialIsKept(t *testing.T) {
	const secret = "fake-token-0123456789"
	p := &peer{legacy: true, sessions: true}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool {
		if m.Method != "no/such" && !m.bad {
			return false
		}
		w.WriteHeader(400)
		fmt.Fprintf(w, "no such thing in session %s with %s", r.Header.Get(hSession), secret)
		return true
	}
	o := options()
	o.Secrets, o.Deep = wire.Spellings(secret), true
	all := probed(t, p.serve(t), o)
	text := string(all[0].Encode())
	if strings.Contains(text, "3f1c0") || strings.Contains(text, secret) {
		t.Error(text)
	}
	if !strings.Contains(text, "in session ****") {
		t.Error("the test proves nothing")
	}
}

func TestWhatCanNotBeReachedHasNoGrade(t *testing.T) {
	g := grades(t, probed(t, "http://127.0.0.1:1/mcp", impatient()))
	if g.card.Grade != "" || g.card.Gated || len(g.incomplete) != 1 || g.card.Requests != 1 {
		t.Errorf("%+v %v", g.card, g.incomplete)
	}
}

func TestASiteWithoutAServerIsAnF(t *testing.T) {
	p := &peer{}
	p.before = func(w http.ResponseWriter, r *http.Request, m msg) bool { http.NotFound(w, r); return true }
	if g := grades(t, probed(t, p.serve(t), options())); g.card.Grade != "F" || len(g.incomplete) == 0 {
		t.Errorf("%d %s %v", g.card.Total, g.card.Grade, g.incomplete)
	}
}
