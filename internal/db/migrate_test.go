package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/testdb"
)

// The test binary is also the second process of some tests: if childVariable is set, it
// opens the database in childDir or at childURL until its input ends.
const (
	childVariable = "PARLEY_TEST_CHILD"
	childDir      = "PARLEY_TEST_CHILD_DIR"
	childURL      = "PARLEY_TEST_CHILD_URL"
)

func child() int {
	d, err := Open(context.Background(), testConfig(os.Getenv(childDir), os.Getenv(childURL)))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := d.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// process returns a second process. It runs until the test closes its input.
func process(t *testing.T, dir, url string) (command *exec.Cmd, input io.Closer, output *bytes.Buffer) {
	t.Helper()
	output = &bytes.Buffer{}
	command = exec.CommandContext(t.Context(), "/proc/self/exe")
	command.Env = append(os.Environ(), childVariable+"=1", childDir+"="+dir, childURL+"="+url)
	command.Stdout, command.Stderr = output, output
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	return command, input, output
}

func TestOpeningAgainChangesNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		var before string
		for range 3 {
			d, err := Open(t.Context(), testConfig(dir, url))
			if err != nil {
				t.Fatal(err)
			}
			versions := fmt.Sprint(
				number(t, d, `SELECT count(*) FROM goose_db_version`),
				number(t, d, `SELECT max(version_id) FROM goose_db_version`))
			if before != "" && versions != before {
				t.Errorf("migrations were %s, are %s", before, versions)
			}
			before = versions
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestProcessesCanMigrateOneDatabaseAtOnce(t *testing.T) {
	url := testdb.Postgres(t)
	errs := parallel(3, func(int) error {
		command, input, output := process(t, "", url)
		if err := command.Start(); err != nil {
			return err
		}
		input.Close()
		if err := command.Wait(); err != nil || !strings.HasPrefix(output.String(), "open") {
			return fmt.Errorf("%w: %s", err, output)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	newWorld(t, url)
}

func TestASecondProcessOnAFolderIsRefused(t *testing.T) {
	w := newWorld(t, "")
	command, input, output := process(t, w.dir, "")
	defer input.Close()
	err := command.Run()
	text := output.String()
	if err == nil || !strings.Contains(text, "in use by another process") || !strings.Contains(text, w.dir) {
		t.Errorf("it ended with %v: %s", err, output)
	}
	w.must(w.Ping(t.Context()))
}

func TestTheFolderIsFreeOnceItsProcessIsKilled(t *testing.T) {
	dir := t.TempDir()
	command, input, _ := process(t, dir, "")
	defer input.Close()
	command.Stdout = nil
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(output, make([]byte, len("open"))); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	openDB(t, dir, "")
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	dir := t.TempDir()
	// All users may read, and none may write.
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(folder, 0o755) //nolint:errcheck // for its removal
	}
	command, input, output := process(t, dir, "")
	defer input.Close()
	if os.Geteuid() == 0 { // root may write anywhere
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	err := command.Run()
	if err == nil || !strings.Contains(output.String(), dir) || !strings.Contains(output.String(), "permission denied") {
		t.Errorf("it ended with %v: %s", err, output)
	}
}

func TestAFileInPlaceOfTheFolderIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), testConfig(file, ""))
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
}

func TestAFileThatIsNoDatabaseIsNamedAndKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "parley.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("my diary ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), testConfig(dir, ""))
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error is %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "my diary") {
		t.Errorf("the file was changed: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	openDB(t, dir, "") // the lock was released
}

func TestAPostgresThatIsNotThereIsAClearError(t *testing.T) {
	_, err := Open(t.Context(), testConfig("", "postgres://parley:secret@127.0.0.1:1/parley"))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error is %v", err)
	}
}
