package trust

import "testing"

func TestTheScoreIsTheSeedsAndSaysHowFarItReaches(t *testing.T) {
	t.Parallel()
	npm := []Finding{{Severity: Low}}
	for name, c := range map[string]struct {
		in                        Checked
		score, reachable, percent int
		level, highest            string
	}{
		"clean and asked as a search does":       {Checked{Active: Pass, Aged: Pass}, 62, 62, 100, Caution, Caution},
		"npm, as the seed has it: 60 of 80":      {Checked{Findings: npm, Active: Pass, Aged: Pass}, 60, 62, 95, Caution, Caution},
		"clean, and it answered":                 {Checked{Health: Pass, Active: Pass, Aged: Pass}, 77, 77, 100, Safe, Safe},
		"clean, and it did not answer":           {Checked{Health: Fail, Active: Pass, Aged: Pass}, 47, 77, 61, Caution, Safe},
		"nobody has a record of it":              {Checked{}, 55, 55, 100, Caution, Caution},
		"deleted":                                {Checked{Findings: []Finding{{Severity: Medium}}, Active: Fail, Aged: Pass}, 53, 62, 80, Caution, Caution},
		"something critical":                     {Checked{Findings: []Finding{{Severity: Critical}}, Active: Pass, Aged: Pass}, 35, 62, 0, Risky, Caution},
		"it answered, and is critical":           {Checked{Findings: []Finding{{Severity: Critical}}, Health: Pass, Active: Pass, Aged: Pass}, 50, 77, 0, Risky, Safe},
		"more than there is to take":             {Checked{Findings: []Finding{{Severity: Critical}, {Severity: Critical}, {Severity: High}}, Active: Pass}, 15, 59, 0, Risky, Caution},
		"something grave takes the registry's 7": {Checked{Findings: []Finding{{Severity: High}}, Active: Pass, Aged: Pass}, 45, 62, 63, Caution, Caution},
	} {
		s, _ := Rate(c.in)
		if s.Score != c.score || s.Reachable != c.reachable || s.Percent != c.percent || s.Level != c.level || s.Highest != c.highest || s.MaxPossible != 80 {
			t.Errorf("%s: %+v", name, s)
		}
		if b := s.Breakdown; b.HealthCheck+b.StaticScan+b.ExternalScan+b.RegistryMeta != s.Score || s.Score > s.Reachable {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestWhatIsNotKnownMeetsNoMinimum(t *testing.T) {
	t.Parallel()
	if u := Unknown(); u.Meets(1) || u.Level != Risky || u.MaxPossible != 80 {
		t.Errorf("%+v", u)
	}
	clean, _ := Rate(Checked{Active: Pass, Aged: Pass})
	if !clean.Meets(100) {
		t.Error("a server without a finding does not reach what can be reached")
	}
	for percent, ok := range map[int]bool{-1: false, 0: true, 100: true, 101: false} {
		if (CheckMinTrust(percent) == nil) != ok {
			t.Errorf("%d: %v", percent, CheckMinTrust(percent))
		}
	}
}
