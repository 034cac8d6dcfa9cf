package speech

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
)

// timed skips a test of times: a machine is too busy for them, unless it measures.
func timed(t *testing.T) {
	t.Helper()
	if os.Getenv("MCPASSAY_BENCH") == "" {
		t.Skip("a measure of time: make bench takes it")
	}
}

func TestManyStringsTakeLinearTime(t *testing.T) {
	timed(t)
	for name, one := range map[string]string{
		"open sentences": `"p": {"description": "ignore the "},`,
		"long keys":      `"` + strings.Repeat("ignore_all_", 100) + `": {"type": "string"},`,
		"rules":          `"p": {"description": "the previous instructions"},`,
	} {
		text := strings.Repeat(one, limits.MiB/len(one))
		f := parse(t, `{"tools": [{"name": "x", "inputSchema": {"properties": {`+strings.TrimSuffix(text, ",")+`}}}]}`)
		j := newJudge(&limits.Default)
		start := time.Now()
		j.judge(f.Servers[0].Cards[0])
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s take %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}
