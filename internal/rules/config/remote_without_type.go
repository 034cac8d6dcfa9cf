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
	Trigger:  "An entry has an address and no type, and its client does not guess.",
	Message:  `Server "{name}" has an address and no "{key}": {client} {does}`,
	Severity: finding.Error,
	Tags:     []string{rule.Schema, rule.Portability},
	Since:    "0.1.0",
	Fix:      finding.Safe, FixDescription: "Add the client's word for Streamable HTTP; for an address that ends in /sse, with --fix=unsafe, its word for SSE.",
	Server: remoteWithoutType,
}

func remoteWithoutType(p *rule.Pass, s *client.Server) {
	c := p.File.Client
	key := c.Remote.TypeKey
	if s.Hidden || !placed(p.File) || key == "" || s.URL.Value == "" || s.Node.Get(key).Valid() || !readsURL(s, s.URL.Node) || s.Command.Value != "" {
		return
	}
	does := ""
	switch c.Remote.URLWithoutType {
	case client.Dropped:
		does = "leaves it out without a message"
	case client.Refused:
		does = "refuses it"
	default:
		return
	}
	opts := append(byTable(p, client.Medium), rule.WithBlast(entryBlast(p.File)))
	if !s.Node.Shared() {
		opts = append(opts, saying(s, key)...)
	}
	p.Report(rule.Key(s.URL.Node), rule.Args{"name": s.Name, "key": key, "client": c.Name, "does": does}, opts...)
}

// saying writes the transport in the client's own field: what another client's field says, or else Streamable HTTP, or
// what the address looks like.
func saying(s *client.Server, key string) []rule.Option {
	c := s.File.Client
	if other := first(s.Node, "type", "transport", "transportType"); other.Kind() == source.String {
		means, _ := s.File.Means(other.Text())
		if word := ownWord(c, means); word != "" {
			return []rule.Option{rule.WithFix(finding.Safe, `write "`+key+`": "`+word+`"`, other.Rename(key), rewrite(other, word))}
		}
		return nil
	}
	word, safety := c.Remote.Writes, finding.Safe
	if a, ok := client.RemoteURL(s.URL.Value); ok && strings.HasSuffix(strings.TrimRight(a.Path, "/"), "/sse") {
		word, safety = ownWord(c, client.SSE), finding.Unsafe
	}
	if word == "" {
		return nil
	}
	return []rule.Option{rule.WithFix(safety, `add "`+key+`": "`+word+`"`, s.Node.Insert(key, source.Quote(word)))}
}
