package torture

import (
	"fmt"
	"testing"

	"parley"
)

// TestAKillDuringTheFirstStartDoesNoHarm kills the program at each of its first syncs,
// while it creates its database. The next start must finish that.
func TestAKillDuringTheFirstStartDoesNoHarm(t *testing.T) {
	t.Parallel()
	needsStrace(t)
	died := 0
	for nth := 1; nth <= 8; nth++ {
		settings := []string{"PARLEY_DATA=" + t.TempDir()}
		// With -D, strace is a grandchild, and the process we start is the program.
		first := launch(t, settings, "strace", "-D", "-f", "-o", "/dev/null",
			"-e", "trace=fsync,fdatasync", "-e", fmt.Sprintf("inject=fsync,fdatasync:signal=SIGKILL:when=%d", nth))
		select {
		case <-first.ended:
			died++
		case <-first.ready:
			first.kill()
		}
		second := launch(t, settings)
		second.waitReady(t)
		user := parley.RegisterInput{Email: "ada@example.com", Password: "password"}
		if _, err := second.guest().Register(t.Context(), user); err != nil {
			t.Errorf("after a kill at sync %d: %v", nth, err)
		}
		second.kill()
	}
	if died == 0 {
		t.Error("it was never killed")
	}
	t.Logf("killed %d times before it was ready", died)
}
