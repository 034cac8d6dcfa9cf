package locking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/project"
	"github.com/mcpassay/mcpassay/internal/model/registry"
)

// world is a registry of both kinds in memory.
type world struct {
	records map[string][]*registry.Record
	pins    map[string]*pkg.Pin
	now     atomic.Int32
	most    atomic.Int32
	slow    time.Duration
}

func (w *world) enter() func() {
	n := w.now.Add(1)
	for {
		m := w.most.Load()
		if n <= m || w.most.CompareAndSwap(m, n) {
			break
		}
	}
	time.Sleep(w.slow)
	return func() { w.now.Add(-1) }
}

func (w *world) Version(_ context.Context, name, version string) (*registry.Record, error) {
	for _, r := range w.records[name] {
		if r.Version == version {
			return r, nil
		}
	}
	return nil, &registry.Error{Kind: registry.NotFound, Name: name, Version: version}
}

func (w *world) Versions(_ context.Context, name string) ([]*registry.Record, []registry.Fault, error) {
	defer w.enter()()
	if all := w.records[name]; len(all) > 0 {
		return all, nil, nil
	}
	return nil, nil, &registry.Error{Kind: registry.NotFound, Name: name}
}

func (w *world) Resolve(_ context.Context, t pkg.Type, base, name, want, digest string) (*pkg.Pin, error) {
	pin := w.pins[string(t)+" "+name]
	if pin == nil {
		return nil, &registry.Error{Kind: registry.NotFound, Name: name}
	}
	out := *pin
	if want != "" && !strings.HasPrefix(want, "^") {
		out.Version = want
	}
	return &out, nil
}

func (w *world) Attestations(context.Context, *pkg.Pin) (map[string][]byte, error) {
	return nil, &registry.Error{Kind: registry.NotFound}
}

func sum(fill string) pkg.Hash {
	h, err := pkg.Hex("sha512", strings.Repeat(fill, 64))
	if err != nil {
		panic(err)
	}
	return h
}

func record(t testing.TB, text string) *registry.Record {
	t.Helper()
	r, err := registry.ReadRecord([]byte(`{"server":`+text+`,"_meta":{"io.modelcontextprotocol.registry/official":{"status":"active","isLatest":true}}}`), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const aRecord = `{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"npm","identifier":"files","version":"3.0.0"}]}`

func newWorld(t testing.TB) (*world, *Locker) {
	w := &world{records: map[string][]*registry.Record{"com.example/files": {record(t, aRecord)}},
		pins: map[string]*pkg.Pin{"npm files": {Type: pkg.NPM, Base: "https://ada:pw@registry.example.com/?token=x", Name: "files", Version: "3.0.0", Files: []pkg.File{{Name: "files", Hashes: []pkg.Hash{sum("ab")}}}}}}
	return w, &Locker{Registry: w, Packages: w, Base: "https://mcp.example.com", Limits: limits.Default,
		Provenance: func(*pkg.Pin, map[string][]byte) lock.Provenance { return lock.Provenance{Status: lock.Unsupported} }}
}

func wanted(names ...string) (all []project.Server) {
	for _, n := range names {
		all = append(all, project.Server{Name: n, Kind: project.Registry, Of: "com.example/files"})
	}
	return all
}

func TestSoManyAreAskedAtOnceAndNoMore(t *testing.T) {
	w, k := newWorld(t)
	w.slow = 5 * time.Millisecond
	k.Limits.RegistryAtOnce = 3
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("s%02d", i))
	}
	if _, err := k.Resolve(context.Background(), &lock.Lock{}, wanted(names...), false); err != nil {
		t.Fatal(err)
	}
	if most := w.most.Load(); most != 3 {
		t.Errorf("%d were asked at once", most)
	}
}

// The version of a record and that of its package are two things, and a login is in neither.
func TestTheVersionOfAPackageIsNotThatOfItsRecord(t *testing.T) {
	_, k := newWorld(t)
	all, err := k.Resolve(context.Background(), &lock.Lock{}, wanted("a"), false)
	if err != nil {
		t.Fatal(err)
	}
	s := all[0].Server
	if s.Record.Version != "1.0.0" || s.Package.Version != "3.0.0" || s.Launch.Args[1] != "files@3.0.0" || s.Package.Registry != "https://registry.example.com/" {
		t.Errorf("%+v %+v", s.Record, s.Package)
	}
}

