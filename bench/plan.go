package main

import "time"

// plan sets how much is measured, and for how long.
type plan struct {
	limit       time.Duration // of the whole run
	connections int
	turns       int           // of each operation; the report has the medians
	warm        time.Duration // before the turns of an operation
	turn        time.Duration
	floor       time.Duration
	quiet       time.Duration // without CPU use, after which a server counts as idle
	starts      int           // with an empty data directory
	sessions    int           // that the sessions list has
	growth      []int         // messages of a session, ascending; the first is the size for the page operation
	searchable  int           // messages of the user who searches
	streams     int
	pause       time.Duration // between the events of a stream
	window      time.Duration // of measuring the streams
	documents   documentPlan
}

// documentPlan sets which documents are uploaded.
type documentPlan struct {
	rounds int    // of each measurement; the median counts
	text   int    // bytes of a text
	large  int    // bytes of a large text
	atOnce int    // concurrent uploads of large texts
	file   string // a document with pages
}

// indexDelay is how long the server may wait before it indexes new messages, with some reserve.
const indexDelay = 1500 * time.Millisecond

// quick returns a plan that takes two or three minutes for one binary.
func quick() plan {
	return plan{
		limit:       30 * time.Minute,
		connections: 32,
		turns:       3,
		warm:        300 * time.Millisecond,
		turn:        time.Second,
		floor:       time.Second,
		quiet:       indexDelay,
		starts:      3,
		sessions:    10_000,
		growth:      []int{1_000, 10_000},
		searchable:  10_000,
		streams:     500,
		pause:       200 * time.Millisecond,
		window:      3 * time.Second,
		documents:   documentPlan{rounds: 2, text: 5_000_000, large: 20_000_000, atOnce: 8, file: hundredPages},
	}
}

// fullPlan returns the plan for the figures in the documentation.
func fullPlan() plan {
	p := quick()
	p.limit = 2 * time.Hour
	p.turns, p.warm, p.turn, p.floor = 5, time.Second, 3*time.Second, 3*time.Second
	p.growth, p.searchable = []int{1_000, 10_000, 100_000}, 100_000
	p.streams, p.pause, p.window = 9_000, time.Second, 20*time.Second
	p.documents.rounds = 10
	return p
}
