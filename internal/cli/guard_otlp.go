package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What follows are the members of OTLP's LogsData that an event has, in the JSON form (opentelemetry-proto, logs/v1/logs.proto; the
// OTLP specification, "JSON Protobuf Encoding": names in lowerCamelCase, 64-bit numbers as strings, enumerations as numbers).
type (
	otlpLogs struct {
		ResourceLogs []otlpResource `json:"resourceLogs"`
	}
	otlpResource struct {
		Resource struct {
			Attributes []otlpAttribute `json:"attributes"`
		} `json:"resource"`
		ScopeLogs []otlpScope `json:"scopeLogs"`
	}
	otlpScope struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"scope"`
		LogRecords []otlpRecord `json:"logRecords"`
	}
	otlpRecord struct {
		TimeUnixNano   string          `json:"timeUnixNano"`
		SeverityNumber int             `json:"severityNumber"`
		SeverityText   string          `json:"severityText"`
		Body           otlpValue       `json:"body"`
		Attributes     []otlpAttribute `json:"attributes"`
		EventName      string          `json:"eventName"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string    `json:"stringValue,omitempty"`
		Int    *string    `json:"intValue,omitempty"`
		Array  *otlpArray `json:"arrayValue,omitempty"`
	}
	otlpArray struct {
		Values []otlpValue `json:"values"`
	}
)

func otlpText(s string) otlpValue { return otlpValue{String: &s} }

// severities are those of OTLP (SeverityNumber: INFO, WARN, ERROR) for what was done with a frame.
var severities = map[string]otlpRecord{"note": {SeverityNumber: 9, SeverityText: "INFO"}, "redact": {SeverityNumber: 13, SeverityText: "WARN"},
	"block": {SeverityNumber: 17, SeverityText: "ERROR"}}

// record is an event as a log record.
func (e *guardEvent) record() (otlpRecord, error) {
	at, err := time.Parse(time.RFC3339Nano, e.Time)
	if err != nil {
		return otlpRecord{}, err
	}
	r, ok := severities[e.Action]
	if !ok {
		r = severities["note"]
	}
	r.TimeUnixNano, r.EventName = strconv.FormatInt(at.UnixNano(), 10), "mcpassay.guard.event"
	body := e.Action + ": a frame of the " + e.From
	if e.Kind != "" {
		body = e.Action + ": " + e.Kind + ": " + e.Reason
	} else if len(e.Rules) > 0 {
		body += " (" + strings.Join(e.Rules, ", ") + ")"
	}
	size := strconv.Itoa(e.Bytes)
	rules := otlpArray{Values: []otlpValue{}}
	for _, id := range e.Rules {
		rules.Values = append(rules.Values, otlpText(safe(id)))
	}
	r.Body = otlpText(safe(body))
	for _, kv := range [][2]string{{"server", e.Server}, {"session", e.Session}, {"from", e.From}, {"action", e.Action}, {"kind", e.Kind}} {
		if kv[1] != "" {
			r.Attributes = append(r.Attributes, otlpAttribute{"mcpassay.guard." + kv[0], otlpText(safe(kv[1]))})
		}
	}
	r.Attributes = append(r.Attributes, otlpAttribute{"mcpassay.guard.bytes", otlpValue{Int: &size}}, otlpAttribute{"mcpassay.guard.rules", otlpValue{Array: &rules}})
	return r, nil
}

// printRecords prints events as one LogsData on a line, nothing for none.
func (a *app) printRecords(raw []byte, server string) {
	scope := otlpScope{}
	scope.Scope.Name, scope.Scope.Version = "mcpassay/guard", Version
	for line := range bytes.Lines(raw) {
		var e guardEvent
		err := json.Unmarshal(line, &e)
		var r otlpRecord
		if err == nil && e.SchemaVersion == 1 {
			r, err = e.record()
		}
		if err != nil || e.SchemaVersion != 1 {
			fmt.Fprintln(a.io.Err, "a line of the log can not be read")
			continue
		}
		if server == "" || e.Server == server {
			scope.LogRecords = append(scope.LogRecords, r)
		}
	}
	if len(scope.LogRecords) == 0 {
		return
	}
	of := otlpResource{ScopeLogs: []otlpScope{scope}}
	of.Resource.Attributes = []otlpAttribute{{"service.name", otlpText("mcpassay")}, {"service.version", otlpText(Version)}}
	out, err := json.Marshal(otlpLogs{[]otlpResource{of}})
	if err == nil {
		fmt.Fprintln(a.io.Out, string(out))
	}
}
