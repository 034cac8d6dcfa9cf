package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Formats are the words that --format takes, the default first.
func Formats() []string {
	return []string{"text", "json", "jsonl", "sarif", "junit", "github", "markdown", "html", "none"}
}

// ListsSubjects says whether a format needs to know what was judged, beside what was found.
func ListsSubjects(format string) bool {
	return !slices.Contains([]string{"text", "github", "none"}, format)
}

// FormatOf gives the format that a report file's suffix asks for.
func FormatOf(fileName string) (format string, ok bool) {
	name := strings.ToLower(fileName)
	for _, s := range [...]struct{ suffix, format string }{
		{".sarif", "sarif"}, {".sarif.json", "sarif"}, {".json", "json"}, {".jsonl", "jsonl"}, {".ndjson", "jsonl"},
		{".xml", "junit"}, {".md", "markdown"}, {".markdown", "markdown"}, {".html", "html"}, {".htm", "html"},
		{".txt", "text"},
	} {
		if strings.HasSuffix(name, s.suffix) {
			return s.format, true
		}
	}
	return "", false
}

// Write renders rep to w in one of the Formats.
func Write(w io.Writer, format string, rep *Report, env Env) error {
	if !slices.Contains(Formats(), format) {
		return fmt.Errorf("unknown report format %q: use %s", format, strings.Join(Formats(), ", "))
	}
	b := bufio.NewWriter(w)
	var err error
	switch format {
	case "text":
		writeText(b, rep, env)
	case "json":
		err = writeJSON(b, rep)
	case "jsonl":
		err = writeJSONL(b, rep)
	case "sarif":
		err = writeSARIF(b, rep, env)
	case "junit":
		err = writeJUnit(b, rep)
	case "github":
		writeGitHub(b, rep, env)
	case "markdown":
		writeMarkdown(b, rep, env)
	case "html":
		err = writeHTML(b, rep, env)
	}
	if err != nil {
		return fmt.Errorf("report as %s: %w", format, err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the %s report: %w", format, err)
	}
	return nil
}
