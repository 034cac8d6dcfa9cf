package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// server is one server behind us. One goroutine does its jobs, one after the other: it alone starts it and asks it, so that what
// a client asks in order comes in order.
type server struct {
	Server
	g    *Gateway
	word string
	jobs chan job
	last atomic.Int64 // the id of our last request: none is used twice, whichever process answers it

	mu   sync.Mutex // of what follows
	live *conn      // nil while it does not run
	// failures are those one after the other, notBefore is when it may be started again.
	failures  int
	notBefore time.Time
	// lists are those that are known, as clients see them; nil for one that is not. missed says that a client was given a list
	// without this server's part of it.
	lists  [4]*listing
	missed [4]bool
	// names are the server's own, by the names that had to be changed.
	names map[string]string
	said  *string // the instructions that a lock holds, once they were judged
}

// job is one thing to do with a server.
type job struct {
	// start says that it is started for it, where it does not run.
	start bool
	// gone says that nobody waits for it any more, nil for somebody always does.
	gone func() bool
	// do does it. c is nil where the server does not run and is not to be started.
	do func(c *conn)
	// fail says why it is not done, nil where nobody asks.
	fail func(error)
}

// submit gives a server something to do. It waits for nothing: false says that too much waits already.
func (s *server) submit(j job) bool {
	select {
	case s.jobs <- j:
		return true
	default:
		return false
	}
}

// downError says that a server can not be asked, and when it can.
type downError struct{ why string }

func (e *downError) Error() string { return e.why }

func down(format string, args ...any) error { return &downError{fmt.Sprintf(format, args...)} }

func (s *server) run() {
	tick := time.NewTicker(s.g.lim.GatewayPing)
	defer tick.Stop()
	for {
		select {
		case <-s.g.ctx.Done():
			if c := s.running(); c != nil {
				c.end(nil)
				<-c.gone
			}
			return
		case <-tick.C:
			s.check()
		case j := <-s.jobs:
			if j.gone != nil && j.gone() {
				continue
			}
			s.one(j)
		}
	}
}

// one does a job. Where that makes us fail the server is ended: the others go on.
func (s *server) one(j job) {
	var c *conn
	var err error
	defer func() {
		if e := recover(); e == nil {
			return
		}
		if c != nil {
			c.end(errors.New("what was asked of it could not be handled"))
		}
		if j.fail != nil {
			j.fail(down("what was asked of %s could not be handled", s.Name))
		}
	}()
	if c = s.running(); c != nil && c.ending() { // the next one is started once this one is gone
		<-c.counted
		c = nil
	}
	if c == nil && j.start {
		c, err = s.up()
	}
	if err == nil {
		j.do(c)
	} else if j.fail != nil {
		j.fail(err)
	}
}

// running is the server's process, nil while there is none.
func (s *server) running() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live
}

// up starts the server. One that ended is not started again before its time: twice as long each time, and then not at all.
func (s *server) up() (*conn, error) {
	if s.Refused != "" {
		return nil, down("%s is not offered: %s", s.Name, s.Refused)
	}
	lim := s.g.lim
	s.mu.Lock()
	failures, wait := s.failures, time.Until(s.notBefore)
	s.mu.Unlock()
	switch {
	case failures >= lim.GatewayRestarts:
		return nil, down("%s has failed %d times one after the other, and is not started again: the log says why", s.Name, failures)
	case wait > lim.GatewayWait:
		return nil, down("%s is down, and is started again in %s at the earliest: the log says why", s.Name, wait.Round(time.Second))
	case wait > 0:
		select {
		case <-time.After(wait):
		case <-s.g.ctx.Done():
			return nil, down("the gateway ends")
		}
	}
	c, err := s.start()
	if err != nil {
		s.failed(err, 0)
		return nil, down("%s can not be started: %s", s.Name, err)
	}
	s.g.log(s.Name, "started")
	return c, nil
}

