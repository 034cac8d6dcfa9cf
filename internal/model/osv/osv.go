// Package osv is what is known of vulnerable and malicious packages, in the OSV format (OpenSSF, schema 1.7): whether a record
// is about one version of a package, how grave it is, and which version mends it. It is pure: documents come in.
package osv

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/pkg"
)

// Record is one advisory. Strings are strangers' words.
type Record struct {
	ID        string   `json:"id"`
	Aliases   []string `json:"aliases"`
	Summary   string   `json:"summary"`
	Withdrawn string   `json:"withdrawn"`
	Severity  []struct {
		Type  string `json:"type"`
		Score string `json:"score"`
	} `json:"severity"`
	Affected []Affected `json:"affected"`
	Database struct {
		Severity string `json:"severity"`
	} `json:"database_specific"`
}

// Affected is one package that a record is about.
type Affected struct {
	Package struct {
		Ecosystem string `json:"ecosystem"`
		Name      string `json:"name"`
	} `json:"package"`
	Ranges []struct {
		Type   string  `json:"type"`
		Events []Event `json:"events"`
	} `json:"ranges"`
	Versions []string `json:"versions"`
}

// Event is one end of a range. One of its members is set.
type Event struct {
	Introduced string `json:"introduced"`
	Fixed      string `json:"fixed"`
	Last       string `json:"last_affected"`
}

// Ecosystem is how OSV calls a type of package, "" for one that it does not know.
func Ecosystem(t pkg.Type) string {
	return map[pkg.Type]string{pkg.NPM: "npm", pkg.PyPI: "PyPI", pkg.NuGet: "NuGet", pkg.Cargo: "crates.io"}[t]
}

// Read reads one record.
func Read(raw []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("it is no record: %w", err)
	}
	if r.ID == "" {
		return nil, errors.New("it is no record: it has no id")
	}
	return r, nil
}

// Query is the question of the API (POST /v1/query) about one version; token is that of the page to go on with.
func Query(t pkg.Type, name, version, token string) []byte {
	q := map[string]any{"package": map[string]string{"ecosystem": Ecosystem(t), "name": name}, "version": version}
	if token != "" {
		q["page_token"] = token
	}
	raw, _ := json.Marshal(q) // of strings, which is never refused
	return raw
}

// ReadAnswer reads what the API answers: records, and the token of the next page. An object without any member says that
// nothing is known.
func ReadAnswer(raw []byte, lim limits.Set) (all []*Record, next string, err error) {
	var a struct {
		Vulns []*Record `json:"vulns"`
		Next  string    `json:"next_page_token"`
		// Code is that of an error, which has the status of one, too.
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &a); err != nil || len(raw) == 0 || raw[0] != '{' {
		return nil, "", errors.New("it is no answer of OSV")
	}
	if a.Code != 0 {
		return nil, "", fmt.Errorf("it answers with the error %d", a.Code)
	}
	for _, r := range a.Vulns {
		if r == nil || r.ID == "" {
			return nil, "", errors.New("it holds a record without an id")
		}
	}
	if len(a.Next) > lim.CursorBytes {
		return nil, "", fmt.Errorf("the token of the next page has more than %d bytes", lim.CursorBytes)
	}
	return a.Vulns, a.Next, nil
}

// Malicious says that the package is no honest one (the reports of OpenSSF's malicious-packages).
func (r *Record) Malicious() bool {
	return strings.HasPrefix(r.ID, "MAL-") || slices.ContainsFunc(r.Aliases, func(a string) bool { return strings.HasPrefix(a, "MAL-") })
}

// Affects says whether the record is about a version of a package, and with which version that ends, "" for none.
func (r *Record) Affects(t pkg.Type, name, version string) (yes bool, fixed string) {
	if r.Withdrawn != "" {
		return false, ""
	}
	for _, a := range r.Affected {
		if a.Package.Ecosystem != Ecosystem(t) || Plain(t, a.Package.Name) != Plain(t, name) {
			continue
		}
		if slices.Contains(a.Versions, version) {
			yes = true
		}
		for _, g := range a.Ranges {
			if g.Type == "GIT" {
				continue
			}
			in, mended := within(t, g.Events, version)
			yes = yes || in
			if in && mended != "" {
				fixed = mended
			}
		}
	}
	return yes, fixed
}

// within is the evaluation of the schema: events in the order of their versions switch on and off.
func within(t pkg.Type, events []Event, version string) (in bool, fixed string) {
	events = slices.Clone(events)
	at := func(e Event) string {
		switch {
		case e.Introduced != "":
			return e.Introduced
		case e.Fixed != "":
			return e.Fixed
		}
		return e.Last
	}
	before := func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "0":
			return -1
		case b == "0":
			return 1
		}
		return pkg.Compare(t, a, b)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return before(at(a), at(b)) })
	for _, e := range events {
		switch {
		case e.Introduced != "" && before(version, e.Introduced) >= 0:
			in, fixed = true, ""
		case e.Fixed != "" && before(version, e.Fixed) >= 0:
			in = false
		case e.Fixed != "" && in && fixed == "":
			fixed = e.Fixed
		case e.Last != "" && before(version, e.Last) > 0:
			in = false
		}
	}
	return in, fixed
}

// Plain is a name as its registry compares it, and as OSV writes it.
func Plain(t pkg.Type, name string) string {
	switch t {
	case pkg.PyPI:
		return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' }), "-")
	case pkg.NuGet:
		return strings.ToLower(name)
	}
	return name
}

// ReadAll reads a document of records: one, or a list.
func ReadAll(raw []byte) (all []*Record, err error) {
	if text := strings.TrimLeft(string(raw[:min(len(raw), 64)]), " \t\r\n"); !strings.HasPrefix(text, "[") {
		r, err := Read(raw)
		return []*Record{r}, err
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("it is no list of records: %w", err)
	}
	for _, r := range all {
		if r == nil || r.ID == "" {
			return nil, errors.New("it holds a record without an id")
		}
	}
	return all, nil
}
