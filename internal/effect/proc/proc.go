// Package proc is the door to processes: it starts a child, exchanges lines with it over its standard streams, and
// ends it together with all that it started. The child is a stranger: it may flood, stall, fork, or ignore every signal.
//
// What ends with a child:
//
//   - Linux: its session's process group and every descendant that the system still shows as one. A descendant whose
//     parent died belongs to nobody's tree unless a subreaper stands above it, which is what the supervisor of package
//     sandbox is. A child is killed when this process dies, however it dies (PR_SET_PDEATHSIG).
//   - other Unix systems: its process group. A descendant that leaves the group is not caught, and nothing happens to
//     the child when this process is killed with SIGKILL (it sees its standard input end).
//   - Windows: its Job Object, thus everything that it started, also when this process is killed.
package proc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// Command is what to start.
type Command struct {
	// Path is the file to run, "" for what Look finds for Argv[0].
	Path string
	// Argv is the program as it is told its name, and its arguments.
	Argv []string
	// Env is the whole environment, as Environ makes it.
	Env []string
	// Dir is the working folder; "" for an empty one that is removed in the end.
	Dir string
	// Supervised says that Argv is a supervisor, which ends all below it when it gets SIGTERM. It gets that, and no
	// SIGKILL, when this process dies.
	Supervised bool
	// Job bounds the child's Job Object on Windows; nil for none.
	Job *JobLimits
}

// JobLimits are the bounds of a Job Object, all of its processes taken together.
type JobLimits struct {
	Processes int
	Memory    int // in bytes
	CPU       time.Duration
}

// ErrClosed is what a child that was closed answers.
var ErrClosed = errors.New("the child is closed")

// LineTooLongError says that a child wrote a line of more than Limit bytes. Nothing is read after it.
type LineTooLongError struct{ Limit int }

func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("a line of more than %d bytes on standard output", e.Limit)
}

// Exit is how a child ended.
type Exit struct {
	// Code is its exit code, -1 if a signal ended it.
	Code int
	// Reason is the same in words: "exit status 1", "signal: killed".
	Reason string
	// Signal is the number of the signal that ended it, 0 for none.
	Signal int
}

// Child is a running child. ReadLine is for one goroutine, the other methods for any. Close must be called.
type Child struct {
	lim     limits.Set
	ctx     context.Context
	cmd     *exec.Cmd
	tree    tree
	job     *JobLimits
	ours    string // the folder that was made for it
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	through bool // its streams are another's: nothing of them is read or written here
	lines   chan line
	last    error // what ended the lines
	closing chan struct{}
	exited  chan struct{}
	silent  chan struct{} // closed at the end of standard output
	quiet   chan struct{} // closed at the end of standard error
	exit    Exit
	readers sync.WaitGroup
	writing sync.Mutex
	ring    ring
	ending  sync.Once
	endErr  error
	forget  func() bool
}

type line struct {
	bytes []byte
	err   error
}

// Start starts a child. It is ended when ctx is; Close must still be called.
func Start(ctx context.Context, c Command, lim limits.Set) (*Child, error) {
	child, err := begin(ctx, c, nil, lim)
	if err != nil {
		return nil, err
	}
	child.readers.Go(child.readLines)
	child.readers.Go(func() { defer close(child.quiet); child.readErrors() })
	return child, nil
}

// Through starts a child whose streams are handed over as they are: what the caller writes to in it reads, and what it writes is
// read from out, without a pause where the system has such pipes. It writes its errors to stderr. ReadLine, WriteLine and Stderr are
// not for it.
func Through(ctx context.Context, c Command, stderr *os.File, lim limits.Set) (child *Child, in, out *os.File, err error) {
	if child, err = begin(ctx, c, stderr, lim); err != nil {
		return nil, nil, nil, err
	}
	return child, child.stdin, child.stdout, nil
}

