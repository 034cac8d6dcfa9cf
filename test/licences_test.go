package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whoever hands on the binary hands on the licences of what is linked into it.
func TestTheLicencesOfAllThatIsLinkedStandInOneFile(t *testing.T) {
	all := readRepository(t, "THIRD_PARTY_LICENSES")
	file := regexp.MustCompile(`(?i)^(licen[cs]e|notice|attrib|copying)(\.txt|\.md)?$`)
	spaces := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	whole := spaces(all)
	seen := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", module+"cmd/mcpassay")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			path, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok || seen[path] {
				continue
			}
			seen[path] = true
			if !strings.Contains(all, "\n"+path+"\n") {
				t.Errorf("THIRD_PARTY_LICENSES has no part for %s: add its licence", path)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if !file.MatchString(e.Name()) {
					continue
				}
				text, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				// The file LICENSE is the Apache License already.
				if one := spaces(string(text)); !strings.HasPrefix(one, "Apache License Version 2.0") && !strings.Contains(whole, one) {
					t.Errorf("THIRD_PARTY_LICENSES does not hold %s of %s", e.Name(), path)
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Fatalf("only %d libraries are linked: the test proves nothing", len(seen))
	}
}
