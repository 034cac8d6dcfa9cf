package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

// Suppression is one entry of a policy file: somebody answers for the findings that match all of it, for a while.
type Suppression struct {
	// Rule is a rule's id, alias or pattern.
	Rule string
	// Server, Tool and Path are patterns in which `*` matches any text, slashes too; "" matches everything. Path is that
	// of the file from the policy's folder, or the JSON Pointer of the finding. Client is a client's id.
	Server, Tool, Path, Client string
	Reason, Owner              string
	// Expires is the last day (2006-01-02, UTC) on which the suppression hides anything.
	Expires string

	node source.Node // the entry in the policy file
}

// covers says whether the suppression is about the finding, its rule aside. Where says what is known of its file.
func (s *Suppression) covers(f *finding.Finding, where place) bool {
	return glob(s.Server, f.Server) && glob(s.Tool, f.Tool) &&
		(glob(s.Path, where.path) || glob(s.Path, f.Location.Pointer)) &&
		(s.Client == "" || slices.Contains(where.clients, s.Client))
}

// place is the file of a finding as a policy names it.
type place struct {
	path    string
	clients []string
}

// glob says whether a pattern matches; the empty one always does. A `*` matches slashes as well, which path.Match's
// does not: server names and paths are full of them.
func glob(pattern, name string) bool {
	if pattern == "" || pattern == name {
		return true
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return err == nil && ok
}

// names says whether a pattern names something: it holds more than wildcards.
func names(pattern string) bool {
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			return true
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c != '*' && c != '?' && c != '/':
			return true
		}
	}
	return false
}

// namesRules says whether a rule pattern is about some rules, not all of them however it is spelled.
func namesRules(pattern string) bool {
	return names(pattern) && len(catalog.Match(pattern)) < len(catalog.All())
}

// lasts is what is wrong with a last day and the next step, "" for nothing: nobody answers for anything longer than
// a year ahead.
func lasts(expires string, today time.Time) (why, hint string) {
	if _, err := time.Parse(time.DateOnly, expires); err != nil {
		return quote(expires) + " is no date", "write it as YYYY-MM-DD"
	}
	if last := lastDay(today); expires > last {
		return expires + " is too far away", fmt.Sprintf("a suppression lasts %d days at most, until %s today", limits.Default.SuppressionDays, last)
	}
	return "", ""
}

// lastDay is the latest day that a suppression may name today. Dates of four-digit years compare as text.
func lastDay(today time.Time) string {
	return day(today.AddDate(0, 0, limits.Default.SuppressionDays))
}

// day is the date in UTC, so that a suppression ends everywhere at once.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
