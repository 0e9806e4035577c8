package api_test

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"parley"
)

func (m *machine) register(t *rapid.T, email string) *modelUser {
	u := &modelUser{email: email, password: "password of " + email, nickname: "Ada"}
	out, err := m.guest().Register(m.Context(),
		parley.RegisterInput{Email: u.email, Password: u.password, Nickname: u.nickname})
	fine(t, err)
	u.token = out.Token
	return u
}

// rarely returns true for one draw in four. It saves password hashes, which are expensive.
func rarely(t *rapid.T) bool { return rapid.IntRange(0, 3).Draw(t, "rarely") == 0 }

func (m *machine) login(t *rapid.T) {
	u := m.user(t)
	out, err := m.guest().Login(m.Context(), parley.LoginInput{Email: u.email, Password: u.password})
	fine(t, err)
	u.logins = append(u.logins, out.Token)
}

func (m *machine) logout(t *rapid.T) {
	u := m.user(t)
	if len(u.logins) == 0 {
		return
	}
	token := rapid.SampledFrom(u.logins).Draw(t, "token")
	fine(t, m.guest().WithToken(token).Logout(m.Context()))
	u.logins = slices.DeleteFunc(u.logins, func(other string) bool { return other == token })
	u.ended = append(u.ended, token)
}

func (m *machine) changeNickname(t *rapid.T) {
	u := m.user(t)
	u.nickname = phrase(t, "nickname")
	_, err := m.as(u).UpdateProfile(m.Context(), parley.ProfileInput{Nickname: &u.nickname})
	fine(t, err)
}

func (m *machine) changePassword(t *rapid.T) {
	if !rarely(t) {
		return
	}
	u := m.user(t)
	old := u.password
	u.password = fmt.Sprint("password ", m.now())
	fine(t, m.as(u).ChangePassword(m.Context(), parley.PasswordInput{OldPassword: old, NewPassword: u.password}))
	u.ended, u.logins = append(u.ended, u.logins...), nil
}

// leave deletes an account and registers its address again.
func (m *machine) leave(t *rapid.T) {
	if !rarely(t) {
		return
	}
	i := rapid.IntRange(0, len(m.users)-1).Draw(t, "user")
	u := m.users[i]
	fine(t, m.as(u).DeleteUser(m.Context(), parley.DeleteUserInput{Password: u.password}))
	_, err := m.guest().Login(m.Context(), parley.LoginInput{Email: u.email, Password: u.password})
	refuses(t, err, parley.CodeNoSuchUser)
	m.users[i] = m.register(t, strings.ToUpper(u.email))
	_, err = m.guest().Register(m.Context(), parley.RegisterInput{Email: u.email, Password: u.password})
	refuses(t, err, parley.CodeEmailTaken)
	m.users[i].ended = append(append(u.ended, u.logins...), u.token)
	u.endShares(func(*modelShare) bool { return true })
	m.users[i].endedShares = u.endedShares
}

// intrude tries to use another user's data.
func (m *machine) intrude(t *rapid.T) {
	owner := m.user(t)
	s, message := m.message(t, owner)
	for _, other := range m.users {
		if other == owner {
			continue
		}
		_, err := m.as(other).Messages(m.Context(), s.id, parley.Page{})
		refuses(t, err, parley.CodeNoSuchSession)
		refuses(t, m.as(other).DeleteSession(m.Context(), s.id), parley.CodeNoSuchSession)
		refuses(t, m.as(other).RemoveFavorite(m.Context(), message.id), parley.CodeNoSuchFavorite)
		refuses(t, m.as(other).ShowVersion(m.Context(), message.id, 1), parley.CodeNoSuchSession)
		_, err = m.as(other).AddFavorite(m.Context(), parley.AddFavoriteInput{SessionID: s.id, MessageID: message.id})
		refuses(t, err, parley.CodeNoSuchSession)
		for _, f := range s.files {
			refuses(t, m.as(other).DeleteFile(m.Context(), f.id), parley.CodeUploadFailed)
		}
	}
}

// compare compares the service with the model, as one user sees them.
func (m *machine) compare(t *rapid.T) {
	u, word := m.user(t), keyword(t)
	page := parley.Page{Number: rapid.Int64Range(1, 3).Draw(t, "page"), Size: rapid.Int64Range(1, 5).Draw(t, "size")}
	m.compareAccount(t, u)
	m.compareShares(t, u)
	m.compareHits(t, u, word)
	m.compareList(t, u, sessionFilter(t, word), page)
	favorites, err := m.as(u).Favorites(m.Context(), word, page)
	fine(t, err)
	var lines []string
	for _, f := range favorites.Favorites {
		lines = append(lines, fmt.Sprint(f.ID, f.MessageID, f.Content, f.SessionTitle, f.SessionID, f.Number, f.Aside))
	}
	want := u.favorites(word)
	same(t, "favorites with "+word, lines, onPage(want, page))
	same(t, "favorites in all", fmt.Sprint(favorites.Total), fmt.Sprint(len(want)))
	if len(u.sessions) > 0 {
		m.compareSession(t, u, rapid.SampledFrom(u.sessions).Draw(t, "session"), page)
	}
}

func (m *machine) compareAccount(t *rapid.T, u *modelUser) {
	me, err := m.as(u).User(m.Context())
	fine(t, err)
	same(t, "account", []string{me.Email, me.Nickname}, []string{u.email, u.nickname})
	logins, err := m.as(u).Tokens(m.Context())
	fine(t, err)
	same(t, "logins", fmt.Sprint(len(logins.Tokens)), fmt.Sprint(len(u.logins)+1))
	if len(u.ended) > 0 {
		_, err := m.guest().WithToken(rapid.SampledFrom(u.ended).Draw(t, "ended")).User(m.Context())
		refuses(t, err, parley.CodeBadToken)
	}
}

func (m *machine) compareSession(t *rapid.T, u *modelUser, s *modelSession, page parley.Page) {
	messages, err := m.as(u).Messages(m.Context(), s.id, page)
	fine(t, err)
	same(t, "messages", historyLines(messages.Messages), onPage(s.history(), page))
	same(t, "messages in all", fmt.Sprint(messages.Total), fmt.Sprint(len(s.messages())))
	export, err := m.as(u).Export(m.Context(), s.id)
	fine(t, err)
	same(t, "export", append(historyLines(export.Messages), export.Title), append(s.history(), s.shownTitle()))

	files, err := m.as(u).Files(m.Context(), s.id)
	fine(t, err)
	var got, want []string
	for _, f := range files.Files {
		download, err := m.as(u).Download(m.Context(), f.FileID)
		fine(t, err)
		content, err := io.ReadAll(download)
		fine(t, err)
		fine(t, download.Close())
		got = append(got, fmt.Sprint(f.FileID, f.Filename, f.FileSize, string(content)))
	}
	for _, f := range s.files {
		want = append(want, fmt.Sprint(f.id, f.name, len(f.content), f.content))
	}
	same(t, "files", got, want)
}

func historyLines(messages []parley.Message) (lines []string) {
	for _, m := range messages {
		lines = append(lines, fmt.Sprint(m.ID, m.Role, m.Content, m.IsFavorited, m.Status, m.Version, m.Versions))
	}
	return lines
}
