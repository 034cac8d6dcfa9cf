// Package scan asks servers what they expose and has the engine judge it, card by card. What a server answered becomes
// one document, its bytes as they came, and that document alone is judged: a saved one gives the same findings later,
// offline. A server that can not be asked is incomplete and stops none of the others.
package scan

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Target is one server to ask.
type Target struct {
	// Label names it in reports.
	Label string
	// Start is how it is started or reached.
	Start client.Start
	// Entry is the config entry that named it, nil for a target of the command line.
	Entry *client.Server
}

// Door asks one server. What could not be had, the whole of it included, is in the surface's gaps.
type Door interface {
	Ask(ctx context.Context, t Target) *wire.Surface
}

// Chosen is what a person's choice of a config's servers comes to.
type Chosen struct {
	Targets []Target
	// Unknown are names that no entry has, Off the servers that were left out because their client does not start them, and
	// Broken the entries that are no server at all.
	Unknown, Off []string
	Broken       []source.Node
}

// Choose picks the servers of a config that its client would start, or those of the names given, in the order of the file.
func Choose(f *client.File, names []string, w client.World) (c Chosen) {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = false
	}
	for _, s := range f.Servers {
		if s.Twin != nil {
			continue
		}
		_, named := wanted[s.Display()]
		switch {
		case named:
			wanted[s.Display()] = true
		case len(names) > 0:
			continue
		case s.Disabled || s.Hidden:
			c.Off = append(c.Off, s.Display())
			continue
		}
		c.Targets = append(c.Targets, Target{Label: s.Display(), Start: s.Start(w), Entry: s})
	}
	for _, m := range f.Maps {
		for n := range m.Node.Children() {
			if _, named := wanted[n.Key()]; n.Kind() != source.Object && (named || len(names) == 0) {
				wanted[n.Key()] = true
				c.Broken = append(c.Broken, n)
			}
		}
	}
	for _, n := range names {
		if !wanted[n] {
			c.Unknown = append(c.Unknown, n)
		}
	}
	return c
}

// Ask asks all targets, so many at once, and gives their surfaces in the order of the targets. told, if not nil, is
// called as each one ends, never twice at a time.
func Ask(ctx context.Context, door Door, targets []Target, atOnce int, told func(t Target, s *wire.Surface)) []*wire.Surface {
	out := make([]*wire.Surface, len(targets))
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, atOnce))
	for i, t := range targets {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			s := door.Ask(ctx, t)
			s.Label = t.Label
			mu.Lock()
			defer mu.Unlock()
			if t.Entry != nil {
				l := Origin(t.Entry) // which indexes the lines of the one config
				s.Origin = &l
			}
			out[i] = s
			if told != nil {
				told(t, s)
			}
		}()
	}
	wg.Wait()
	return out
}

// Origin is where a config names a server: the name of its entry.
func Origin(s *client.Server) finding.Location {
	return s.Node.Doc().Locate(s.Node.KeySpan(), s.Node.Pointer())
}

// Document writes surfaces as one document: one alone as model/wire writes it, several in a list.
func Document(all []*wire.Surface) []byte {
	if len(all) == 1 {
		return all[0].Encode()
	}
	var b bytes.Buffer
	b.WriteString("{\n\"servers\": [")
	for i, s := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(bytes.TrimSpace(s.Encode()))
	}
	b.WriteString("\n]\n}\n")
	return b.Bytes()
}

// Read takes a document of surfaces for judging. path is what reports show of it, abs the file, "" for one that is
// nowhere saved.
func Read(set *load.Set, path, abs string, raw []byte, c *client.Client, lim limits.Set) error {
	doc, err := source.Parse(path, raw, source.JSON, lim)
	if err != nil {
		return err
	}
	f := card.Read(doc)
	if f == nil {
		return fmt.Errorf("it is no saved surface, and holds no tools")
	}
	f.Path, f.Abs, f.Client, f.Unsaved = path, abs, c, abs == ""
	set.AddCards(f)
	return nil
}

// Place says of findings where they can be looked at: at the config entry that named the server; else, where the document
// is nowhere saved, not at all: the pointer and the names of server and tool say where.
func Place(found []finding.Finding, cards []*card.File) {
	origins, unsaved := map[string]*finding.Location{}, false
	for _, f := range cards {
		unsaved = unsaved || f.Unsaved
		for _, s := range f.Servers {
			origins[s.Name] = s.Origin
		}
	}
	for i := range found {
		f := &found[i]
		f.Origin, f.Nowhere = origins[f.Server], unsaved
		if !unsaved {
			continue
		}
		f.Location = bare(f.Location)
		for k := range f.Related {
			if l := f.Related[k].Location; l != nil {
				*l = bare(*l)
			}
		}
	}
}

func bare(l finding.Location) finding.Location {
	return finding.Location{Path: l.Path, Pointer: l.Pointer}
}
