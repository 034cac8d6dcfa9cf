package test

import (
	"errors"
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
	dir := shared(t, "corpus/configs")
	const listed = "gemini-ext/68.json" // its servers are a list, and Gemini reads an object: it is refused
	done, other := 0, 0
	for _, row := range table(t, filepath.Join(dir, "index.tsv")) {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(row[0])))
		if err != nil {
			t.Fatal(err)
		}
		where := client.Where{Path: row[2], Root: "/p", Env: client.Env{OS: "linux", Home: "/home/u"}}
		f := client.Identify(where)
		if f.Loc != nil && f.Loc.Reads == client.ReadsNo { // a dead file: edited as one of the client that it was made for
			f = client.Identify(where)
			f.Loc = nil
		}
		f.Load(raw, limits.Default)
		if f.Err != nil || f.Client == nil || f.Client == client.Generic {
			if f.Err == nil { // a shape that most clients have
				f.Client, _ = client.ByID("claude-code")
			} else {
				continue
			}
		}
		e := openConfig(f, raw)
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

// difference is what stands where two texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(s string) string { return strings.ToValidUTF8(s[i:min(len(s), i+80)], "?") }
	return "…" + cut(a) + "\n…" + cut(b)
}
