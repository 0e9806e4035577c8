package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/id"
)

// modelShare is a snapshot of a session.
type modelShare struct {
	id, session string
	title, text string
	expires     time.Time // zero is never
}

// modelRetention is how long the model's sessions are kept after their last message. The clock advances by about a
// second with each operation.
const modelRetention = 10 * time.Second

// life draws when a session or a share ends. The zero time is never.
func (m *machine) life(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "for ever") {
		return time.Time{}
	}
	return m.now.Add(time.Duration(rapid.IntRange(5, 60).Draw(t, "life")) * time.Second)
}

func (m *machine) isOver(end time.Time) bool { return !end.IsZero() && !end.After(m.now) }

func unixOrZero(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// setLife makes a session temporary, or permanent.
func (m *machine) setLife(t *rapid.T) {
	u, s := m.session(t)
	s.expires = m.life(t)
	expectError(t, m.UpdateSession(m.ctx, u.id, s.id, SessionChange{ExpiresAt: &s.expires}), nil)
}

// owner returns the user with an id, or nil for one of an earlier run.
func (m *machine) owner(userID int64) *modelUser {
	for _, u := range m.users {
		if u.id == userID {
			return u
		}
	}
	return nil
}

// ours removes the sessions of earlier runs.
func (m *machine) ours(keys []SessionKey) []SessionKey {
	return slices.DeleteFunc(slices.Clone(keys), func(key SessionKey) bool { return m.owner(key.UserID) == nil })
}

// expire deletes the sessions that are due.
func (m *machine) expire(t *rapid.T) {
	m.tick()
	var due []*modelSession
	for _, u := range m.users {
		for _, s := range u.sessions {
			if m.isOver(s.expires) {
				due = append(due, s)
			}
		}
	}
	found, err := m.ExpiredSessions(m.ctx, m.now, 1000)
	expectError(t, err, nil)
	expect(t, "number of sessions whose time has come", len(m.ours(found)), len(due))
	for _, key := range found {
		deleted, err := m.DeleteExpired(m.ctx, key, m.now)
		expectError(t, err, nil)
		expect(t, "deleted", deleted, true)
		deleted, err = m.DeleteExpired(m.ctx, key, m.now) // as another replica does
		expectError(t, err, nil)
		expect(t, "deleted twice", deleted, false)
	}
	for _, s := range due {
		m.dropped(t, s)
	}
}

// retain deletes the sessions that are older than the retention and not spared.
func (m *machine) retain(t *rapid.T) {
	since := m.tick().Add(-modelRetention)
	type old struct {
		AgedSession
		session *modelSession
	}
	var want []old
	for _, u := range m.users {
		for _, s := range u.sessions {
			if !s.active().After(since) {
				want = append(want, old{AgedSession{SessionKey{u.id, s.id}, micros(s.active())}, s})
			}
		}
	}
	slices.SortFunc(want, func(a, b old) int {
		return cmp.Or(cmp.Compare(a.ActiveAt, b.ActiveAt), cmp.Compare(a.UserID, b.UserID),
			cmp.Compare(a.SessionID, b.SessionID))
	})
	found, err := m.AgedSessions(m.ctx, since, AgedSession{}, 1000)
	expectError(t, err, nil)
	found = slices.DeleteFunc(found, func(aged AgedSession) bool { return m.owner(aged.UserID) == nil })
	expect(t, "number of old sessions", len(found), len(want))
	for i, aged := range found {
		expect(t, "old session", aged, want[i].AgedSession)
		s := want[i].session
		spared := s.pinned || slices.ContainsFunc(s.root.all(), func(m *modelMessage) bool { return m.mark.id != "" })
		deleted, err := m.DeleteAged(m.ctx, aged.SessionKey, since)
		expectError(t, err, nil)
		expect(t, "deleted by retention", deleted, !spared)
		if deleted {
			m.dropped(t, s)
		}
	}
}

// dropped records that a session is gone, with its shares.
func (m *machine) dropped(t *rapid.T, s *modelSession) {
	m.lost(t, s)
	for _, u := range m.users {
		u.sessions = slices.DeleteFunc(u.sessions, func(other *modelSession) bool { return other == s })
		u.endShares(func(share *modelShare) bool { return share.session == s.id })
	}
}

// endShares ends the user's shares that meet a condition.
func (u *modelUser) endShares(condition func(*modelShare) bool) {
	for _, share := range u.shares {
		if condition(share) {
			u.ended = append(u.ended, share)
		}
	}
	u.shares = slices.DeleteFunc(u.shares, condition)
}

// share reads a session and stores it as a share of two parts.
func (m *machine) share(t *rapid.T) {
	u, s := m.session(t)
	var title string
	var got, want []string
	expectError(t, m.ReadSession(m.ctx, u.id, s.id, func(head SessionHead) error {
		title, got = head.Title, nil
		return nil
	}, func(message parley.Message) error {
		got = append(got, message.ID+" "+message.Content)
		return nil
	}), nil)
	for _, message := range s.messages() {
		want = append(want, message.id+" "+message.content)
	}
	expect(t, "snapshot of "+title, got, want)
	share := &modelShare{
		id: id.New(), session: s.id, title: s.title, text: strings.Join(got, "\n"), expires: m.life(t),
	}
	expectError(t, m.AddShare(m.ctx, NewShare{
		ID: share.id, UserID: u.id, SessionID: s.id, Title: title, Messages: int64(len(got)), Now: m.tick(),
		Parts: [][]byte{[]byte("first"), []byte(share.text)}, Expires: share.expires, MaxShares: 1000,
	}), nil)
	u.shares = append([]*modelShare{share}, u.shares...)
}

func (m *machine) withdraw(t *rapid.T) {
	u := m.user(t)
	if len(u.shares) == 0 {
		t.Skip("no share")
	}
	share := rapid.SampledFrom(u.shares).Draw(t, "share")
	for _, other := range m.users {
		if other != u {
			expectError(t, m.DeleteShare(m.ctx, other.id, share.id), parley.ErrNoSuchShare)
		}
	}
	expectError(t, m.DeleteShare(m.ctx, u.id, share.id), nil)
	expectError(t, m.DeleteShare(m.ctx, u.id, share.id), parley.ErrNoSuchShare)
	u.endShares(func(other *modelShare) bool { return other == share })
}

// sweepShares removes what is left of shares that have ended.
func (m *machine) sweepShares(t *rapid.T) {
	m.tick()
	for more := true; more; {
		var err error
		more, err = m.SweepShares(m.ctx, m.now, 10)
		expectError(t, err, nil)
	}
	shares := 0
	for _, u := range m.users {
		u.endShares(func(share *modelShare) bool { return m.isOver(share.expires) })
		shares += len(u.shares)
	}
	links := 0
	for _, u := range m.users {
		links += int(number(m.t, m.Store, fmt.Sprint(`SELECT count(*) FROM share_links WHERE user_id = `, u.id)))
	}
	expect(t, "links", links, shares)
}

// checkShares compares the list of a user's shares, one share, and one that has ended.
func (m *machine) checkShares(t *rapid.T, u *modelUser) {
	u.endShares(func(share *modelShare) bool { return m.isOver(share.expires) })
	shares, err := m.Shares(m.ctx, u.id, m.now)
	expectError(t, err, nil)
	var got, want []string
	for _, share := range shares {
		got = append(got, fmt.Sprint(share.ShareID, share.SessionID, share.Title, share.ExpiresAt))
	}
	for _, share := range u.shares {
		want = append(want, fmt.Sprint(share.id, share.session, share.title, unixOrZero(share.expires)))
	}
	expect(t, "shares", got, want)
	if len(u.shares) > 0 {
		share := rapid.SampledFrom(u.shares).Draw(t, "share")
		found, err := m.FindShare(m.ctx, share.id, m.now)
		expectError(t, err, nil)
		expect(t, "share", []any{found.UserID, found.Parts, found.Title}, []any{u.id, 2, share.title})
		part, err := m.SharePart(m.ctx, u.id, share.id, 1)
		expectError(t, err, nil)
		expect(t, "part of a share", string(part), share.text)
	}
	if len(u.ended) > 0 {
		_, err := m.FindShare(m.ctx, rapid.SampledFrom(u.ended).Draw(t, "ended share").id, m.now)
		expectError(t, err, parley.ErrNoSuchShare)
	}
}
