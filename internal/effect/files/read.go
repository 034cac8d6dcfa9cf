package files

import (
	"fmt"
	"io"
	"runtime"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// ReadOptions bounds one Read.
type ReadOptions struct {
	// MaxBytes is the most that the file may hold; 0 means the limit for files that were found.
	MaxBytes int
	// Base is the folder that must not be left through a link: a symbolic link at any component below it
	// is refused and its target is not touched. Empty for a path that a person named, which may be a link.
	// For an entry of Walk its own folder will do, as the walk went there without following a link.
	Base string
	// Private refuses a file whose mode lets anybody but its owner read or write it. Windows has no such modes: there the
	// folder's access list decides.
	Private bool

	opened func() // test hook: the file is open and nothing was read yet
}

// ID is the same for two paths of one file: device and inode, or volume and file index. It is comparable; the zero ID means
// that the system gave none.
type ID struct{ Device, File uint64 }

// Read gives the whole content of the regular file at path, and which file that is. It neither blocks nor opens anything but a
// regular file (no pipe, socket, device or folder, named or not), and it refuses content that was not
// all there at one time: a file that grows, shrinks or is replaced is read once more and is then Changed.
// A non-nil error is an *Error.
func Read(path string, opt ReadOptions) ([]byte, ID, error) {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = limits.Default.FoundBytes
	}
	data, id, err := readOnce(path, opt)
	if err != nil && err.Reason == Changed {
		data, id, err = readOnce(path, opt)
	}
	if err != nil {
		return nil, ID{}, err
	}
	return data, id, nil
}

func readOnce(path string, opt ReadOptions) ([]byte, ID, *Error) {
	// Opening some devices has effects, so look first; a file that is swapped after the look is seen below.
	before, err := stat(path, opt.Base)
	if err != nil {
		return nil, ID{}, err.(*Error)
	}
	if k := kindOf(before.mode); k != Regular {
		return nil, ID{}, &Error{Path: path, Reason: NotRegular, Kind: k}
	}
	if before.size > int64(opt.MaxBytes) {
		return nil, ID{}, oversized(path, opt.MaxBytes)
	}
	flags, follow := openNonBlocking, true
	if opt.Base != "" {
		flags, follow = flags|openNoFollow, false
	}
	f, err := open(path, flags)
	if err != nil {
		e := refusal(path, err)
		if e.Reason == LinkLoop { // it was no link a moment ago
			e.Reason = Changed
		}
		return nil, ID{}, e
	}
	defer f.Close()
	opened, err := f.look()
	if err != nil {
		return nil, ID{}, refusal(path, err)
	}
	if !before.same(opened) {
		return nil, ID{}, &Error{Path: path, Reason: Changed}
	}
	if others := opened.mode.Perm() & 0o077; opt.Private && others != 0 && runtime.GOOS != windows {
		return nil, ID{}, &Error{Path: path, Reason: Unreadable, Err: fmt.Errorf("others may use it, its mode is %04o: chmod 600 it", opened.mode.Perm())}
	}
	if opt.opened != nil {
		opt.opened()
	}
	data, err := readAll(f, opened.size, opt.MaxBytes)
	if err != nil {
		return nil, ID{}, refusal(path, err)
	}
	if len(data) > opt.MaxBytes {
		return nil, ID{}, oversized(path, opt.MaxBytes)
	}
	after, err := lookAt(path, follow)
	switch {
	case err != nil, !opened.same(after), after.size != opened.size, after.mod != opened.mod,
		// A size of zero is what files of /proc say that do have content.
		int64(len(data)) != opened.size && opened.size != 0:
		return nil, ID{}, &Error{Path: path, Reason: Changed}
	}
	return data, opened.id, nil
}

func oversized(path string, max int) *Error {
	return &Error{Path: path, Reason: Oversized, Err: fmt.Errorf("more than %d bytes", max)}
}

// readAll reads at most max+1 bytes. One read is enough where the size is right: it asks for one byte
// more than the file has, and a short answer from a regular file is its end. A longer one is a file that
// grows, and its caller will see to that.
func readAll(f handle, size int64, max int) ([]byte, error) {
	buf := make([]byte, 0, size+1)
	for len(buf) <= max {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):min(cap(buf), max+1)]
		n, err := f.Read(room)
		buf = buf[:len(buf)+n]
		switch {
		case err == io.EOF, err == nil && size > 0 && (int64(len(buf)) > size || int64(len(buf)) == size && n < len(room)):
			return buf, nil
		case err != nil:
			return nil, err
		}
	}
	return buf, nil
}
