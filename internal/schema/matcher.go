package schema

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// matcher is a pattern that is ready: for RE2, which is linear, where RE2 has a form of the same meaning, else for
// regexp2, which goes back over a text and gets an amount of time. It has neither where there is none.
type matcher struct {
	linear  *regexp.Regexp
	back    *regexp2.Regexp
	size    int64
	problem string // why it has neither
}

// compilePattern makes a pattern ready. It takes a step for each instruction.
func compilePattern(s string, lim limits.Set, spend func(int64) bool) (m matcher) {
	if len(s) > lim.PatternBytes {
		m.problem = "a pattern is too long"
		return m
	}
	p := readPattern(s, lim.PatternDepth, linearForm, nil)
	m.size = max(p.size, 1)
	switch {
	case p.bad != "":
		m.problem = "a pattern does not compile: " + p.bad
	case p.deep, p.size > lim.PatternSize:
		m.problem = "a pattern is too large"
	case !spend(m.size + int64(len(s))/bytesOfStep):
		m.problem = tooManySteps
	case p.inert:
		m.problem = "a pattern has a part that is not supported"
	case p.portable:
		m.linear, _ = regexp.Compile(p.plain) // RE2 repeats nothing more than 1,000 times
	}
	if m.problem == "" && m.linear == nil {
		p = readPattern(s, lim.PatternDepth, backForm, nil)
		back, err := regexp2.Compile(p.plain, regexp2.ECMAScript)
		if err != nil {
			m.problem = "a pattern is not supported"
		} else {
			m.back = back
		}
	}
	return m
}

// match says whether the text holds a match. spend takes steps and says whether there are any left; left is the time
// that regexp2 may still take, which match makes shorter.
func (m *matcher) match(text string, spend func(int64) bool, left *time.Duration) (yes bool, problem string) {
	switch {
	case !spend(1):
		return false, tooManySteps
	case m.problem != "":
		return false, m.problem
	case m.linear != nil:
		if !spend(mulSat(m.size, int64(len(text))) / bytesOfStep) {
			return false, tooManySteps
		}
		return m.linear.MatchString(text), ""
	}
	if !spend(int64(len(text)) / bytesOfStep) {
		return false, tooManySteps
	}
	if *left <= 0 {
		return false, tooSlow
	}
	start := time.Now()
	m.back.MatchTimeout = *left
	yes, err := m.back.MatchString(text)
	if *left -= time.Since(start); err != nil {
		*left = 0
		return false, tooSlow
	}
	return yes, ""
}

const (
	tooManySteps = "the budget of steps is spent"
	tooSlow      = "a pattern takes too long"
	// bytesOfStep is how many bytes are looked at in about the time of one step.
	bytesOfStep = 64
)
