package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// Jobs does what the skills are asked for, with the code and the words of the command line. Nothing of a stranger's in its
// arguments is taken for a path.
type Jobs interface {
	// Rules lists the rules that names mean, all for none; Explain gives their pages.
	Rules(names []string) (Result, error)
	Explain(rule string) (Result, error)
	// Lint judges the text of a config, Scan that of a tools/list answer or a saved surface. client may be "".
	Lint(config, name, client string) (Result, error)
	Scan(surface, client string) (Result, error)
	// Doctor looks at the configs of this machine.
	Doctor() (Result, error)
	// Probe asks an endpoint for one section, "" for all; url may be Fixture.
	Probe(ctx context.Context, section, url string) (Result, error)
}

// Fixture is the faulty endpoint that is part of this program, under both of its names.
const (
	Fixture     = "fixture://demo"
	fixtureLong = "fixture://mcp-endpoint-lint/demo"
)

// bench is what the skills stand on.
type bench struct {
	jobs    Jobs
	guard   *Guard
	callers *Callers
	lim     limits.Set
	// slots are of work at hand that judges, asking of work that waits for others.
	slots, asking chan struct{}
}

// Skills are all that a server offers.
func Skills(jobs Jobs, guard *Guard, callers *Callers, lim limits.Set) []Skill {
	b := &bench{jobs: jobs, guard: guard, callers: callers, lim: lim, slots: make(chan struct{}, lim.ServeJobs), asking: make(chan struct{}, lim.ServeProbes)}
	return []Skill{
		{Name: "whoami", Title: "Who is calling?", Description: whoamiText, Input: nothing, Output: whoamiOutput, Call: b.whoami},
		{Name: "example", Title: "A worked example", Description: exampleText, Input: nothing, Output: reportOutput, Slow: true, Call: b.example},
		{Name: "score_card", Title: "Score an MCP endpoint", Description: scoreCardText, Input: urlInput, Output: reportOutput, OpenWorld: true, Slow: true, Call: b.probe("", "url")},
		{Name: "handshake_report", Title: "Does the handshake work?", Description: handshakeText, Input: urlInput, Output: reportOutput, OpenWorld: true, Slow: true, Call: b.probe("handshake", "url")},
		{Name: "tools_list_report", Title: "Are the tools valid and told apart?", Description: toolsText, Input: urlInput, Output: reportOutput, OpenWorld: true, Slow: true, Call: b.probe("tools", "url")},
		{Name: "error_conformance", Title: "Are errors JSON-RPC errors?", Description: errorsText, Input: urlInput, Output: reportOutput, OpenWorld: true, Slow: true, Call: b.probe("errors", "url")},
		{Name: "discovery_report", Title: "What does a client find before it connects?", Description: discoveryText, Input: hostInput, Output: reportOutput, OpenWorld: true, Slow: true, Call: b.probe("discovery", "host")},
		{Name: "lint_config", Title: "Check a client config", Description: lintText, Input: lintInput, Output: reportOutput, Slow: true, Call: b.lint},
		{Name: "scan_tools", Title: "Judge a server's tools", Description: scanText, Input: scanInput, Output: reportOutput, Slow: true, Call: b.scan},
		{Name: "explain_rule", Title: "Explain a rule", Description: explainText, Input: ruleInput, Output: rulesOutput, Call: b.explain},
		{Name: "list_rules", Title: "List the rules", Description: rulesText, Input: rulesInput, Output: rulesOutput, Call: b.rules},
		{Name: "doctor", Title: "Check every MCP client of this machine", Description: doctorText, Input: nothing, Output: doctorOutput(), Slow: true, Local: true, Call: b.doctor},
		{Name: "mcpassay_doctor", Title: "Check every MCP client of this machine", Description: "The same as doctor, under its second name. " + doctorText,
			Input: nothing, Output: doctorOutput(), Slow: true, Local: true, Call: b.doctor},
	}
}

// arguments reads the arguments of a call into a struct. What it does not know is refused by name: a misspelt argument that is
// passed over would give the answer to another question.
func arguments(raw json.RawMessage, into any, takes string) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		return fmt.Errorf("%s is no %s: this tool takes %s", text.Safe(kind.Field, limits.Default.ShownRunes), kind.Type, takes)
	}
	return fmt.Errorf("this tool takes %s, and nothing else", takes)
}

