package torture

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/ai/aitest"
	"parley/internal/id"
	"parley/internal/testdb"
)

const (
	manyFiles = 200
	// denseSize is the size of a text with an index of about 10 MB.
	denseSize = 1_900_000
	// manyFilesMemory is by how much the server may grow during questions, in MB.
	manyFilesMemory = 150
)

// TestSiegeOfAQuestionOverManyFiles asks questions in a session with 200 files, each with an index of 10 MB. It runs
// only if SIEGE is set, and on SQLite only, since copyFile needs it.
func TestSiegeOfAQuestionOverManyFiles(t *testing.T) {
	needsSiege(t)
	t.Run("sqlite", askOverManyFiles)
}

func askOverManyFiles(t *testing.T) {
	model := aitest.New(t)
	model.Respond(reply)
	dir := t.TempDir()
	settings := []string{
		"PARLEY_DATA=" + dir, "PARLEY_AI_BASE_URL=" + model.URL, "PARLEY_AI_MODEL=test",
		"PARLEY_AI_CONTEXT_TOKENS=100000",
	}
	s := launch(t, settings)
	s.waitReady(t)
	user := s.guest()
	_, err := user.Register(t.Context(), parley.RegisterInput{Email: "ada@example.com", Password: "password"})
	must(t, err)
	session, err := user.CreateSession(t.Context(), parley.CreateSessionInput{})
	must(t, err)
	text := denseText(denseSize)
	file, err := user.Upload(t.Context(), session.SessionID, "a.txt", strings.NewReader(text))
	must(t, err)
	s.kill()
	copyFile(t, dir, file.FileID, manyFiles-1)

	s = launch(t, settings)
	s.waitReady(t)
	again := s.guest().WithToken(user.Token())
	before := memory(t, s, "VmRSS")
	for i := range 3 {
		started := time.Now()
		question := "渡船什么时候开往卡普里岛？" + string([]rune(text)[5000*i:5000*i+60])
		_, err := again.Send(t.Context(), parley.SendInput{SessionID: session.SessionID, Content: question})
		must(t, err)
		t.Logf("question %d over %d files took %v", i+1, manyFiles, time.Since(started).Round(time.Millisecond))
	}
	if got := model.Last(t).System(); !strings.Contains(got, string([]rune(text)[10_020:10_040])) {
		t.Errorf("the passage is not in the prompt of %d bytes", len(got))
	}
	grown := memory(t, s, "VmHWM") - before
	t.Logf("%d MB more at the peak", grown)
	if grown > manyFilesMemory {
		t.Errorf("the server has grown by %d MB, more than %d", grown, manyFilesMemory)
	}
}

// TestSiegeOfSlowDocuments has one user upload eight large documents at once. Meanwhile others
// upload small ones, which must not wait for them. It runs only if SIEGE is set.
func TestSiegeOfSlowDocuments(t *testing.T) {
	needsSiege(t)
	testdb.Each(t, uploadSlowDocuments)
}

func uploadSlowDocuments(t *testing.T, databaseURL string) {
	s := launch(t, []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_DATABASE_URL=" + databaseURL})
	s.waitReady(t)
	upload := func(name, text string) (func() error, error) {
		user := s.guest()
		_, err := user.Register(t.Context(), parley.RegisterInput{Email: name + "@example.com", Password: "password"})
		if err != nil {
			return nil, err
		}
		session, err := user.CreateSession(t.Context(), parley.CreateSessionInput{})
		return func() error {
			_, err := user.Upload(t.Context(), session.SessionID, "a.txt", strings.NewReader(text))
			return err
		}, err
	}
	slow, err := upload("ada", denseText(8<<20))
	must(t, err)
	small, err := upload("bob", "A small text.")
	must(t, err)
	medium, err := upload("carol", denseText(100_000))
	must(t, err)

	const documents = 8
	var read atomic.Int64
	var all sync.WaitGroup
	for range documents {
		all.Go(func() {
			if err := slow(); err != nil {
				t.Error(err)
			}
			read.Add(1)
		})
	}
	for range 10 {
		must(t, small())
		must(t, medium())
	}
	if n := read.Load(); n > documents/2 {
		t.Errorf("%d of %d slow documents were read before small ones", n, documents)
	} else {
		t.Logf("10 small and 10 medium ones were read before %d of %d slow documents", n, documents)
	}
	all.Wait()
}

// denseText is a Chinese text with few repeated pairs of characters.
func denseText(size int) string {
	random := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteRune(rune(0x4E00 + random.IntN(20_000)))
		if i%400 == 399 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// copyFile adds copies of a file to its session in a data folder. Their bytes are links,
// since uploads would take long. No server may run.
func copyFile(t *testing.T, dir, fileID string, count int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "parley.db"))
	must(t, err)
	defer db.Close()
	// The folder of a file's blobs is named after the last characters of its id.
	path := func(id, suffix string) string { return filepath.Join(dir, "files", id[len(id)-2:], id+suffix) }
	for range count {
		name := id.New()
		_, err := db.ExecContext(t.Context(), `
			INSERT INTO files (id, user_id, session_id, name, size, type, created_at, text_size, index_size)
			SELECT $1, user_id, session_id, name, size, type, created_at, text_size, index_size FROM files WHERE id = $2`,
			name, fileID)
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(path(name, "")), 0o700))
		for _, suffix := range []string{"", ".text", ".index"} {
			must(t, os.Link(path(fileID, suffix), path(name, suffix)))
		}
	}
}
