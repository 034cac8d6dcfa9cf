package registry

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// The packages of which the database of vulnerabilities below /osv knows something: what was found in the one is mended in
// 1.2.0, and the other is malicious. The third has two pages of records.
const (
	Vulnerable = "vulnerable"
	Malicious  = "malicious"
	TwoPages   = "two-pages"
)

// Advisory is a record of OSV's form about a package of npm.
func Advisory(id, name, summary, severity string, events ...J) J {
	return J{"schema_version": "1.7.0", "id": id, "modified": old, "published": old, "summary": summary, "database_specific": J{"severity": severity},
		"affected": []J{{"package": J{"ecosystem": "npm", "name": name, "purl": "pkg:npm/" + name}, "ranges": []J{{"type": "SEMVER", "events": events}}}}}
}

// Advisories are all records of the database.
func Advisories() []J {
	zero := J{"introduced": "0"}
	return []J{
		Advisory("GHSA-aaaa-bbbb-cccc", Vulnerable, "It reads files \x1b[2J outside of its folder "+Secret, "HIGH", zero, J{"fixed": "1.2.0"}),
		Advisory("MAL-2026-1", Malicious, "It sends the environment away", "", zero),
		Advisory("GHSA-dddd-eeee-ffff", TwoPages, "The first", "LOW", zero),
		Advisory("GHSA-gggg-hhhh-iiii", TwoPages, "The second", "MODERATE", zero),
	}
}

// osv answers as the API does: a POST names a package and a version, an object without members is no record, and an error has a
// code. Versions are those of this double: 1.2.0 and later are mended.
func osv(w http.ResponseWriter, r *http.Request, path string) {
	fail := func(status, code int, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(J{"code": code, "message": message})
	}
	if path != "v1/query" {
		fail(404, 5, "Not Found")
		return
	}
	if r.Method != http.MethodPost {
		fail(405, 12, "Method Not Allowed")
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var q struct {
		Version, Page string
		Package       struct{ Ecosystem, Name string }
		Token         string `json:"page_token"`
	}
	if err := json.Unmarshal(raw, &q); err != nil || q.Package.Name == "" || q.Version == "" {
		fail(400, 3, "Invalid query.")
		return
	}
	if !strings.Contains(" npm PyPI NuGet crates.io Go ", " "+q.Package.Ecosystem+" ") {
		fail(400, 3, "Invalid ecosystem.")
		return
	}
	var found []J
	for _, a := range Advisories() {
		affected := a["affected"].([]J)[0]["package"].(J)
		if affected["ecosystem"] == q.Package.Ecosystem && affected["name"] == q.Package.Name && (q.Package.Name != Vulnerable || q.Version == "1.0.0") {
			found = append(found, a)
		}
	}
	answer := J{}
	switch {
	case len(found) > 1 && q.Token == "":
		answer["vulns"], answer["next_page_token"] = found[:1], "2"
	case len(found) > 1:
		answer["vulns"] = found[1:]
	case len(found) > 0:
		answer["vulns"] = found
	}
	put(w, answer)
}
