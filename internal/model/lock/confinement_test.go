package lock

import (
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
)

func TestAConfinementIsReadAsItWasWrittenAndCoveredByTheLaunch(t *testing.T) {
	p := Places{Project: "/work/p", Home: "/home/ada"}
	c, err := NewConfinement("", []string{"/work/p/docs", "/home/ada/notes", "/work/p/docs"}, []string{"/work/p/out"}, []int{443, 53, 443}, false, p)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Name: "files", Launch: Launch{Transport: "stdio", Command: "files"}, Unpinned: true}
	open := s.LaunchDigest()
	s.Confinement = c
	if s.LaunchDigest() == open {
		t.Error("who approved it without bounds approved it with them")
	}
	text := (&Lock{Servers: []*Server{s}}).Encode()
	if want := `"confinement": {"connect":[53,443],"executor":"auto","read":["${home}/notes","${project}/docs"],"write":["${project}/out"]}`; !strings.Contains(string(text), want) {
		t.Errorf("%s", text)
	}
	l, err := Read("mcpassay.lock", text, limits.Default)
	if err != nil || !l.Get("files").Confinement.Same(c) {
		t.Fatal(err)
	}
	read, write := l.Get("files").Confinement.On(Places{Project: "/srv/p", Home: "/home/grace"})
	if strings.Join(read, " ") != "/home/grace/notes /srv/p/docs" || strings.Join(write, " ") != "/srv/p/out" {
		t.Errorf("%q %q", read, write)
	}
	wider := *c
	wider.Network, wider.Connect = true, []int{}
	if s.Confinement = &wider; s.LaunchDigest() == open || wider.Same(c) {
		t.Error("a wider profile is the same one")
	}
}

// A lock of a stranger may hold a profile that no verb writes: the digests in it are right.
func TestAConfinementThatNoVerbWritesIsRefused(t *testing.T) {
	for want, c := range map[string]Confinement{
		"confines no server":       {Executor: "host", Read: []string{}, Write: []string{}, Connect: []int{}},
		"where one stands":         {Executor: "auto", Read: []string{"docs"}, Write: []string{}, Connect: []int{}},
		"leads out":                {Executor: "auto", Read: []string{}, Write: []string{"${project}/../x"}, Connect: []int{}},
		"folders of its confine":   {Executor: "auto", Read: []string{"/b", "/a"}, Write: []string{}, Connect: []int{}},
		"is no TCP port":           {Executor: "auto", Read: []string{}, Write: []string{}, Connect: []int{0}},
		"65536 is no":              {Executor: "auto", Read: []string{}, Write: []string{}, Connect: []int{65536}},
		"not in their order":       {Executor: "auto", Read: []string{}, Write: []string{}, Connect: []int{2, 1}},
		"whole network, and singl": {Executor: "auto", Read: []string{}, Write: []string{}, Connect: []int{1}, Network: true},
	} {
		text := (&Lock{Servers: []*Server{{Name: "files", Launch: Launch{Transport: "stdio", Command: "files"}, Unpinned: true, Confinement: &c}}}).Encode()
		if _, err := Read("mcpassay.lock", text, limits.Default); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
