package test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/flow/edit"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// specFor is a server that every client with files can be told of.
func specFor() client.Spec {
	return client.Spec{Name: "zz-probe", Transport: client.Stdio, Command: client.Plain("npx"), Args: []client.Text{client.Plain("-y"), client.Plain("@example/probe@1.0.0")},
		Env: []client.Setting{{Name: "LEVEL", Value: client.Plain("info")}}}
}

func openConfig(f *client.File, raw []byte) *edit.File {
	return edit.Open(f, raw, "linux", limits.Default)
}

// Chemaclass/agnostic-ai#757, microsoft/vscode#281583, google-gemini/gemini-cli#7840: whoever adds a server to a real file
// keeps every byte of it, and taking the server out again leaves the file that was there.
func TestAddAndRemoveIsTheIdentityOnEveryPublicConfig(t *testing.T) {
	const listed = "gemini-ext/68.json" // its servers are a list, and Gemini reads an object: it is refused
	done, other := 0, 0
	for row, e := range publicConfigs(t) {
		raw := e.Raw
		res, err := e.Put(specFor())
		if err != nil {
			var refused *edit.Refusal
			var cannot *client.CannotError
			if (errors.As(err, &refused) || errors.As(err, &cannot)) && row[0] == listed {
				other++
				continue
			}
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		back, err := res.After.Take("zz-probe", res.Undo)
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		if string(back.After.Raw) != string(raw) {
			t.Errorf("%s (%s): %d bytes became %d:\n%s", row[0], row[2], len(raw), len(back.After.Raw), difference(string(raw), string(back.After.Raw)))
		}
		done++
	}
	if t.Logf("%d files, %d refused", done, other); done == 0 || other != 1 {
		t.Errorf("%d files were edited and %d refused: one is to be", done, other)
	}
}

// publicConfigs are the public configs that parse, each as its client reads it, with their rows of the index.
func publicConfigs(t *testing.T) iter.Seq2[[]string, *edit.File] {
	dir := shared(t, "corpus/configs")
	return func(yield func([]string, *edit.File) bool) {
		for _, row := range table(t, filepath.Join(dir, "index.tsv")) {
			raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(row[0])))
			if err != nil {
				t.Fatal(err)
			}
			f := client.Identify(client.Where{Path: row[2], Root: "/p", Env: client.Env{OS: "linux", Home: "/home/u"}})
			if f.Loc != nil && f.Loc.Reads == client.ReadsNo { // a dead file: edited as one of the client that it was made for
				f.Loc = nil
			}
			f.Load(raw, limits.Default)
			if f.Err != nil {
				continue
			}
			if f.Client == nil || f.Client == client.Generic { // a shape that most clients have
				f.Client, _ = client.ByID("claude-code")
			}
			if !yield(row, openConfig(f, raw)) {
				return
			}
		}
	}
}

// getmcpm 0.30 lost type, cwd, envFile, alwaysAllow, timeout and empty args on the way there and back: every public config with a
// server comes back to the last byte, and what is guarded is read as what it was.
func TestGuardAndBackIsTheIdentityOnEveryPublicConfig(t *testing.T) {
	files, guarded, remote := 0, 0, 0
	for row, e := range publicConfigs(t) {
		now := e
		var names []string
		for _, s := range e.Servers {
			if e.Server(s.Name) != s {
				continue
			}
			res, err := now.Guard(s.Name, "/opt/mcpassay")
			switch {
			case err != nil && s.Transport != client.Stdio:
				remote++
			case err != nil:
				t.Errorf("%s: %s: %v", row[0], s.Name, err)
			default:
				now, names = res.After, append(names, s.Name)
			}
		}
		guarded += len(names)
		for _, name := range names {
			res, err := now.Guard(name, "")
			if err != nil {
				t.Errorf("%s: %s: %v", row[0], name, err)
				break
			}
			now = res.After
		}
		if string(now.Raw) != string(e.Raw) {
			t.Errorf("%s (%s):\n%s", row[0], row[2], difference(string(e.Raw), string(now.Raw)))
		}
		files++
	}
	t.Logf("%d files, %d servers guarded, %d without a command", files, guarded, remote)
	if guarded < 200 {
		t.Errorf("%d servers were guarded", guarded)
	}
}

// difference is what stands where two texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string { return strings.ToValidUTF8(s[i:min(len(s), i+80)], "?") }
	return "…" + cut(a) + "\n…" + cut(b)
}