// failed notes that the server failed once it had lived for so long, and when it may be started again.
func (s *server) failed(why error, lived time.Duration) {
	lim := s.g.lim
	s.mu.Lock()
	if s.live = nil; lived >= lim.GatewaySettled {
		s.failures = 0
	}
	s.failures++
	wait := lim.GatewayBackoff << min(s.failures-1, 30)
	if wait > lim.GatewayBackoffMost || wait <= 0 {
		wait = lim.GatewayBackoffMost
	}
	wait += time.Duration((s.g.opt.Jitter() - 0.5) / 2 * float64(wait)) // so that servers that fell together do not rise together
	s.notBefore = time.Now().Add(wait)
	again := "it is started again when it is needed, in " + wait.Round(time.Millisecond).String() + " at the earliest"
	if s.failures >= lim.GatewayRestarts {
		again = "it is not started again"
	}
	s.mu.Unlock()
	s.g.log(s.Name, "down: "+why.Error()+"; "+again)
}

// start starts the server and shakes hands with it. Its tools are asked for at once, so that they are judged before one is called.
func (s *server) start() (*conn, error) {
	lim := s.g.lim
	ctx, cancel := context.WithTimeoutCause(s.g.ctx, lim.StartTime, errors.New("no answer within "+lim.StartTime.String()))
	defer cancel()
	lines, err := s.Start(s.g.ctx)
	if err != nil {
		return nil, err
	}
	c := &conn{s: s, lines: lines, since: time.Now(), open: map[int64]*pending{}, ended: make(chan struct{}), gone: make(chan struct{}), counted: make(chan struct{}),
		answers: make(chan func(), lim.GatewayQueue)}
	c.heard.Store(time.Now().UnixNano())
	defer func() {
		if e := recover(); e != nil { // it is nobody's yet
			c.end(errors.New("what it said at its start could not be handled"))
			panic(e)
		}
	}()
	go c.read()
	go c.answering()
	if err = c.handshake(ctx); err == nil && c.can("tools") {
		var tools *listing
		tools, err = c.list(ctx, wire.Tools)
		if blocked := (*blockedError)(nil); errors.As(err, &blocked) {
			c.withheld, err, tools = blocked, nil, &listing{}
			s.g.log(s.Name, "its tools are withheld: "+blocked.Error())
		}
		if err == nil {
			s.keep(wire.Tools, tools)
		}
	}
	if err != nil {
		c.end(err)
		<-c.gone
		return nil, err
	}
	s.mu.Lock()
	for _, k := range wire.Lists()[1:] {
		if s.Locked == nil {
			s.lists[k] = nil
		}
	}
	s.live = c
	s.mu.Unlock()
	s.g.ended.Go(func() { s.watch(c) })
	return c, nil
}

// watch waits for the end of a server that runs.
func (s *server) watch(c *conn) {
	defer close(c.counted)
	<-c.gone
	if c.why != nil {
		s.failed(c.why, time.Since(c.since))
		return
	}
	s.mu.Lock()
	s.live = nil
	s.mu.Unlock()
}

// check asks a server that is silent whether it is there still, and ends one that nobody needs.
func (s *server) check() {
	c := s.running()
	if c == nil || c.busy() { // who works on something may be silent
		return
	}
	lim := s.g.lim
	if idle := s.g.opt.Idle; idle > 0 && time.Since(time.Unix(0, c.asked.Load())) >= idle && time.Since(c.since) >= idle {
		s.g.log(s.Name, "ended: nobody asked for it within "+idle.String())
		c.end(nil)
		<-c.gone
		return
	}
	if time.Since(time.Unix(0, c.heard.Load())) < lim.GatewayPing {
		return
	}
	ctx, cancel := context.WithTimeoutCause(s.g.ctx, lim.GatewayPong, errors.New("it did not say within "+lim.GatewayPong.String()+" that it is there"))
	defer cancel()
	var err error
	if c.modern {
		_, err = c.request(ctx, "server/discover", c.meta())
	} else {
		_, err = c.request(ctx, "ping", "")
	}
	if ctx.Err() != nil { // any answer is one
		c.end(err)
	}
}

// saw tells who wants to know of a frame that was more than let through.
func (s *server) saw(from guard.Side, size int, r guard.Result) {
	if s.Saw != nil && r.Action != guard.Pass {
		s.Saw(from, size, r)
	}
}
