package gateway

import (
	"strings"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/source"
)

// between stands between the word for a server and a name of its own: a word holds no underscore, so that the first two are it.
const between = "__"

// mark is how many characters of a digest tell names apart that had to be changed.
const mark = 8

// Word is what a server is called in the names that clients see: small letters, digits and single hyphens, which a tool's name and a
// URI's scheme may both hold. It is made of the last part of a name ("io.github.example/files" is files); one of more than most bytes
// is cut, and ends with a digest.
func Word(name string, most int) string {
	last := name[strings.LastIndexByte(name, '/')+1:]
	var b strings.Builder
	for _, r := range strings.ToLower(last) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	word := strings.Trim(b.String(), "-")
	switch {
	case word == "":
		word = "s-" + digest(name)
	case word[0] < 'a':
		word = "s-" + word
	}
	if len(word) > most {
		word = strings.TrimRight(word[:most-mark-1], "-") + "-" + digest(name)
	}
	return word
}

func digest(of string) string {
	d := canon.Digest([]byte(of))
	return d[len("sha256:"):][:mark]
}

// Room is how long a name may be that we offer, where clients call us entry: what the strictest of them leaves of a tool's name once
// its own words stand before it.
func Room(clients []*client.Client, entry string) int {
	const widest = 128 // MCP 2025-11-25, tools: names
	room := widest
	for _, c := range clients {
		if l := c.Limits.ToolName; l.Max > 0 {
			before := strings.NewReplacer("{server}", entry, "{tool}", "").Replace(l.Format)
			room = min(room, l.Max-len(before))
		}
	}
	return room
}

// effective is the name that clients see for a name of a server. Where it would hold a character that clients refuse, or be too
// long, it is changed, and a digest of the server's own name ends it.
func (s *server) effective(own string) string {
	clean := strings.Map(func(r rune) rune {
		if r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, own)
	name := s.word + between + clean
	if clean == own && len(name) <= s.g.room {
		return name
	}
	return name[:min(len(name), s.g.room-mark-1)] + "_" + digest(own)
}

// uri is a URI of a server as clients see it, or a template of one: its scheme says whose it is.
func (s *server) uri(own string) string { return s.word + "+" + own }

// ofName finds the server that a name is one of.
func (g *Gateway) ofName(name string) (s *server, own string) {
	word, own, ok := strings.Cut(name, between)
	if s = g.words[word]; !ok || s == nil {
		return nil, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, changed := s.names[name]; changed {
		own = was
	}
	return s, own
}

// ofURI finds the server that a URI is one of.
func (g *Gateway) ofURI(uri string) (s *server, own string) {
	word, own, ok := strings.Cut(uri, "+")
	if !ok {
		return nil, ""
	}
	return g.words[word], own
}

// links are the edits that make URIs of a server the ones that clients see, in the result of a method.
func (s *server) links(method string, result source.Node) (edits []finding.Edit) {
	uri := func(n source.Node) {
		if own, ok := n.Get("uri").Str(); ok {
			edits = append(edits, n.Get("uri").Replace(source.Quote(s.uri(own))))
		}
	}
	block := func(n source.Node) {
		switch n.Get("type").Text() {
		case "resource_link":
			uri(n)
		case "resource":
			uri(n.Get("resource"))
		}
	}
	blocks := func(n source.Node) {
		block(n)
		if n.Kind() == source.Array {
			for c := range n.Children() {
				block(c)
			}
		}
	}
	switch method {
	case "tools/call":
		blocks(result.Get("content"))
	case "prompts/get":
		for m := range result.Get("messages").Children() {
			blocks(m.Get("content"))
		}
	case "resources/read":
		for c := range result.Get("contents").Children() {
			uri(c)
		}
	}
	return edits
}
