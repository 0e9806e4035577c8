package openai_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/ai"
	"parley/internal/ai/openai"
)

// startAimock starts aimock, a model server by others, and returns its base URL.
func startAimock(t *testing.T) string {
	t.Helper()
	program := os.Getenv("PARLEY_TEST_AIMOCK")
	if program == "" {
		t.Skip("needs the aimock server: run `make test`, or set PARLEY_TEST_AIMOCK to what scripts/packages prints")
	}
	port := freePort(t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, "node", program, "--port", port, "--strict", "--chunk-size", "5",
		"--fixtures", filepath.Join("testdata", "aimock", "fixtures.json"))
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait() // killed
	})
	waitForOutput(t, output, "127.0.0.1:"+port)
	return "http://127.0.0.1:" + port + "/v1"
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // nothing was sent
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// waitForOutput waits until a program's output contains text. It reads the rest in the background. Otherwise the
// program could block.
func waitForOutput(t *testing.T, output io.Reader, text string) {
	t.Helper()
	found := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				found <- true
				_, _ = io.Copy(io.Discard, output)
				return
			}
		}
		found <- false
	}()
	select {
	case ok := <-found:
		if !ok {
			t.Fatal("aimock exited before it listened")
		}
	case <-time.After(time.Minute):
		t.Fatal("aimock did not start")
	}
}

func TestAgainstAModelServerOfOthers(t *testing.T) {
	address := startAimock(t)
	model, err := openai.New(openai.Config{BaseURL: address, Model: "o3", RetryDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	for question, want := range map[string]struct {
		text, thinking string
		failed         bool
	}{
		"plain":   {text: "The ferry to Capri leaves at nine. 去卡普里的渡轮九点开。"},
		"think":   {text: "Nine o'clock.", thinking: "The timetable says nine."},
		"broken":  {failed: true},
		"unknown": {failed: true}, // strict: nothing scripted
	} {
		t.Run(question, func(t *testing.T) {
			var text, thinking strings.Builder
			chunks := 0
			err := model.Reply(t.Context(), &ai.Prompt{Question: question, DeepThinking: want.thinking != ""}, func(c ai.Chunk) {
				chunks++
				text.WriteString(c.Text)
				thinking.WriteString(c.Thinking)
			})
			var failure *openai.Failure
			if want.failed != errors.As(err, &failure) || (err != nil) != want.failed {
				t.Fatalf("got error %v, want failed %v", err, want.failed)
			}
			if text.String() != want.text || thinking.String() != want.thinking {
				t.Errorf("got %q, thinking %q; want %q, thinking %q", text.String(), thinking.String(), want.text, want.thinking)
			}
			if !want.failed && chunks < 3 {
				t.Errorf("got %d chunks, want a stream of them", chunks)
			}
		})
	}
}
