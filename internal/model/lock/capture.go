package lock

import (
	"fmt"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/model/card"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Capture takes down what a server exposes from its saved surface (model/wire). What could not be had, and what has no
// canonical form, is an error: a lock never holds a part of a surface.
func Capture(name string, s *card.Server) (*Server, error) {
	if !s.Saved {
		return nil, fmt.Errorf("it holds tools, but not what a server answered when it was asked")
	}
	for gap := range s.Gaps.Children() {
		return nil, fmt.Errorf("%s could not be read: %s", gap.Get("part").Text(), gap.Get("detail").Text())
	}
	for _, list := range s.Unfinished() {
		return nil, fmt.Errorf("the last page of %s names a next one, which is not here", list)
	}
	for fault := range s.Faults.Children() {
		switch wire.FaultKind(fault.Get("kind").Text()) {
		case wire.RepeatedCursor:
			return nil, fmt.Errorf("the pages of %s never end", fault.Get("during").Text())
		case wire.CredentialEchoed:
			return nil, fmt.Errorf("its answers repeat a credential that it was given")
		}
	}
	return Take(name, s)
}

// Take takes down what a document holds of a server, be it all or a part (a tools file holds no instructions). What has no
// canonical form is an error.
func Take(name string, s *card.Server) (*Server, error) {
	out := &Server{Name: name, Node: s.Node, Protocol: Protocol{Era: s.Protocol.Get("era").Text(), Revision: s.Revision}}
	var err error
	if out.Identity, err = form(s.Info); err != nil {
		return nil, fmt.Errorf("serverInfo: %w", err)
	}
	if out.Capabilities, err = form(s.Capabilities); err != nil {
		return nil, fmt.Errorf("capabilities: %w", err)
	}
	if s.Instructions.Kind() == source.String {
		if bad := s.Instructions.Doc().BadText; bad.Len() > 0 {
			return nil, fmt.Errorf("it sends text that is not Unicode")
		}
		text := s.Instructions.Text()
		out.Instructions = &text
	}
	for _, stray := range s.Strays {
		return nil, fmt.Errorf("an item of %s is %s", stray.Parent().Key(), stray.Kind())
	}
	for _, c := range s.Cards {
		raw, err := canon.JSON(c.Node.Raw())
		if err != nil {
			return nil, fmt.Errorf("%s %s has no one meaning: %w", c.Kind, c.Label(), err)
		}
		k := wire.Lists()[c.Kind]
		out.Items[k] = append(out.Items[k], Item{Name: c.Name, JSON: raw, Node: c.Node})
	}
	return out, nil
}

// form is the canonical form of a node, nil for none.
func form(n source.Node) ([]byte, error) {
	if !n.Valid() {
		return nil, nil
	}
	return canon.JSON(n.Raw())
}
