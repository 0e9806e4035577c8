package main_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testtier"
)

// operate runs a command of the program and returns its output.
func operate(t *testing.T, settings []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut strings.Builder
	cmd := command(t, settings, args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

// works runs a command that must succeed and returns its standard output.
func works(t *testing.T, settings []string, args ...string) string {
	t.Helper()
	stdout, stderr, err := operate(t, settings, args...)
	if err != nil {
		t.Fatalf("parley %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout
}

// fails runs a command that must exit with 1 and print the text in says.
func fails(t *testing.T, settings []string, says string, args ...string) {
	t.Helper()
	stdout, stderr, err := operate(t, settings, args...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr, says) ||
		!strings.HasPrefix(stderr, "parley: ") {
		t.Errorf("parley %s: %v, %q, %q; it should say %q", strings.Join(args, " "), err, stdout, stderr, says)
	}
}

// busy chats, uploads and deletes until ctx ends.
func busy(ctx context.Context, c *client.Client) error {
	for n := 0; ctx.Err() == nil; n++ {
		made, err := c.CreateSession(ctx, parley.CreateSessionInput{})
		if err != nil {
			return err
		}
		file, err := c.Upload(ctx, made.SessionID, "a.txt", strings.NewReader(fmt.Sprintf("the text of number %d", n)))
		if err != nil {
			return err
		}
		if _, err := c.Send(ctx, parley.SendInput{SessionID: made.SessionID, Content: "What is the text?"}); err != nil {
			return err
		}
		switch n % 3 {
		case 0:
			err = c.DeleteFile(ctx, file.FileID)
		case 1:
			err = c.DeleteSession(ctx, made.SessionID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestABackupUnderLoadRestoresToAConsistentState(t *testing.T) {
	testtier.Slow(t)
	t.Parallel()
	data, restored := "PARLEY_DATA="+t.TempDir(), "PARLEY_DATA="+filepath.Join(t.TempDir(), "restored")
	p := start(t, data)
	ada := p.user("ada")
	kept := session(t, ada)
	file, err := ada.Upload(t.Context(), kept, "kept.txt", strings.NewReader("The last ferry leaves at 20:10."))
	must(t, err)
	_, err = ada.Send(t.Context(), parley.SendInput{SessionID: kept, Content: "When does the last ferry leave?"})
	must(t, err)

	ctx, enough := context.WithCancel(t.Context())
	var load sync.WaitGroup
	t.Cleanup(load.Wait) // ctx has ended by then
	for n := range 3 {
		somebody := p.user(fmt.Sprint("somebody", n))
		load.Go(func() {
			if err := busy(ctx, somebody); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	archive := filepath.Join(t.TempDir(), "parley.tar")
	for range 3 {
		works(t, []string{data}, "backup", "--force", archive)
	}
	fails(t, []string{data}, "in use by another process", "restore", "--force", archive)
	enough()
	load.Wait()

	works(t, []string{restored}, "restore", archive)
	fails(t, []string{restored}, "not empty", "restore", archive)
	works(t, []string{restored}, "doctor")
	again := start(t, restored).client(ada)
	if got := messages(t, again, kept); len(got) != 2 || got[0].Content != "When does the last ferry leave?" {
		t.Errorf("the messages are %+v", got)
	}
	bytes, err := again.Download(t.Context(), file.FileID)
	must(t, err)
	defer bytes.Close()
	if text, err := io.ReadAll(bytes); err != nil || string(text) != "The last ferry leaves at 20:10." {
		t.Errorf("the document is %q, %v", text, err)
	}
}

func TestABackupSaysWhatToUseInstead(t *testing.T) {
	t.Parallel()
	const (
		database = "PARLEY_DATABASE_URL=postgres://parley:hunter2@db/parley"
		files    = "PARLEY_FILES_URL=s3://key:hunter2@bucket/docs?endpoint=https://s3.example.com"
	)
	for _, test := range []struct {
		settings []string
		says     []string
	}{
		{
			[]string{database, "PARLEY_DATA=/there"},
			[]string{`pg_dump --format=custom --file=parley.dump "$PARLEY_DATABASE_URL"`, "rsync -a /there/files/ "},
		},
		{[]string{database, files}, []string{
			"pg_dump",
			"aws s3 sync s3://bucket/docs parley-files --endpoint-url https://s3.example.com",
		}},
		{[]string{files, "PARLEY_DATA=/there"}, []string{"copy /there/parley.db*", "aws s3 sync"}},
	} {
		for _, says := range test.says {
			fails(t, test.settings, says, "backup", "a.tar")
		}
		fails(t, test.settings, "restore is for SQLite", "restore", "a.tar")
		if _, stderr, _ := operate(t, test.settings, "backup", "a.tar"); strings.Contains(stderr, "hunter2") {
			t.Errorf("the output contains a secret: %s", stderr)
		}
	}
	fails(t, []string{"PARLEY_DATA=" + t.TempDir()}, "there is no database", "backup", "a.tar")
}
