package turn

import (
	"sync"
	"time"
)

// deniedFor is how long a denied turn is remembered. If the database takes longer, it has lost its connection.
const deniedFor = 10 * time.Minute

// deniedTurns are the replies of denied turns: the user was told that nothing was stored. A database may store such a
// turn later, if its statements were on their way. The turn is then removed and no reply is generated.
type deniedTurns struct {
	mu    sync.Mutex
	since map[string]time.Time // by reply id
}

func (d *deniedTurns) add(replyID string, now time.Time) {
	if replyID == "" { // no new reply: an old one that was regenerated or continued keeps its text
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.since == nil {
		d.since = map[string]time.Time{}
	}
	d.since[replyID] = now
}

func (d *deniedTurns) has(replyID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, found := d.since[replyID]
	return found
}

// forget forgets what was denied long ago.
func (d *deniedTurns) forget(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for replyID, since := range d.since {
		if now.Sub(since) > deniedFor {
			delete(d.since, replyID)
		}
	}
}
