package installed

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

// machine is one on which npm installed a package, as npm does it.
type machine struct {
	home, dir, root, folder string
	o                       Options
}

func (m *machine) put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const spec = "@example/files@1.2.3"

func install(t *testing.T) *machine {
	t.Helper()
	files := map[string]string{"package.json": `{"name":"@example/files","version":"1.2.3","bin":{"files":"dist/index.js"}}`,
		"dist/index.js": "#!/usr/bin/env node\r\nserve()\n", "lib/.gitignore": "x", "README": "read"}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range []string{"package.json", "dist/index.js", "lib/.gitignore", "README"} {
		if err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(files[name])), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, files[name])
	}
	w.Close()
	z.Close()
	sum := sha512.Sum512(b.Bytes())
	digits := hex.EncodeToString(sum[:])
	m := &machine{home: t.TempDir(), dir: t.TempDir()}
	of := sha512.Sum512([]byte(spec))
	m.root = filepath.Join(m.home, ".npm", "_npx", hex.EncodeToString(of[:])[:16])
	m.folder = filepath.Join(m.root, modules, "@example", "files")
	for name, text := range files {
		name = strings.Replace(name, ".gitignore", ".npmignore", 1)
		m.put(t, filepath.Join(m.folder, filepath.FromSlash(name)), strings.Replace(text, "node\r\n", "node\n", 1))
	}
	m.put(t, filepath.Join(m.home, ".npm", "_cacache", "content-v2", "sha512", digits[:2], digits[2:4], digits[4:]), b.String())
	m.put(t, filepath.Join(m.root, modules, "other", "index.js"), "a dependency")
	m.put(t, filepath.Join(m.root, modules, ".package-lock.json"), fmt.Sprintf(`{"packages":{"node_modules/@example/files":{"version":"1.2.3","integrity":"sha512-%s"},"node_modules/other":{"version":"1.0.0"}}}`, base64.StdEncoding.EncodeToString(sum[:])))
	bin := filepath.Join(m.root, modules, ".bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("../@example/files/dist/index.js", filepath.Join(bin, "files")); err != nil {
			t.Fatal(err)
		}
	}
	m.o = Options{Package: &lock.Package{Type: pkg.NPM, Identifier: "@example/files", Version: "1.2.3", Files: []lock.PackageFile{{Name: "files-1.2.3.tgz", Hashes: []string{"sha512:" + digits}}}},
		Argv: []string{"npx", "-y", spec}, Dir: m.dir, Home: m.home, Env: []string{"LOCALAPPDATA=" + m.home}, Platform: "linux", Limits: limits.Default}
	return m
}

