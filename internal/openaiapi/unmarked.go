package openaiapi

import "sync"

// maxUnmarked limits what is known about unmarked thinking.
const maxUnmarked = 10_000

// unmarkedThinking knows which models have begun a reply to a user with thinking that looked like text. Some templates
// of models leave out the mark that opens it. A client of a stream can't take text back, so once a model is known to do
// so, its text is held back until it is clear that it is text. It is known by user, since a user can make any model
// write such a reply. It is safe for concurrent use.
type unmarkedThinking struct {
	mu    sync.Mutex
	known map[unmarkedModel]bool
}

type unmarkedModel struct {
	userID int64
	model  string
}

func (u *unmarkedThinking) add(userID int64, model string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known == nil || len(u.known) >= maxUnmarked {
		u.known = map[unmarkedModel]bool{}
	}
	u.known[unmarkedModel{userID, model}] = true
}

func (u *unmarkedThinking) has(userID int64, model string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.known[unmarkedModel{userID, model}]
}
