package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/canon"
)

// wardenLock is a warden.lock of schema 3 over the tools of a server at a URL.
func wardenLock(t *testing.T, url string, tools ...string) string {
	t.Helper()
	digest := func(v any) string {
		raw, err := json.Marshal(v)
		if err == nil {
			raw, err = canon.JSON(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		return canon.Digest(raw)
	}
	entries, digests := []any{}, []any{}
	for _, text := range tools {
		var tool map[string]any
		if err := json.Unmarshal([]byte(text), &tool); err != nil {
			t.Fatal(err)
		}
		e := map[string]any{"name": tool["name"], "description_hash": digest(tool["description"]), "input_schema_hash": digest(tool["inputSchema"]),
			"capabilities": []string{}, "schema_skeleton": map[string]any{"props": map[string]any{}}}
		e["entry_digest"] = digest(e)
		entries, digests = append(entries, e), append(digests, e["entry_digest"])
	}
	command := digest(map[string]string{"url": url})
	raw, err := json.MarshalIndent(map[string]any{"schema_version": 3, "warden_version": "1.1.0", "tools": entries, "resources": []any{}, "prompts": []any{},
		"server": map[string]any{"command": nil, "args": nil, "url": url, "command_digest": command}, "findings": []any{},
		"overall_digest": digest(map[string]any{"schema_version": 3, "server": map[string]string{"command_digest": command}, "tools": digests, "resources": []any{}, "prompts": []any{}}),
		"pin":            map[string]any{"mcp_protocol_version": "2025-11-25", "approved": true, "approver": "somebody"}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestAnImportedLockIsHeldAgainstWhatIsPinnedAndIsNeverVerified(t *testing.T) {
	s := &shop{tools: []string{buy, find}}
	url := s.open(t)
	pin := []string{"pin", url, "--name", "shop", "--allow-private-network"}
	dir := checkout(t, map[string]string{"shop.warden.lock": wardenLock(t, url, buy, find)})
	if said := must(t, 0, dir, "import", "shop.warden.lock"); !strings.Contains(said, "shop: imported into mcpassay.lock, not approved: digests of 2 items") || !strings.Contains(said, "lacks instructions") {
		t.Errorf("import says %s", said)
	}
	if said := must(t, 2, dir, "import", "shop.warden.lock"); !strings.Contains(said, "shop is in the lock already") {
		t.Errorf("imported twice: %s", said)
	}
	if said := must(t, 1, dir, "verify"); !strings.Contains(said, "drift/partial-entry") {
		t.Errorf("verify says %s", said)
	}
	must(t, 1, dir, "verify", "--live", "--allow-private-network", "--server", "shop")
	must(t, 2, dir, "approve", "shop", "--by", "ada")
	must(t, 2, dir, "approve", "--by", "ada")
	if said := must(t, 0, dir, pin...); !strings.Contains(said, "all that the warden.lock, schema 3 knew of it is as it was") {
		t.Errorf("pin says %s", said)
	}
	must(t, 0, dir, "approve", "shop", "--by", "ada")
	must(t, 0, dir, "verify")

	// One whose server is another by now.
	other := checkout(t, map[string]string{"shop.warden.lock": wardenLock(t, url, strings.Replace(buy, "a pair of", "one pair of", 1))})
	must(t, 0, other, "import", "shop.warden.lock")
	if said := must(t, 0, other, pin...); !strings.Contains(said, "tools: description of buy is another") || !strings.Contains(said, "tools: find is new") {
		t.Errorf("pin says %s", said)
	}

	// One that somebody changed.
	changed := checkout(t, map[string]string{"warden.lock": strings.Replace(wardenLock(t, url, buy, find), `"buy"`, `"bye"`, 1)})
	if said := must(t, 2, changed, "import", "warden.lock"); !strings.Contains(said, "the file was changed") || !strings.Contains(said, "at: warden.lock:") {
		t.Errorf("import says %s", said)
	}
	if _, err := os.Stat(filepath.Join(changed, "mcpassay.lock")); err == nil {
		t.Error("a lock was written")
	}
	for _, args := range [][]string{{"import"}, {"import", "nowhere.lock"}, {"import", "warden.lock", "--public-key", "nowhere.pub"}, {"import", "warden.lock", "--name", " "}} {
		must(t, 2, changed, args...)
	}
}
