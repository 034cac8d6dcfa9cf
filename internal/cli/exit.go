package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcpassay/mcpassay/internal/engine"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/secret"
	"github.com/mcpassay/mcpassay/internal/text"
)

// The exit codes. exitTable explains them.
const (
	exitClean       = 0
	exitFindings    = 1
	exitIncomplete  = 2
	exitInterrupted = 130
)

// exitTable is the one table of exit codes: `help exit-codes` and docs/exit-codes.md print it.
var exitTable = []struct {
	code int
	text string
}{
	{exitClean, "clean and complete"},
	{exitFindings, "findings at or above --fail-on, drift, a grade below --min-grade, blocked, or anything skipped; --fail-on never stops findings from failing a run, never a skip. For verify also all that it could not verify"},
	{exitIncomplete, "could not complete, or refused: usage, or any incomplete entry. The rest is still judged and every report is written. 2 beats 1"},
	{exitInterrupted, "interrupted"},
}

func writeExitTable(w io.Writer) {
	fmt.Fprintf(w, "| code | meaning |\n|---|---|\n")
	for _, row := range exitTable {
		fmt.Fprintf(w, "| %d | %s |\n", row.code, row.text)
	}
}

func exitText(width int) string {
	var b strings.Builder
	for _, row := range exitTable {
		b.WriteString(hanging(fmt.Sprintf("  %d", row.code), row.text, 7, width))
	}
	return b.String()
}

// exitOf is the exit code of a result. Findings of advice rules are shown by doctor and not counted there.
func exitOf(res *engine.Result, failOn finding.Severity, countAdvice bool) int {
	if len(res.Incomplete) > 0 {
		return exitIncomplete
	}
	if len(res.Skipped) > 0 {
		return exitFindings
	}
	for _, f := range res.Findings {
		if f.Status == finding.Active && f.Severity >= failOn && (countAdvice || !f.Advice) {
			return exitFindings
		}
	}
	return exitClean
}

// problem is an error for a person: what, where, and the next command.
type problem struct {
	what, at, hint string
	faults         []string // where there are several, one line each
	code           int
}

func (p *problem) Error() string { return p.what }

// usage is a problem of the command line.
func usage(hint, format string, args ...any) error {
	return &problem{what: fmt.Sprintf(format, args...), hint: hint, code: exitIncomplete}
}

// explainError prints an error in the one form and answers its exit code.
func explainError(w io.Writer, err error) int {
	p := &problem{what: err.Error(), code: exitIncomplete}
	errors.As(err, &p)
	fmt.Fprintf(w, "error: %s\n", safe(p.what))
	for i, f := range p.faults {
		if most := limits.Default.ShownFaults; i == most {
			fmt.Fprintf(w, "  and %d more\n", len(p.faults)-most)
			break
		}
		fmt.Fprintf(w, "  %s\n", text.Leading(secret.Mask(f), 0))
	}
	if p.at != "" {
		fmt.Fprintf(w, "at: %s\n", safe(p.at))
	}
	if p.hint != "" {
		fmt.Fprintf(w, "hint: %s\n", safe(p.hint))
	}
	return p.code
}
