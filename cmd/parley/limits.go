package main

import (
	"cmp"
	"runtime"
	"time"

	"parley/internal/config"
	"parley/internal/limit"
)

const (
	// slotsPerCore is how many requests run at once for each core: enough to share commits and to use every
	// connection to the database.
	slotsPerCore = 32
	// queuePerCore is how many more requests may wait for each core, and maxWait is how long.
	queuePerCore = 256
	maxWait      = time.Second
	// One user may hold a half of the slots and a quarter of the queue. The others have the rest.
	userSlots = 2
	userQueue = 4
	// maxResets is how often one address may ask for a new password in an hour.
	maxResets = 30
	// maxWrite is how long a client may stop reading its response.
	maxWrite = 30 * time.Second
	// maxBodies limits the memory of all JSON bodies together, without the first freeBody bytes of each. Clients that are
	// not logged in can send bodies too.
	maxBodies = 64 << 20
	freeBody  = 16 << 10
	// maxResponses limits the memory of all responses together, without the first api.FreeResponse bytes of each.
	maxResponses = 64 << 20
	// maxGenerations limits the memory of all responses of OpenAI's API that are being generated, without the first
	// api.FreeResponse bytes of each.
	maxGenerations = 64 << 20
	// defaultConnections is the limit on connections if the process may open enough files.
	defaultConnections = 16_384
	// minPerAddress is the least limit on the connections of one address, unless it is set.
	minPerAddress = 100
)

func newLimiter() *limit.Fair[int64] {
	slots, queue := slotsPerCore*runtime.GOMAXPROCS(0), queuePerCore*runtime.GOMAXPROCS(0)
	return limit.NewFair[int64](limit.FairConfig{
		Slots: slots, SlotsPerKey: slots / userSlots,
		Queue: queue, QueuePerKey: queue / userQueue,
		MaxWait: maxWait,
	})
}

// maxConnections leaves half of the file descriptors for models, the database and files. A stream needs one for
// its client and may need one for its model.
func (s *server) maxConnections() int {
	connections := defaultConnections
	if files, limited := maxOpenFiles(); limited && files/2 < uint64(connections) {
		connections = max(1, int(files/2)) //nolint:gosec // it is smaller than another int
	}
	return cmp.Or(s.settings.HTTP.MaxConnections, connections)
}

// maxConnectionsPerAddress returns 0 for no limit. By default a quarter of all connections is left for other addresses.
func (s *server) maxConnectionsPerAddress() int {
	switch limit := s.settings.HTTP.PerAddress; {
	case limit == config.NoLimit:
		return 0
	case limit > 0:
		return limit
	default:
		return max(s.maxConnections()*3/4, minPerAddress)
	}
}
