// Package gateway is one MCP server that stands for many: a client has one entry, and behind it the servers of a project, which are
// started when they are needed. Their tools and prompts are offered as SERVER__NAME, their resources as SERVER+URI. Every frame
// between us and one of them goes through a guard.Judge of its own, as it does in a guard that stands before that server alone; what
// is offered of a server that was not started yet goes through it too, as if the server had said it.
//
// Nothing here starts a process or opens a socket: a server is started by a function, a client is a reader and a writer or a
// wire.Handler.
package gateway

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/flow/serve"
	"github.com/mcpassay/mcpassay/internal/flow/talk"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/model/lock"
)

// Server is one server behind us.
type Server struct {
	// Name is what its project or its config calls it.
	Name string
	// Locked is its entry in a lock, nil for none: what it holds is offered before the server was started.
	Locked *lock.Server
	// Judge judges all that passes between us and it.
	Judge guard.Judge
	// Saw is told of every frame that was more than let through, nil for nobody.
	Saw func(from guard.Side, size int, r guard.Result)
	// Start starts it. What it starts lasts until it is closed, or until the context ends.
	Start func(context.Context) (talk.Lines, error)
	// Refused is why it is not started at all, and what to do about it; "" for a server that is.
	Refused string
}

// Options are what a gateway is made of.
type Options struct {
	Version string
	Servers []Server
	// Clients are those whose limits on names hold, Entry is what they call us.
	Clients []*client.Client
	Entry   string
	// Idle is how long a server may be asked nothing before it is ended, to be started again when it is needed; 0 for ever.
	Idle time.Duration
	// Front is who may ask over HTTP.
	Front serve.Front
	// Log is told what becomes of a server, in one line that is not made safe yet; nil for nobody. It may be called from anywhere.
	Log func(server, line string)
	// Jitter is a number between 0 and 1, another each time.
	Jitter func() float64
	Limits limits.Set
}

// Gateway is one. Lines or Handle ask it, and Close ends it.
type Gateway struct {
	opt     Options
	lim     limits.Set
	room    int
	ctx     context.Context
	stop    context.CancelFunc
	ended   sync.WaitGroup
	servers []*server
	words   map[string]*server
	starts  chan struct{}
	// slots are for what is done beside the reading of a client.
	slots chan struct{}

	mu     sync.Mutex
	client *peer  // who speaks on stdio, nil for none
	level  string // of log messages that the client asked for, as it is written, "" for none
}

// New makes a gateway. No server is started. The error says which two servers would have one name.
func New(ctx context.Context, o Options) (*Gateway, error) {
	lim := o.Limits
	g := &Gateway{opt: o, lim: lim, room: Room(o.Clients, o.Entry), words: map[string]*server{},
		starts: make(chan struct{}, lim.GatewayStarts), slots: make(chan struct{}, lim.GatewayCalls)}
	if n := len(o.Servers); n > lim.GatewayServers {
		return nil, fmt.Errorf("%d servers, and %d is the most behind one gateway", n, lim.GatewayServers)
	}
	if least := lim.GatewayWord + len(between) + mark + 1; g.room < least {
		return nil, fmt.Errorf("%s is too long a name for us: it leaves tools %d characters, and %d is the least", o.Entry, g.room, least)
	}
	for i := range o.Servers {
		s := &server{Server: o.Servers[i], g: g, word: Word(o.Servers[i].Name, lim.GatewayWord), names: map[string]string{}, jobs: make(chan job, lim.GatewayQueue)}
		if other := g.words[s.word]; other != nil {
			return nil, fmt.Errorf("%s and %s would both be called %s", other.Name, s.Name, s.word)
		}
		g.words[s.word] = s
		g.servers = append(g.servers, s)
	}
	g.ctx, g.stop = context.WithCancel(ctx)
	for _, s := range g.servers {
		if s.Refused != "" {
			g.log(s.Name, "not offered: "+s.Refused)
		}
		g.ended.Go(s.run)
	}
	return g, nil
}

// Close ends all servers, and returns once they have ended.
func (g *Gateway) Close() {
	g.stop()
	g.ended.Wait()
}

func (g *Gateway) log(server, line string) {
	if g.opt.Log != nil {
		g.opt.Log(server, line)
	}
}

// instructions are what every model is told: how names are made, and what the servers say whose words a lock holds. Those of others
// are not known before they are started.
func (g *Gateway) instructions() string {
	var b strings.Builder
	b.WriteString("Several servers stand behind this one. A tool or a prompt is called SERVER" + between + "NAME, and a resource's URI begins with SERVER+.")
	for _, s := range g.servers {
		says := s.says()
		switch {
		case says == "":
		case b.Len()+len(says) > g.lim.GatewayInstructions:
			b.WriteString("\n\nWhat " + s.word + " has to say is left out: it is too long.")
		default:
			b.WriteString("\n\nOf " + s.word + ": " + says)
		}
	}
	return b.String()
}
