package test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/cli"
)

// tarOf writes a tar file of headers; a regular file holds its name.
func tarOf(t *testing.T, dir, name string, headers ...tar.Header) {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		body := []byte(h.Name)
		if strings.HasSuffix(h.Name, "package.json") {
			body = []byte(`{"name":"notes","version":"1.0.0"}`)
		}
		if h.Typeflag != 0 {
			body = nil
		}
		h.Size, h.Mode = int64(len(body)), 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mcpm-contracts, exit codes: "mcpm review-artifacts <before.tar> <after.tar> --profile <profile>": 0 bounded byte inventory and
// supported declaration coverage complete; 1 for incomplete/unsupported input or declaration coverage.
func TestReviewArtifactsIs0WhereCompleteAnd1WhereIncompleteOrUnsupported(t *testing.T) {
	dir := t.TempDir()
	tarOf(t, dir, "a.tar", tar.Header{Name: "package/package.json"})
	tarOf(t, dir, "b.tar", tar.Header{Name: "package/package.json"}, tar.Header{Name: "package/x.js"})
	tarOf(t, dir, "link.tar", tar.Header{Name: "package/package.json"}, tar.Header{Name: "package/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})
	tarOf(t, dir, "bare.tar", tar.Header{Name: "package/x"})
	if err := os.WriteFile(filepath.Join(dir, "x.zip"), []byte("PK\x03\x04"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	for _, c := range []struct {
		args   string
		code   int
		status string
	}{
		{"a.tar b.tar --profile npm", 0, "complete"},
		{"a.tar a.tar --profile files", 0, "complete"},
		{"a.tar link.tar --profile npm", 1, "incomplete"},
		{"a.tar bare.tar --profile npm", 1, "incomplete"},
		{"a.tar x.zip --profile npm", 1, "unsupported"},
		{"a.tar nowhere.tar --profile npm", 1, ""},
		{"a.tar . --profile npm", 1, ""},
		{"a.tar --profile npm", 2, ""},
		{"a.tar b.tar", 2, ""},
		{"a.tar b.tar --profile rpm", 2, ""},
	} {
		var out, errs bytes.Buffer
		code := cli.Main(append([]string{"review-artifacts", "--json"}, strings.Fields(c.args)...), cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs,
			Getenv: func(string) string { return "" }, Environ: func() []string { return nil }, Cwd: dir, Home: dir, Platform: "linux", Now: time.Now})
		if code != c.code {
			t.Errorf("%s: %d, want %d: %s%s", c.args, code, c.code, out.String(), errs.String())
		}
		var r struct {
			SchemaVersion int    `json:"schemaVersion"`
			Advisory      bool   `json:"advisory"`
			Profile       string `json:"profile"`
			Status        string `json:"status"`
		}
		if c.status == "" {
			if out.Len() > 0 {
				t.Errorf("%s: %s", c.args, out.String())
			}
			continue
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Status != c.status || r.SchemaVersion != 1 || !r.Advisory || r.Profile == "" {
			t.Errorf("%s: %v %+v", c.args, err, r)
		}
	}
	if after := listing(t, dir); after != before {
		t.Errorf("something was written:\n%s", after)
	}
}

// listing is the names in a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, "\n")
}
