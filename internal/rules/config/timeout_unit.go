package config

import (
	"math"
	"strconv"
	"time"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// TimeoutUnit is config/timeout-unit.
var TimeoutUnit = &rule.Rule{
	ID:       "config/timeout-unit",
	Title:    "a timeout in another unit",
	Trigger:  "A timeout only makes sense in another unit than the one in which its client reads it.",
	Message:  `Server "{name}" waits {time}: {client} reads "{field}" in {unit}`,
	Severity: finding.Warning,
	Tags:     []string{rule.Behaviour, rule.Portability},
	Since:    "0.1.0",
	Server:   timeoutUnit,
}

func timeoutUnit(p *rule.Pass, s *client.Server) {
	if s.Hidden || !s.Timeout.Valid() || !placed(p.File) {
		return
	}
	c := p.File.Client
	for _, t := range c.Timeouts {
		n := s.Node.Get(t.Field)
		text, ok := n.Number()
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v <= 0 {
			continue
		}
		args := rule.Args{"name": s.Name, "field": t.Field, "client": c.Name}
		switch {
		case t.Unit == "s" && v > float64(p.Limits.TimeoutSeconds):
			args["unit"], args["time"] = "seconds", spoken(v, time.Second)
		case t.Unit == "ms" && v < float64(p.Limits.TimeoutMillis):
			args["unit"], args["time"] = "milliseconds", spoken(v, time.Millisecond)
		default:
			continue
		}
		p.Report(rule.At(n), args, byTable(p, client.High)...)
	}
}

// spoken is a time for people.
func spoken(v float64, unit time.Duration) string {
	if d := v * float64(unit); d < math.MaxInt64 {
		return time.Duration(d).String()
	}
	return "for ever"
}
