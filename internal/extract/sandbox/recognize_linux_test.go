package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestPagesEarnTime checks that each page that a child delivers raises the limit on its CPU time.
func TestPagesEarnTime(t *testing.T) {
	pool := newPool(t, func(c *Config) { c.CPU = 20 * time.Second })
	var limits []string
	x := &exchange{text: new(strings.Builder), index: new(strings.Builder)}
	x.file = file(scan(3), "scan.pdf")
	x.file.Recognition = &Recognition{Pages: 3, Recognize: func(context.Context, []byte) (string, error) {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", x.child.cmd.Process.Pid))
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(content)) {
			if rest, found := strings.CutPrefix(line, "Max cpu time"); found {
				limits = append(limits, strings.Join(strings.Fields(rest)[:2], "/"))
			}
		}
		return "text", nil
	}}
	x.request = pool.newRequest(pool.config.Time)
	x.request.Size, x.request.MaxScans, x.request.Limits.CPU = x.file.Size, 3, pool.config.CPU
	x.request.Limits.MaxCPU = pool.config.CPU + 3*scanCPU
	if err := pool.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.run(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(limits, " "); got != "20/29 23/29 26/29" {
		t.Errorf("got %s", got)
	}
}
