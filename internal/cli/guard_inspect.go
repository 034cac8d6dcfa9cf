package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/catalog"
	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/flow/guard"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/rule"
	"github.com/mcpassay/mcpassay/internal/text"
)

// verdict is what `guard inspect --json` says of one frame.
type verdict struct {
	// Frame is the number of the frame, counted from 1.
	Frame int `json:"frame"`
	// Action is pass, warn (it is forwarded, perhaps without a part), block, or error for what is no JSON.
	Action string `json:"action"`
	// Done is the same as the guard has it: pass, note, redact, block.
	Done     string   `json:"done"`
	Findings []signed `json:"findings"`
}

// signed is a finding of a verdict.
type signed struct {
	Rule     string           `json:"rule"`
	Aliases  []string         `json:"aliases"`
	Severity finding.Severity `json:"severity"`
	Action   string           `json:"action"`
	OWASP    string           `json:"owasp"`
	Message  string           `json:"message"`
	Pointer  string           `json:"pointer,omitempty"`
	Tool     string           `json:"tool,omitempty"`
}

func (a *app) guardInspect() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "inspect FILE|-", Short: "Judge recorded frames, one a line",
		Long: "Judge the frames of one session, one a line, as the guard would: `<` and a blank\n" +
			"before a frame say that the server sent it, `>` that the client did. Without such a\n" +
			"mark a request is the client's unless only servers make it, and an answer is that of\n" +
			"who was asked. Prints a line for each frame.",
		Example: "  mcpassay guard inspect session.jsonl\n  mcpassay guard inspect --json - < session.jsonl",
		Annotations: map[string]string{touches: "the file named: no process, no network",
			exits: "0 all pass, 1 a frame is noted, redacted or no JSON, 2 a frame is blocked, or the file can not be read"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("mcpassay guard inspect session.jsonl", "inspect needs one file, or - for standard input")
			}
			in := a.io.In
			if args[0] != "-" {
				f, err := ledgerdoor.Open(absolute(a.io.Cwd, args[0])) // recorded frames are a log: line by line, of any length
				if err != nil {
					if errors.Is(err, fs.ErrNotExist) {
						err = errors.New("it does not exist")
					}
					return &problem{what: "the frames can not be read: " + err.Error(), at: args[0], code: exitIncomplete}
				}
				defer f.Close()
				in = f
			}
			code, err := inspect(in, a.io.Out, asJSON, a.limits.GuardedFrame)
			if err != nil {
				return &problem{what: "the frames can not be read: " + err.Error(), at: args[0], code: exitIncomplete}
			}
			a.code = code
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each frame")
	return cmd
}

// inspect judges the frames of a session and answers the exit code. Of a line that is longer than most no more is kept.
func inspect(in io.Reader, out io.Writer, asJSON bool, most int) (code int, err error) {
	s := guard.NewSession(guard.Options{})
	sides := sides{asked: map[string]guard.Side{}}
	lines := bufio.NewReaderSize(in, 64*limits.KiB)
	w := bufio.NewWriter(out)
	defer func() { err = errors.Join(err, w.Flush()) }()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var long []byte
	for n := 0; ; {
		raw, more, err := lines.ReadLine()
		if err == io.EOF {
			return code, nil
		} else if err != nil {
			return code, err
		}
		if more || len(long) > 0 {
			if len(long) <= most+1 {
				long = append(long, raw[:min(len(raw), most+2-len(long))]...)
			}
			if more {
				continue
			}
			raw = long
		}
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		n++
		from, frame := sides.of(raw)
		r := s.Frame(from, frame)
		v := verdict{Frame: n, Action: "pass", Done: r.Action.String(), Findings: []signed{}}
		switch r.Action {
		case guard.Note, guard.Redact:
			v.Action, code = "warn", max(code, exitFindings)
		case guard.Block:
			if v.Action, code = "block", max(code, exitIncomplete); len(frame) <= most && !json.Valid(frame) {
				v.Action = "error"
			}
		}
		if r.Action == guard.Note && !json.Valid(frame) {
			v.Action = "error"
		}
		for i := range r.Findings {
			v.Findings = append(v.Findings, signedOf(&r.Findings[i]))
		}
		if asJSON {
			err = enc.Encode(&v)
		} else {
			err = v.print(w)
		}
		if err != nil {
			return code, err
		}
		long = long[:0]
	}
}

