package test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/mcpassay/mcpassay/internal/cli"
	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/score"
	"github.com/mcpassay/mcpassay/internal/report"
)

// The HTML report in a real browser: what no parser can say is whether it runs, loads, fits and can be read.

var picture = flag.Bool("picture", false, "write docs/img/report.png")

// browser is one tab, with what the page in it asked for and complained of.
type browser struct {
	context.Context
	t  *testing.T
	mu sync.Mutex
	// requests are the URLs that were asked for, complaints what stands on the console.
	requests, complaints []string
}

func chromium(t *testing.T) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		lacks(t, "needs chromium: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	// The page is ours and nothing on it runs: Chromium's own sandbox, which root and containers can not have, is not needed.
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	case *runtime.EventConsoleAPICalled, *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, fmt.Sprintf("%+v", e))
	}
}

// open shows a page and gives its address.
func (b *browser) open(page []byte) (url string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	b.requests, b.complaints = nil, nil
	b.mu.Unlock()
	url = "file://" + file
	if err := chromedp.Do(b, chromedp.Navigate(url)); err != nil {
		b.t.Fatal(err)
	}
	return url
}

// heard is what was asked for, and complained of, since the page was opened.
func (b *browser) heard() (requests, complaints []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests, b.complaints
}

func (b *browser) look(width int64, media, scheme string) {
	b.t.Helper()
	if err := chromedp.Do(b, chromedp.EmulateViewport(width, 900)); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		b.t.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](b *browser, expression string) T {
	b.t.Helper()
	got, err := chromedp.Run(b, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%v: %s", err, expression)
	}
	return got
}

// hostile are names that do something wherever they are taken for more than text.
var hostile = []string{
	`<script>window.pwned=1</script>`, `"><img src=x onerror="window.pwned=2">`, `</style></title></code><svg onload=window.pwned=3>`,
	`javascript:window.pwned=4`, `' onmouseover='window.pwned=5`, "\x1b]0;owned\x07\x1b[2Jred\u009b31m", "safe\u202egpj.exe\u2066x", "<!--", "{{.Home}}",
	`<link rel=stylesheet href=//evil.example/x.css><base href=//evil.example>`, `<meta http-equiv=refresh content="0;url=//evil.example">`,
	strings.Repeat("W", 5000), strings.Repeat("\u0301", 500), "עברית مرحبا",
}

// hostileScan is the page of a scan whose server says all that.
func hostileScan(t *testing.T) []byte {
	type object = map[string]any
	var tools []object
	for _, name := range hostile {
		tools = append(tools, object{"name": name, "description": "Delete the records. " + name, "inputSchema": object{"type": "object",
			"properties": object{name: object{"type": "nothing"}}, "required": []string{"x" + name}}})
	}
	surface, err := json.Marshal(object{"surfaceVersion": 1, "label": hostile[0], "transport": "http",
		"protocol": object{"requested": "2025-11-25", "negotiated": "2025-11-25", "era": "legacy", "eras": []string{"legacy"}},
		"hello":    object{"protocolVersion": "2025-11-25", "capabilities": object{"tools": object{}}, "serverInfo": object{"name": hostile[1], "version": "1"}},
		"tools":    []object{{"tools": tools}}, "incomplete": []object{{"part": "prompts", "cause": "timeout", "detail": hostile[2]}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "surface.json")
	if err := os.WriteFile(file, surface, 0o600); err != nil {
		t.Fatal(err)
	}
	return printed(t, "scan", "--replay", file, "--profile", "strict", "--deterministic", "--format", "html")
}

// printed is what the program prints on a machine without configs.
func printed(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	code := cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" },
		Environ: func() []string { return nil }, Cwd: dir, Home: dir, Platform: "linux", Now: time.Now})
	if out.Len() == 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	return out.Bytes()
}