// What happens to a lock while registries are asked counts: an approval that was given meanwhile stays.
func TestWhatWasApprovedMeanwhileStays(t *testing.T) {
	_, k := newWorld(t)
	all, err := k.Resolve(context.Background(), &lock.Lock{}, wanted("a"), false)
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Lock{}
	if _, err := Apply(l, all, false, true); err != nil {
		t.Fatal(err)
	}
	pinned := *l.Get("a")
	pinned.Unpinned = false
	l.Put(&pinned)
	l.Approvals = []lock.Approval{{Server: "a", Launch: pinned.LaunchDigest(), Surface: pinned.SurfaceDigest(), By: "ada", At: "2026-12-01T00:00:00Z"}}
	before := string(l.Encode())
	if changes, err := Apply(l, all, false, true); err != nil || string(l.Encode()) != before || changes[0].What != Unchanged {
		t.Errorf("%v, %v\n%s", changes, err, l.Encode())
	}
	other := *all[0]
	server := *other.Server
	server.Launch.Args = []string{"-y", "files@4.0.0"}
	other.Server = &server
	var refused *RefusedError
	if _, err := Apply(l, []*Entry{&other}, false, true); !errors.As(err, &refused) || refused.All[0].Reason != Approved || string(l.Encode()) != before {
		t.Errorf("%v\n%s", err, l.Encode())
	}
}

func TestAVersionThatCanNotBeReadMayBeTheOneThatIsWanted(t *testing.T) {
	_, k := newWorld(t)
	k.Registry = faulty{k.Registry}
	for version, want := range map[string]bool{"1.0.0": true, "^1.0.0": false, "": false} {
		s := wanted("a")
		s[0].Version = version
		if _, err := k.Resolve(context.Background(), &lock.Lock{}, s, false); (err == nil) != want {
			t.Errorf("%q: %v", version, err)
		}
	}
}

type faulty struct{ Registry }

func (f faulty) Versions(ctx context.Context, name string) ([]*registry.Record, []registry.Fault, error) {
	all, _, err := f.Registry.Versions(ctx, name)
	return all, []registry.Fault{{Pointer: "/servers/1", Detail: "no version"}}, err
}

func TestARecordThatCanNotBeReadWholeIsNotLocked(t *testing.T) {
	w, k := newWorld(t)
	for _, text := range []string{
		`{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"npm","identifier":"files","version":"3.0.0","packageArguments":"x"}]}`,
		`{"name":"com.example/files","version":"1.0.0","packages":[5,{"registryType":"npm","identifier":"files","version":"3.0.0"}]}`,
		`{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"npm","identifier":"files","version":"^3.0.0"}]}`,
		`{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"npm","identifier":"files","version":"latest"}]}`,
		`{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"npm","identifier":"files"}]}`,
		`{"name":"com.example/files","version":"1.0.0","x":1e999,"packages":[{"registryType":"npm","identifier":"files","version":"3.0.0"}]}`,
		`{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"oci","identifier":"files"}]}`,
		`{"name":"com.example/files","version":"1.0.0","packages":[{"registryType":"oci","identifier":"-v/:/x"}]}`,
	} {
		w.records["com.example/files"] = []*registry.Record{record(t, text)}
		if all, err := k.Resolve(context.Background(), &lock.Lock{}, wanted("a"), false); err == nil {
			t.Errorf("%s was locked as %+v", text, all[0].Server)
		}
	}
}

// Whatever a lock holds, the gates say something of every server with a package or a record, and never take one that starts
// something else for what it says it is.
func FuzzHold(f *testing.F) {
	_, k := newWorld(f)
	all, err := k.Resolve(context.Background(), &lock.Lock{}, wanted("a", "b"), false)
	if err != nil {
		f.Fatal(err)
	}
	l := &lock.Lock{}
	if _, err := Apply(l, all, false, true); err != nil {
		f.Fatal(err)
	}
	f.Add("npx", "-y files@3.0.0", "npm", "files", "3.0.0", "files", true)
	f.Add("docker", "run --rm -i x", "oci", "x", "1", "x@sha256:00", false)
	f.Add("uvx", "files===3.0.0", "pypi", "", "latest", "", true)
	f.Fuzz(func(t *testing.T, command, args, kind, identifier, version, file string, keep bool) {
		s := *l.Get("a")
		s.Launch.Command, s.Launch.Args = command, strings.Fields(args)
		p := *s.Package
		p.Type, p.Identifier, p.Version, p.Files = pkg.Type(kind), identifier, version, slices.Clone(p.Files)
		p.Files[0].Name = file
		if !keep {
			s.Record, p.Files = nil, nil
		}
		s.Package = &p
		one := &lock.Lock{}
		one.Put(&s)
		for _, declared := range [][]project.Server{nil, wanted("a")} {
			g := k.Hold(context.Background(), one, declared)
			if !g.Stops() && g.Verified == 1 && (command != "npx" || len(s.Launch.Args) < 2 || s.Launch.Args[0] != "-y" || s.Launch.Args[1] != "files@3.0.0") {
				t.Fatalf("%+v passes", s.Launch)
			}
			if g.Verified+len(g.Blocked)+len(g.Unenforceable) == 0 {
				t.Fatalf("nothing is said of %+v", s)
			}
		}
	})
}
