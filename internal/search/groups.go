package search

import (
	"slices"

	"parley"
	"parley/internal/search/grams"
)

// groups are the sessions with texts that match, each with its newest ones.
type groups struct {
	bySession map[string]*group
	last      *group
}

type group struct {
	session string
	total   int64
	time    int64 // of the newest text
	titled  bool  // the title matches
	newest  newest
}

func (g *groups) add(session string, text grams.Entry) {
	if g.last == nil || g.last.session != session {
		if g.bySession == nil {
			g.bySession = map[string]*group{}
		}
		g.last = g.bySession[session]
	}
	if g.last == nil {
		g.last = &group{session: session, newest: newest{limit: parley.HitsPerSession}}
		g.bySession[session] = g.last
	}
	g.last.total++
	g.last.time = max(g.last.time, text.Time)
	g.last.titled = g.last.titled || text.Number == TitleNumber
	g.last.newest.add(text)
}

// entry is the group in the order of groups, which is that of their newest texts.
func (g *group) entry() grams.Entry {
	return grams.Entry{Name: grams.Name{Session: g.session}, Time: g.time}
}

// newestGroups lists the groups after a cursor, the one with the newest text first.
func newestGroups(after Cursor, all ...groups) []*group {
	var list []*group
	for _, some := range all {
		for _, group := range some.bySession {
			if after.precedes(group.entry()) {
				list = append(list, group)
			}
		}
	}
	slices.SortFunc(list, func(a, b *group) int { return newestFirst(a.entry(), b.entry()) })
	return list
}
