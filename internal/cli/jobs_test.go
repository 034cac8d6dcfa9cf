package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// A report takes a hundred times the bytes of an empty entry: 300,000 empty tools, which fit into one request, once became an
// answer of 70 MB and held 880 MB.
func TestWhatOneCallJudgesAndAnswersIsBounded(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.ServeEntries, lim.ServeFindings = 10, 5
	a := &app{io: IO{Getenv: func(string) string { return "" }, Platform: "linux", Now: time.Now}, ctx: context.Background(), limits: lim}
	j := a.jobs(true)
	servers := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"s%d":{"url":7}`, i))
		}
		return `{"mcpServers":{` + strings.Join(all, ",") + `}}`
	}
	tools := func(n int) string {
		return `{"tools":[` + strings.TrimSuffix(strings.Repeat(`{},`, n), ",") + `]}`
	}
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ ID json.RawMessage }
		if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.ID == nil {
			w.WriteHeader(404)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"},%s}`,
			asked.ID, tools(11)[1:])
	}))
	t.Cleanup(endpoint.Close)
	for name, c := range map[string]struct {
		do   func() error
		says string
	}{
		"few servers":             {func() error { _, err := j.Lint(servers(1), "", ""); return err }, ""},
		"many servers":            {func() error { _, err := j.Lint(servers(11), "", ""); return err }, "10 are the most for one call"},
		"many tools":              {func() error { _, err := j.Scan(tools(11), ""); return err }, "10 are the most for one call"},
		"many findings":           {func() error { _, err := j.Lint(servers(9), "", ""); return err }, "5 are the most for one answer"},
		"many of an endpoint":     {func() error { _, err := j.Probe(t.Context(), "", endpoint.URL); return err }, "10 are the most for one call"},
		"the endpoint built in":   {func() error { _, err := j.Probe(t.Context(), "tools", "fixture://demo"); return err }, "5 are the most for one answer"},
		"a section with nothing":  {func() error { _, err := j.Probe(t.Context(), "errors", "fixture://demo"); return err }, ""},
		"many tools of one small": {func() error { _, err := j.Scan(tools(0), ""); return err }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.do()
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
}
