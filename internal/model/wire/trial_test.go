package wire

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func TestTrialsAreWhatAProbeWrites(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat(`{"trial":"x","elapsedMs":0},`, limits.Default.Trials+1), ",")
	for text, says := range map[string]string{
		`[{"trial":"initialize","status":200,"elapsedMs":1,"reply":{"id":1}}]`: "",
		`[]`: "", `null`: "trials is not", `{}`: "trials is not", `[7]`: "trials is not", `[{"status":"x"}]`: "trials is not",
		"[" + many + "]": fmt.Sprintf("it has %d trials", limits.Default.Trials+1),
	} {
		doc, err := source.Parse("", []byte(text), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTrials(doc.Root(), limits.Default); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}

func TestTheCodeOfAReplyIsThatOfItsError(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]int{`{"error":{"code":-32601}}`: -32601, `{"error":{"code":1.5}}`: 0, `{"error":{}}`: 0, `{"result":{}}`: 0, `{"error":"no"}`: 0, ``: 0, `[]`: 0} {
		if code, ok := (&Tried{Reply: []byte(reply)}).Code(); code != want || ok != (want != 0) {
			t.Errorf("%s: %d %v", reply, code, ok)
		}
	}
}

func TestStackTracesAreToldFromProse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n    at parse (/srv/node_modules/body-parser/lib/types/json.js:92:19)": true,
		"<pre>SyntaxError<br> &nbsp; &nbsp;at parse (file:///srv/app/dist/index.js:40:8473)</pre>":                                             true,
		"Traceback (most recent call last):\n  File \"/srv/app.py\", line 12, in call":                                                         true,
		"panic: boom\n\ngoroutine 17 [running]:\nmain.main()":                                                                                  true,
		"java.lang.IllegalStateException\n\tat com.example.Server.handle(Server.java:42)":                                                      true,
		"System.Exception: no\n   at Shop.Api.Call(String name) in /src/Shop/Api.cs:line 7":                                                    true,
		"thread 'main' panicked at src/main.rs:4:5, look at it":                                                                                true,
		"Look at the documentation at https://example.com:8080/errors":                                                                         false,
		"Unknown tool at line 12 of the request":                                                                                               false,
		"":                                                                                                                                     false,
	} {
		if _, got := (&Tried{Trial: NotJSONBody, Status: 400, Body: text}).Trace(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	hidden := Tried{Trial: NotJSONBody, Status: 400, Reply: []byte(`{"error":{"code":-32700,"message":"x","data":{"stack":"Error\n    at f (/srv/a.js:1:2)"}}}`)}
	if _, found := hidden.Trace(); !found {
		t.Error("one in the data of an error")
	}
	document := Tried{Trial: LLMsText, Status: 200, Body: "goroutine 1 [running]:"}
	if _, found := document.Trace(); found {
		t.Error("a document may speak of one")
	}
}

func TestThisMachineIsKnownByItsNamesAndAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"http://localhost:1/": true, "http://LOCALHOST./": true, "http://127.9.9.9/": true, "http://[::1]:3/": true, "http://[::ffff:127.0.0.1]/": true,
		"http://app.localhost/": true, "https://localhost.example/": false, "http://10.0.0.1/": false, "fixture://demo": false, "https://example.com/": false} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if Loopback(u) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}