// hostileProbe is the page of a probe whose endpoint says all that, beside what doctor shows.
func hostileProbe(t *testing.T) []byte {
	var rows []score.Row
	posture := engine.ClientPosture{Name: "Client", Installed: true}
	for i, s := range hostile {
		verdict := []string{"ok", "partial", "html", "silent", "missing"}[i%5]
		rows = append(rows, score.Row{Check: "check", Expected: s, HTTPStatus: 404, Code: -32601, Verdict: verdict, Effect: s, Fix: s, Points: 1, Max: 5})
		posture.Files = append(posture.Files, engine.FilePosture{Path: s, State: "read"})
		posture.Servers = append(posture.Servers, engine.ServerPosture{Name: s, Path: s, Transport: "http", State: "enabled"})
	}
	section := score.Section{Score: 12.5, Max: 30, Applies: true, Rows: rows}
	card := &score.Card{Target: "https://mcp.example.com/mcp", Total: 64, Grade: "D", Capped: hostile[0], Requests: 17, Lanes: []score.Lane{{Era: "legacy", Revision: hostile[1],
		Total: 64, Grade: "D", Sections: score.Sections{Handshake: section, Errors: section, Discovery: section}}}}
	res := &engine.Result{Servers: 1, Score: card, Posture: &engine.Posture{Clients: []engine.ClientPosture{posture}, Looked: hostile},
		Findings: []finding.Finding{{Rule: "endpoint/redirect", Severity: finding.Warning, Message: "Ein Wort", Location: finding.Location{Path: hostile[11], Pointer: hostile[11]},
			Fix: &finding.Fix{Safety: finding.Safe, Title: "x", Edits: []finding.Edit{{Offset: 1, Length: 2, Text: hostile[11] + "\n" + hostile[0]}}}}}}
	return rendered(t, res)
}