func signedOf(f *finding.Finding) signed {
	one := signed{Rule: f.Rule, Aliases: list(f.Aliases), Severity: f.Severity, Action: f.Action, Message: f.Message, Pointer: safe(f.Location.Pointer), Tool: safe(f.Tool)}
	if r, ok := catalog.ByID(f.Rule); ok {
		one.OWASP = r.OWASP
	}
	return one
}

func (v *verdict) print(w *bufio.Writer) error {
	w.WriteString(strconv.Itoa(v.Frame))
	w.WriteString(": ")
	w.WriteString(v.Action)
	for i, f := range v.Findings {
		sep := " "
		if i > 0 {
			sep = "; "
		}
		w.WriteString(sep + f.Rule + ": " + f.Message)
	}
	return w.WriteByte('\n')
}

// sides tells who sent a frame that does not say so.
type sides struct {
	asked map[string]guard.Side // by the ids of requests that are not answered
}

// serversAsk are the beginnings of the methods by which servers ask, and of notifications that only they send.
var serversAsk = [...]string{"sampling/", "elicitation/", "roots/list", "notifications/message", "notifications/tools/", "notifications/prompts/", "notifications/resources/",
	"notifications/tasks/", "notifications/elicitation/", "notifications/progress"}

func (s sides) of(line []byte) (guard.Side, []byte) {
	if len(line) > 1 && line[1] == ' ' && (line[0] == '<' || line[0] == '>') {
		if line[0] == '<' {
			return guard.Server, line[2:]
		}
		return guard.Client, line[2:]
	}
	method, id := wire.Envelope(line)
	if method == "" {
		if by, ok := s.asked[id]; ok && id != "" {
			delete(s.asked, id)
			return 1 - by, line
		}
		return guard.Server, line
	}
	from := guard.Client
	for _, a := range serversAsk {
		if strings.HasPrefix(method, a) {
			from = guard.Server
		}
	}
	if id != "" {
		if len(s.asked) >= limits.Default.GuardedRequests {
			clear(s.asked)
		}
		s.asked[id] = from
	}
	return from, line
}

// signature is a rule on traffic in `guard list-signatures --json`.
type signature struct {
	ID       string           `json:"id"`
	Title    string           `json:"title"`
	Severity finding.Severity `json:"severity"`
	Action   rule.Action      `json:"action"`
	OWASP    string           `json:"owasp"`
	Trigger  string           `json:"trigger"`
	Aliases  []string         `json:"aliases"`
}

func (a *app) guardSignatures() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list-signatures", Short: "List what the guard looks for, and what it does about it",
		Long:        "List the rules on traffic: what is done about each, and the entry of the OWASP MCP\nTop 10 that it belongs to. `mcpassay explain` shows the page of one.",
		Example:     "  mcpassay guard list-signatures\n  mcpassay guard list-signatures --json",
		Annotations: map[string]string{touches: "nothing", exits: "0"},
		Args:        noArgs("mcpassay guard list-signatures"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := []signature{}
			wide := 0
			for _, r := range catalog.All() {
				if r.Traffic != nil {
					all = append(all, signature{r.ID, r.Title, r.Severity, r.Action, r.OWASP, r.Trigger, list(r.Aliases)})
					wide = max(wide, len(r.ID))
				}
			}
			slices.SortStableFunc(all, func(a, b signature) int { return strings.Compare(a.ID, b.ID) })
			if asJSON {
				return a.printJSON(all)
			}
			for _, s := range all {
				fmt.Fprint(a.io.Out, hanging(fmt.Sprintf("%-6s  %-5s  %-*s", s.Action, s.OWASP, wide, s.ID), s.Title, 6+2+5+2+wide+2, a.io.Width))
			}
			_, err := fmt.Fprintln(a.io.Out, text.Count(len(all), "rule"))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
