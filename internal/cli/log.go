package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	ledgerdoor "github.com/mcpassay/mcpassay/internal/effect/ledger"
	"github.com/mcpassay/mcpassay/internal/model/ledger"
	"github.com/mcpassay/mcpassay/internal/text"
)

func (a *app) log() *cobra.Command {
	cmd := parent(&cobra.Command{Use: "log", Short: "Whether an audit or approval log is whole, and where it ends", GroupID: "trust",
		Annotations: map[string]string{touches: "the files named: no process, no network"}})
	cmd.AddCommand(a.logVerify(), a.logHead())
	return cmd
}

// logFile is what log verify says of one file.
type logFile struct {
	Path    string      `json:"path"`
	First   ledger.Head `json:"first"`
	Last    ledger.Head `json:"last"`
	Records int64       `json:"records"`
	// after is the digest of the record before the first.
	after string
}

// logState is what log verify prints as JSON.
type logState struct {
	// Files are in the order of their records.
	Files []logFile   `json:"files"`
	Head  ledger.Head `json:"head"`
	// Since is how many records follow the one that --expect-head named.
	Since int64 `json:"since,omitempty"`
}

func (a *app) logVerify() *cobra.Command {
	var expect, after string
	var format func() (bool, error)
	cmd := &cobra.Command{
		Use: "verify FILE...", Short: "Check that no record of a log was changed, left out or put in another order",
		Long: "Check that no record of a log was changed, left out or put in another order, and\n" +
			"print the digest of the last one. A log that went on in further files is named\n" +
			"with all of them, in any order. That its end was cut off shows only against a\n" +
			"digest that was kept elsewhere: --expect-head.",
		Example: "  mcpassay log verify audit.jsonl\n  mcpassay log verify audit.jsonl* --expect-head sha256:…",
		Annotations: map[string]string{touches: "the files named: no process, no network",
			exits: "0 whole, 1 changed, cut or not given in full, 2 unreadable"},
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format()
			if err != nil {
				return err
			}
			if len(args) == 0 || len(args) > a.limits.LogFiles {
				return usage("mcpassay log verify audit.jsonl", "verify needs from one to %d files", a.limits.LogFiles)
			}
			for flag, digest := range map[string]string{"expect-head": expect, "after": after} {
				if digest != "" && !isDigest(digest) {
					return usage("sha256: and 64 hex digits, as mcpassay log head prints them", "--%s is no digest", flag)
				}
			}
			state, err := a.readLog(args, expect, after)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(state)
			}
			for _, f := range state.Files {
				fmt.Fprintf(a.io.Out, "%s: whole, records %d to %d\n", safe(f.Path), f.First.Seq, f.Last.Seq)
			}
			if expect != "" {
				fmt.Fprintf(a.io.Out, "the head that was kept is there, and %s came since\n", text.Count(int(state.Since), "record"))
			}
			fmt.Fprintf(a.io.Out, "head: %s\n", state.Head.Digest)
			return nil
		},
	}
	format = listFormat(cmd)
	cmd.Flags().StringVar(&expect, "expect-head", "", "the log must still hold the record of this `DIGEST`, which was its head once")
	cmd.Flags().StringVar(&after, "after", "", "the log goes on from the record of this `DIGEST`, the head of files that are kept elsewhere")
	return cmd
}

func (a *app) logHead() *cobra.Command {
	var format func() (bool, error)
	cmd := &cobra.Command{
		Use: "head FILE", Short: "Print the digest of a log's last record, to be kept elsewhere",
		Long:    "Check one file of a log and print the digest of its last record. Kept where who can\nwrite the log can not write, it shows later that nothing was taken away.",
		Example: "  mcpassay log head audit.jsonl",
		Annotations: map[string]string{touches: "the file named: no process, no network",
			exits: "0 whole, 1 changed or cut, 2 unreadable"},
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format()
			if err != nil {
				return err
			}
			if len(args) != 1 {
				return usage("mcpassay log head audit.jsonl", "head needs one file")
			}
			f, err := a.readLogFile(args[0], nil)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.printJSON(f.Last)
			}
			_, err = fmt.Fprintln(a.io.Out, f.Last.Digest)
			return err
		},
	}
	format = listFormat(cmd)
	return cmd
}

// readLog reads the files of one log, in whatever order they are named, and checks that each goes on from the one before.
func (a *app) readLog(names []string, expect, after string) (*logState, error) {
	state := &logState{}
	var kept int64
	for _, name := range names {
		f, err := a.readLogFile(name, func(r *ledger.Record) {
			if r.Digest == expect {
				kept = r.Seq
			}
		})
		if err != nil {
			return nil, err
		}
		state.Files = append(state.Files, f)
	}
	slices.SortStableFunc(state.Files, func(a, b logFile) int { return cmp.Compare(a.First.Seq, b.First.Seq) })
	last := ledger.Head{Digest: after}
	for i, f := range state.Files {
		switch {
		case i == 0 && after == "" && f.First.Seq > 1:
			return nil, &problem{what: fmt.Sprintf("the log begins with record %d, and those before it were not given", f.First.Seq), at: f.Path,
				hint: "name the files before it too, or with --after the head that they had", code: exitFindings}
		case i == 0 && f.after != after:
			return nil, &problem{what: "the first record goes on from another than --after", at: f.Path, hint: "its record before was " + f.after, code: exitFindings}
		case i > 0 && (f.First.Seq != last.Seq+1 || f.after != last.Digest):
			return nil, &problem{what: fmt.Sprintf("record %d does not follow record %d of %s", f.First.Seq, last.Seq, state.Files[i-1].Path), at: f.Path,
				hint: "a file is missing, or one is of another log", code: exitFindings}
		}
		last = f.Last
	}
	state.Head = last
	if expect != "" && kept == 0 {
		return nil, &problem{what: "the log does not hold the record that was its head: it was cut, or made again", at: state.Files[len(state.Files)-1].Path,
			hint: "it ends with record " + fmt.Sprint(last.Seq) + ", " + last.Digest, code: exitFindings}
	}
	if expect != "" {
		state.Since = last.Seq - kept
	}
	return state, nil
}

// readLogFile reads one file and checks it. each may be nil.
func (a *app) readLogFile(name string, each func(*ledger.Record)) (logFile, error) {
	out := logFile{Path: name}
	in, err := ledgerdoor.Open(absolute(a.io.Cwd, name))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("it does not exist")
		}
		return out, &problem{what: "the log can not be read: " + err.Error(), at: name, code: exitIncomplete}
	}
	defer in.Close()
	out.First, out.Last, err = ledger.Verify(in, ledger.Head{}, a.limits, func(r *ledger.Record) error {
		if out.Records++; out.Records == 1 {
			out.after = r.Prev
		}
		if each != nil {
			each(r)
		}
		return nil
	})
	var broken *ledger.BrokenError
	switch {
	case errors.As(err, &broken):
		return out, &problem{what: "the log is not whole: " + broken.Why, at: fmt.Sprintf("%s:%d", name, broken.Line),
			hint: "what stands before that line still holds", code: exitFindings}
	case err != nil:
		return out, &problem{what: "the log can not be read: " + err.Error(), at: name, code: exitIncomplete}
	case out.Records == 0:
		return out, &problem{what: "the log is empty", at: name, hint: "no record was ever written to it, or all were taken away", code: exitFindings}
	}
	return out, nil
}

// isDigest says whether s is written as digests are.
func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}
