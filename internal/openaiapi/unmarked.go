package openaiapi

import "sync"

// unmarkedThinking has the names of models that have begun a reply with thinking that looked like text. Some templates
// of models leave out the mark that opens it. A client of a stream can't take text back, so once a model is known to do
// so, its text is held back until it is clear that it is text. It is safe for concurrent use.
type unmarkedThinking struct {
	mu     sync.Mutex
	models map[string]bool
}

func (u *unmarkedThinking) add(model string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.models == nil {
		u.models = map[string]bool{}
	}
	u.models[model] = true
}

func (u *unmarkedThinking) has(model string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.models[model]
}
