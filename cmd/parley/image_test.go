package main_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

// container is a container of the image parley:test, with its own volume.
type container struct {
	t      *testing.T
	engine string // docker or podman
	name   string
}

// do runs a command of the container engine and returns its output.
func (c *container) do(args ...string) string {
	c.t.Helper()
	var errOut strings.Builder
	cmd := exec.CommandContext(c.t.Context(), c.engine, args...)
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s%s", c.engine, strings.Join(args, " "), err, out, errOut.String())
	}
	return strings.TrimSpace(string(out))
}

// remove removes the container and its volume. It logs the container's log if the test failed.
func (c *container) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if c.t.Failed() {
		log, _ := exec.CommandContext(ctx, c.engine, "logs", c.name).CombinedOutput() // there may be none
		c.t.Logf("the log:\n%s", log)
	}
	for _, args := range [][]string{{"rm", "--force", c.name}, {"volume", "rm", c.name}} {
		if out, err := exec.CommandContext(ctx, c.engine, args...).CombinedOutput(); err != nil {
			c.t.Errorf("%s %s: %v\n%s", c.engine, strings.Join(args, " "), err, out)
		}
	}
}

// ready waits until the server is ready and returns its address.
func (c *container) ready() string {
	c.t.Helper()
	until(c.t, "it is ready", func() bool {
		return exec.CommandContext(c.t.Context(), c.engine, "exec", c.name, "/parley", "ready").Run() == nil
	})
	return "http://" + c.do("port", c.name, "8080/tcp")
}

// TestTheImage runs the image as docs/operations.md says: without capabilities, and with a read-only file system
// except for the volume. `make image-test` builds the image first.
func TestTheImage(t *testing.T) {
	engine := os.Getenv("PARLEY_TEST_ENGINE")
	if engine == "" {
		t.Skip("make image-test runs it")
	}
	c := &container{t: t, engine: engine, name: "parley-test-" + strings.ToLower(rand.Text())}
	t.Cleanup(c.remove)
	c.do("run", "--detach", "--name", c.name, "--volume", c.name+":/data", "--publish", "127.0.0.1::8080",
		"--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--env", "PARLEY_AI_BASE_URL=builtin",
		"parley:test")
	url := c.ready()

	want := "parley " + os.Getenv("PARLEY_TEST_VERSION") + "\n"
	if version := c.do("exec", c.name, "/parley", "version"); !strings.HasPrefix(version, want) {
		t.Errorf("it is %q", version)
	}
	if page := get(t, url); !strings.Contains(page, "<script") {
		t.Errorf("the web client is not in it:\n%s", page)
	}
	ada := client.New(url)
	_, err := ada.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password of ada"})
	must(t, err)
	asked := session(t, ada)
	for _, name := range []string{"libreoffice.pdf", "libreoffice.docx"} {
		document, err := os.ReadFile("../../internal/extract/testdata/" + name)
		must(t, err)
		_, err = ada.Upload(t.Context(), asked, name, bytes.NewReader(document))
		must(t, err)
	}
	out, err := ada.Send(t.Context(), parley.SendInput{
		SessionID: asked,
		Content:   "What is the cat of the lighthouse keeper called?",
	})
	must(t, err)
	if !strings.Contains(out.AIResponse.Content, "Palinuro") {
		t.Errorf("it has not read the documents: %s", out.AIResponse.Content)
	}

	if users := c.do("exec", c.name, "/parley", "user", "list"); !strings.Contains(users, "ada@example.com") {
		t.Errorf("the accounts are %q", users)
	}
	c.do("exec", c.name, "/parley", "doctor")
	c.do("exec", c.name, "/parley", "backup", "/data/backup.tar")

	c.do("stop", "--time", "30", c.name)
	if code := c.do("inspect", "--format", "{{.State.ExitCode}}", c.name); code != "0" {
		t.Errorf("asked to stop it ends with %s", code)
	}
	c.do("start", c.name)
	kept := messages(t, client.New(c.ready()).WithToken(ada.Token()), asked)
	if len(kept) != 2 || kept[1].Content != out.AIResponse.Content {
		t.Errorf("after a restart there is %+v", kept)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return string(text)
}
