package export

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/extract"
	"parley/internal/library"
	"parley/internal/store"
)

const (
	// archiveStep is how long reading one session, a file's row or a batch of a list may take.
	archiveStep = time.Minute
	// archiveSessions is how many sessions are listed at once.
	archiveSessions = 100
)

// Config configures a Service.
type Config struct {
	Chat    *chat.Service
	Store   *store.Store
	Library *library.Library
	// TempDir is a folder for temporary files; empty is the system's.
	TempDir string
	Now     func() time.Time
}

// Service exports the accounts of one server.
type Service struct {
	config Config
}

// New returns a Service.
func New(config Config) *Service { return &Service{config: config} }

// Account writes a zip archive with all that a user owns: the profile, the keys without their secrets, the
// prompts, the favorites, the usage by day, and of each session its messages as JSON and Markdown and its files. Each
// session is of one state. What is deleted meanwhile is left out. One session is in temporary files at a time, and
// little in memory.
func (s *Service) Account(ctx context.Context, user parley.User, w io.Writer) error {
	a := &archive{Config: s.config, user: user, zip: zip.NewWriter(w), now: s.config.Now()}
	steps := []func(context.Context) error{a.profile, a.keys, a.prompts, a.favorites, a.usage, a.sessions}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return fmt.Errorf("export account: %w", err)
		}
	}
	if err := a.zip.Close(); err != nil {
		return fmt.Errorf("export account: %w", err)
	}
	return nil
}

// archive is an account's archive while it is written.
type archive struct {
	Config
	user parley.User
	zip  *zip.Writer
	now  time.Time
}

func (a *archive) create(name string, modified int64) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Unix(modified, 0).UTC()})
}

func (a *archive) profile(context.Context) error {
	out, err := a.create("profile.json", a.now.Unix())
	if err != nil {
		return err
	}
	return encodeIndented(out, a.user.Info())
}

func (a *archive) keys(ctx context.Context) error {
	var keys []parley.Key
	err := within(ctx, func(ctx context.Context) (err error) {
		keys, err = a.Store.APIKeys(ctx, a.user.ID, a.now)
		return err
	})
	if err != nil {
		return err
	}
	out, err := a.create("keys.json", a.now.Unix())
	if err != nil {
		return err
	}
	return encodeIndented(out, keys)
}

func (a *archive) usage(ctx context.Context) error {
	var days []store.UsageSum
	err := within(ctx, func(ctx context.Context) (err error) {
		days, err = a.Store.Usage(ctx, a.user.ID, time.Unix(0, 0), a.now, false)
		return err
	})
	if err != nil {
		return err
	}
	out, err := a.create("usage.json", a.now.Unix())
	if err != nil {
		return err
	}
	public := make([]parley.UsageSum, len(days))
	for i, day := range days {
		public[i] = day.Public()
	}
	return encodeIndented(out, public)
}

func (a *archive) prompts(ctx context.Context) error {
	return addList(ctx, a, "prompts.json", a.Chat.OwnPrompts)
}

func (a *archive) favorites(ctx context.Context) error {
	return addList(ctx, a, "favorites.json", a.Chat.AllFavorites)
}

// addList adds a list of the user.
func addList[T any](
	ctx context.Context, a *archive, name string, read func(ctx context.Context, userID int64) (*chat.List[T], error),
) error {
	out, err := a.create(name, a.now.Unix())
	if err != nil {
		return err
	}
	list := &jsonArray{out: out}
	var batch *chat.List[T]
	err = within(ctx, func(ctx context.Context) error {
		batch, err = read(ctx, a.user.ID)
		return err
	})
	for err == nil {
		for _, entry := range batch.Batch {
			if err := list.add(entry); err != nil {
				return err
			}
		}
		if !batch.More() {
			return list.end()
		}
		err = within(ctx, batch.Next)
	}
	return err
}

func (a *archive) sessions(ctx context.Context) error {
	for after := ""; ; {
		var ids []string
		err := within(ctx, func(ctx context.Context) (err error) {
			ids, err = a.Store.SessionsAfter(ctx, a.user.ID, after, archiveSessions)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			after = id
			if err := a.session(ctx, id); err != nil && !errors.Is(err, parley.ErrNoSuchSession) {
				return err
			}
		}
		if len(ids) < archiveSessions {
			return nil
		}
	}
}

// session adds a session. It is read as a whole before anything is written: a slow client must not hold a transaction.
func (a *archive) session(ctx context.Context, id string) error {
	spool, err := newSpool(a.TempDir)
	if err != nil {
		return err
	}
	defer spool.close()
	var export parley.Export
	err = within(ctx, func(ctx context.Context) error {
		return a.Store.ReadSession(ctx, a.user.ID, id, func(head store.SessionHead) error {
			export = parley.Export{
				SessionID: id, Title: chat.ShownTitle(head.Title), CreatedAt: head.CreatedAt, ExportedAt: a.now.Unix(),
				Messages: []parley.Message{},
			}
			return spool.begin(export)
		}, spool.add)
	})
	if err != nil {
		return err
	}
	if err := spool.end(); err != nil {
		return err
	}
	folder := archiveFolder(export)
	if err := a.copy(path.Join(folder, "session.json"), export.CreatedAt, spool.json); err != nil {
		return err
	}
	if err := a.copy(path.Join(folder, "session.md"), export.CreatedAt, spool.markdown); err != nil {
		return err
	}
	return a.files(ctx, id, path.Join(folder, "files"))
}

func (a *archive) copy(name string, modified int64, file *spoolFile) error {
	out, err := a.create(name, modified)
	if err != nil {
		return err
	}
	return file.copy(out)
}

// archiveFolder returns the folder of a session: its date, its title, and the end of its id, which makes it unique.
func archiveFolder(export parley.Export) string {
	title := strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(export.Title)
	created := time.Unix(export.CreatedAt, 0).UTC().Format("2006-01-02")
	return path.Join("sessions", created+" "+extract.SafeName(title)+" "+export.SessionID[len(export.SessionID)-8:])
}

func (a *archive) files(ctx context.Context, sessionID, folder string) error {
	var files []parley.File
	err := within(ctx, func(ctx context.Context) (err error) {
		files, err = a.Library.OwnFiles(ctx, a.user.ID, sessionID)
		return err
	})
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, file := range files {
		name := file.Filename
		for n := 2; used[name]; n++ {
			extension := path.Ext(file.Filename)
			name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(file.Filename, extension), n, extension)
		}
		used[name] = true
		if err := a.file(ctx, file, path.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// file adds a file, unless it was deleted meanwhile.
func (a *archive) file(ctx context.Context, file parley.File, name string) error {
	_, bytes, err := a.Library.Open(ctx, a.user.ID, file.FileID)
	if errors.Is(err, parley.ErrNoSuchFile) {
		return nil
	}
	if err != nil {
		return err
	}
	defer bytes.Close() //nolint:errcheck // it was only read
	out, err := a.create(name, file.UploadTime)
	if err == nil {
		_, err = io.Copy(out, bytes)
	}
	return err
}

// within runs a step of an archive within its time limit.
func within(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, archiveStep)
	defer cancel()
	return do(ctx)
}
