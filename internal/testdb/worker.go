package testdb

import (
	"context"
	"os"
	"os/exec"
	"testing"
)

// workerVariable has a command that stops or starts a worker of the Citus cluster. Its arguments are "stop" or "start"
// and the worker's host and port, as in host:port. It returns when the worker has stopped or started. Stop is a crash:
// pg_ctl stop -m immediate.
const workerVariable = "PARLEY_TEST_CITUS_WORKER"

// Worker is a worker of the Citus cluster that a test may stop. Tests that run at the same
// time must not use the cluster.
type Worker struct {
	// Address is the worker's host and port.
	Address string
	command string
}

// CitusWorker returns a worker of the cluster. It runs again when the test ends. Without
// the command to stop one the test is skipped.
func CitusWorker(t testing.TB) *Worker {
	t.Helper()
	command := os.Getenv(workerVariable)
	if !IsCitus() || command == "" {
		t.Skipf("needs Citus, and a command that stops a worker: set %s and %s", citusVariable, workerVariable)
	}
	nodes := findCluster(t)
	w := &Worker{Address: nodes[len(nodes)-1].Host, command: command}
	t.Cleanup(func() { w.Start(t) })
	return w
}

// Stop stops the worker, as a crash does.
func (w *Worker) Stop(t testing.TB) { w.run(t, "stop") }

// Start starts the worker, if it is stopped.
func (w *Worker) Start(t testing.TB) { w.run(t, "start") }

func (w *Worker) run(t testing.TB, what string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), clusterTimeout)
	defer cancel()
	if out, err := exec.CommandContext(ctx, w.command, what, w.Address).CombinedOutput(); err != nil {
		t.Fatalf("%s the worker %s: %v\n%s", what, w.Address, err, out)
	}
}
