package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/blob"
	"parley/internal/id"
	"parley/internal/library"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient is the data of a server, with a user who has a session.
type patient struct {
	Config
	t       *testing.T
	dir     string
	blobs   *blob.Dir
	user    int64
	session string
}

func newPatient(t *testing.T, url string) *patient {
	t.Helper()
	p := &patient{t: t, dir: filepath.Join(t.TempDir(), "files")}
	kept := storetest.Open(t, t.TempDir(), url)
	var err error
	p.blobs, err = blob.OpenDir(p.dir)
	p.must(err)
	t.Cleanup(func() { p.must(p.blobs.Close()) })
	p.Config = Config{
		Store: kept, Blobs: p.blobs, Progress: func(string) {},
		Now: func() time.Time { return time.Now().Add(2 * strayAge) },
	}
	p.user = storetest.User(t, kept, time.Now())
	p.session = storetest.Session(t, kept, p.user, time.Now())
	return p
}

func (p *patient) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// put stores the bytes of a document that has no row.
func (p *patient) put() string {
	p.t.Helper()
	fileID := id.New()
	for _, key := range library.Keys(parley.File{FileID: fileID}) {
		_, err := p.blobs.Put(p.t.Context(), key, strings.NewReader("text"))
		p.must(err)
	}
	return fileID
}

func (p *patient) document() string {
	p.t.Helper()
	fileID := p.put()
	storetest.File(p.t, p.Store, p.user, p.session, fileID, len("text"), time.Now())
	return fileID
}

// sick makes all checks and returns those that are not ok, and those that were fixed.
func (p *patient) sick() map[string]Check {
	p.t.Helper()
	found := map[string]Check{}
	for _, check := range p.Run(p.t.Context()) {
		if check.Name == "" || check.Detail == "" || check.Status != OK && check.Advice == "" {
			p.t.Errorf("%+v says too little", check)
		}
		if check.Status != OK || check.Fixed != "" {
			found[check.Name] = check
		}
	}
	return found
}

func TestAHealthyServerIsFoundHealthy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		p := newPatient(t, url)
		p.document()
		if found := p.sick(); len(found) != 0 {
			t.Errorf("found %+v", found)
		}
	})
}

func TestADocumentWithoutBytesIsNamed(t *testing.T) {
	p := newPatient(t, "")
	p.document()
	lost := p.document()
	p.must(p.blobs.Delete(t.Context(), library.Keys(parley.File{FileID: lost})[2]))
	short := p.document()
	_, err := p.blobs.Put(t.Context(), short, strings.NewReader("tex"))
	p.must(err)
	p.Fix = true // it can't be repaired
	check := p.sick()["documents"]
	if check.Status != Problem || !strings.Contains(check.Detail, "2 of 3 lack bytes: "+lost+", "+short) {
		t.Errorf("found %+v", check)
	}
}

func TestBytesWithoutADocumentAreDeletedOnlyWhenAskedAndOld(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		p := newPatient(t, url)
		kept, stray := p.document(), p.put()
		p.must(os.WriteFile(filepath.Join(p.dir, "notes.txt"), []byte("not ours"), 0o600))
		announced := p.put()
		p.must(p.Store.AddFileIntent(t.Context(), 1, announced, time.Now()))
		later := p.Now
		p.Now = time.Now
		p.Fix = true
		if found := p.sick(); len(found) != 0 {
			t.Errorf("young bytes: %+v", found)
		}
		p.Now, p.Fix = later, false
		check := p.sick()["bytes"]
		if check.Status != Warning || !strings.Contains(check.Detail, stray) || strings.Contains(check.Detail, kept) {
			t.Errorf("found %+v", check)
		}
		p.Fix = true
		if check = p.sick()["bytes"]; check.Status != OK || check.Fixed != "deleted" {
			t.Errorf("found %+v", check)
		}
		for fileID, want := range map[string]bool{kept: true, announced: true, stray: false} {
			r, err := p.blobs.Get(t.Context(), fileID)
			if (err == nil) != want {
				t.Errorf("%s: %v", fileID, err)
			}
			if err == nil {
				p.must(r.Close())
			}
		}
		if _, err := os.Stat(filepath.Join(p.dir, "notes.txt")); err != nil {
			t.Error(err)
		}
	})
}

func TestNothingIsDeletedOfAnotherDatabasesFolder(t *testing.T) {
	p := newPatient(t, "")
	var strays []string
	for range 3 {
		strays = append(strays, p.put())
	}
	p.Fix = true
	check := p.sick()["bytes"]
	if check.Status != Problem || check.Fixed != "" || !strings.Contains(check.Advice, "PARLEY_DATABASE_URL") {
		t.Errorf("found %+v", check)
	}
	for _, fileID := range strays {
		r, err := p.blobs.Get(t.Context(), fileID)
		p.must(err)
		p.must(r.Close())
	}
}

func TestAReplyWithoutAnOwnerIsAWarningWhileAServerRuns(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		p := newPatient(t, url)
		_, err := p.Store.BeginTurn(t.Context(), store.NewTurn{
			UserID: p.user, SessionID: p.session, QuestionID: id.New(), ReplyID: id.New(),
			Content: "Is it?", Owner: "dead", Now: time.Now(),
		})
		p.must(err)
		if found := p.sick(); len(found) != 0 {
			t.Errorf("without a server: %+v", found)
		}
		_, err = p.Store.RenewLease(t.Context(), "alive", time.Hour)
		p.must(err)
		if check := p.sick()["open replies"]; check.Status != Warning || !strings.Contains(check.Detail, "1 of 1") {
			t.Errorf("found %+v", check)
		}
	})
}