// work does what costs more than an answer, a few at a time.
func (b *bench) work(ctx context.Context, slots chan struct{}, do func() (Result, error)) (Result, error) {
	wait := time.NewTimer(b.lim.ServeJobWait)
	defer wait.Stop()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return do()
	case <-wait.C:
	case <-ctx.Done():
	}
	return Result{}, errors.New("too many calls at once: try again in a moment")
}

func (b *bench) rules(_ context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct {
		Names []string `json:"names"`
	}
	if err := arguments(raw, &a, "names, a list of rules or patterns"); err != nil {
		return Result{}, err
	}
	if len(a.Names) > b.lim.ServeBatch {
		return Result{}, fmt.Errorf("%d names are the most: a pattern such as launch/* means many rules", b.lim.ServeBatch)
	}
	return b.jobs.Rules(a.Names)
}

func (b *bench) explain(_ context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct {
		Rule string `json:"rule"`
	}
	if err := arguments(raw, &a, "rule, the name of one"); err != nil {
		return Result{}, err
	}
	if a.Rule == "" {
		r, err := b.jobs.Explain(exampleRule)
		return r.saying("No rule was named, so this is " + exampleRule + " as an example."), err
	}
	return b.jobs.Explain(a.Rule)
}

func (b *bench) lint(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct{ Config, Name, Client string }
	if err := arguments(raw, &a, "config, the text of the file, and if need be its name and its client"); err != nil {
		return Result{}, err
	}
	return b.work(ctx, b.slots, func() (Result, error) {
		if a.Config == "" {
			r, err := b.jobs.Lint(exampleConfig, ".mcp.json", "")
			return r.saying("No config was given, so this judges a built-in example."), err
		}
		return b.jobs.Lint(a.Config, a.Name, a.Client)
	})
}

func (b *bench) scan(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	var a struct{ Tools, Client string }
	if err := arguments(raw, &a, "tools, the JSON text of a tools/list answer, and if need be its client"); err != nil {
		return Result{}, err
	}
	return b.work(ctx, b.slots, func() (Result, error) {
		if a.Tools == "" {
			r, err := b.jobs.Scan(exampleTools, "")
			return r.saying("No tools were given, so this judges a built-in example."), err
		}
		return b.jobs.Scan(a.Tools, a.Client)
	})
}

func (b *bench) doctor(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	if err := arguments(raw, &struct{}{}, "no arguments"); err != nil {
		return Result{}, err
	}
	return b.work(ctx, b.slots, b.jobs.Doctor)
}

func (b *bench) example(ctx context.Context, _ Caller, raw json.RawMessage) (Result, error) {
	if err := arguments(raw, &struct{}{}, "no arguments"); err != nil {
		return Result{}, err
	}
	return b.onFixture(ctx, "")
}

func (b *bench) onFixture(ctx context.Context, section string) (Result, error) {
	return b.work(ctx, b.slots, func() (Result, error) {
		r, err := b.jobs.Probe(ctx, section, Fixture)
		return r.saying("This is the built-in endpoint " + Fixture + ", which is faulty on purpose. No request left this machine."), err
	})
}

// saying is the result with a sentence before its text.
func (r Result) saying(note string) Result {
	r.Text = note + "\n\n" + r.Text
	r.said = nil
	return r
}

// probe makes the call of a skill that probes an endpoint, the argument of which is called url or host.
func (b *bench) probe(section, argument string) func(context.Context, Caller, json.RawMessage) (Result, error) {
	return func(ctx context.Context, c Caller, raw json.RawMessage) (Result, error) {
		var a map[string]json.RawMessage
		var target string
		if json.Unmarshal(raw, &a) != nil || len(a) > 1 || len(a) == 1 && json.Unmarshal(a[argument], &target) != nil {
			return Result{}, errors.New("this tool takes " + argument + ", a string, and nothing else")
		}
		if target == "" || target == Fixture || target == fixtureLong {
			return b.onFixture(ctx, section)
		}
		if argument == "host" && !strings.Contains(target, "://") {
			target = "https://" + target
		}
		u, err := b.guard.Check(target)
		if err != nil {
			return Result{}, fmt.Errorf("not asked: %w", err)
		}
		if by, wait := b.callers.Probe(c.Address, sha256.Sum256([]byte(strings.ToLower(u.Host)))); by != "" {
			return Result{}, fmt.Errorf("not asked: this %s had its probes for now: try again in %d seconds", by, int(wait.Seconds())+1)
		}
		return b.work(ctx, b.asking, func() (Result, error) {
			r, err := b.jobs.Probe(ctx, section, target)
			if err != nil {
				return Result{}, errors.New(secret.Mask(err.Error()))
			}
			return r, nil
		})
	}
}
