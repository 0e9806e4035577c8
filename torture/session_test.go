package torture

import (
	"context"
	"io"
	"slices"
	"strings"

	"parley"
)

func (a *actor) create(ctx context.Context) error {
	if len(a.sessions) >= maxSessions {
		return a.remove(ctx)
	}
	s := &session{title: a.unique("session")}
	return a.change(
		func() error {
			out, err := a.client.CreateSession(ctx, parley.CreateSessionInput{Title: s.title})
			s.id = out.SessionID
			return err
		},
		func() { a.sessions = append(a.sessions, s) },
		func(ctx context.Context) error {
			all, err := a.client.Sessions(ctx, "", parley.Page{Number: 1, Size: parley.MaxPageSize})
			for _, stored := range all.Sessions {
				if stored.Title == s.title {
					s.id = stored.ID
					a.sessions = append(a.sessions, s)
				}
			}
			return err
		})
}

func (a *actor) rename(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil {
		return err
	}
	title := a.unique("title")
	return a.change(
		func() error { return a.client.RenameSession(ctx, s.id, parley.RenameSessionInput{Title: title}) },
		func() { s.title = title },
		func(ctx context.Context) error {
			export, err := a.client.Export(ctx, s.id)
			if export.Title == title {
				s.title = title
			}
			return err
		})
}

func (a *actor) clear(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil {
		return err
	}
	return a.clearSession(ctx, s)
}

func (a *actor) clearSession(ctx context.Context, s *session) error {
	return a.change(
		func() error { return a.client.ClearSession(ctx, s.id) },
		func() { s.turns = nil },
		func(ctx context.Context) error {
			stored, err := a.messages(ctx, s)
			if err == nil && len(stored) == 0 {
				s.turns = nil
			}
			return err
		})
}

func (a *actor) remove(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil {
		return err
	}
	return a.change(
		func() error { return a.client.DeleteSession(ctx, s.id) },
		func() { a.drop(s) },
		func(ctx context.Context) error {
			_, err := a.messages(ctx, s)
			if code(err) == parley.CodeNoSuchSession {
				a.drop(s)
				return nil
			}
			return err
		})
}

func (a *actor) messages(ctx context.Context, s *session) ([]parley.Message, error) {
	out, err := a.client.Messages(ctx, s.id, parley.Page{Number: 1, Size: parley.MaxPageSize})
	return out.Messages, err
}

// message chooses a message. It returns nil if there is none.
func (a *actor) message() (*session, *turn, string) {
	if len(a.sessions) == 0 {
		return nil, nil, ""
	}
	s := a.sessions[a.random.IntN(len(a.sessions))]
	if len(s.turns) == 0 {
		return nil, nil, ""
	}
	t := s.turns[a.random.IntN(len(s.turns))]
	if a.random.IntN(2) == 0 {
		return s, t, t.questionID
	}
	return s, t, t.replyID
}

func (a *actor) mark(ctx context.Context) error {
	s, t, messageID := a.message()
	if s == nil {
		return nil
	}
	var marked string
	return a.change(
		func() error {
			out, err := a.client.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: s.id, MessageID: messageID})
			marked = out.FavoriteID
			return err
		},
		func() { t.favorites[messageID] = marked },
		func(ctx context.Context) error { return a.findFavorite(ctx, t, messageID) })
}

func (a *actor) unmark(ctx context.Context) error {
	s, t, messageID := a.message()
	if s == nil || t.favorites[messageID] == "" {
		return nil
	}
	return a.change(
		func() error { return a.client.RemoveFavorite(ctx, messageID) },
		func() { delete(t.favorites, messageID) },
		func(ctx context.Context) error { return a.findFavorite(ctx, t, messageID) })
}

func (a *actor) findFavorite(ctx context.Context, t *turn, messageID string) error {
	stored, err := a.favorites(ctx)
	if err != nil {
		return err
	}
	delete(t.favorites, messageID)
	for _, f := range stored {
		if f.MessageID == messageID {
			t.favorites[messageID] = f.ID
		}
	}
	return nil
}

// favorites reads all of the user's favorites.
func (a *actor) favorites(ctx context.Context) ([]parley.Favorite, error) {
	var all []parley.Favorite
	for page := int64(1); ; page++ {
		out, err := a.client.Favorites(ctx, "", parley.Page{Number: page, Size: parley.MaxPageSize})
		all = append(all, out.Favorites...)
		if err != nil || len(out.Favorites) < parley.MaxPageSize {
			return all, err
		}
	}
}

func (a *actor) upload(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil || len(s.files) >= maxSessions {
		return err
	}
	f := &file{name: strings.ReplaceAll(a.unique("file"), " ", "-") + ".txt"}
	f.content = strings.Repeat(a.unique("渡 line")+"\n", 1+a.random.IntN(2000))
	return a.change(
		func() error {
			out, err := a.client.Upload(ctx, s.id, f.name, strings.NewReader(f.content))
			f.id = out.FileID
			return err
		},
		func() { s.files = append(s.files, f) },
		func(ctx context.Context) error {
			out, err := a.client.Files(ctx, s.id)
			for _, stored := range out.Files {
				if stored.Filename == f.name {
					f.id = stored.FileID
					s.files = append(s.files, f)
				}
			}
			return err
		})
}

func (a *actor) removeFile(ctx context.Context) error {
	s, err := a.session(ctx)
	if err != nil || len(s.files) == 0 {
		return err
	}
	f := s.files[a.random.IntN(len(s.files))]
	return a.change(
		func() error { return a.client.DeleteFile(ctx, f.id) },
		func() { a.dropFile(s, f) },
		func(ctx context.Context) error {
			out, err := a.client.Files(ctx, s.id)
			isFile := func(stored parley.File) bool { return stored.FileID == f.id }
			if err == nil && !slices.ContainsFunc(out.Files, isFile) {
				a.dropFile(s, f)
			}
			return err
		})
}

// download reads a file's bytes.
func (a *actor) download(ctx context.Context, fileID string) (string, error) {
	d, err := a.client.Download(ctx, fileID)
	if err != nil {
		return "", err
	}
	defer d.Close()
	content, err := io.ReadAll(d)
	return string(content), err
}
