package eval

import (
	"math"
	"strconv"

	"github.com/mcpassay/mcpassay/internal/finding"
)

// Tier is how grave a finding must be for a case to count as found.
type Tier uint8

// The tiers. Ten is no tier of ours: it is what ten substrings find.
const (
	Warning Tier = iota // a finding at warning or above
	Error               // a finding at error
	Block               // a finding of a rule that blocks
	Ten
	tiers
)

func (t Tier) String() string { return [...]string{"warning", "error", "block", "ten-substrings"}[t] }

// MarshalText writes the word that reports use.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Counts holds a number for each tier.
type Counts struct {
	Warning int `json:"warning"`
	Error   int `json:"error"`
	Block   int `json:"block"`
	Ten     int `json:"tenSubstrings"`
}

// At is the number of one tier.
func (c *Counts) At(t Tier) *int { return [...]*int{&c.Warning, &c.Error, &c.Block, &c.Ten}[t] }

func (c *Counts) add(h hits) {
	for t := range tiers {
		if h[t] {
			*c.At(t)++
		}
	}
}

// hits says at which tiers something was found.
type hits [tiers]bool

// Share is a fraction from 0 to 1, not a number where there is nothing that it could be a share of.
type Share float64

// Known says whether there is a share at all.
func (s Share) Known() bool { return !math.IsNaN(float64(s)) }

// MarshalJSON writes the share with four digits, or null.
func (s Share) MarshalJSON() ([]byte, error) {
	if !s.Known() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, math.Round(float64(s)*1e4)/1e4, 'f', -1, 64), nil
}

func share(part, of int) Share { return Share(float64(part) / float64(of)) }

// Rates are what a corpus says of the rules at one tier.
type Rates struct {
	Tier Tier `json:"tier"`
	// Recall is the share of the hostile cases that are found, Precision that of hostile cases among those found, and F1
	// their harmonic mean.
	Recall    Share `json:"recall"`
	Precision Share `json:"precision"`
	F1        Share `json:"f1"`
	// Found are hostile cases; Cards and Servers are the benign ones with a false alarm.
	Found   int `json:"found"`
	Cards   int `json:"falseAlarmCards"`
	Servers int `json:"falseAlarmServers"`
}

func rates(t Tier, found, hostile, alarms int) Rates {
	r := Rates{Tier: t, Found: found, Cards: alarms, Recall: share(found, hostile), Precision: share(found, found+alarms)}
	r.F1 = share(2*found, hostile+found+alarms)
	return r
}

// Row is one class of cases. For a benign class the counts are false alarms.
type Row struct {
	Class string `json:"class"`
	Label Label  `json:"label"`
	Cases int    `json:"cases"`
	Found Counts `json:"found"`
	// Recall, Precision and F1 are those of a hostile class at warning; its precision is held against all benign cases.
	Recall    Share `json:"recall"`
	Precision Share `json:"precision"`
	F1        Share `json:"f1"`
}

// Named is a case in a list: a hostile one that was missed, or a benign one with a false alarm.
type Named struct {
	ID    string `json:"id"`
	Class string `json:"class"`
	Path  string `json:"path"`
	Line  int    `json:"line"`
	// Server is the name of a server that has a false alarm on no card in particular.
	Server string `json:"server,omitempty"`
	// Rules are those of the false alarm, and Tier is the gravest.
	Rules []string `json:"rules,omitempty"`
	Tier  *Tier    `json:"tier,omitempty"`
}

// File is one file that was scored.
type File struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
	Cases  int    `json:"cases"`
}

// Result is the score of a set of rules on corpora. Its JSON is what `eval --format json` prints.
type Result struct {
	SchemaVersion int `json:"schemaVersion"`
	// Digest is that of the one file, or of the digests of all.
	Digest string `json:"digest"`
	Files  []File `json:"files"`
	// Rules is how many of the rules count.
	Rules   int `json:"rules"`
	Hostile int `json:"hostile"`
	Benign  int `json:"benign"`
	Servers int `json:"benignServers"`
	// Warned are the benign cases with a finding of any rule at warning or above, Failed the benign servers with one at
	// error: those on which a default run fails.
	Warned int     `json:"benignWithAnyWarning"`
	Failed int     `json:"benignServersThatFail"`
	Tiers  []Rates `json:"tiers"`
	Rows   []Row   `json:"classes"`
	// Missed are the hostile cases without a finding at warning; Alarms are the benign cases with one.
	Missed     []Named              `json:"missed"`
	Alarms     []Named              `json:"falseAlarms"`
	Incomplete []finding.Incomplete `json:"incomplete"`
}

// At are the rates of a tier.
func (r *Result) At(t Tier) Rates { return r.Tiers[t] }

// Cases is how many there are, those of neither label among them.
func (r *Result) Cases() (n int) {
	for _, f := range r.Files {
		n += f.Cases
	}
	return n
}
