package pin

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// memory is a lock file in memory.
type memory struct {
	raw    []byte
	held   bool
	writes int
}

func (m *memory) Exclusive(context.Context) (func(), error) {
	if m.held {
		return nil, errors.New("held")
	}
	m.held = true
	return func() { m.held = false }, nil
}

func (m *memory) Read() ([]byte, error) { return m.raw, nil }

func (m *memory) Replace(was, now []byte) error {
	if string(was) != string(m.raw) || !m.held {
		return errors.New("changed")
	}
	m.raw = now
	m.writes++
	return nil
}

func server(name, tool string) *lock.Server {
	s := &lock.Server{Name: name, Launch: lock.Launch{Transport: "http", URL: "https://mcp.example.com/mcp"}}
	s.Items[wire.Tools] = []lock.Item{{Name: tool, JSON: []byte(`{"name":"` + tool + `"}`)}}
	return s
}

func approval(s *lock.Server, by string) lock.Approval {
	return lock.Approval{Server: s.Name, Launch: s.LaunchDigest(), Surface: s.SurfaceDigest(), By: by, At: "2026-12-01T00:00:00Z"}
}

func TestALockThatDoesNotChangeIsLeftAlone(t *testing.T) {
	m := &memory{}
	put := func(l *lock.Lock) error { _, err := Put(l, server("shop", "buy"), false); return err }
	for i, want := range []bool{true, false} {
		written, err := Update(t.Context(), m, "mcpassay.lock", limits.Default, put)
		if err != nil || written != want || m.writes != 1 || m.held {
			t.Errorf("%d: written %v, %v, %d writes", i, written, err, m.writes)
		}
	}
	m.raw = []byte(strings.Replace(string(m.raw), "buy", "sell", 1))
	var broken *BrokenError
	if _, err := Update(t.Context(), m, "mcpassay.lock", limits.Default, put); !errors.As(err, &broken) || m.writes != 1 {
		t.Errorf("a lock that was edited: %v", err)
	}
	m.raw = nil
	failed := errors.New("no")
	if _, err := Update(t.Context(), m, "mcpassay.lock", limits.Default, func(*lock.Lock) error { return failed }); !errors.Is(err, failed) || m.raw != nil {
		t.Errorf("a change that failed: %v", err)
	}
}

// A lock that is written and can not be read is one that nobody can verify, nor put right.
func TestALockThatCouldNotBeReadAgainIsNotWritten(t *testing.T) {
	m := &memory{}
	add := func(name string) func(*lock.Lock) error {
		return func(l *lock.Lock) error { _, err := Put(l, server(name, "buy"), false); return err }
	}
	if _, err := Update(t.Context(), m, "mcpassay.lock", limits.Default, add("shop")); err != nil {
		t.Fatal(err)
	}
	small, few := limits.Default, limits.Default
	small.NamedBytes = len(m.raw) + 10
	few.Values = 40
	for what, lim := range map[string]limits.Set{"bytes": small, "values": few} {
		var large *TooLargeError
		if _, err := Update(t.Context(), m, "mcpassay.lock", lim, add("books")); !errors.As(err, &large) || large.Error() == "" || m.writes != 1 {
			t.Errorf("too many %s: %v", what, err)
		}
	}
}

func TestAnApprovedEntryGivesWayOnlyToAPerson(t *testing.T) {
	l := &lock.Lock{}
	first, second, third := server("shop", "buy"), server("shop", "sell"), server("shop", "give")
	for _, step := range []struct {
		s       *lock.Server
		replace bool
		want    Outcome
		was     *lock.Server
	}{
		{first, false, Added, nil},
		{first, false, Unchanged, nil},
		{second, false, Replaced, nil}, // nobody approved the first
		{second, false, Unchanged, nil},
	} {
		got, err := Put(l, step.s, step.replace)
		if err != nil || got != step.want || l.Was("shop") != step.was {
			t.Errorf("%v: %v %v", step, got, err)
		}
	}
	Approve(l, approval(second, "ada"))
	Approve(l, approval(second, "ada"))
	Approve(l, approval(second, "grace"))
	if len(l.Approved(second)) != 2 {
		t.Errorf("%d approvals", len(l.Approvals))
	}
	var approved *ApprovedError
	if _, err := Put(l, third, false); !errors.As(err, &approved) || l.Get("shop") != second {
		t.Errorf("an approved entry: %v", err)
	}
	if got, err := Put(l, third, true); err != nil || got != Replaced || l.Was("shop") != second || len(l.Approved(third)) != 0 {
		t.Errorf("%v %v", got, err)
	}
	// What was approved last is kept until the next approval, whatever is pinned in between.
	if _, err := Put(l, first, false); !errors.As(err, &approved) {
		t.Errorf("the last approved state would be lost: %v", err)
	}
	if _, err := Put(l, first, true); err != nil || l.Was("shop") != second {
		t.Errorf("%v", err)
	}
	again := lock.Open("mcpassay.lock", "", l.Encode(), limits.Default)
	if again.Err != nil || !again.Was("shop").Same(second) {
		t.Errorf("%v", again.Err)
	}
	// Back to what was approved is approved.
	if _, err := Put(l, second, true); err != nil || l.Was("shop") != nil || len(l.Approved(second)) != 2 {
		t.Errorf("%v, was %v", err, l.Was("shop"))
	}
	if _, err := Put(l, third, true); err != nil {
		t.Fatal(err)
	}
	Approve(l, approval(third, "ada"))
	if l.Was("shop") != nil || len(l.Approvals) != 1 {
		t.Errorf("after the approval: was %v, %d approvals", l.Was("shop"), len(l.Approvals))
	}
}

