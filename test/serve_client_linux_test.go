package test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/report"
)

// The document of mcp-endpoint-lint holds two commands for a shell and a body for its agents. They work on our program as they
// are written, but for the host.
func TestWhatEndpointLintPublishesWorksOnTheProgram(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(shared(t, "seeds/endpoint-lint.json"))
	if err != nil {
		t.Fatal(err)
	}
	var seed struct {
		TryIt string `json:"try_it"`
		First struct {
			Curl string `json:"curl"`
		} `json:"call_this_first"`
		Instructions string `json:"instructions"`
	}
	if err := json.Unmarshal(raw, &seed); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"curl", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			lacks(t, "needs %s", program)
		}
	}
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0")
	defer interrupt()
	base := strings.TrimSuffix(endpoint, "/mcp")
	host := regexp.MustCompile(`https://[^/]+`)
	shell := func(command string) string {
		out, err := exec.Command("sh", "-c", host.ReplaceAllLiteralString(command, base)).Output()
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		return string(out)
	}
	if out := shell(seed.TryIt); !strings.Contains(out, `"grade":"D"`) || !strings.Contains(out, "No request left this machine.") {
		t.Errorf("%s: %.400s", seed.TryIt, out)
	}
	if out := shell(seed.First.Curl); !strings.Contains(out, `"agent":"curl/`) || !strings.Contains(out, `"tools":[{"tool":"score_card","count":1}]`) {
		t.Errorf("%s: %.800s", seed.First.Curl, out)
	}
	body := regexp.MustCompile(`(?m)^ *(\{"jsonrpc".*"message/send".*\})$`).FindStringSubmatch(seed.Instructions)
	agents := regexp.MustCompile(`(?m)^ *https://[^/]+(/a2a/[a-z]+) `).FindAllStringSubmatch(seed.Instructions, -1)
	if body == nil || len(agents) != 3 {
		t.Fatalf("%v, %v", body, agents)
	}
	for _, a := range agents {
		if out := shell("curl -s https://host" + a[1] + " -H 'content-type: application/json' -d '" + body[1] + "'"); !strings.Contains(out, `"status":{"state":"completed"}`) || !strings.Contains(out, `"grade":"D"`) {
			t.Errorf("%s: %.400s", a[1], out)
		}
	}
}

// What a client that knows nothing of us reads: instructions that begin with what needs no arguments, and each resource.
func TestAClientReadsInstructionsAndResources(t *testing.T) {
	t.Parallel()
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0")
	defer interrupt()
	for name, way := range map[string]mcp.Transport{"http": &mcp.StreamableClientTransport{Endpoint: endpoint, MaxRetries: -1},
		"stdio": &mcp.CommandTransport{Command: process(t, t.TempDir(), "serve")}} {
		ctx := t.Context()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "outsider", Version: "1"}, nil).Connect(ctx, way, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		said := session.InitializeResult().Instructions
		if !strings.HasPrefix(said, "whoami and example ") || strings.Contains(said, "/a2a/score (score_card)") != (name == "http") {
			t.Errorf("%s: %s", name, said)
		}
		read := func(uri string) string {
			r, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil || len(r.Contents) != 1 || r.Contents[0].URI != uri {
				t.Fatalf("%s, %s: %+v, %v", name, uri, r, err)
			}
			return r.Contents[0].Text
		}
		list, err := session.ListResources(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
			if text := read(r.URI); strings.Contains(r.MIMEType, "json") != json.Valid([]byte(text)) {
				t.Errorf("%s is %s: %.200s", r.URI, r.MIMEType, text)
			}
		}
		slices.Sort(uris)
		if want := "mcpassay://changes mcpassay://report/schema mcpassay://rules mcpassay://transport mcpassay://well-known/mcp.json"; strings.Join(uris, " ") != want {
			t.Errorf("%s offers %v", name, uris)
		}
		if text := read("mcpassay://report/schema"); text != string(report.Schema()) {
			t.Errorf("another schema: %.200s", text)
		}
		for _, r := range catalog.All() {
			if text := read("mcpassay://rules/" + r.ID); !strings.HasPrefix(text, "# "+r.ID+"\n") {
				t.Errorf("%s: %.100s", r.ID, text)
			}
		}
		var well struct{ Endpoint string }
		if err := json.Unmarshal([]byte(read("mcpassay://well-known/mcp.json")), &well); err != nil || name == "http" && well.Endpoint != endpoint {
			t.Errorf("%v, %+v", err, well)
		}
		for since, some := range map[string]bool{"0": true, catalog.Version: false} {
			var news struct {
				Cursor string
				Rules  []struct{ Rule, Since, Title string }
			}
			if err := json.Unmarshal([]byte(read("mcpassay://changes?since="+since)), &news); err != nil || news.Cursor != catalog.Version || (len(news.Rules) > 0) != some {
				t.Errorf("since %s: %v, cursor %s, %d rules", since, err, news.Cursor, len(news.Rules))
			}
		}
	}
}

// The page for models says where MCP and the agents of A2A are, and every address in it answers.
func TestThePageForModelsLeadsToBothLanes(t *testing.T) {
	t.Parallel()
	endpoint, interrupt := listening(t, nil, "--http", "127.0.0.1:0")
	defer interrupt()
	base := strings.TrimSuffix(endpoint, "/mcp")
	page := fetched(t, base+"/llms.txt")
	if page != fetched(t, base+"/") {
		t.Error("/ is another page than /llms.txt")
	}
	var links []string
	for _, m := range regexp.MustCompile(`\]\((`+regexp.QuoteMeta(base)+`[^)]*)\)`).FindAllStringSubmatch(page, -1) {
		links = append(links, strings.TrimPrefix(m[1], base))
		if m[1] != endpoint {
			fetched(t, m[1])
		}
	}
	slices.Sort(links)
	if want := "/a2a/discovery/.well-known/agent-card.json /a2a/example.json /a2a/lint/.well-known/agent-card.json /a2a/score/.well-known/agent-card.json /mcp /mcp/server-card"; strings.Join(links, " ") != want {
		t.Errorf("%v\n%s", links, page)
	}
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b strings.Builder
	if _, err := io.Copy(&b, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %d, %v", url, resp.StatusCode, err)
	}
	return b.String()
}
