package sandbox

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
	"github.com/mcpassay/mcpassay/internal/limits"
)

// Word is the first argument by which this program starts itself as a part of a sandbox. Whoever uses this package must
// hand the arguments after it to Child before anything else: cmd/mcpassay does, and so must the TestMain of a test.
const Word = "__sandbox"

// failed is the exit code of a stage that could not do its work.
const failed = 125

// anywhere is what no backend bounds once the network is on.
const anywhere = "network: with it on, every address and port can be reached, services of this machine included"

// policy is what a stage is told to keep.
type policy struct {
	read, write, empty list
	ports              list // the TCP ports that may be connected to; none for what net says
	net, pathMeta      bool
	deaf               bool   // it may not listen
	lasting            bool   // its processor time has no end
	dir, program       string // of bubblewrap: the working folder inside, and bwrap itself
}

// wrapping is put before the names of a server's variables on their way through the stages. The stages run outside the
// sandbox, so a stranger's LD_PRELOAD or GODEBUG must mean nothing to them.
const wrapping = "MCPASSAY_SERVER_"

func wrapped(env []string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		out = append(out, wrapping+kv)
	}
	return out
}

func unwrapped(env []string) []string {
	out := []string{}
	for _, kv := range env {
		if kv, ok := strings.CutPrefix(kv, wrapping); ok {
			out = append(out, kv)
		}
	}
	return out
}

type list []string

func (l *list) String() string     { return "" }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

// stage is the command that runs c within a policy.
func (p policy) stage(name string, c proc.Command) proc.Command {
	argv := []string{os.Args[0], Word, name}
	for _, l := range []struct {
		flag string
		list list
	}{{"read", p.read}, {"write", p.write}, {"empty", p.empty}, {"port", p.ports}} {
		for _, v := range l.list {
			argv = append(argv, "--"+l.flag+"="+v)
		}
	}
	if p.net {
		argv = append(argv, "--net")
	}
	if p.pathMeta {
		argv = append(argv, "--meta")
	}
	if p.deaf {
		argv = append(argv, "--deaf")
	}
	if p.lasting {
		argv = append(argv, "--lasting")
	}
	if p.dir != "" {
		argv = append(argv, "--dir="+p.dir)
	}
	if p.program != "" {
		argv = append(argv, "--program="+p.program)
	}
	c.Argv = append(append(argv, "--", c.Path), c.Argv...)
	c.Path = selfPath
	return c
}

// Child is this program as a part of a sandbox: args are those after Word. It does not return when it becomes the server.
func Child(args []string) int {
	if len(args) == 0 {
		return stageFailed(fmt.Errorf("no stage is named"))
	}
	var p policy
	var inner bool
	var kill time.Duration
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Var(&p.read, "read", "")
	f.Var(&p.write, "write", "")
	f.Var(&p.empty, "empty", "")
	f.Var(&p.ports, "port", "")
	f.BoolVar(&p.deaf, "deaf", false, "")
	f.BoolVar(&p.lasting, "lasting", false, "")
	f.BoolVar(&p.net, "net", false, "")
	f.BoolVar(&p.pathMeta, "meta", false, "")
	f.StringVar(&p.dir, "dir", "", "")
	f.StringVar(&p.program, "program", "", "")
	f.BoolVar(&inner, "inner", false, "")
	f.DurationVar(&kill, "kill", limits.Default.ChildKill, "")
	if err := f.Parse(args[1:]); err != nil {
		return stageFailed(err)
	}
	rest := f.Args()
	if len(rest) < 2 {
		return stageFailed(fmt.Errorf("no command is named"))
	}
	switch args[0] {
	case "supervise":
		return supervise(inner, kill, rest[0], rest[1:])
	case "confine":
		return stageFailed(confine(p, rest[0], rest[1:]))
	case "bubblewrap":
		return stageFailed(wrap(p, rest[0], rest[1:]))
	}
	return stageFailed(fmt.Errorf("no stage is named %q", args[0]))
}

func stageFailed(err error) int {
	fmt.Fprintf(os.Stderr, "mcpassay: sandbox: %v\n", err)
	return failed
}