func TestAnApprovalIsTakenBackByItsOwnerOrByAnybody(t *testing.T) {
	l := &lock.Lock{}
	s := server("shop", "buy")
	l.Put(s)
	Approve(l, approval(s, "ada"))
	Approve(l, approval(s, "grace"))
	if n := Revoke(l, "shop", "ada", lock.Revocation{At: "2026-12-02T00:00:00Z"}); n != 1 || len(l.Approved(s)) != 1 {
		t.Errorf("%d, %d left", n, len(l.Approved(s)))
	}
	if n := Revoke(l, "shop", "", lock.Revocation{At: "2026-12-02T00:00:00Z"}); n != 1 || len(l.Approved(s)) != 0 {
		t.Errorf("%d, %d left", n, len(l.Approved(s)))
	}
	Approve(l, approval(s, "ada")) // who took it back may give it again
	if len(l.Approved(s)) != 1 {
		t.Errorf("%d approvals", len(l.Approved(s)))
	}
}

func TestNamesThatNobodyCouldTypeAreRefused(t *testing.T) {
	for name, ok := range map[string]bool{"shop": true, "@a/b": true, "": false, " shop": false,
		strings.Repeat("a", limits.Default.LockName): true, strings.Repeat("a", limits.Default.LockName+1): false} {
		if err := lock.CheckName(name); (err == nil) != ok {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

func TestWhatAPersonTypedIsALaunch(t *testing.T) {
	p := lock.Places{Project: "/p"}
	l, err := Launch(nil, client.Start{Argv: []string{"node", "/p/a.js"}}, "/p/sub", "", Given{Env: []string{"B", "A"}}, p)
	if err != nil || l.Cwd != "${project}/sub" || l.Args[0] != "${project}/a.js" || strings.Join(l.Env, " ") != "A B" {
		t.Errorf("%+v %v", l, err)
	}
	if start := l.Start(lock.Places{Project: "/q"}); strings.Join(start.Argv, " ") != "node /q/a.js" || start.Dir != "/q/sub" {
		t.Errorf("%+v", start)
	}
	l, err = Launch(nil, client.Start{URL: "https://mcp.example.com/mcp"}, "/p", "sse", Given{Headers: []string{"X-Key"}}, p)
	if err != nil || l.Transport != "sse" || l.Headers[0] != "x-key" {
		t.Errorf("%+v %v", l, err)
	}
}

// What was locked of a launch stays with the surface that is pinned of it, under the name that the project gives it, and gives way
// to nothing that starts something else unless a person says so.
func TestPinningKeepsWhatWasLocked(t *testing.T) {
	launch := lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/files@1.0.0"}}
	l := &lock.Lock{}
	l.Put(&lock.Server{Name: "io.github.example/files", Unpinned: true, Launch: launch, Record: &lock.Record{Name: "io.github.example/files", Version: "1.0.0"},
		Package: &lock.Package{Type: "npm", Identifier: "@example/files", Version: "1.0.0"}})
	pinned := &lock.Server{Name: "files", Launch: launch}
	pinned.Items[wire.Tools] = []lock.Item{{Name: "read", JSON: []byte(`{"inputSchema":{"type":"object"},"name":"read"}`)}}
	if pinned.Name = Named(l, pinned); pinned.Name != "io.github.example/files" {
		t.Fatal(pinned.Name)
	}
	if outcome, err := Put(l, pinned, false); err != nil || outcome != Replaced {
		t.Fatal(outcome, err)
	}
	s := l.Get("io.github.example/files")
	if len(l.Servers) != 1 || s.Unpinned || s.Package == nil || s.Record == nil || len(s.Items[wire.Tools]) != 1 {
		t.Errorf("%+v", s)
	}
	before := string(l.Encode())
	other := &lock.Server{Name: s.Name, Launch: lock.Launch{Transport: "stdio", Command: "npx", Args: []string{"-y", "@example/files@1.0.1"}}}
	var locked *LockedError
	if _, err := Put(l, other, false); !errors.As(err, &locked) || !strings.Contains(err.Error(), "npm @example/files 1.0.0") || string(l.Encode()) != before {
		t.Errorf("%v\n%s", err, l.Encode())
	}
	if Named(l, &lock.Server{Name: "else", Launch: other.Launch}) != "else" {
		t.Error("another launch has the name of what is locked")
	}
	if _, err := Put(l, other, true); err != nil || l.Get(s.Name).Package != nil {
		t.Errorf("%v, %+v", err, l.Get(s.Name))
	}
}
