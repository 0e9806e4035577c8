package main

import "time"

// plan is how much is measured, and for how long.
type plan struct {
	limit       time.Duration // of the whole run
	connections int
	warm        time.Duration // before each measurement
	load        time.Duration // of each measurement
	floor       time.Duration // of each floor
	starts      int           // on an empty folder
	sessions    int           // of the user; a multiple of connections
	growth      []int         // messages of a session, ascending
	growthLoad  time.Duration
	searchable  int           // messages that are searched; 0 leaves the search out
	indexing    time.Duration // how long they may take to be indexed
	streams     int
	pause       time.Duration // between the pieces of a stream
	window      time.Duration // in which the pieces are watched
	documents   reading
	overload    time.Duration // of each overload; 0 leaves out those, else all the rest
	rounds      int           // of the best and an overload
}

// quick takes about a minute.
func quick() plan {
	return plan{
		limit: 5 * time.Minute, connections: 32,
		warm: 300 * time.Millisecond, load: 2 * time.Second, floor: time.Second,
		starts: 3, sessions: 10_016, growth: []int{1_000, 10_000, 100_000}, growthLoad: 500 * time.Millisecond,
		indexing: time.Minute,
		streams:  500, pause: 200 * time.Millisecond, window: 3 * time.Second,
		documents: usualReading(2),
	}
}

// full is what the targets are stated for.
func full() plan {
	return plan{
		limit: time.Hour, connections: 32,
		warm: time.Second, load: 10 * time.Second, floor: 3 * time.Second,
		starts: 5, sessions: 10_016, growth: []int{1_000, 10_000, 100_000, 1_000_000}, growthLoad: 3 * time.Second,
		searchable: 100_000, indexing: 10 * time.Minute,
		streams: 9_000, pause: time.Second, window: 20 * time.Second,
		documents: usualReading(10),
	}
}

// tooMuch is for a server that is asked for more than it can do; four and a half minutes.
// Other programs come and go, so that best and too much take turns. These are long enough
// for what requests leave to be done later, mostly within a second, to be done in the
// turn that left it.
func tooMuch() plan {
	p := quick()
	p.growth = p.growth[:1]
	p.limit = 10 * time.Minute
	p.warm, p.load, p.overload, p.rounds = 2*time.Second, 5*time.Second, 5*time.Second, 6
	return p
}

// withStreams is the plan with another number of streams, watched as in the full form.
// Each has a session without messages to itself.
func (p plan) withStreams(streams int) plan {
	p.streams, p.pause, p.window = streams, full().pause, full().window
	for p.sessions < streams+searchableSessions(p) {
		p.sessions += p.connections
	}
	return p
}
