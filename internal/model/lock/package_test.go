package lock

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// packaged is a lock with an entry that was locked and never pinned, and one that was pinned too.
func packaged(t testing.TB) *Lock {
	t.Helper()
	l := shop(t)
	sha := func(fill string) pkg.Hash {
		h, err := pkg.Hex("sha512", strings.Repeat(fill, 128/len(fill)))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	weak, err := pkg.Hex("sha1", strings.Repeat("0", 40))
	if err != nil {
		t.Fatal(err)
	}
	pin := &pkg.Pin{Type: pkg.NPM, Version: "1.0.0", Files: []pkg.File{{Name: "b", Hashes: []pkg.Hash{sha("cd"), sha("ab"), sha("ab"), weak}}, {Name: "a", Hashes: []pkg.Hash{sha("ef")}}}}
	s := l.Get("shop")
	s.Package = PackageOf(pin, "@example/shop", "https://registry.example.com", Provenance{Status: Verified, Issuer: "https://issuer.example.com", Signer: "https://git.example.com/shop/publish.yml@refs/tags/v1"})
	s.Record = &Record{Name: "io.github.example/shop", Version: "1.0.1", Registry: "https://mcp.example.com", Status: "active", Digest: s.LaunchDigest(), Values: map[string]string{"SHOP_MODE": "fast"}}
	bare := &Server{Name: "bare", Unpinned: true, Launch: Launch{Transport: "stdio", Command: "uvx", Args: []string{"bare===1.0"}}}
	bare.Package = PackageOf(&pkg.Pin{Type: pkg.PyPI, Version: "1.0"}, "bare", "https://index.example.com", Provenance{})
	l.Put(bare)
	return l
}

func TestPackagesAndRecordsReadBackAsTheyWereWritten(t *testing.T) {
	l := packaged(t)
	again, err := Read("mcpassay.lock", l.Encode(), limits.Default)
	if err != nil {
		t.Fatalf("%v\n%s", err, l.Encode())
	}
	if !bytes.Equal(again.Encode(), l.Encode()) {
		t.Errorf("%s", again.Encode())
	}
	p := again.Get("shop").Package
	if len(p.Files) != 2 || p.Files[0].Name != "a" || len(p.Files[1].Hashes) != 2 || !strings.HasPrefix(p.Files[1].Hashes[0], "sha512:ab") || len(p.Files[1].Sums()) != 2 {
		t.Errorf("%+v", p)
	}
	for line := range strings.Lines(string(l.Encode())) {
		if strings.Count(line, `"hashes"`) > 1 {
			t.Errorf("two files in a line: %s", line)
		}
	}
	// What a launch starts is no part of what was approved of it: approvals point to the same digests.
	if len(again.Approved(again.Get("shop"))) != 1 || again.Get("shop").SurfaceDigest() != shop(t).Get("shop").SurfaceDigest() {
		t.Error("a package changed what was approved")
	}
}

func TestAnEntryThatWasNeverPinnedHasNoSurfaceAndNoApproval(t *testing.T) {
	l := packaged(t)
	l, err := Read("mcpassay.lock", l.Encode(), limits.Default)
	if err != nil {
		t.Fatal(err)
	}
	bare := l.Get("bare")
	if at, _ := l.Standing(bare, time.Now()); at != Unpinned || !bare.Unpinned || bare.SurfaceDigest() != "" || len(l.Approved(bare)) > 0 {
		t.Errorf("%s, %+v", at, bare)
	}
	// Whoever was approved once is approved again before it counts, whatever an approval says of a surface that is not there.
	l.Approvals = append(l.Approvals, Approval{Server: "bare", Launch: bare.LaunchDigest(), At: "2026-12-01T00:00:00Z"})
	if at, _ := l.Standing(bare, time.Now()); at != Changed || len(l.Approved(bare)) > 0 {
		t.Errorf("it stands as %s", at)
	}
	// A surface without anything in it is one, and has a digest.
	empty := &Server{Name: "empty", Launch: Launch{Transport: "stdio"}}
	l.Put(empty)
	if l, err = Read("mcpassay.lock", l.Encode(), limits.Default); err != nil || l.Get("empty").Unpinned {
		t.Errorf("%v", err)
	}
	// Pinned, it is what it was and has a surface.
	full := *bare
	full.Unpinned, full.Items[wire.Tools] = false, nil
	l.Put(&full)
	if l, err = Read("mcpassay.lock", l.Encode(), limits.Default); err != nil || l.Get("bare").Package == nil || l.Get("bare").Unpinned {
		t.Errorf("%v", err)
	}
}

func TestAPackageThatPinsNothingClearlyIsRefused(t *testing.T) {
	good := string(packaged(t).Encode())
	for what, c := range map[string][3]string{
		"a version that is none":          {`"version": "1.0.0", "registry"`, `"version": "latest", "registry"`, "none"},
		"a record of no version":          {`"version":"1.0.1"`, `"version":"Latest"`, "none"},
		"a digest of no length":           {`"sha512:ef`, `"sha512:`, "digest"},
		"a digest in capitals":            {`"sha512:ef`, `"sha512:EF`, "digest"},
		"a digest that proves nothing":    {`"sha512:` + strings.Repeat("ef", 64) + `"`, `"sha1:` + strings.Repeat("ef", 20) + `"`, "digest"},
		"files in another order":          {`"name":"a"`, `"name":"c"`, "order"},
		"a file twice":                    {`"name":"a"`, `"name":"b"`, "twice"},
		"nobody who signed":               {`"signer":"https://git.example.com/shop/publish.yml@refs/tags/v1",`, ``, "nobody"},
		"somebody where nothing verifies": {`"status":"verified"`, `"status":"unsigned"`, "somebody"},
		"a status that is not known":      {`"status":"verified"`, `"status":"Verified"`, "status"},
		"a login in the registry":         {`"registry": "https://index.example.com"`, `"registry": "https://ada:secret@index.example.com"`, "registry"},
		"a member that nobody knows":      {`"type": "pypi"`, `"type": "pypi", "more": 1`, "line"},
		"a member by another name":        {`"registry": "https://index`, `"Registry": "https://index`, "line"},
		"null":                            {`"record": {`, `"record": null, "x": {`, "line"},
		"half a surface":                  {`      "surfaceDigest"`, `      "surfaceDigestX"`, "surfaceDigest"},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing to replace in\n%s", what, good)
		}
		var e *Error
		if _, err := Read("mcpassay.lock", []byte(bad), limits.Default); !errors.As(err, &e) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestALaterVersionIsOfTheSameSignerWhateverItsTag(t *testing.T) {
	a := Provenance{Status: Verified, Issuer: "https://issuer.example.com", Signer: "x@v1", Repository: "https://github.com/example/files", Workflow: "w", RepositoryID: "1", OwnerID: "2", Commit: "c"}
	b := a
	b.Signer, b.Commit, b.Repository = "x@v2", "d", "https://github.com/example/renamed"
	if !a.Precedes(b) || a.Same(b) {
		t.Error("another tag is another signer")
	}
	for what, change := range map[string]func(*Provenance){
		"issuer": func(p *Provenance) { p.Issuer = "x" }, "workflow": func(p *Provenance) { p.Workflow = "x" },
		"repository": func(p *Provenance) { p.RepositoryID = "9" }, "owner": func(p *Provenance) { p.OwnerID = "9" }, // a name that somebody else got
		"name": func(p *Provenance) { p.RepositoryID, p.Repository = "", "x" },
	} {
		c := b
		if change(&c); a.Precedes(c) {
			t.Errorf("another %s is the same signer", what)
		}
	}
}