func begin(ctx context.Context, c Command, stderr *os.File, lim limits.Set) (_ *Child, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("no command to start")
	}
	if !c.Supervised { // whose environment was bounded before it was wrapped for its way
		if err := bounded(c.Env, lim); err != nil {
			return nil, err
		}
	}
	path := c.Path
	if path == "" {
		if path, err = Look(c.Argv[0], c.Env, c.Dir); err != nil {
			return nil, err
		}
	}
	child := &Child{
		lim: lim, ctx: ctx, job: c.Job, through: stderr != nil,
		lines: make(chan line), closing: make(chan struct{}), exited: make(chan struct{}), silent: make(chan struct{}), quiet: make(chan struct{}),
		ring: ring{limit: lim.ChildStderr},
	}
	if c.Dir == "" {
		if child.ours, err = os.MkdirTemp("", "mcpassay-"); err != nil {
			return nil, fmt.Errorf("working folder: %w", err)
		}
		c.Dir = child.ours
	} else if info, err := os.Stat(c.Dir); err != nil {
		return nil, fmt.Errorf("working folder: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("working folder: %s is no folder", c.Dir)
	}
	child.cmd = &exec.Cmd{Path: path, Args: c.Argv, Env: append([]string{}, c.Env...), Dir: c.Dir, SysProcAttr: attributes(c.Supervised)}
	if err := child.start(stderr); err != nil {
		child.release()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	registered := make(chan struct{})
	child.forget = context.AfterFunc(ctx, func() {
		<-registered // Close asks for what this gives
		_ = child.Close()
	})
	close(registered)
	return child, nil
}

// start makes the pipes and runs the command in a goroutine of its own, which keeps its thread until the child has
// ended: Linux sends PR_SET_PDEATHSIG when the thread ends that made the child.
func (c *Child) start(stderr *os.File) error {
	var theirs [3]*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	open := os.Pipe
	if c.through {
		open = blockingPipe
	}
	var err error
	if theirs[0], c.stdin, err = open(); err != nil {
		return err
	}
	if c.stdout, theirs[1], err = open(); err != nil {
		return err
	}
	if !c.through {
		if c.stderr, theirs[2], err = os.Pipe(); err != nil {
			return err
		}
		stderr = theirs[2]
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1], stderr
	closeInherited()
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		if err == nil {
			if err = c.tree.adopt(c.cmd.Process, c.job); err != nil {
				_ = c.cmd.Process.Kill()
				_ = c.cmd.Wait()
			}
		}
		started <- err
		if err == nil {
			c.wait()
		}
	}()
	return <-started
}

// wait waits for the end of the child and of what it left in its group.
func (c *Child) wait() {
	c.tree.wait(c.cmd)
	state := c.cmd.ProcessState
	c.exit = Exit{Code: -1, Reason: "unknown"}
	if state != nil {
		c.exit = Exit{Code: state.ExitCode(), Reason: state.String(), Signal: signalOf(state)}
	}
	close(c.exited)
	if c.through {
		return
	}
	// Who left the group may hold the pipes open for ever.
	c.impatient(c.stdout)
	c.impatient(c.stderr)
}

// impatient bounds the next read of what a dead child wrote.
func (c *Child) impatient(f *os.File) { _ = f.SetReadDeadline(time.Now().Add(c.lim.ChildGrace)) }

