package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/ai/aitest"
)

// Roles are servers that bench runs as processes of their own, by starting itself
// again, so that their CPU time is not the load generator's.
const (
	roleFloor   = "role-floor"   // a bare handler that returns given bytes
	roleModel   = "role-model"   // a model that costs nothing
	roleTrickle = "role-trickle" // a model that takes its time
)

func isRole(args []string) bool {
	return len(args) == 1 && slices.Contains([]string{roleFloor, roleModel, roleTrickle, roleStore}, args[0])
}

// orders is what a role is told on its standard input.
type orders struct {
	Answer string        // of the floor
	Pieces []string      // of the model's reply
	Pause  time.Duration // of the trickling model
}

// serveRole reads its orders, writes its address and serves until its input ends, as
// it does when bench has gone, however.
func serveRole(role string, in io.Reader, out io.Writer) error {
	if role == roleStore {
		return serveStore(in, out)
	}
	input := bufio.NewReader(in)
	line, err := input.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: no orders: %w", role, err)
	}
	var o orders
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("%s: orders: %w", role, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: o.handler(role), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	if _, err := fmt.Fprintln(out, listener.Addr()); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, input)
	_ = web.Close()
	<-served
	return nil
}

func (o orders) handler(role string) http.Handler {
	switch role {
	case roleModel:
		return aitest.Prepared(o.Pieces...)
	case roleTrickle:
		return trickle(o.Pause)
	}
	answer, length := []byte(o.Answer), strconv.Itoa(len(o.Answer))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", length)
		_, _ = w.Write(answer)
	})
}

// trickle is a model whose reply goes on until its reader leaves. Each piece holds the
// moment it was sent at.
func trickle(pause time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		_ = out.Flush()
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-r.Context().Done():
				return
			}
			_, err := fmt.Fprintf(w, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"bench",`+
				`"choices":[{"index":0,"delta":{"content":"%s%d "},"finish_reason":null}]}`+"\n\n", sentMark, time.Now().UnixNano())
			if err != nil || out.Flush() != nil {
				return
			}
		}
	})
}

// helper is a role, running.
type helper struct {
	*process
	address string
}

// startRole starts a role and waits for its address.
func startRole(ctx context.Context, role string, o orders, log io.Writer) (*helper, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	orderly, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer orderly.Close() //nolint:errcheck // the child has its own
	answer, address, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer answer.Close() //nolint:errcheck // it is only read
	p, err := start(ctx, nil, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self, role)
		cmd.Stdin, cmd.Stdout = orderly, address
		return cmd
	}, log)
	_ = address.Close() // the child has its own
	if err != nil {
		return nil, err
	}
	go func() {
		<-p.ended
		_ = orders.Close()
	}()
	if _, err := orders.Write(append(line, '\n')); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	where, err := bufio.NewReader(answer).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s gave no address: %w", role, err)
	}
	return &helper{process: p, address: strings.TrimSpace(where)}, nil
}
