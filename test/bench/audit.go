//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpassay/mcpassay/test/registry"
)

// auditing measures an audit of 30 servers against registries on this machine that list 11,000 servers. The first run keeps what
// they say; the median is of those that ask again whether it changed.
func auditing(bin string) (failed int, err error) {
	s := registry.New()
	defer s.Close()
	work, err := os.MkdirTemp("", "mcpassay-bench-audit")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	setup := func(dir string) error {
		var all []string
		for i := range 30 {
			all = append(all, fmt.Sprintf("    %q: {\"command\": \"npx\", \"args\": [\"-y\", \"example-%05d@1.0.0\"]}", fmt.Sprintf("server-%d", i), i*300))
		}
		return write(filepath.Join(dir, ".mcp.json"), "{\n  \"mcpServers\": {\n"+strings.Join(all, ",\n")+"\n  }\n}\n")
	}
	env := []string{"MCPASSAY_REGISTRY=" + s.URL + "/many", "MCPASSAY_OSV=" + s.URL + "/osv", "npm_config_registry=" + s.URL + "/npm"}
	begin, err := startOf(bin)
	if err != nil {
		return 0, err
	}
	for _, b := range []budget{
		{name: "audit of 30 servers", setup: setup, args: []string{"audit", "--format", "none"}, cpu: 300 * time.Millisecond, env: func(string) []string { return env }},
	} {
		ok, _, err := measure(bin, work, b, begin)
		if err != nil {
			return failed, err
		}
		if !ok {
			failed++
		}
	}
	return failed, nil
}
