package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/flow/lint"
	"github.com/mcpassay/mcpassay/internal/flow/load"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
)

// disk is the file door as the flows ask for it.
type disk struct {
	// facts knows which repository holds a folder; shared so that each is opened once.
	facts *facts
	env   client.Env
	heap  heap
}

func (j *judging) disk() *disk {
	d := &disk{facts: j.facts(), env: j.clientEnv(), heap: heap{limits: j.app.limits, own: j.app.lasting.Load() || j.app.io.Getenv("GOGC") != "" || j.app.io.Getenv("GOMEMLIMIT") != ""}}
	d.heap.grow(0)
	return d
}

// heap lets a short run end before the garbage collector would pay: it works only once the memory exceeds what the
// bytes that were read account for. On 10,000 servers that halves the CPU time (make bench).
type heap struct {
	limits limits.Set
	own    bool // a person set GOGC or GOMEMLIMIT, or the run is no short one
	// read is the bytes so far, set those that the limit accounts for.
	read, set int
}

func (h *heap) grow(n int) {
	if h.own {
		return
	}
	if n > 0 {
		h.read += n + h.limits.HeapPerFile
	}
	if n > 0 && h.read-h.set < h.limits.HeapStep { // setting it stops the world
		return
	}
	h.set = h.read
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(int64(h.limits.HeapBase + h.limits.HeapPerByte*h.read))
}

func (d *disk) Read(name string, max int, base string) (load.Content, error) {
	raw, id, err := files.Read(name, files.ReadOptions{MaxBytes: max, Base: base})
	if err != nil {
		return load.Content{}, refusal(err)
	}
	d.heap.grow(len(raw))
	return load.Content{Bytes: raw, Identity: strconv.FormatUint(id.Device, 16) + ":" + strconv.FormatUint(id.File, 16)}, nil
}

// refusal turns the door's error into the flow's: the reason is a word of the report, the detail says what the path is.
func refusal(err error) *load.Refusal {
	var e *files.Error
	if !errors.As(err, &e) {
		return &load.Refusal{Reason: "unreadable", Detail: err.Error()}
	}
	return &load.Refusal{Reason: string(e.Reason), Detail: strings.TrimPrefix(e.Detail(), string(e.Reason)+": ")}
}

func (d *disk) IsDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (d *disk) Exists(name string) bool { return exists(name) }

func (d *disk) Absent(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

func (d *disk) Ignorer(root string) func(rel string) bool {
	ignorer := d.facts.repos.Ignorer(root)
	return func(rel string) bool { return ignorer.Ignored(rel, false) }
}

func (d *disk) Walk(root string, candidate, link func(name, rel string) bool, visit func(lint.Found)) {
	max := d.heap.limits.WalkEntries
	stats, err := files.Walk(root, files.WalkOptions{Candidate: candidate, CandidateLink: link, MaxEntries: max}, func(e files.Entry) {
		f := lint.Found{Path: e.Path, Rel: e.Rel}
		if e.Err != nil {
			f.Refusal = refusal(e.Err)
		} else {
			d.facts.repos.Walked(root, filepath.Dir(e.Path), e.NoGit)
		}
		visit(f)
	})
	if err != nil {
		visit(lint.Found{Path: root, Refusal: refusal(err)})
	}
	if stats.Truncated {
		visit(lint.Found{Path: filepath.Join(root, filepath.FromSlash(stats.StoppedAt)), Rel: stats.StoppedAt,
			Refusal: &load.Refusal{Reason: "oversized", Detail: fmt.Sprintf("the search ended here, after %d files and folders", max)}})
	}
}

func (d *disk) Below(dir, name string, depth, entries int) (paths []string, all bool) {
	stats, _ := files.Walk(dir, files.WalkOptions{MaxDepth: depth, MaxEntries: entries, Candidate: func(n, _ string) bool { return n == name }},
		func(e files.Entry) {
			if e.Err == nil { // a folder that can not be entered, or lies too deep
				paths = append(paths, e.Path)
			}
		})
	return paths, !stats.Truncated
}

func (d *disk) Expand(c client.Candidate) []string {
	if !filepath.IsAbs(c.Path) { // a place of another system
		return nil
	}
	if c.Pattern == "" {
		return []string{c.Path}
	}
	parts := strings.Split(c.Pattern, "/")
	if !slices.Contains(parts, "**") {
		return expand(c.Base, parts, c.Loc.Project())
	}
	root := c.Base
	for ; !strings.Contains(parts[0], "*"); parts = parts[1:] {
		root = filepath.Join(root, parts[0])
	}
	if !d.IsDir(root) {
		return nil
	}
	var found []string
	_, _ = files.Walk(root, files.WalkOptions{Candidate: func(_, rel string) bool {
		return c.Matches(d.env, filepath.Join(root, filepath.FromSlash(rel)))
	}}, func(e files.Entry) { found = append(found, e.Path) })
	return found
}

// expand lists what a pattern without ** matches below dir. With nofollow no folder is listed through a link: the
// link stands for what may be behind it. A folder that can not be listed gives a path that can not be read either.
func expand(dir string, parts []string, nofollow bool) []string {
	if len(parts) == 0 {
		return []string{dir}
	}
	next := filepath.Join(dir, parts[0])
	if !strings.Contains(parts[0], "*") {
		if info, err := os.Lstat(next); nofollow && len(parts) > 1 && err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return []string{next}
		}
		return expand(next, parts[1:], nofollow)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		return []string{filepath.Join(dir, "*")}
	}
	var found []string
	for _, e := range entries {
		if ok, _ := path.Match(parts[0], e.Name()); ok {
			found = append(found, expand(filepath.Join(dir, e.Name()), parts[1:], nofollow)...)
		}
	}
	return found
}
