package edit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// disk is one file in memory.
type disk struct {
	data, note []byte
	kept       []string
	held       bool
	// meanwhile is what another program writes before each of our writes, while there is any.
	meanwhile []string
	fail      map[string]error
}

func (d *disk) Read(path, base string) ([]byte, error) { return d.data, d.fail["read"] }

func (d *disk) Write(path, base string, was, now []byte) error {
	if !d.held {
		return errors.New("written without the lock")
	}
	if len(d.meanwhile) > 0 {
		d.data, d.meanwhile = []byte(d.meanwhile[0]), d.meanwhile[1:]
	}
	if string(d.data) != string(was) || (d.data == nil) != (was == nil) {
		return ErrChanged
	}
	if err := d.fail["write"]; err != nil {
		return err
	}
	d.data = now
	return nil
}

func (d *disk) Keep(path string, was []byte) (string, error) {
	d.kept = append(d.kept, string(was))
	return "/state/backup", d.fail["keep"]
}

func (d *disk) Exclusive(ctx context.Context, path string, create bool) (func(), error) {
	d.held = true
	return func() { d.held = false }, d.fail["lock"]
}

func (d *disk) Note(path string, doc []byte) error { d.note = doc; return nil }
func (d *disk) Noted(path string) ([]byte, error)  { return d.note, nil }

func target(t *testing.T, id, path string) Target {
	t.Helper()
	return Target{File: open(t, id, path, "absent").File, Path: path, OS: "linux", Limits: limits.Default}
}

func TestAFileIsWrittenOnceAndKeptBefore(t *testing.T) {
	const before = "{\n  \"mcpServers\": { }\n}\n"
	d := &disk{data: []byte(before)}
	tg := target(t, "cursor", ".cursor/mcp.json")
	bad := spec(func(s *client.Spec) { s.Name, s.Disabled = "off", true })
	out, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}, {Spec: bad}, {Spec: spec(func(s *client.Spec) { s.Name = "two" })}}, false)
	if err != nil {
		t.Fatal(err)
	}
	var cannot *client.CannotError
	if !out.Done[0].Changed || !errors.As(out.Done[1].Err, &cannot) || !out.Done[2].Changed || out.Kept == "" || len(d.kept) != 1 || d.kept[0] != before {
		t.Errorf("%+v, kept %q", out.Done, d.kept)
	}
	if !strings.Contains(string(d.data), `"two"`) || strings.Contains(string(d.data), `"off"`) || d.held {
		t.Errorf("held %v, holds\n%s", d.held, d.data)
	}
	// Nothing to do writes nothing.
	if out, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}}, false); err != nil || out.Kept != "" || len(d.kept) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	// What was empty in its own way is so again, after another process took both out.
	after := string(d.data)
	if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec(), Remove: true}}, true); err != nil || string(d.data) != after {
		t.Errorf("a dry run wrote: %v", err)
	}
	for _, name := range []string{"new", "two"} {
		if _, err := Apply(t.Context(), d, tg, []Step{{Spec: client.Spec{Name: name}, Remove: true}}, false); err != nil {
			t.Fatal(err)
		}
	}
	if string(d.data) != before || d.note != nil {
		t.Errorf("%q is left, and the note %q", d.data, d.note)
	}
}

func TestAFileThatChangesMeanwhileIsReadAgainOnce(t *testing.T) {
	tg := target(t, "cursor", ".cursor/mcp.json")
	d := &disk{data: []byte("{}"), meanwhile: []string{`{"mcpServers": {"theirs": {"command": "t"}}}`}}
	if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}}, false); err != nil || !strings.Contains(string(d.data), "theirs") || !strings.Contains(string(d.data), "new") {
		t.Errorf("%v: %s", err, d.data)
	}
	d = &disk{data: []byte("{}"), meanwhile: []string{`{"a": 1}`, `{"a": 2}`}}
	if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}}, false); !errors.Is(err, ErrChanged) || string(d.data) != `{"a": 2}` {
		t.Errorf("%v: %s", err, d.data)
	}
	d = &disk{meanwhile: []string{`{"a": 1}`}} // made while we thought that there is none
	if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}}, false); err != nil || !strings.HasPrefix(string(d.data), `{"a": 1,`) {
		t.Errorf("%v: %s", err, d.data)
	}
}

func TestNothingIsWrittenWhereAStepBeforeFails(t *testing.T) {
	tg := target(t, "cursor", ".cursor/mcp.json")
	for _, at := range []string{"lock", "read", "keep", "write"} {
		d := &disk{data: []byte("{}"), fail: map[string]error{at: errors.New("full")}}
		if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}}, false); err == nil || string(d.data) != "{}" {
			t.Errorf("%s fails: %v, %s", at, err, d.data)
		}
	}
	d := &disk{}
	if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec()}}, false); err != nil || len(d.kept) > 0 || !strings.HasPrefix(string(d.data), "{\n  \"mcpServers\": {\n") {
		t.Errorf("a new file: %v, kept %q\n%s", err, d.kept, d.data)
	}
	// A note that means nothing is none.
	d = &disk{data: d.data, note: []byte("{")}
	if _, err := Apply(t.Context(), d, tg, []Step{{Spec: spec(), Remove: true}}, false); err != nil || strings.Contains(string(d.data), "new") {
		t.Errorf("%v: %s", err, d.data)
	}
}
