package api_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"parley"
)

const (
	// modelDay is how far pass moves the clock. It is long enough for the sweeper to look again at spared sessions.
	modelDay = 25 * time.Hour
	// modelRetention is the retention of the server. It deletes sessions on the third day after their last message.
	modelRetention     = 5 * modelDay / 2
	modelRetentionDays = 3
)

// modelShare is a snapshot of a session.
type modelShare struct {
	id, title string
	session   *modelSession
	messages  []string
	life      modelLife
}

// modelLife is the time that something lives, starting at a moment. Zero days mean forever.
type modelLife struct{ from, days int }

// seconds returns the length of the life. A life ends halfway between two days: how long a run takes does not matter.
func (l modelLife) seconds() int64 {
	if l.days == 0 {
		return 0
	}
	return int64((time.Duration(l.days)*modelDay - modelDay/2).Seconds())
}

func (m *machine) life(t *rapid.T) modelLife {
	return modelLife{from: m.now(), days: rapid.IntRange(0, 2).Draw(t, "days")}
}

// age returns how many days have passed since a moment.
func (m *machine) age(moment int) (days int) {
	for _, dawn := range m.dawns {
		if dawn >= moment {
			days++
		}
	}
	return days
}

func (m *machine) isOver(life modelLife) bool { return life.days > 0 && m.age(life.from) >= life.days }

// isDue reports whether a sweep deletes the session: its life is over, or it is old and not spared.
func (m *machine) isDue(s *modelSession) bool {
	isFavorite := func(message *modelMessage) bool { return message.mark.favorite != "" }
	spared := s.pinned || slices.ContainsFunc(s.root.all(), isFavorite)
	return m.isOver(s.life) || m.age(s.active()) >= modelRetentionDays && !spared
}

// pass lets a day pass. Shares end by themselves, sessions end with the sweep.
func (m *machine) pass(t *rapid.T) {
	m.dawns = append(m.dawns, m.now())
	m.clock.forward(modelDay)
	fine(t, m.app.Sweeper.Sweep(m.Context()))
	for _, u := range m.users {
		for _, s := range slices.Clone(u.sessions) {
			if m.isDue(s) {
				u.drop(s)
				_, err := m.as(u).Session(m.Context(), s.id)
				refuses(t, err, parley.CodeNoSuchSession)
			}
		}
		u.endShares(func(share *modelShare) bool { return m.isOver(share.life) })
	}
}

// setLife makes a session temporary or permanent.
func (m *machine) setLife(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	s.life = m.life(t)
	expires := s.life.seconds()
	fine(t, m.as(u).UpdateSession(m.Context(), s.id, parley.UpdateSessionInput{ExpiresIn: &expires}))
}

// file pins or archives a session, or undoes that.
func (m *machine) file(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	set := rapid.Bool().Draw(t, "set")
	in := parley.UpdateSessionInput{}
	if rapid.Bool().Draw(t, "pin") {
		s.pinned, in.Pinned = set, &set
	} else {
		s.archived, in.Archived = set, &set
	}
	fine(t, m.as(u).UpdateSession(m.Context(), s.id, in))
}

func (m *machine) share(t *rapid.T) {
	u := m.user(t)
	s := m.session(t, u)
	share := &modelShare{title: s.shownTitle(), session: s, life: m.life(t)}
	out, err := m.as(u).Share(m.Context(), s.id, parley.ShareInput{ExpiresIn: share.life.seconds()})
	if len(s.messages()) == 0 {
		refuses(t, err, parley.CodeInvalidParameter)
		return
	}
	fine(t, err)
	same(t, "link", out.URL, m.URL+"/s/"+out.ShareID)
	for i, message := range s.messages() {
		role := []string{parley.RoleUser, parley.RoleAssistant}[i%2]
		share.messages = append(share.messages, fmt.Sprint(role, message.content, message.status))
	}
	share.id = out.ShareID
	u.shares = append([]*modelShare{share}, u.shares...)
}

func (m *machine) withdraw(t *rapid.T) {
	u := m.user(t)
	if len(u.shares) == 0 {
		return
	}
	share := rapid.SampledFrom(u.shares).Draw(t, "share")
	for _, other := range m.users {
		if other != u {
			refuses(t, m.as(other).DeleteShare(m.Context(), share.id), parley.CodeNoSuchSession)
		}
	}
	fine(t, m.as(u).DeleteShare(m.Context(), share.id))
	refuses(t, m.as(u).DeleteShare(m.Context(), share.id), parley.CodeNoSuchSession)
	u.endShares(func(other *modelShare) bool { return other == share })
}

// endShares ends the user's shares for which condition holds.
func (u *modelUser) endShares(condition func(*modelShare) bool) {
	for _, share := range u.shares {
		if condition(share) {
			u.endedShares = append(u.endedShares, share.id)
		}
	}
	u.shares = slices.DeleteFunc(u.shares, condition)
}

