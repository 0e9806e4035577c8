package app

import (
	"runtime"
	"time"

	"parley/internal/api"
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

	maxReaders      = 2
	maxSmallReaders = 2
	maxPageReaders  = 3
	maxPageSearches = 12
	maxScanners     = 2
)

// Limits bounds what the service takes on at once. A zero field is no limit, or the default of the part that has it.
type Limits struct {
	// Requests limits how many requests run at once, by user.
	Requests *limit.Fair[int64]
	// Bodies, Responses and Generations limit the memory for JSON bodies, for responses, and for responses of OpenAI's
	// API that are being generated, by user.
	Bodies, Responses, Generations *limit.ByteShares[int64]
	// Resets limits how often one address may ask for a new password.
	Resets api.Rate
	// MaxWrite is how long a client may stop reading its response.
	MaxWrite time.Duration
	// Readers is how many documents are read at once. In addition there are SmallReaders for small plain texts,
	// PageReaders for web pages, and Scanners for documents with pages to recognize.
	Readers, SmallReaders, PageReaders, Scanners int
	// PageSearches is how many searches read their pages at once.
	PageSearches int
}

// NewLimits returns the limits of a server on this machine.
func NewLimits() Limits {
	slots, queue := slotsPerCore*runtime.GOMAXPROCS(0), queuePerCore*runtime.GOMAXPROCS(0)
	return Limits{
		Requests: limit.NewFair[int64](limit.FairConfig{
			Slots: slots, SlotsPerKey: slots / userSlots,
			Queue: queue, QueuePerKey: queue / userQueue,
			MaxWait: maxWait,
		}),
		Bodies:       limit.NewByteShares[int64](maxBodies, freeBody),
		Responses:    limit.NewByteShares[int64](maxResponses, api.FreeResponse),
		Generations:  limit.NewByteShares[int64](maxGenerations, api.FreeResponse),
		Resets:       api.Rate{Requests: maxResets, Per: time.Hour},
		MaxWrite:     maxWrite,
		Readers:      maxReaders,
		SmallReaders: maxSmallReaders,
		PageReaders:  maxPageReaders,
		Scanners:     maxScanners,
		PageSearches: maxPageSearches,
	}
}

// Children returns how many processes read documents at once.
func (l Limits) Children() int { return l.Readers + l.SmallReaders + l.PageReaders + l.Scanners }
