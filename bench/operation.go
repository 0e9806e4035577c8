package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"parley"
)

// operation is a request of the API under load.
type operation struct {
	name    string
	target  float64 // requests a second on two cores with SQLite; 0 is none
	request func(w *world, worker, n int) []byte
	direct  bool // the model server, called directly, is a floor too
	alone   bool // over one connection, to see what one caller waits for
}

// operations are measured one after the other.
func operations(p plan) []operation {
	all := []operation{
		{name: "user info", target: 23_000, request: userInfo},
		{name: "create session", target: 7_000, request: createSession},
		{name: "page of 50 messages", target: 3_700, request: firstPage},
		{name: "list 20 of 10,000 sessions", target: 6_000, request: listSessions},
		{name: "send, reply of 20 chunks", target: 2_800, request: send, direct: true},
	}
	if p.searchable > 0 {
		all = append(all,
			operation{name: "search, a word", request: search(false), alone: true},
			operation{name: "search, two Chinese characters", request: search(true), alone: true})
	}
	return all
}

func userInfo(w *world, _, _ int) []byte {
	return newRequest(http.MethodGet, "/api/user/info", w.token, nil)
}

// createSession comes from another user on each connection: those of one user take turns,
// since all of them count up the same row.
func createSession(w *world, worker, _ int) []byte {
	return newRequest(http.MethodPost, "/api/chat/session", w.seed.others[worker], []byte(`{"title":"Holiday plans"}`))
}

func firstPage(w *world, _, _ int) []byte { return w.page(w.plan.growth[0], 1) }

// page reads a page of the session that has the given number of messages.
func (w *world) page(size, number int) []byte {
	path := fmt.Sprintf("/api/chat/messages?session_id=%s&page=%d&page_size=50", w.seed.grown[size], number)
	return newRequest(http.MethodGet, path, w.token, nil)
}

func listSessions(w *world, _, _ int) []byte {
	return newRequest(http.MethodGet, "/api/chat/sessions?page=1&page_size=20", w.token, nil)
}

// send goes to many sessions in turn, so that each stays short and none is asked twice
// at once.
func send(w *world, worker, n int) []byte {
	session := w.seed.sessions[(n*w.connections+worker)%len(w.seed.sessions)]
	return newRequest(http.MethodPost, "/api/chat/send", w.token, sendBody(session))
}

func sendBody(session string) []byte {
	body, err := json.Marshal(parley.SendInput{SessionID: session, Content: question})
	if err != nil {
		panic(err) // strings and booleans can always be encoded
	}
	return body
}

const question = "Which ferry goes from Naples to Capri in the morning, and how long does it take?"

func replyPieces() []string {
	pieces := make([]string, 20)
	for i := range pieces {
		pieces[i] = fmt.Sprintf("piece %d of it, ", i)
	}
	return pieces
}

// askModel is what the server asks the model server for a send.
func askModel(*world, int, int) []byte {
	body := `{"model":"bench","messages":[{"role":"user","content":"` + question + `"}],"stream":true}`
	return newRequest(http.MethodPost, "/v1/chat/completions", "", []byte(body))
}

func search(chinese bool) func(*world, int, int) []byte {
	return func(w *world, worker, n int) []byte {
		words := w.words.keywords(chinese)
		word := words[(worker+n)%len(words)]
		return newRequest(http.MethodGet, "/api/chat/sessions?keyword="+url.QueryEscape(word), w.token, nil)
	}
}

// measure puts the server under the operation's load, and after it the floors.
func (op operation) measure(ctx context.Context, w *world) error {
	w.say("%s", op.name)
	r := row{Operation: op.name, Target: op.target}
	var err error
	if r.figures, err = op.load(ctx, w, w.target(), w.load, op.request); err != nil {
		return fmt.Errorf("%s: %w", op.name, err)
	}
	if err := op.floors(ctx, w, &r); err != nil {
		return fmt.Errorf("%s, floor: %w", op.name, err)
	}
	w.report.Rows = append(w.report.Rows, r)
	return nil
}

// load warms a server up and measures it.
func (op operation) load(ctx context.Context, w *world, t target, d time.Duration, request func(w *world, worker, n int) []byte) (figures, error) {
	connections := w.connections
	if op.alone {
		connections = 1
	}
	bound := func(worker, n int) []byte { return request(w, worker, n) }
	if _, err := drive(ctx, t.address, connections, w.warm, bound); err != nil {
		return figures{}, err
	}
	if err := t.settle(ctx, settleWithin); err != nil {
		return figures{}, err
	}
	profiled := t.profiles.profile(ctx, w.profiles, op.name, d)
	f, err := underLoad(ctx, t, connections, d, bound)
	return f, errors.Join(err, profiled())
}

// floors measures what the same load generator gets out of servers that do nothing.
func (op operation) floors(ctx context.Context, w *world, r *row) error {
	answer, err := fetch(ctx, w.server.address, op.request(w, 0, 0))
	if err != nil {
		return err
	}
	bare, err := startRole(ctx, roleFloor, orders{Answer: string(answer)}, w.log)
	if err != nil {
		return err
	}
	defer bare.stop()
	if err := op.floor(ctx, w, r, "bare net/http", bare, op.request); err != nil {
		return err
	}
	if f, writes, err := op.writeFloor(ctx, w); err != nil {
		return err
	} else if writes {
		r.Floors = append(r.Floors, floor{Name: "its transactions alone", figures: f, Ratio: r.PerSecond / f.PerSecond})
	}
	if !op.direct {
		return nil
	}
	return op.floor(ctx, w, r, "model server called directly", w.model, askModel)
}

func (op operation) floor(ctx context.Context, w *world, r *row, name string, h *helper, request func(w *world, worker, n int) []byte) error {
	f, err := op.load(ctx, w, target{process: h.process, address: h.address}, w.floor, request)
	if err != nil {
		return err
	}
	r.Floors = append(r.Floors, floor{Name: name, figures: f, Ratio: r.PerSecond / f.PerSecond})
	return nil
}
