// Command chaos is an MCP server that floods, stalls, writes what is no message, and dies, as its seed has it. It keeps to the order of
// frames, and writes down what it got and what it wrote, so that a test can say whether somebody between lost or moved a frame.
//
// CHAOS_SEED is the seed, CHAOS_REPORT the file that is written, CHAOS_DIES says that it may die. A line of the report is "got N" for a
// request with the number N, "sent S" for a frame of the number S that is written whole, "bad S" for one that is no message, before it is
// written, or "exit C".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

type server struct {
	r      *rand.Rand
	report *os.File
	seq    int
	dies   bool
}

func main() {
	seed, _ := strconv.ParseUint(os.Getenv("CHAOS_SEED"), 10, 64)
	report, err := os.OpenFile(os.Getenv("CHAOS_REPORT"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	s := &server{r: rand.New(rand.NewPCG(seed, 1)), report: report, dies: os.Getenv("CHAOS_DIES") != ""}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		s.request(line)
	}
	s.exit(int(seed % 4))
}

func (s *server) exit(code int) {
	s.say("exit", code)
	os.Exit(code)
}

func (s *server) say(word string, n int) { fmt.Fprintln(s.report, word, n) }

func (s *server) write(text string) {
	if _, err := os.Stdout.WriteString(text); err != nil {
		s.exit(9)
	}
}

// frame writes a frame of the next number: text has a verb for it.
func (s *server) frame(text string, args ...any) {
	s.seq++
	s.write(fmt.Sprintf(text, append(args, s.seq)...) + "\n")
	s.say("sent", s.seq)
}

// bad writes a line that is no message, with the next number.
func (s *server) bad(text string, args ...any) {
	s.seq++
	s.say("bad", s.seq)
	s.write(fmt.Sprintf(text, append(args, s.seq)...) + "\n")
}

func (s *server) request(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Arguments struct{ N int } }
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return
	}
	switch m.Method {
	case "initialize":
		s.frame(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"chaos","version":"1"},"_meta":{"seq":%d}}}`, m.ID)
	case "tools/list":
		s.frame(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","description":"Says a text again.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}}}}],"_meta":{"seq":%d}}}`, m.ID)
	default:
		s.say("got", m.Params.Arguments.N)
		s.answer(string(m.ID))
	}
}

func (s *server) answer(id string) {
	words := func(most int) string { return strings.Repeat("the parcel is on its way. ", 1+s.r.IntN(most)) }
	switch s.r.IntN(24) {
	case 0: // a flood
		for range 50 + s.r.IntN(500) {
			s.frame(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s","_meta":{"seq":%d}}}`, words(4))
		}
	case 1:
		time.Sleep(time.Duration(s.r.IntN(30)) * time.Millisecond)
	case 2:
		s.bad(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"_meta":{"seq":%d}`, id)
		return
	case 3:
		s.bad(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"content":[{"type":"text","text":"two"}],"_meta":{"seq":%d}}}`, id)
		return
	case 4:
		s.write("listening on nothing at all\n")
	case 5:
		s.bad("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"\xff\xfe\",\"_meta\":{\"seq\":%d}}}")
	case 6: // in pieces
		s.seq++
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ü %s"}],"_meta":{"seq":%d}}}`+"\n", id, words(60), s.seq)
		for len(text) > 0 {
			n := min(len(text), 1+s.r.IntN(200))
			s.write(text[:n])
			text = text[n:]
		}
		s.say("sent", s.seq)
		return
	case 7:
		if s.dies {
			s.say("bad", s.seq+1)
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"half of`, id))
			s.exit(7)
		}
	case 8:
		s.frame(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}],"_meta":{"seq":%d}}}`, id, words(40000))
		return
	}
	s.frame(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}],"_meta":{"seq":%d}}}`, id, words(40))
}
