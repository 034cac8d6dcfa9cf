package osv

import (
	"math"
	"strings"
)

// Level is how grave a record is: critical, high, medium or low. It is the database's own word, else that of its CVSS 3 vector;
// where neither is there, it is high: what nobody judged is not taken lightly.
func (r *Record) Level() string {
	if r.Malicious() {
		return "critical"
	}
	switch strings.ToLower(r.Database.Severity) {
	case "critical":
		return "critical"
	case "high":
		return "high"
	case "moderate", "medium":
		return "medium"
	case "low":
		return "low"
	}
	for _, s := range r.Severity {
		if score, ok := cvss3(s.Score); ok && s.Type == "CVSS_V3" {
			return rating(score)
		}
	}
	return "high"
}

// rating is the qualitative scale of CVSS 3.1, section 5.
func rating(score float64) string {
	const critical, high, medium = 9, 7, 4
	switch {
	case score >= critical:
		return "critical"
	case score >= high:
		return "high"
	case score >= medium:
		return "medium"
	}
	return "low"
}

// The weights of CVSS 3.1, section 7.4. PR has another where the scope changes.
var (
	cvssWeights = map[string]map[string]float64{
		"AV": {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2}, "AC": {"L": 0.77, "H": 0.44}, "UI": {"N": 0.85, "R": 0.62},
		"PR": {"N": 0.85, "L": 0.62, "H": 0.27}, "C": {"H": 0.56, "L": 0.22, "N": 0}, "I": {"H": 0.56, "L": 0.22, "N": 0}, "A": {"H": 0.56, "L": 0.22, "N": 0},
	}
	cvssChanged = map[string]float64{"N": 0.85, "L": 0.68, "H": 0.5}
)

// cvss3 is the base score of a CVSS 3.0 or 3.1 vector (CVSS 3.1, section 7.1).
func cvss3(vector string) (score float64, ok bool) {
	rest, found := strings.CutPrefix(vector, "CVSS:3.")
	if !found {
		return 0, false
	}
	got := map[string]float64{}
	changed, scoped := false, false
	privileges := ""
	for part := range strings.SplitSeq(rest, "/") {
		name, value, _ := strings.Cut(part, ":")
		switch {
		case name == "S":
			changed, scoped = value == "C", value == "C" || value == "U"
		case name == "PR":
			privileges = value
			fallthrough
		default:
			if w, known := cvssWeights[name][value]; known {
				got[name] = w
			}
		}
	}
	if len(got) != len(cvssWeights) || !scoped {
		return 0, false
	}
	if changed {
		got["PR"] = cvssChanged[privileges]
	}
	iss := 1 - (1-got["C"])*(1-got["I"])*(1-got["A"])
	impact := 6.42 * iss
	if changed {
		impact = 7.52*(iss-0.029) - 3.25*math.Pow(iss-0.02, 15)
	}
	if impact <= 0 {
		return 0, true
	}
	exploitability := 8.22 * got["AV"] * got["AC"] * got["PR"] * got["UI"]
	sum := impact + exploitability
	if changed {
		sum *= 1.08
	}
	return roundUp(min(sum, 10)), true
}

// roundUp is the smallest number with one decimal that is not below x (CVSS 3.1, appendix A).
func roundUp(x float64) float64 {
	n := int(math.Round(x * 100_000))
	if n%10_000 == 0 {
		return float64(n) / 100_000
	}
	return float64(n/10_000+1) / 10
}
