package wire

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func example() *Surface {
	s := &Surface{
		Label: "example.com/mcp", Transport: HTTP, Certificate: "sha256:00",
		Protocol: Protocol{Requested: Modern, Negotiated: Modern, Era: EraModern, Eras: []string{EraModern, EraLegacy}, Supported: []string{Modern}},
		Hello:    []byte("{\"capabilities\":{\"tools\":{}},\n  \"instructions\":\"hi <b>\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"n\"}}}"),
	}
	s.Pages[Tools] = [][]byte{[]byte(`{"tools":[ {"name":"a","name":"b"} ]}`), []byte("{\"tools\":[\"\xFF \\uD800\"]}")}
	s.Pages[Prompts] = [][]byte{}
	s.Earlier[Tools] = [][]byte{[]byte(`{"tools":[]}`)}
	s.Faults.Add("tools/list", limits.Default, Fault{Kind: NotJSON, Detail: "\x1b[31m\xFF banner"}, Fault{Kind: NotJSON, Detail: "second"}, Fault{Kind: HTML, Detail: "<script>"})
	s.Gap("prompts", &Failure{Cause: CauseTimeout, Detail: "no answer"}, limits.Default)
	return s
}

func TestASavedSurfaceIsReadBackByteForByte(t *testing.T) {
	s := example()
	text := s.Encode()
	if !strings.Contains(string(text), "<script>") {
		t.Error("what people read is escaped for a web page")
	}
	again, err := ReadSurface("s.json", text, limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	if string(again.Encode()) != string(text) {
		t.Errorf("written again:\n%s\nwant\n%s", again.Encode(), text)
	}
	for k, pages := range s.Pages {
		if len(pages) != len(again.Pages[k]) || (pages == nil) != (again.Pages[k] == nil) {
			t.Errorf("%v: %d pages", ListKind(k), len(again.Pages[k]))
		}
		for i := range pages {
			node := again.PageNodes(ListKind(k))[i]
			if string(pages[i]) != string(again.Pages[k][i]) || string(node.Raw()) != string(pages[i]) {
				t.Errorf("%v: page %d is %q", ListKind(k), i, again.Pages[k][i])
			}
			if span := node.Span(); string(text[span.Start:span.End]) != string(pages[i]) {
				t.Errorf("%v: page %d points at %q", ListKind(k), i, text[span.Start:span.End])
			}
		}
	}
	if again.Instructions().Text() != "hi <b>" || again.ServerInfo().Get("name").Text() != "n" || !again.Capabilities().Get("tools").Valid() {
		t.Error("the handshake's result is not found")
	}
	if again.FaultNode(0).Get("kind").Text() != string(NotJSON) || again.GapNode(0).Get("part").Text() != "prompts" || len(again.EarlierNodes(Tools)) != 1 {
		t.Error("faults, gaps and earlier pages have no places")
	}
	if again.Complete() || again.Gaps[0].Cause != CauseTimeout || !reflect.DeepEqual(again.Protocol, s.Protocol) || again.Label != s.Label {
		t.Errorf("gaps %v, protocol %+v", again.Gaps, again.Protocol)
	}
}

func TestOneFaultOfManyStandsForAll(t *testing.T) {
	var l Faults
	for range 10_000 {
		l.Add("initialize", limits.Default, Fault{Kind: NotJSON, Detail: strings.Repeat("x", 5000)})
	}
	l.Add("tools/list", limits.Default, Fault{Kind: NotJSON})
	if len(l) != 2 || l[0].Count != 10_000 || len(l[0].Detail) > limits.Default.DetailBytes+len("…") || !l.Has(NotJSON) || l.Has(HTML) {
		t.Errorf("%d faults, the first %d times, %d bytes", len(l), l[0].Count, len(l[0].Detail))
	}
}

func TestAnAnswerAsDeepAsAFrameMayBeCanBeSaved(t *testing.T) {
	lim := limits.Default
	deep := lim.FrameDepth - 2 // the message, its result
	raw := `{"jsonrpc":"2.0","id":1,"result":{"tools":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}}"
	f := ParseFrame([]byte(raw), lim)
	if f.Kind != Response {
		t.Fatalf("%v: %v", f.Kind, f.Flaws)
	}
	var s Surface
	s.Pages[Tools] = [][]byte{f.Result().Raw()}
	s.Earlier[Tools] = s.Pages[Tools]
	if _, err := ReadSurface("s.json", s.Encode(), lim); err != nil {
		t.Error(err)
	}
	raw = strings.Replace(raw, "[", "[[", 1)
	if f := ParseFrame([]byte(strings.Replace(raw, "]", "]]", 1)), lim); f.Kind != Invalid {
		t.Error("one level more was read")
	}
}

func TestWhatIsNoSurfaceIsRefused(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"surfaceVersion":2}`, `{"surfaceVersion":"1"}`, `{"surfaceVersion":1,"tools":{}}`,
		`{"surfaceVersion":1,"label":7}`, `{"surfaceVersion":1,"faults":{}}`, `{"surfaceVersion":1,"earlier":{"tools":1}}`} {
		if _, err := ReadSurface("s.json", []byte(text), limits.Default); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func TestAResultOf20260728NeedsItsMembers(t *testing.T) {
	for text, want := range map[string]int{
		`{"resultType":"complete","ttlMs":0,"cacheScope":"public"}`: 0,
		`{"tools":[]}`: 3,
		`{"resultType":1,"ttlMs":-1,"cacheScope":"all"}`: 3,
		`{"resultType":"complete","ttlMs":60000}`:        1,
	} {
		f := ParseFrame([]byte(`{"jsonrpc":"2.0","id":1,"result":`+text+`}`), limits.Default)
		if got := CheckResult(f.Result()); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAnOriginHasOneSpelling(t *testing.T) {
	for in, want := range map[string]string{
		"https://Example.com/mcp": "https://example.com:443", "http://example.com.:80/": "http://example.com:80",
		"http://[::0001]:8080/": "http://[::1]:8080", "HTTP://127.0.0.1": "http://127.0.0.1:80",
		"ftp://example.com/": "", "https:///x": "", "/mcp": "",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Origin(u); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", in, got, ok)
		}
	}
	u, _ := url.Parse("https://user:secret@example.com/a%2Fb?token=secret#secret")
	if got := ShownURL(u); got != "https://example.com/a%2Fb" {
		t.Errorf("shown as %s", got)
	}
}

func TestASurfaceThatHidesAListIsToldFromAWholeOne(t *testing.T) {
	const hello = `"hello":{"capabilities":{"tools":{},"resources":{}}}`
	for text, whole := range map[string]bool{
		`{"surfaceVersion":1,` + hello + `,"tools":[{"tools":[]}],"resources":[{"resources":[null]}],"faults":[],"incomplete":[]}`: true,
		`{"surfaceVersion":1,` + hello + `,"tools":[{"tools":[]}],"incomplete":[{"part":"resources","cause":"timeout"}]}`:          true,
		`{"surfaceVersion":1,"hello":{"capabilities":{}}}`:                                                                         true,
		`{"surfaceVersion":1,"incomplete":[{"part":"handshake","cause":"tls"}]}`:                                                   true,
		`{"surfaceVersion":1,` + hello + `,"tools":[{"tools":[]}]}`:                                                                false,
		`{"surfaceVersion":1,` + hello + `,"tools":"x","resources":[]}`:                                                            false,
		`{"surfaceVersion":1,"tools":[5]}`:                                                                                         false,
		`{"surfaceVersion":1,"tools":[{"tools":{}}]}`:                                                                              false,
		`{"surfaceVersion":1,"tools":[],"incomplete":null}`:                                                                        false,
		`{"surfaceVersion":1,"tools":[],"incomplete":{"a":{"part":"tools"}}}`:                                                      false,
		`{"surfaceVersion":1,"tools":[],"incomplete":["tools"]}`:                                                                   false,
		`{"surfaceVersion":1,"tools":[],"faults":"none"}`:                                                                          false,
		`{"surfaceVersion":1,"tools":[],"hello":[]}`:                                                                               false,
		`{"surfaceVersion":1}`:            false,
		`{"surfaceVersion":2,"tools":[]}`: false,
	} {
		doc, err := source.Parse("", []byte(text), source.JSON, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckSurface(doc.Root(), limits.Default); (err == nil) != whole {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzSurface(f *testing.F) {
	f.Add(example().Encode())
	f.Add([]byte(`{"surfaceVersion":1,"tools":[null],"faults":[{"kind":"x","count":3}],"incomplete":null,"hello":7}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := ReadSurface("s.json", raw, limits.Default)
		if err != nil {
			return
		}
		first := s.Encode()
		s, err = ReadSurface("s.json", first, limits.Default)
		if err != nil {
			t.Fatalf("what was written can not be read: %v", err)
		}
		if string(s.Encode()) != string(first) {
			t.Fatal("written twice, it differs")
		}
	})
}
