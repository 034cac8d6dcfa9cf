package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpassay/mcpassay/internal/text"
)

// classes are what clients are taken for by a word of their user-agent, the first that fits.
func classes() [][2]string {
	return [][2]string{
		{"mcpassay", "mcpassay"}, {"claude", "MCP client"}, {"cursor", "MCP client"}, {"vscode", "MCP client"}, {"visual studio code", "MCP client"},
		{"mcp", "MCP client"}, {"a2a", "A2A client"}, {"bot", "crawler"}, {"crawl", "crawler"}, {"spider", "crawler"}, {"uptime", "monitor"}, {"monitor", "monitor"},
		{"mozilla", "browser"}, {"curl", "command line"}, {"wget", "command line"}, {"httpie", "command line"}, {"python", "Python program"}, {"aiohttp", "Python program"},
		{"node", "JavaScript program"}, {"undici", "JavaScript program"}, {"deno", "JavaScript program"}, {"bun/", "JavaScript program"}, {"go-http-client", "Go program"},
		{"java", "Java program"}, {"okhttp", "Java program"}, {"reqwest", "Rust program"}, {"dotnet", ".NET program"},
	}
}

func classOf(agent string) (class, why string) {
	if agent == "" {
		return "unknown", "the request names no user-agent"
	}
	for _, c := range classes() {
		if strings.Contains(strings.ToLower(agent), c[0]) {
			return c[1], `the user-agent holds "` + c[0] + `"`
		}
	}
	return "unknown", "no word of the user-agent is known"
}

// identity is the answer of whoami.
type identity struct {
	Agent   string `json:"agent"`
	Address string `json:"address"`
	Lane    Lane   `json:"lane"`
	Class   string `json:"class"`
	Why     string `json:"why"`
	Before  struct {
		Seen  bool     `json:"seen"`
		Tools []called `json:"tools"`
	} `json:"before"`
	Guard struct {
		Asks    string   `json:"asks"`
		Refuses []string `json:"refuses"`
	} `json:"guard"`
	RateLimit struct {
		Probes        int `json:"probes"`
		Left          int `json:"left"`
		WindowSeconds int `json:"windowSeconds"`
		ResetSeconds  int `json:"resetSeconds"`
		PerTarget     int `json:"perTarget"`
	} `json:"rateLimit"`
}

func (b *bench) whoami(_ context.Context, c Caller, raw json.RawMessage) (Result, error) {
	if err := arguments(raw, &struct{}{}, "no arguments"); err != nil {
		return Result{}, err
	}
	var id identity
	id.Agent, id.Address, id.Lane = text.Safe(c.Agent, b.lim.ShownRunes), cmp.Or(c.Address, "stdio"), c.Lane
	id.Class, id.Why = classOf(id.Agent)
	id.Before.Tools = b.callers.Before(c)
	id.Before.Seen = len(id.Before.Tools) > 0
	id.Guard.Asks, id.Guard.Refuses = b.guard.describe()
	left, reset := b.callers.Left(c.Address)
	id.RateLimit.Probes, id.RateLimit.Left, id.RateLimit.PerTarget = b.lim.CallerProbes, left, b.lim.TargetProbes
	id.RateLimit.WindowSeconds, id.RateLimit.ResetSeconds = int(b.lim.ProbeWindow.Seconds()), int(reset.Seconds())
	doc, err := json.Marshal(id)
	return Result{JSON: doc, Text: id.text(b.lim.Callers, int(b.lim.CallerTime.Minutes()))}, err
}

// describe says what the guard does with a URL.
func (g *Guard) describe() (asks string, refuses []string) {
	if g.Private {
		return "any http:// or https:// URL, private networks included: the operator allowed it", []string{"this server itself"}
	}
	return "https:// URLs of public hosts, whose every address must be public too", []string{"http://", "IP addresses", "names of private networks",
		"names with a private address", "URLs with a password", "this server itself",
		fmt.Sprintf("%d ephemeral hosts such as %s (list of %s)", len(ephemeralHosts().Hosts), ephemeralHosts().Hosts[0].Suffix, ephemeralHosts().AsOf)}
}

func (id *identity) text(callers, minutes int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "user-agent  %s\naddress     %s\nclass       %s: %s\nbefore      ", cmp.Or(id.Agent, "none"), id.Address, id.Class, id.Why)
	if !id.Before.Seen {
		s.WriteString("not seen")
	}
	for i, t := range id.Before.Tools {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(&s, "%s %d×", t.Tool, t.Count)
	}
	fmt.Fprintf(&s, " (kept: tool names and counts of %d callers for %d minutes, in memory, no URL)\n", callers, minutes)
	fmt.Fprintf(&s, "asks        %s\nrefuses     %s\nprobes      %d of %d left; %d for one target in %d seconds\n", id.Guard.Asks, strings.Join(id.Guard.Refuses, ", "),
		id.RateLimit.Left, id.RateLimit.Probes, id.RateLimit.PerTarget, id.RateLimit.WindowSeconds)
	return s.String()
}
