package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpassay/mcpassay/internal/flow/serve"
)

// Verb runs a command line as a person does, with nobody to answer questions, and gives the object that it prints. A verb that
// prints none failed, and what it said of that is the error.
func (j *jobs) Verb(ctx context.Context, words ...string) (serve.Result, error) {
	var out, errs bytes.Buffer
	streams := j.app.io
	streams.Out, streams.Err = &out, &errs
	one := &app{io: streams, ctx: ctx, limits: j.app.limits}
	one.lasting.Store(true) // the heap is the server's own
	root := one.root(words)
	root.SetArgs(words)
	failed := root.ExecuteContext(ctx)
	var line bytes.Buffer
	switch doc := bytes.TrimSpace(out.Bytes()); {
	case len(doc) > 0 && doc[0] == '{' && json.Compact(&line, doc) == nil:
		return serve.Result{JSON: line.Bytes(), Text: line.String()}, nil
	case failed != nil:
		return serve.Result{}, stated(failed)
	}
	return serve.Result{}, fmt.Errorf("%s answered nothing: %s", words[0], safe(strings.Join(strings.Fields(errs.String()), " ")))
}

// Inside follows the links of a path.
func (j *jobs) Inside(name string) error {
	root, err := filepath.EvalSymlinks(j.app.io.Cwd)
	if err != nil {
		return errors.New("the working folder can not be read")
	}
	at, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return errors.New("it is not there, or can not be read")
	}
	if rel, err := filepath.Rel(root, at); err != nil || !filepath.IsLocal(rel) {
		return errors.New("a link leads out of the working folder")
	}
	return nil
}
