package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Cache keeps answers on disk, a file each, in a folder that only the user may enter. What it can not keep it does not keep:
// it is never the reason for which something fails. A file that is cut off or was changed is no answer.
type Cache struct {
	dir  string
	mu   sync.Mutex
	puts int
}

// answer is what a file holds: a line of JSON, and the body.
type answer struct {
	URL    string    `json:"url"`
	ETag   string    `json:"etag,omitempty"`
	Asked  time.Time `json:"asked"`
	Digest string    `json:"digest"`
	body   []byte
}

// OpenCache keeps answers below the state folder, nil where there is none or nothing can be kept there.
func OpenCache(stateDir string) *Cache {
	if stateDir == "" {
		return nil
	}
	dir, err := files.PrivateFolder(stateDir, "registry")
	if err != nil {
		return nil
	}
	return &Cache{dir: dir}
}

const keptSuffix = ".answer"

func (c *Cache) path(url string) string {
	return filepath.Join(c.dir, strings.TrimPrefix(canon.Digest([]byte(url)), "sha256:")+keptSuffix)
}

func (c *Cache) get(url string, lim limits.Set) (a answer, ok bool) {
	if c == nil {
		return a, false
	}
	raw, _, err := files.Read(c.path(url), files.ReadOptions{MaxBytes: lim.PageBytes + lim.HeaderBytes, Base: c.dir})
	if err != nil {
		return a, false
	}
	head, body, found := bytes.Cut(raw, []byte("\n"))
	if !found || json.Unmarshal(head, &a) != nil || a.URL != url || a.Digest != canon.Digest(body) {
		return answer{}, false
	}
	a.body = body
	return a, true
}

func (c *Cache) put(a answer, lim limits.Set) {
	if c == nil || len(a.ETag) > limits.KiB {
		return
	}
	a.Digest = canon.Digest(a.body)
	head, err := json.Marshal(a)
	if err != nil || len(head) > lim.HeaderBytes {
		return
	}
	if files.WriteAtomic(c.path(a.URL), slices.Concat(head, []byte("\n"), a.body), files.WriteOptions{Base: c.dir, Private: true}) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.puts++; c.puts%pruneEvery == 1 {
		c.prune(lim)
	}
}

// pruneEvery is how many answers are kept between two looks at how many there are.
const pruneEvery = 64

// prune takes the oldest answers away until the rest is within the limits.
func (c *Cache) prune(lim limits.Set) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	type kept struct {
		name string
		at   time.Time
		size int64
	}
	var all []kept
	var bytes int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), keptSuffix) {
			continue
		}
		all = append(all, kept{e.Name(), info.ModTime(), info.Size()})
		bytes += info.Size()
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name)) })
	for _, k := range all {
		if len(all) <= lim.KeptAnswers && bytes <= lim.KeptAnswerBytes {
			return
		}
		if files.Remove(filepath.Join(c.dir, k.name)) == nil {
			bytes -= k.size
			all = all[1:]
		}
	}
}
