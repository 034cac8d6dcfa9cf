package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/source"
)

// nameOf is the place of an entry's name: its key, or the name field of an entry that stands in a list.
func nameOf(s *client.Server) rule.Place {
	if n := s.Node.Get("name"); !s.Node.IsMember() && n.Valid() {
		return rule.At(n)
	}
	return rule.Key(s.Node)
}

// serversByNode finds the server that a value of the file is.
func serversByNode(f *client.File) map[source.Node]*client.Server {
	all := make(map[source.Node]*client.Server, len(f.Servers))
	for _, s := range f.Servers {
		all[s.Node] = s
	}
	return all
}

// placed says that the file is read by the client that it is judged by: it is in that client's place. A file that no
// client reads, or whose shape several share, is held to no client's own words.
func placed(f *client.File) bool { return !f.Dead() && !f.Guessed }

// entryBlast is what the client loses by one entry that it can not use.
func entryBlast(f *client.File) finding.Blast {
	switch {
	case !placed(f):
	case f.Client.BadEntry == "client":
		return finding.BlastClient
	case f.Client.BadEntry == "file":
		return finding.BlastFile
	}
	return finding.BlastEntry
}

// fileBlast is what the client loses by a file that it can not read. Its client may not be known.
func fileBlast(f *client.File) finding.Blast {
	if f.Client != nil && f.Client.BadEntry == "client" {
		return finding.BlastClient
	}
	return finding.BlastFile
}

// byTable are the options of a finding that rests on what the client table says: it warns at most where the row's
// confidence is below least.
func byTable(p *rule.Pass, least client.Confidence) []rule.Option {
	if c := p.File.Client.Confidence; c == client.High || c == least {
		return nil
	}
	return []rule.Option{rule.WithSeverity(min(p.Rule.Severity, finding.Warning)), rule.WithConfidence(finding.Medium)}
}

// commandField is the client's own name for the command, and the field of the entry that stands for it, under
// whatever name.
func commandField(s *client.Server) (name string, n source.Node) {
	own := s.File.Client.Fields["command"]
	if name = "command"; len(own) > 0 {
		name = own[0]
	}
	if n = first(s.Node, own...); n.Valid() {
		return name, n
	}
	return name, first(s.Node, "command", "cmd")
}

// urlField is the same for the address.
func urlField(s *client.Server) (name string, n source.Node) {
	for _, k := range s.File.Client.Remote.URLKeys {
		if name == "" || k.Key == "url" {
			name = k.Key
		}
		if !n.Valid() {
			n = s.Node.Get(k.Key)
		}
	}
	if name == "" {
		name = "url"
	}
	if n.Valid() {
		return name, n
	}
	return name, first(s.Node, "url", "httpUrl", "serverUrl", "uri")
}

// readsURL says that the client reads the field that holds an address. A file of no known client is read by any.
func readsURL(s *client.Server, field source.Node) bool {
	keys := s.File.Client.Remote.URLKeys
	return len(keys) == 0 || slices.ContainsFunc(keys, func(k client.URLKey) bool { return k.Key == field.Key() })
}

// readsType says that the client takes the transport from the field where the entry has it.
func readsType(s *client.Server) bool {
	return s.TypeNode.Valid() && (s.File.Client == client.Generic || s.TypeNode.Key() == s.File.Client.Remote.TypeKey)
}

// first is the first of the fields that the object has.
func first(n source.Node, names ...string) source.Node {
	for _, name := range names {
		if c := n.Get(name); c.Valid() {
			return c
		}
	}
	return source.Node{}
}
