package config

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// RemoteWithoutType is config/remote-without-type.
var RemoteWithoutType = &rule.Rule{
	ID:       "config/remote-without-type",
	Title:    "an address without a transport",
	Trigger:  "An entry has an address and no type, and its client does not take it for Streamable HTTP.",
	Message:  `Server "{name}" has an address and no "{key}": {client} {does}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Add the client's word for Streamable HTTP; with --fix=unsafe where that changes what the client does, and for an address that ends in /sse its word for SSE.",
	Server: remoteWithoutType,
}

func remoteWithoutType(p *rule.Pass, s *client.Server) {
	c := p.File.Client
	key := c.Remote.TypeKey
	if s.Hidden || !placed(p.File) || key == "" || s.URL.Value == "" || s.Node.Get(key).Valid() || !readsURL(s, s.URL.Node) || s.Command.Value != "" {
		return
	}
	does, safety := "", finding.Safe
	var opts []rule.Option
	switch {
	case c.Remote.URLWithoutType == client.Dropped:
		does = "leaves it out without a message"
	case c.Remote.URLWithoutType == client.Refused:
		does = "refuses it"
	case c.Remote.URLWithoutType == client.SSE && len(c.Remote.URLKeys) == 1 && !looksSSE(s): // one with two has the other for HTTP
		does, safety = "takes it for the deprecated SSE", finding.Unsafe
		opts = []rule.Option{rule.WithSeverity(finding.Warning)}
	default:
		return
	}
	opts = append(append(opts, byTable(p, client.Medium)...), rule.WithBlast(entryBlast(p.File)))
	if !s.Node.Shared() {
		opts = append(opts, saying(s, key, safety)...)
	}
	p.Report(rule.Key(s.URL.Node), rule.Args{"name": s.Name, "key": key, "client": c.Name, "does": does}, opts...)
}

func looksSSE(s *client.Server) bool {
	a, ok := client.RemoteURL(s.URL.Value)
	return ok && strings.HasSuffix(strings.TrimRight(a.Path, "/"), "/sse")
}

// saying writes the transport in the client's own field: what another client's field says, or else Streamable HTTP, or
// what the address looks like.
func saying(s *client.Server, key string, safety finding.Safety) []rule.Option {
	c := s.File.Client
	if other := first(s.Node, "type", "transport", "transportType"); other.Kind() == source.String {
		means, _ := s.File.Means(other.Text())
		if word := ownWord(c, means); word != "" {
			return []rule.Option{rule.WithFix(safety, `write "`+key+`": "`+word+`"`, other.Rename(key), rewrite(other, word))}
		}
		return nil
	}
	word := c.Remote.Writes
	if looksSSE(s) {
		word, safety = ownWord(c, client.SSE), finding.Unsafe
	}
	if word == "" {
		return nil
	}
	return []rule.Option{rule.WithFix(safety, `add "`+key+`": "`+word+`"`, s.Node.Insert(key, source.Quote(word)))}
}
