package proc

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// passed are the variables that a child gets from us (seed tool-card-linter): what a program needs to find its parts,
// and nothing that could hold a credential.
var passed = [...]string{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TEMP", "TMP", "LANG", "LC_ALL", "LC_CTYPE",
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR"}

// Environ is the environment of a child: of parent (as of os.Environ) a short list of harmless variables, or all with
// inherit, and over them those that the child's own entry names, as NAME=VALUE.
func Environ(parent, entry []string, inherit bool, lim limits.Set) ([]string, error) {
	env := []string{}
	for _, kv := range parent {
		name, _, ok := strings.Cut(kv, "=")
		if ok && name != "" && (inherit || slices.ContainsFunc(passed[:], func(p string) bool { return sameName(p, name) })) {
			env = append(env, kv)
		}
	}
	for _, kv := range entry {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("environment: %.40q has no name", kv)
		}
		env = Set(env, name, value)
	}
	return env, bounded(env, lim)
}

// Set gives env with a variable set.
func Set(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		n, _, _ := strings.Cut(kv, "=")
		return sameName(n, name)
	})
	return append(env, name+"="+value)
}

// Get gives the value of a variable, "" if it is not set.
func Get(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if n, value, ok := strings.Cut(kv, "="); ok && sameName(n, name) {
			return value
		}
	}
	return ""
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// bounded refuses an environment over the limits. The errors name variables, never values.
func bounded(env []string, lim limits.Set) error {
	if len(env) > lim.EnvVars {
		return fmt.Errorf("environment: %d variables, more than %d", len(env), lim.EnvVars)
	}
	total := 0
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) > lim.EnvChars {
			return fmt.Errorf("environment: %.40q has %d bytes, more than %d", name, len(value), lim.EnvChars)
		}
		if strings.IndexByte(kv, 0) >= 0 {
			return fmt.Errorf("environment: %.40q holds a NUL byte", name)
		}
		if total += len(kv) + 1; total > lim.EnvBytes {
			return fmt.Errorf("environment: more than %d bytes", lim.EnvBytes)
		}
	}
	return nil
}

// NotFoundError says that a command is not there.
type NotFoundError struct {
	Command string
	// Path is where it was looked for: a PATH, or "" for a command that is a path itself.
	Path string
	Err  error
}

func (e *NotFoundError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("command %q can not be started: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("command %q is not on the PATH", e.Command)
}

func (e *NotFoundError) Unwrap() error { return e.Err }

// Look finds the file that a command stands for, on the PATH of env; a path with a separator is relative to dir, "" for
// ours. Folders of the PATH that are not absolute do not count: what they hold depends on where one stands.
func Look(command string, env []string, dir string) (string, error) {
	if strings.ContainsRune(command, '/') || filepath.Base(command) != command {
		path := command
		if !filepath.IsAbs(path) && dir != "" {
			path = filepath.Join(dir, path)
		}
		path, err := filepath.Abs(path)
		if err == nil {
			path, err = exec.LookPath(path)
		}
		if err != nil {
			return "", &NotFoundError{Command: command, Err: err}
		}
		return path, nil
	}
	search := Get(env, "PATH")
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
			return path, nil
		}
	}
	if search == "" {
		search = "PATH is not set"
	}
	return "", &NotFoundError{Command: command, Path: search, Err: exec.ErrNotFound}
}
