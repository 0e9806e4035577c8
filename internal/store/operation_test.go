package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley"
	"parley/client"
)

// someone is a user with a session that has a turn, a favorite and a file.
type someone struct {
	*client.Client
	email, key, session, question, reply, file string
}

const password, another = "the password", "another password"

// nextTitle is the title of sessions that the test itself adds.
const nextTitle = "next"

// user registers an account with a session, a turn, a favorite and a file.
func (s *service) user() *someone {
	s.Helper()
	ctx := s.Context()
	s.users++
	u := &someone{Client: client.New(s.url), email: fmt.Sprintf("user%d@example.com", s.users)}
	_, err := u.Register(ctx, parley.RegisterInput{Email: u.email, Password: password, Nickname: "Ada"})
	s.must(err)
	key, err := u.CreateKey(ctx, parley.KeyInput{Name: "a key", Scopes: parley.Scopes()})
	s.must(err)
	u.key = key.Key
	made, err := u.CreateSession(ctx, parley.CreateSessionInput{Title: "first"})
	s.must(err)
	said, err := u.Send(ctx, parley.SendInput{SessionID: made.SessionID, Content: "a question"})
	s.must(err)
	_, err = u.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: made.SessionID, MessageID: said.UserMessageID})
	s.must(err)
	file, err := u.Upload(ctx, made.SessionID, "kept.txt", strings.NewReader("kept"))
	s.must(err)
	u.session, u.question, u.reply, u.file = made.SessionID, said.UserMessageID, said.AIResponse.ID, file.FileID
	return u
}

// operation is a change and a look at its result.
type operation struct {
	name string
	do   func(context.Context, *someone) error
	look func(*service, *someone) string
}

var operations = []operation{
	{"register", func(ctx context.Context, u *someone) error {
		_, err := u.WithToken("").Register(ctx, parley.RegisterInput{Email: "new." + u.email, Password: password})
		return err
	}, lookAtLogin("new.")},
	{"change the password", func(ctx context.Context, u *someone) error {
		return u.ChangePassword(ctx, parley.PasswordInput{OldPassword: password, NewPassword: another})
	}, lookAtLogin("")},
	{"log out", func(ctx context.Context, u *someone) error { return u.Logout(ctx) }, lookAtToken},
	{"delete the account", func(ctx context.Context, u *someone) error {
		return u.DeleteUser(ctx, parley.DeleteUserInput{Password: password})
	}, lookAtLogin("")},
	{"change the nickname", func(ctx context.Context, u *someone) error {
		nickname := "Bea"
		_, err := u.UpdateProfile(ctx, parley.ProfileInput{Nickname: &nickname})
		return err
	}, lookAtAll},
	{"create a session", func(ctx context.Context, u *someone) error {
		_, err := u.CreateSession(ctx, parley.CreateSessionInput{Title: "second"})
		return err
	}, lookAtAll},
	{"rename", func(ctx context.Context, u *someone) error {
		return u.RenameSession(ctx, u.session, parley.RenameSessionInput{Title: "renamed"})
	}, lookAtAll},
	{"send", func(ctx context.Context, u *someone) error {
		_, err := u.Send(ctx, parley.SendInput{SessionID: u.session, Content: "a second question"})
		return err
	}, lookAtAll},
	{"mark", func(ctx context.Context, u *someone) error {
		_, err := u.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: u.session, MessageID: u.reply})
		return err
	}, lookAtAll},
	{"unmark", func(ctx context.Context, u *someone) error { return u.RemoveFavorite(ctx, u.question) }, lookAtAll},
	{"clear", func(ctx context.Context, u *someone) error { return u.ClearSession(ctx, u.session) }, lookAtAll},
	{"upload", func(ctx context.Context, u *someone) error {
		_, err := u.Upload(ctx, u.session, "new.txt", strings.NewReader("new"))
		return err
	}, lookAtAll},
	{"delete a file", func(ctx context.Context, u *someone) error { return u.DeleteFile(ctx, u.file) }, lookAtAll},
	{"delete a session", func(ctx context.Context, u *someone) error {
		return u.DeleteSession(ctx, u.session)
	}, lookAtAll},
}

// codeOf returns the error code of a response, 0 for success.
func codeOf(err error) parley.Code {
	var e *client.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return parley.CodeOK
}

// lookAtLogin returns with which password an address can log in.
func lookAtLogin(prefix string) func(*service, *someone) string {
	return func(s *service, u *someone) string {
		guest := client.New(s.url)
		_, first := guest.Login(s.Context(), parley.LoginInput{Email: prefix + u.email, Password: password})
		_, second := guest.Login(s.Context(), parley.LoginInput{Email: prefix + u.email, Password: another})
		return fmt.Sprint(codeOf(first), codeOf(second))
	}
}

func lookAtToken(s *service, u *someone) string {
	_, err := u.User(s.Context())
	return fmt.Sprint(codeOf(err))
}

// lookAtAll returns what a user has, without the sessions that the test itself adds, once
// no reply is open.
func lookAtAll(s *service, u *someone) string {
	s.Helper()
	ctx := s.Context()
	me, err := u.User(ctx)
	s.must(err)
	lines := []string{me.Nickname}
	sessions, err := u.Sessions(ctx, "", parley.Page{Number: 1, Size: 100})
	s.must(err)
	for _, session := range sessions.Sessions {
		if session.Title == nextTitle {
			continue
		}
		messages := s.settled(u, session.ID)
		lines = append(lines, fmt.Sprint(session.Title, len(messages)))
		for _, m := range messages {
			lines = append(lines, fmt.Sprint(m.Role, m.Content, m.IsFavorited))
		}
		files, err := u.Files(ctx, session.ID)
		s.must(err)
		for _, f := range files.Files {
			download, err := u.Download(ctx, f.FileID)
			s.must(err)
			content, err := io.ReadAll(download)
			s.must(errors.Join(err, download.Close()))
			lines = append(lines, fmt.Sprint(f.Filename, string(content)))
		}
	}
	favorites, err := u.Favorites(ctx, "", parley.Page{})
	s.must(err)
	return strings.Join(append(lines, fmt.Sprint("favorites ", favorites.Total)), "\n")
}

// settled waits for an open reply, if there is one.
func (s *service) settled(u *someone, sessionID string) []parley.Message {
	s.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); time.Since(begun) < time.Minute; <-tick.C {
		out, err := u.Messages(s.Context(), sessionID, parley.Page{Number: 1, Size: 100})
		s.must(err)
		if len(out.Messages) == 0 || out.Messages[len(out.Messages)-1].Status == "" {
			return out.Messages
		}
	}
	s.Fatal("the reply was not completed")
	return nil
}
