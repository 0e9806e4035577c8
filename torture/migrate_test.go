package torture

import (
	"fmt"
	"testing"

	"parley"
)

// TestAKillDuringTheFirstStartDoesNoHarm kills the program at each of its first syncs, as
// it makes its database: the next start finishes what that one began.
func TestAKillDuringTheFirstStartDoesNoHarm(t *testing.T) {
	t.Parallel()
	needsStrace(t)
	died := 0
	for nth := 1; nth <= 8; nth++ {
		settings := []string{"PARLEY_ADDR=127.0.0.1:0", "PARLEY_DATA=" + t.TempDir()}
		// -D: strace is beside the program, not before it, so that a kill reaches the program.
		first := launch(t, settings, "strace", "-D", "-f", "-o", "/dev/null",
			"-e", "trace=fsync,fdatasync", "-e", fmt.Sprintf("inject=fsync,fdatasync:signal=SIGKILL:when=%d", nth))
		select {
		case <-first.over:
			died++
		case <-first.ready:
			first.kill()
		}
		second := launch(t, settings)
		second.await(t)
		if _, err := second.guest().Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password"}); err != nil {
			t.Errorf("after a kill at sync %d: %v", nth, err)
		}
		second.kill()
	}
	if died == 0 {
		t.Error("it was never killed")
	}
	t.Logf("killed %d times before it was ready", died)
}
