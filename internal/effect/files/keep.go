package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/canon"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// stamp is how a backup's name tells when it was made: names sort by time.
const stamp = "20060102T150405.000000000Z"

// Keep keeps what the file at path held at a time, in the folder backups of stateDir, and gives the backup's path. Its name
// begins with the time. Of one file the newest lim.BackupsKept are kept; what Backup keeps is never touched.
func Keep(stateDir string, at time.Time, path string, data []byte, lim limits.Set) (string, error) {
	if stateDir == "" {
		return "", &Error{Path: path, Reason: Unreadable, Err: errors.New("no state folder to keep a backup in")}
	}
	dir, err := PrivateFolder(stateDir, "backups")
	if err != nil {
		return "", err
	}
	plain := backupName(path, data)
	to := filepath.Join(dir, at.UTC().Format(stamp)+"."+plain)
	if err := WriteAtomic(to, data, WriteOptions{New: true}); err != nil {
		return "", err
	}
	return to, prune(dir, plain, lim.BackupsKept)
}

// prune takes away the oldest dated backups of the file that name is a backup of.
func prune(dir, name string, keep int) error {
	file := name[:strings.LastIndexByte(strings.TrimSuffix(name, ".bak"), '.')+1]
	entries, err := os.ReadDir(dir)
	if err != nil {
		return unwritable(dir, err)
	}
	var dated []string
	for _, e := range entries {
		if n := e.Name(); len(n) > len(stamp) && n[len(stamp)] == '.' && strings.HasPrefix(n[len(stamp)+1:], file) && strings.HasSuffix(n, ".bak") {
			dated = append(dated, n)
		}
	}
	slices.Sort(dated)
	for _, n := range dated[:max(0, len(dated)-keep)] {
		if err := os.Remove(filepath.Join(dir, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(filepath.Join(dir, n), err)
		}
	}
	return nil
}

// Follow is the one rule for a config of the user that is a link, or that is reached through one, as managers of dotfiles
// make them: reads and writes alike go to the file that it leads to, if that lies below the home folder and belongs to the
// user, and the link stays. Everything else is refused as a link. A path without a link is its own answer.
func Follow(path, home string) (string, error) {
	_, err := stat(path, home)
	if ReasonOf(err) != SymbolicLink {
		return path, nil // whatever else is wrong with it is for whoever opens it
	}
	refused := func(why string) (string, error) {
		return "", &Error{Path: path, Reason: SymbolicLink, Err: errors.New(why)}
	}
	real, failed := filepath.EvalSymlinks(path)
	if failed != nil {
		e := refusal(path, failed)
		if e.Reason == Missing {
			e.Reason = DanglingLink
		}
		return "", e
	}
	root, failed := filepath.EvalSymlinks(home)
	if failed != nil {
		return refused("the home folder is not there")
	}
	if _, ok := below(real, root); !ok {
		return refused("it leads out of the home folder, to " + real)
	}
	if runtime.GOOS != windows && !ours(real) {
		return refused("the file that it leads to belongs to someone else")
	}
	// Below the home folder as the caller knows it, so that nothing in between is a link.
	rest, _ := below(real, root)
	return filepath.Join(home, rest), nil
}

// Note keeps a small document of ours under the state folder, which only the user may read. Nil takes it away.
func Note(stateDir, kind, path string, data []byte) error {
	dir, err := PrivateFolder(stateDir, kind)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, noteName(path))
	if data == nil {
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(to, err)
		}
		return nil
	}
	return WriteAtomic(to, data, WriteOptions{Private: true, Base: stateDir})
}

// Noted is what Note kept, nil for nothing.
func Noted(stateDir, kind, path string, max int) ([]byte, error) {
	if stateDir == "" {
		return nil, nil
	}
	data, _, err := Read(filepath.Join(stateDir, kind, noteName(path)), ReadOptions{MaxBytes: max, Base: stateDir, Private: true})
	if ReasonOf(err) == Missing {
		return nil, nil
	}
	return data, err
}

func noteName(path string) string {
	return strings.TrimPrefix(canon.Digest([]byte(resolve(path))), "sha256:") + ".json"
}

// MakeFolder makes the folder of a file that is to be made, with those above it, as the user's own.
func MakeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), privateFolder); err != nil {
		return unwritable(path, err)
	}
	return nil
}
