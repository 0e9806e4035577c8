package ai

import (
	"slices"
	"sync"
	"time"
)

// idleConns keeps connections that no request uses, the latest of each host to be
// used first. It has no goroutine: a timer runs while there are any.
type idleConns struct {
	mu     sync.Mutex
	hosts  map[string][]*conn // in the order in which they were put
	expiry *time.Timer        // nil while there are none
}

// put keeps c, or closes it where its host has enough of them.
func (i *idleConns) put(c *conn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.hosts[c.host]) >= idlePerHost {
		c.discard()
		return
	}
	if i.hosts == nil {
		i.hosts = make(map[string][]*conn)
	}
	c.since = time.Now()
	i.hosts[c.host] = append(i.hosts[c.host], c)
	if i.expiry == nil {
		i.expiry = time.AfterFunc(idleTime, i.expire)
	}
}

// take returns a connection to host that is fit for a request, nil where there is none.
func (i *idleConns) take(host string) *conn {
	for {
		c := i.pop(host)
		if c == nil || c.quiet() {
			return c
		}
		c.discard()
	}
}

func (i *idleConns) pop(host string) *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := i.hosts[host]
	if len(kept) == 0 {
		return nil
	}
	last := len(kept) - 1
	c := kept[last]
	kept[last] = nil
	i.hosts[host] = kept[:last]
	return c
}

// expire closes what was kept for too long, and comes back for the rest.
func (i *idleConns) expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	next := time.Duration(0)
	for host, kept := range i.hosts {
		old := 0
		for old < len(kept) && now.Sub(kept[old].since) >= idleTime {
			kept[old].discard()
			old++
		}
		if old == len(kept) {
			delete(i.hosts, host)
			continue
		}
		if left := idleTime - now.Sub(kept[old].since); next == 0 || left < next {
			next = left
		}
		i.hosts[host] = slices.Delete(kept, 0, old)
	}
	i.expiry = nil
	if next > 0 {
		i.expiry = time.AfterFunc(next, i.expire)
	}
}

// closeAll closes all that are kept.
func (i *idleConns) closeAll() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, kept := range i.hosts {
		for _, c := range kept {
			c.discard()
		}
	}
	clear(i.hosts)
	if i.expiry != nil {
		i.expiry.Stop()
		i.expiry = nil
	}
}