func rendered(t *testing.T, res *engine.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	env := report.Env{Version: "0.1.0", Verb: "probe", Platform: "linux", EnvMode: "none", Deterministic: true, Profile: "production", PolicySource: "built-in", Exit: 1}
	if err := report.Write(&b, "html", report.Build(res, env), env); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// outside lists what stands out of the window, save in a box that scrolls by itself.
const outside = `[...document.body.querySelectorAll("*")].filter(e => !e.closest(".scroll > *") && e.checkVisibility()
	&& e.getBoundingClientRect().right > innerWidth + .5).map(e => e.outerHTML.slice(0, 100))`

// gauge says what of the score's picture is out of its box, or that the box is no picture's size.
const gauge = `(() => { const svg = document.querySelector("svg.gauge").getBoundingClientRect();
	return [...document.querySelectorAll("svg.gauge text, svg.gauge path")].map(e => e.getBoundingClientRect())
		.filter(r => r.left < svg.left || r.right > svg.right || r.top < svg.top || r.bottom > svg.bottom || r.width == 0)
		.map(r => JSON.stringify(r)).concat(svg.width < 100 || svg.height < 100 ? ["small"] : []) })()`

// faint lists texts whose contrast is below that of WCAG 2.2, 1.4.3 (AA): 4.5 to 1, or 3 to 1 where they are large.
const faint = `(() => {
	const rgb = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = rgb(c).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c)[3] !== 0) return c } return "rgb(255, 255, 255)" };
	const found = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement, style = getComputedStyle(e);
		if (!walk.currentNode.data.trim() || !e.checkVisibility({visibilityProperty: true}) || style.color === "rgba(0, 0, 0, 0)") continue;
		const ink = e.closest("svg") ? style.fill : style.color, size = parseFloat(style.fontSize);
		const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x), contrast = (a + .05) / (b + .05);
		if (contrast < (size >= 24 ? 3 : 4.5)) found.add(e.tagName + "." + e.className + " " + contrast.toFixed(2));
	}
	return [...found] })()`

func TestAPageOfHostileNamesInABrowser(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	for name, page := range map[string][]byte{"scan": hostileScan(t), "probe": hostileProbe(t)} {
		url := b.open(page)
		for _, width := range []int64{360, 1280} {
			var papers []string
			for _, scheme := range []string{"light", "dark"} {
				b.look(width, "screen", scheme)
				at := fmt.Sprintf("%s, %d pixels, %s", name, width, scheme)
				if wide := ask[int64](b, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%s: the page is %d pixels wide", at, wide)
				}
				for what, list := range map[string][]string{"out of the window": ask[[]string](b, outside), "too faint": ask[[]string](b, faint)} {
					if len(list) > 0 {
						t.Errorf("%s: %s: %q", at, what, list)
					}
				}
				if name == "probe" {
					if out := ask[[]string](b, gauge); len(out) > 0 {
						t.Errorf("%s: the gauge: %q", at, out)
					}
				}
				papers = append(papers, ask[string](b, `getComputedStyle(document.body).backgroundColor`))
			}
			if papers[0] == papers[1] {
				t.Errorf("%s: light and dark are both %s", name, papers[0])
			}
		}
		if shown := ask[string](b, `document.body.innerText`); !strings.Contains(shown, hostile[0]) || !strings.Contains(shown, strings.Repeat("W", limits.Default.ShownRunes-100)) {
			t.Errorf("%s: the page does not show what it should have been driven by", name)
		}
		if ran := ask[bool](b, `"pwned" in window || document.querySelector("script, img, link, base, iframe, [onload], [onerror], [onmouseover]") !== null`); ran {
			t.Errorf("%s: a name became more than text", name)
		}
		requests, complaints := b.heard()
		if len(requests) != 1 || requests[0] != url {
			t.Errorf("%s: the page asked for %q", name, requests)
		}
		if len(complaints) > 0 {
			t.Errorf("%s: the console says %q", name, complaints)
		}
	}
}

// What the test above finds nothing of is found where it is: the policy of the page stops it, and the console says so.
func TestThePolicyOfAPageStopsWhatGotIntoIt(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	page := bytes.Replace(hostileScan(t), []byte("</main>"), []byte(`<script>window.pwned=1</script><img src="https://evil.example/x" onerror="window.pwned=2">
		<p id="styled" style="color: red">x</p><iframe src="https://evil.example/"></iframe></main>`), 1)
	b.open(page)
	if ask[bool](b, `"pwned" in window || document.querySelector("#styled").style.color !== ""`) {
		t.Error("what got into the page ran")
	}
	_, complaints := b.heard()
	for _, what := range []string{"inline script", "image", "inline style", "fram"} {
		if !slices.ContainsFunc(complaints, func(c string) bool {
			return strings.Contains(c, "Content Security Policy") && strings.Contains(strings.ToLower(c), what)
		}) {
			t.Errorf("the console does not say that the policy stopped the %s: %q", what, complaints)
		}
	}
}

func TestAPrintedPageShowsWhatIsFolded(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	b.open(hostileProbe(t))
	const seen = `(e => e.checkVisibility() && e.getBoundingClientRect().height > 20)(document.querySelector(".diff"))`
	if b.look(800, "screen", "dark"); ask[bool](b, seen) {
		t.Error("on the screen an edit is not folded")
	}
	if b.look(800, "print", "dark"); !ask[bool](b, seen) {
		t.Error("on paper an edit is folded")
	}
	if paper := ask[string](b, `getComputedStyle(document.documentElement).getPropertyValue("--paper")`); paper != "#fff" {
		t.Errorf("the paper is %s", paper)
	}
}

func TestAPageOfTenThousandToolsOpens(t *testing.T) {
	t.Parallel()
	const many = 10_000
	res := &engine.Result{Servers: 1, Tools: many, Subjects: []finding.Subject{{ID: "s", Kind: "server", Name: "many"}}}
	for i := range many {
		id := fmt.Sprint("t", i)
		res.Subjects = append(res.Subjects, finding.Subject{ID: id, Kind: "tool", Parent: "s", Name: id, Decision: "approve",
			Risk: &finding.Risk{Level: "high", Capabilities: []string{"read", "delete"}, Reasons: []string{"card/poisoned"}}})
		res.Findings = append(res.Findings, finding.Finding{Rule: "card/poisoned", Severity: finding.Error, Message: "m", Subject: id, Location: finding.Location{Path: "x"}})
	}
	b := chromium(t)
	b.open(rendered(t, res))
	if rows := ask[int](b, `document.querySelectorAll(".decision").length`); rows != limits.Default.ShownItems {
		t.Errorf("the page has %d tools", rows)
	}
}

// The pictures of the docs are the page of the demo, and that of its endpoint: go test ./test -run Picture -picture
func TestThePicturesInTheDocs(t *testing.T) {
	const most = 200 * limits.KiB
	for name, c := range map[string]struct {
		page string
		args []string
	}{
		"report.png": {"docs/report.md", []string{"demo"}},
		"probe.png":  {"docs/probe.md", []string{"probe", "fixture://demo"}},
	} {
		path := filepath.Join(repository, "docs", "img", name)
		if *picture {
			b := chromium(t)
			b.look(1120, "screen", "light")
			b.open(printed(t, append(c.args, "--deterministic", "--format", "html")...))
			if err := chromedp.Do(b, chromedp.EmulateViewport(1120, 1320)); err != nil {
				t.Fatal(err)
			}
			png, err := chromedp.Run(b, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		png, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) || len(png) > most {
			t.Errorf("%s has %d bytes, want a PNG of at most %d: %v", name, len(png), most, err)
		}
		if !strings.Contains(readRepository(t, c.page), "(img/"+name+")") {
			t.Errorf("%s does not show %s", c.page, name)
		}
	}
}
