package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"parley"
)

// operation is an API request to measure under load.
type operation struct {
	name        string
	connections int  // 0 is the number of the options
	writes      bool // causes later work, such as indexing
	floor       bool // compare with a server that does nothing
	prepare     func(context.Context, *candidate) error
	next        func(c *candidate, worker int) call
}

func operations(o options) []operation {
	sessions := func(ctx context.Context, c *candidate) error { return c.seedSessions(ctx, c.sessions) }
	creators := func(ctx context.Context, c *candidate) error { return c.seedCreators(ctx) }
	searcher := func(ctx context.Context, c *candidate) error { return c.seedSearch(ctx) }
	files := func(ctx context.Context, c *candidate) error { return c.seedFiles(ctx) }
	firstPage := page("page of 50 messages", o.growth[0], 1)
	firstPage.floor = true
	list := fmt.Sprintf("list 20 of %s sessions", number(float64(o.sessions)))
	all := []operation{
		{name: "user info", next: userInfo, floor: true},
		{name: "create session", prepare: creators, next: createSession, floor: true, writes: true},
		firstPage,
		{name: list, prepare: sessions, next: listSessions, floor: true},
		{name: "send, reply of 20 chunks", prepare: sessions, next: send, floor: true, writes: true},
		{name: "search, a word", prepare: searcher, next: search(sessionsWith, false), connections: 1},
		{name: "search, two Chinese characters", prepare: searcher, next: search(sessionsWith, true), connections: 1},
		{name: "search for messages, a word", prepare: searcher, next: search(messagesWith, false), connections: 1},
		{
			name:    "search for messages, two Chinese characters",
			prepare: searcher, next: search(messagesWith, true), connections: 1,
		},
		{name: "search for files, a word", prepare: files, next: search(filesWith, false), connections: 1},
		{name: "search for files, two words", prepare: files, next: searchPhrase, connections: 1},
		{name: "search for everything, a word", prepare: files, next: search(allWith, false), connections: 1},
	}
	// A page costs the same wherever it is and however long the session is.
	for _, size := range o.growth {
		messages := number(float64(size)) + " messages"
		all = append(all, page("growth, first page of "+messages, size, 1),
			page("growth, last page of "+messages, size, (size+49)/50))
	}
	return all
}

func userInfo(c *candidate, _ int) call {
	return call{method: http.MethodGet, path: "/api/user/info", token: c.seed.user}
}

// createSession uses a different user on each connection, because requests of one user wait for each other.
func createSession(c *candidate, worker int) call {
	return call{
		method: http.MethodPost, path: "/api/chat/session", token: c.seed.creators[worker],
		body: []byte(`{"title":"Holiday plans"}`),
	}
}

// page reads a page of a session that has the given number of messages.
func page(name string, messages, number int) operation {
	return operation{
		name:    name,
		prepare: func(ctx context.Context, c *candidate) error { return c.seedGrown(ctx, messages) },
		next: func(c *candidate, _ int) call {
			path := fmt.Sprintf("/api/chat/messages?session_id=%s&page=%d&page_size=50", c.seed.grown[messages], number)
			return call{method: http.MethodGet, path: path, token: c.seed.reader}
		},
	}
}

func listSessions(c *candidate, _ int) call {
	return call{method: http.MethodGet, path: "/api/chat/sessions?page=1&page_size=20", token: c.seed.user}
}

// send uses the sessions one after another. So all stay short.
func send(c *candidate, _ int) call {
	session := c.seed.sessions[int(c.seed.next.Add(1))%len(c.seed.sessions)]
	return sendCall("/api/chat/send", c.seed.user, session)
}

const question = "Which ferry goes from Naples to Capri in the morning, and how long does it take?"

func sendCall(path, token, session string) call {
	body, err := json.Marshal(parley.SendInput{SessionID: session, Content: question})
	if err != nil {
		panic(err) // strings and booleans can always be encoded
	}
	return call{method: http.MethodPost, path: path, token: token, body: body}
}

// What a search lists, with the keyword at the end.
const (
	sessionsWith = "/api/chat/sessions?keyword="
	messagesWith = "/api/search?in=messages&q="
	filesWith    = "/api/search?in=files&q="
	allWith      = "/api/search?q="
)

func search(list string, chinese bool) func(*candidate, int) call {
	return func(c *candidate, _ int) call {
		words := c.seed.words.keywords(chinese)
		word := words[int(c.seed.next.Add(1))%len(words)]
		return call{method: http.MethodGet, path: list + url.QueryEscape(word), token: c.seed.searcher}
	}
}

// searchPhrase searches files for two words, one after the other. Those that have both are read.
func searchPhrase(c *candidate, _ int) call {
	words := c.seed.words.keywords(false)
	i := int(c.seed.next.Add(1))
	phrase := words[i%len(words)] + " " + words[(i+1)%len(words)]
	return call{method: http.MethodGet, path: filesWith + url.QueryEscape(phrase), token: c.seed.searcher}
}

// operationColumns are the columns of figures, and the share of what a server that does nothing achieves.
const operationColumns = "requests/s\tp50 ms\tp99 ms\tCPU µs\tRSS MB\t% of floor"

// measure puts the candidates under load, one after another in each turn, and reports their medians.
func (op operation) measure(ctx context.Context, all []*candidate) error {
	for _, c := range all {
		if err := op.warmUp(ctx, c); err != nil {
			return c.explain(err)
		}
	}
	turns := make([][][]float64, len(all))
	for turn := range all[0].turns {
		for k := range all {
			i := (turn + k) % len(all) // each turn starts with a different one
			f, err := op.load(ctx, all[i])
			if err != nil {
				return all[i].explain(err)
			}
			turns[i] = append(turns[i], f)
		}
	}
	for i, c := range all {
		c.report.add(operationColumns, op.name, medians(turns[i])...)
	}
	return nil
}

// warmUp starts the server, prepares the data and sends the first requests.
func (op operation) warmUp(ctx context.Context, c *candidate) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	if op.prepare != nil {
		if err := op.prepare(ctx, c); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	if _, err := op.drive(ctx, c, c.server.url, c.warm); err != nil {
		return err
	}
	return c.awaitIdle(ctx)
}

func (op operation) drive(ctx context.Context, c *candidate, url string, d time.Duration) ([]time.Duration, error) {
	connections := cmp.Or(op.connections, c.connections)
	return drive(ctx, c.web, url, connections, d, func(worker int) call { return op.next(c, worker) })
}

// load measures one turn.
func (op operation) load(ctx context.Context, c *candidate) ([]float64, error) {
	before, err := c.server.usage()
	if err != nil {
		return nil, err
	}
	took, err := op.drive(ctx, c, c.server.url, c.turn)
	if err != nil {
		return nil, err
	}
	d := time.Since(before.at)
	if op.writes {
		if err := c.awaitIdle(ctx); err != nil {
			return nil, err
		}
	}
	after, err := c.server.usage()
	if err != nil {
		return nil, err
	}
	f := figures(took, d, before, after)
	if op.floor {
		floor, err := op.bare(ctx, c)
		return append(f, 100*f[0]/floor), err
	}
	return f, nil
}

// bare returns the requests per second of a server that only writes a response of the same size.
func (op operation) bare(ctx context.Context, c *candidate) (float64, error) {
	size, err := do(ctx, c.web, c.server.url, op.next(c, 0))
	if err != nil {
		return 0, err
	}
	response := make([]byte, size)
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(response) }))
	defer bare.Close()
	begun := time.Now()
	took, err := op.drive(ctx, c, bare.URL, c.turn)
	return float64(len(took)) / time.Since(begun).Seconds(), err
}
