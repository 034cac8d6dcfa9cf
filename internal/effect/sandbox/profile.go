package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Profile is what a confined server may reach beside its own program.
type Profile struct {
	// Read and Write are folders and files that exist. What is secret in a folder to read stays closed, and a folder to write holds
	// nothing of the kind.
	Read, Write []string
	// Connect are the TCP ports of whatever host that it may connect to. It has no other network then.
	Connect []uint16
	// Secret are files and folders that are never opened, beside those that every home folder has.
	Secret []string
	// Loose says that nobody asked for bounds like these: the working folder is open for reading where it may be, and a backend
	// that can not keep a profile does what it can.
	Loose bool
}

func (p *Profile) connects() bool { return p != nil && len(p.Connect) > 0 }

// dns is the port at which names are asked for.
const dns = 53

// check refuses a profile that its backend can not keep.
func (p *Profile) check(s Spec) error {
	if p == nil {
		return nil
	}
	if p.connects() && s.AllowNet {
		return refuse("one of the two", "the whole network and single ports are both allowed")
	}
	if slices.Contains(p.Connect, 0) {
		return refuse("1 to 65535", "0 is no port")
	}
	switch s.Executor {
	case Host, Job, Docker:
		if !p.Loose {
			return refuse("--executor auto", "%s can not keep a server to folders and ports", s.Executor)
		}
	case Landlock, Bubblewrap:
		if p.connects() {
			return portsUsable(s)
		}
	}
	return nil
}

// rooms are the paths that a profile opens, existing ones, by the names that the server knows them by.
func (s Spec) rooms() (read, write []string, err error) {
	p := s.Profile
	if p == nil {
		return nil, nil, nil
	}
	if p.Loose && s.Dir != "" && s.mayOpen(s.Dir) {
		read = append(read, s.Dir)
	}
	for _, path := range p.Read {
		open, err := s.open(path)
		if err != nil {
			return nil, nil, err
		}
		if read = append(read, open...); len(read) > s.Limits.SandboxPaths {
			return nil, nil, refuse("name a folder inside it",
				"%s holds secrets, and beside them more than %d files and folders", path, s.Limits.SandboxPaths)
		}
	}
	for _, path := range p.Write {
		whole, err := s.folder(path)
		if err != nil {
			return nil, nil, err
		}
		write = append(write, whole)
	}
	return existing(read), existing(write), nil
}

// open gives what a folder or file to read comes to: itself, or of one that holds a secret all else that is in it now, without
// links, which may lead to one.
func (s Spec) open(path string) ([]string, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, fmt.Errorf("folder to read: %w", err)
	}
	switch s.judge(path) {
	case nothing:
		return nil, refuse("name another, or a folder inside it", "%s lies in or holds keys, the system's own files or other people's, and is not opened to a server", path)
	case whole:
		return []string{path}, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("folder to read: %w", err)
	}
	return s.beside(real, nil)
}

// beside adds what is in a folder beside its secrets.
func (s Spec) beside(dir string, out []string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("folder to read: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type()&(os.ModeSymlink|os.ModeSocket|os.ModeNamedPipe|os.ModeDevice) != 0 || len(out) > s.Limits.SandboxPaths {
			continue
		}
		switch s.judge(path) {
		case whole:
			out = append(out, path)
		case parts:
			if out, err = s.beside(path, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// words say for a person what a profile comes to.
func (p *Profile) words() (files, network string) {
	files = "files: it reads its program and workspace, and writes only a private folder that is removed"
	if p == nil {
		return files, ""
	}
	if n := len(p.Read) + len(p.Write); n > 0 {
		files = fmt.Sprintf("files: it reads its program and %d named folders, writes %d of them and a private one that is removed, and no secrets of the home folder", n, len(p.Write))
	}
	if p.connects() {
		network = "network: TCP to the ports"
		for i, port := range p.Connect {
			if i > 0 {
				network += ","
			}
			network += " " + strconv.Itoa(int(port))
		}
		network += " of any host, and nothing else: no UDP, no listening"
	}
	return files, network
}