func TestWhatIsInstalledIsHeldToTheBytesOfTheLock(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(t *testing.T, m *machine)
		compared      int
		wrong, cannot string
	}{
		"as npm left it": {func(*testing.T, *machine) {}, 4, "", "none of the 1 packages"},
		"another file":   {func(t *testing.T, m *machine) { m.put(t, filepath.Join(m.folder, "dist", "index.js"), "steal()") }, 3, "another file than in the package", "none of the 1"},
		"one more":       {func(t *testing.T, m *machine) { m.put(t, filepath.Join(m.folder, "dist", "extra.js"), "steal()") }, 4, "in no package of that version", "none of the 1"},
		"one more in a folder of modules, which is a dependency": {func(t *testing.T, m *machine) {
			m.put(t, filepath.Join(m.folder, modules, "dep", "index.js"), "x")
		}, 4, "", "none of the 1"},
		"one less": {func(t *testing.T, m *machine) { _ = os.Remove(filepath.Join(m.folder, "README")) }, 3, "is missing", "none of the 1"},
		"installed from other bytes": {func(t *testing.T, m *machine) {
			m.put(t, filepath.Join(m.root, modules, ".package-lock.json"), `{"packages":{"node_modules/@example/files":{"integrity":"sha512-`+base64.StdEncoding.EncodeToString(make([]byte, 64))+`"}}}`)
		}, 0, "from bytes that the lock does not hold", ""},
		"a program that is another's": {func(t *testing.T, m *machine) {
			link := filepath.Join(m.root, modules, ".bin", "files")
			_ = os.Remove(link)
			_ = os.Symlink("../other/index.js", link)
		}, 4, "starts another file", "none of the 1"},
		"no tarball":    {func(t *testing.T, m *machine) { _ = os.RemoveAll(filepath.Join(m.home, ".npm", "_cacache")) }, 0, "", "compared with nothing"},
		"not installed": {func(t *testing.T, m *machine) { _ = os.RemoveAll(m.root) }, 0, "", "not installed yet"},
		"a tarball that was changed where it lies": {func(t *testing.T, m *machine) {
			_ = filepath.WalkDir(filepath.Join(m.home, ".npm", "_cacache"), func(p string, e os.DirEntry, _ error) error {
				if !e.IsDir() {
					m.put(t, p, "nothing")
				}
				return nil
			})
		}, 0, "", "compared with nothing"},
		"an install script made files": {func(t *testing.T, m *machine) {
			m.put(t, filepath.Join(m.root, modules, ".package-lock.json"), `{"packages":{"node_modules/@example/files":{"hasInstallScript":true}}}`)
			m.put(t, filepath.Join(m.folder, "build", "native.node"), "made")
		}, 4, "", "install script"},
		"the project's own, which npx takes before": {func(t *testing.T, m *machine) {
			m.put(t, filepath.Join(m.dir, modules, "@example", "files", "package.json"), `{"name":"@example/files","version":"1.2.3"}`)
		}, 4, "is missing", "none of the 1"},
		"a tarball over the limit": {func(t *testing.T, m *machine) { m.o.Limits.InstalledBytes = 220 }, 0, "", "compared with nothing"},
		"more that are wrong than are named": {func(t *testing.T, m *machine) {
			m.o.Limits.InstalledWrong = 2
			for i := range 5 {
				m.put(t, filepath.Join(m.folder, fmt.Sprint(i)), "x")
			}
		}, 4, "and more", "none of the 1"},
		"a file by its path": {func(t *testing.T, m *machine) {
			m.o.Argv = []string{"node", filepath.Join(m.folder, "dist", "index.js")}
		}, 4, "", "none of the 1"},
		"a file of nobody": {func(t *testing.T, m *machine) { m.o.Argv = []string{"node", "/srv/index.js"} }, 0, "", "starts no file of a folder"},
		"another runner":   {func(t *testing.T, m *machine) { m.o.Argv = []string{"bunx", spec} }, 0, "", "is not known"},
		"no digest":        {func(t *testing.T, m *machine) { m.o.Package.Files = nil }, 0, "", "by no digest"},
		"another cache":    {func(t *testing.T, m *machine) { m.o.Env = append(m.o.Env, "NPM_CONFIG_CACHE=/nowhere") }, 0, "", "not installed yet"},
		"of PyPI": {func(t *testing.T, m *machine) {
			m.o.Package.Type, m.o.Argv = pkg.PyPI, []string{"uvx", "files==1.2.3"}
		}, 0, "", "RECORD"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("the layout is that of Unix")
			}
			m := install(t)
			c.change(t, m)
			r := Look(m.o)
			wrong, cannot := strings.Join(r.Wrong, "; "), strings.Join(r.Unenforceable, "; ")
			if r.Compared != c.compared || (c.wrong == "") != (wrong == "") || !strings.Contains(wrong, c.wrong) || !strings.Contains(cannot, c.cannot) {
				t.Errorf("%+v", r)
			}
			if len(r.Wrong) > m.o.Limits.InstalledWrong+1 {
				t.Errorf("%d are named", len(r.Wrong))
			}
		})
	}
}

func TestAnImageIsHeldToTheDigestInItsCommand(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for argument, want := range map[string]string{
		"example.com/files@" + digest:                          "by",
		"example.com/files@sha256:" + strings.Repeat("cd", 32): "wrong",
		"example.com/files:1.2.3":                              "unenforceable",
	} {
		r := Look(Options{Package: &lock.Package{Type: pkg.OCI, Identifier: "example.com/files", Version: "1.2.3", Files: []lock.PackageFile{{Name: "x", Hashes: []string{digest}}}},
			Argv: []string{"docker", "run", "--rm", "-i", argument}, Limits: limits.Default})
		if got := map[bool]string{r.By != "": "by", len(r.Wrong) > 0: "wrong", len(r.Unenforceable) > 0: "unenforceable"}[true]; got != want {
			t.Errorf("%s: %+v", argument, r)
		}
	}
}
