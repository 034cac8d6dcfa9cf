package trust

import "fmt"

// The parts of the seed's score (mcpm-contracts, "MCP tool-result shapes"), and what they add up to. Nothing is started for a
// search, so that half of the first part is what every server has.
const (
	healthMost   = 30
	healthNotRun = healthMost / 2
	staticMost   = 40
	metaActive   = 4
	metaAged     = 3
	possible     = 80
	// Ceiling is what a server reaches of which all was asked that a search asks, and nothing was found.
	Ceiling = healthNotRun + staticMost + metaActive + metaAged
	// safeFrom and cautionFrom are the shares of possible, in per cent, from which on a level is reached.
	safeFrom    = 80
	cautionFrom = 50
)

// The levels, from the worst on.
const (
	Risky   = "risky"
	Caution = "caution"
	Safe    = "safe"
)

// The states of a check. One that was not run did not pass.
const (
	Pass   = "pass"
	Fail   = "fail"
	NotRun = "not-run"
)

// Severities of findings, with what each takes from a score.
const (
	Critical = "critical"
	High     = "high"
	Medium   = "medium"
	Low      = "low"
)

var weights = map[string]int{Critical: 20, High: 10, Medium: 5, Low: 2}

// Score is the seed's number, derived from what was checked. It is no probability of anything.
type Score struct {
	Score       int       `json:"score"`
	MaxPossible int       `json:"maxPossible"`
	Level       string    `json:"level"` // safe, caution, risky
	Breakdown   Breakdown `json:"breakdown"`
	// Reachable is the score, and Highest the level, of a server for which every check that ran passed.
	Reachable int    `json:"reachable"`
	Highest   string `json:"highestLevel"`
	// Percent is what was earned of what the checks that ran could give, 0 where something is critical: a policy's minTrust is
	// held against it.
	Percent int `json:"percent"`
}

// Finding is what was found, in the words of the seed. Type is the id of a rule, or one of registry-status, release-cooldown,
// install-script and credential.
type Finding struct {
	Severity string `json:"severity"` // critical, high, medium, low
	Type     string `json:"type"`
	Message  string `json:"message"`
	Location string `json:"location"`
	Source   string `json:"source,omitempty"`
}

// Evidence is one question, and what its answer stands on.
type Evidence struct {
	Check  string `json:"check"`
	State  string `json:"state"` // pass, fail, not-run
	Detail string `json:"detail"`
}

// Assessment says how far a judgement goes (seed mcpm-contracts). A check that was not run is no check that passed.
type Assessment struct {
	MaxAchievableScore int               `json:"maxAchievableScore"`
	Checks             map[string]string `json:"checks"`
	Findings           []Finding         `json:"findings"`
}

// Breakdown are the parts of a score, of 30, 40, 20 and 10.
type Breakdown struct {
	HealthCheck  int `json:"healthCheck"`
	StaticScan   int `json:"staticScan"`
	ExternalScan int `json:"externalScan"`
	RegistryMeta int `json:"registryMeta"`
}

// Checked is what is known of one server, for Rate. Each state is Pass, Fail or NotRun; "" is NotRun.
type Checked struct {
	Findings []Finding
	// Health says whether it answered, Active whether the registry calls it active, Aged whether its release is one that people
	// had time to look at.
	Health, Active, Aged string
}

// Rate is the one place in which checks become a number and a level. capped says that the registry's part counts for
// nothing, as something grave was found.
func Rate(c Checked) (s Score, capped bool) {
	b := Breakdown{HealthCheck: healthNotRun, StaticScan: staticMost}
	s = Score{MaxPossible: possible, Reachable: healthNotRun + staticMost}
	gift := healthNotRun // what nobody earned
	switch c.Health {
	case Pass, Fail:
		gift, s.Reachable, b.HealthCheck = 0, healthMost+staticMost, 0
		if c.Health == Pass {
			b.HealthCheck = healthMost
		}
	}
	grave, blocked := false, false
	for _, f := range c.Findings {
		blocked = blocked || f.Severity == Critical
		b.StaticScan = max(0, b.StaticScan-weights[f.Severity])
		grave = grave || f.Severity == Critical || f.Severity == High
	}
	for _, m := range []struct {
		state  string
		points int
	}{{c.Active, metaActive}, {c.Aged, metaAged}} {
		switch m.state {
		case Pass:
			b.RegistryMeta += m.points
			s.Reachable += m.points
		case Fail:
			s.Reachable += m.points
		}
	}
	if capped = grave && b.RegistryMeta > 0; grave {
		b.RegistryMeta = 0
	}
	s.Breakdown = b
	s.Score = b.HealthCheck + b.StaticScan + b.ExternalScan + b.RegistryMeta
	s.Level, s.Highest = level(s.Score), level(s.Reachable)
	s.Percent = 100 * (s.Score - gift) / (s.Reachable - gift)
	if blocked { // as in the document, where nothing that is critical is above risky: nobody earns that back by answering
		s.Level, s.Percent = Risky, 0
	}
	return s, capped
}

// Unknown is the score of a server of which nothing could be learned: it meets no minimum but 0.
func Unknown() Score { return Score{MaxPossible: possible, Level: Risky, Highest: Risky} }

func level(score int) string {
	switch share := 100 * score / possible; {
	case share >= safeFrom:
		return Safe
	case share >= cautionFrom:
		return Caution
	}
	return Risky
}

// Meets says whether a score is at least so many per cent (a policy's minTrust, --min-trust).
func (s Score) Meets(minTrust int) bool { return s.Percent >= minTrust }

// CheckMinTrust refuses what is no per cent: above 100 no server could ever pass, and below 0 every one would.
func CheckMinTrust(percent int) error {
	if percent < 0 || percent > 100 {
		return fmt.Errorf("%d is no per cent of what the checks can reach: 0 to 100", percent)
	}
	return nil
}