// read reads from a pipe of the child.
func (c *Child) read(f *os.File, b []byte) (int, error) {
	select {
	case <-c.exited:
		c.impatient(f)
	default:
	}
	n, err := f.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

type pipe func([]byte) (int, error)

func (p pipe) Read(b []byte) (int, error) { return p(b) }

// readLines hands the lines over one by one, and reads no further than one ahead.
func (c *Child) readLines() {
	defer close(c.lines)
	in := bufio.NewReaderSize(pipe(func(b []byte) (int, error) { return c.read(c.stdout, b) }), c.lim.ChildBuffer)
	for {
		l := nextLine(in, c.lim.ChildLine)
		if l.err != nil {
			close(c.silent)
		}
		select {
		case c.lines <- l:
		case <-c.closing:
		}
		if l.err != nil {
			break
		}
	}
	// A child that can not write does not see that its input has ended.
	<-c.closing
	_, _ = io.Copy(io.Discard, in)
}

func nextLine(in *bufio.Reader, limit int) line {
	var whole []byte
	for {
		part, err := in.ReadSlice('\n')
		if n := len(whole) + len(bytes.TrimSuffix(part, []byte("\n"))); n > limit {
			return line{err: &LineTooLongError{limit}}
		}
		whole = append(whole, part...)
		switch {
		case err == nil:
			return line{bytes: whole[:len(whole)-1]}
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(whole) > 0:
			return line{whole, io.ErrUnexpectedEOF}
		default:
			return line{err: err}
		}
	}
}

func (c *Child) readErrors() {
	b := make([]byte, c.lim.ChildBuffer)
	for {
		n, err := c.read(c.stderr, b)
		c.ring.write(b[:n])
		if err != nil {
			return
		}
	}
}

// Run runs a command to its end with nothing on its standard input, and gives how it ended and the last of what it
// wrote to its standard error.
func Run(ctx context.Context, c Command, lim limits.Set) (Exit, []byte, error) {
	child, err := Start(ctx, c, lim)
	if err != nil {
		return Exit{}, nil, err
	}
	child.stdin.Close()
	for err == nil {
		_, err = child.ReadLine(ctx)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		select {
		case <-child.exited:
		case <-ctx.Done():
		}
	}
	closed := child.Close()
	if err := ctx.Err(); err != nil {
		return Exit{}, child.Stderr(), err
	}
	exit, _ := child.Exit()
	return exit, child.Stderr(), closed
}

// ReadLine gives the next line that the child writes, without its newline and else as it is. At the end of the output
// it answers io.EOF, or io.ErrUnexpectedEOF and the bytes when the last line has no newline; for a line over the limit
// a *LineTooLongError; and any of these again when asked again. When ctx ends first, no line is lost.
func (c *Child) ReadLine(ctx context.Context) ([]byte, error) {
	select {
	case <-c.closing:
		return nil, ErrClosed
	default:
	}
	if c.last != nil {
		return nil, c.last
	}
	select {
	case l, ok := <-c.lines:
		if !ok {
			return nil, ErrClosed
		}
		c.last = l.err
		return l.bytes, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closing:
		return nil, ErrClosed
	}
}

// WriteLine writes a line, which must hold no newline, and its newline.
func (c *Child) WriteLine(b []byte) error {
	if bytes.IndexByte(b, '\n') >= 0 {
		return errors.New("a line to write holds a newline")
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.stdin.SetWriteDeadline(time.Now().Add(c.lim.ChildWrite))
	_, err := c.stdin.Write(append(bytes.Clone(b), '\n'))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrClosed):
		return ErrClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the child has not read its standard input for %s", c.lim.ChildWrite)
	}
	return fmt.Errorf("write to the child: %w", err)
}

// Stderr gives the last bytes that the child wrote to its standard error. Behind the end of its output it waits for the
// rest of them, up to limits.ChildGrace: what a child says last tells why it ended.
func (c *Child) Stderr() []byte {
	select {
	case <-c.silent:
		select {
		case <-c.quiet:
		case <-time.After(c.lim.ChildGrace):
		}
	default:
	}
	return c.ring.bytes()
}

// Pid is the child's process id.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Exited is closed when the child has ended.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Exit says how the child ended, and false while it runs.
func (c *Child) Exit() (Exit, bool) {
	select {
	case <-c.exited:
		return c.exit, true
	default:
		return Exit{}, false
	}
}

// Close ends the child and all that it started, and frees what it held: it closes the standard input, waits
// limits.ChildGrace (not when the context of Start has ended), asks with SIGTERM, and kills after limits.ChildKill. The
// error says what could not be ended or removed; how the child ended is in Exit.
func (c *Child) Close() error {
	c.ending.Do(func() {
		close(c.closing)
		c.stdin.Close()
		if !c.within(c.lim.ChildGrace, c.ctx.Done()) {
			c.tree.terminate()
			if !c.within(c.lim.ChildKill, nil) {
				c.tree.kill()
				if !c.within(c.lim.ChildReap, nil) {
					c.endErr = fmt.Errorf("process %d does not end", c.Pid())
				}
			}
		}
		c.forget()
		c.drain()
		c.endErr = errors.Join(c.endErr, c.release())
	})
	return c.endErr
}

// drain reads what a dead child left in its pipes, and no longer than limits.ChildGrace: another process may hold them.
func (c *Child) drain() {
	read := make(chan struct{})
	go func() { c.readers.Wait(); close(read) }()
	t := time.NewTimer(c.lim.ChildGrace)
	defer t.Stop()
	select {
	case <-read:
	case <-t.C:
	}
	c.stdout.Close()
	c.stderr.Close()
	<-read
}

// within waits for the end of the child, for so long, or until cut is closed.
func (c *Child) within(d time.Duration, cut <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.exited:
		return true
	case <-t.C:
	case <-cut:
	}
	return false
}

// release frees what is held beside the process.
func (c *Child) release() error {
	for _, f := range []*os.File{c.stdin, c.stdout, c.stderr} {
		f.Close()
	}
	c.tree.release()
	if c.ours == "" {
		return nil
	}
	return RemoveTree(c.ours)
}

// Terminate asks the child and its group to end, as SIGTERM does.
func (c *Child) Terminate() { c.tree.terminate() }