// drop removes a session with its shares.
func (u *modelUser) drop(s *modelSession) {
	u.sessions = slices.DeleteFunc(u.sessions, func(other *modelSession) bool { return other == s })
	u.endShares(func(share *modelShare) bool { return share.session == s })
}

// compareShares compares the list of shares, and reads one of them as a stranger.
func (m *machine) compareShares(t *rapid.T, u *modelUser) {
	listed, err := m.as(u).Shares(m.Context())
	fine(t, err)
	var got, want []string
	for _, share := range listed.Shares {
		got = append(got, fmt.Sprint(share.ShareID, share.URL, share.SessionID, share.Title, share.MessageCount,
			share.ExpiresAt > 0))
	}
	for _, share := range u.shares {
		want = append(want, fmt.Sprint(share.id, m.URL+"/s/"+share.id, share.session.id, share.title,
			len(share.messages), share.life.days > 0))
	}
	same(t, "shares", got, want)
	if len(u.shares) > 0 {
		m.compareShare(t, rapid.SampledFrom(u.shares).Draw(t, "share"))
	}
	if len(u.endedShares) > 0 {
		_, err := m.guest().ReadShare(m.Context(), rapid.SampledFrom(u.endedShares).Draw(t, "ended share"))
		refuses(t, err, parley.CodeNoSuchSession)
	}
}

func (m *machine) compareShare(t *rapid.T, share *modelShare) {
	read, err := m.guest().ReadShare(m.Context(), share.id)
	fine(t, err)
	lines := []string{}
	for _, message := range read.Messages {
		lines = append(lines, fmt.Sprint(message.Role, message.Content, message.Status))
	}
	same(t, "share "+read.Title, append(lines, read.Title), append(slices.Clone(share.messages), share.title))
}

// compareHits compares the hits of a search in titles and messages.
func (m *machine) compareHits(t *rapid.T, u *modelUser, word string) {
	if strings.TrimSpace(word) == "" {
		return
	}
	out, err := m.as(u).Search(m.Context(), parley.Search{Text: word, In: []string{"titles", "messages"}},
		parley.Page{Number: 1, Size: parley.MaxPageSize})
	fine(t, err)
	var got, want []string
	for _, hit := range out.Hits {
		got = append(got, fmt.Sprint(hit.Kind, hit.SessionID, hit.SessionTitle, hit.MessageID, hit.Number, hit.Archived))
	}
	for _, s := range u.sessions {
		if contains(s.shownTitle(), word) {
			want = append(want, fmt.Sprint(parley.HitTitle, s.id, s.shownTitle(), "", 0, s.archived))
		}
		for _, message := range s.messages() {
			if contains(message.content, word) {
				want = append(want, fmt.Sprint(parley.HitMessage, s.id, s.shownTitle(), message.id, message.number, s.archived))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	same(t, "hits of "+word, got, want)
}

// listed returns the sessions that a filter selects, latest activity first.
func (u *modelUser) listed(filter parley.SessionFilter) (lines []string) {
	byActivity := slices.SortedFunc(slices.Values(u.sessions),
		func(a, b *modelSession) int { return b.active() - a.active() })
	searched := strings.TrimSpace(filter.Keyword) != ""
	for _, s := range byActivity {
		switch {
		case searched && !s.has(filter.Keyword), filter.Pinned && !s.pinned, filter.Archived && !s.archived:
		case !searched && !filter.Archived && s.archived:
		default:
			lines = append(lines, fmt.Sprint(s.id, s.shownTitle(), len(s.messages()), len(s.messages()) > 0,
				s.pinned, s.archived, s.life.days > 0))
		}
	}
	return lines
}

// sessionFilter draws a filter for the list of sessions.
func sessionFilter(t *rapid.T, word string) parley.SessionFilter {
	return parley.SessionFilter{
		Keyword: word, Pinned: rapid.IntRange(0, 4).Draw(t, "pinned") == 0,
		Archived: rapid.IntRange(0, 2).Draw(t, "archived") == 0,
	}
}

// compareList compares a page of the list of sessions.
func (m *machine) compareList(t *rapid.T, u *modelUser, filter parley.SessionFilter, page parley.Page) {
	sessions, err := m.as(u).FindSessions(m.Context(), filter, page)
	fine(t, err)
	var lines []string
	for _, s := range sessions.Sessions {
		lines = append(lines, fmt.Sprint(s.ID, s.Title, s.MessageCount, s.LastMessageTime > 0,
			s.Pinned, s.Archived, s.ExpiresAt > 0))
	}
	want := u.listed(filter)
	same(t, fmt.Sprintf("sessions of %+v", filter), lines, onPage(want, page))
	same(t, "sessions in all", fmt.Sprint(sessions.Total, sessions.HasMore),
		fmt.Sprint(len(want), len(want) > int(page.Number*page.Size)))
}
