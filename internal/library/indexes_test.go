package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/blob"
)

// hanzi is a text with few repeated pairs of characters. Its index is several times as large.
func hanzi(seed uint64, size int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteRune(rune(0x4E00 + random.IntN(20_000)))
		if i%400 == 399 {
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

// TestALargeIndexIsReadInPieces checks that indexes are neither read as a whole nor open at
// the same time.
func TestALargeIndexIsReadInPieces(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		const rare = "渡船九点开往卡普里"
		for i := range 4 {
			text := hanzi(uint64(i), maxUpload/2)
			if i == 2 {
				text += "\n\n" + rare
			}
			file := s.upload(fmt.Sprintf("%d.txt", i), text)
			index, err := s.blobs.Get(t.Context(), file.FileID+indexSuffix)
			s.must(err)
			size, err := index.Seek(0, io.SeekEnd)
			s.must(errors.Join(err, index.Close()))
			if size <= smallIndex {
				t.Fatalf("the index has %d bytes", size)
			}
		}
		watched := &watchedBlobs{Store: s.blobs}
		s.blobs = watched
		m, err := s.Material(t.Context(), s.user, s.session, Question{Text: rare}, 2000)
		s.must(err)
		found := false
		for _, p := range m.Passages {
			found = found || p.Filename == "2.txt" && strings.Contains(p.Text, rare)
		}
		if !found || !m.Omitted {
			t.Errorf("the passage is not among %d, omitted: %v", len(m.Passages), m.Omitted)
		}
		if watched.largest > 2*blockSize || watched.most != 1 {
			t.Errorf("read up to %d bytes of an index at once, %d open", watched.largest, watched.most)
		}
	})
}

// watchedBlobs watches how indexes are read, and fails for some keys.
type watchedBlobs struct {
	blob.Store
	broken        func(key string) bool
	open, most    int
	largest, gets int
}

var errDisk = errors.New("input/output error")

func (w *watchedBlobs) Get(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	w.gets++
	if w.broken != nil && w.broken(key) {
		return nil, errDisk
	}
	r, err := w.Store.Get(ctx, key)
	if err != nil || filepath.Ext(key) != indexSuffix {
		return r, err
	}
	w.open++
	w.most = max(w.most, w.open)
	return &watchedReader{r, w}, nil
}

type watchedReader struct {
	io.ReadSeekCloser
	watch *watchedBlobs
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.watch.largest = max(r.watch.largest, len(p))
	return r.ReadSeekCloser.Read(p)
}

func (r *watchedReader) Close() error {
	r.watch.open--
	return r.ReadSeekCloser.Close()
}

func TestABrokenIndexCostsItsFileOnly(t *testing.T) {
	each(t, func(t *testing.T, s *shelf) {
		broken := s.upload("a.txt", paragraphs("Capri"))
		s.upload("b.txt", paragraphs("Ischia"))
		key := broken.FileID + indexSuffix
		whole, err := s.blobs.Get(t.Context(), key)
		s.must(err)
		good, err := io.ReadAll(whole)
		s.must(errors.Join(err, whole.Close()))
		for name, data := range map[string][]byte{
			"nonsense": []byte("nonsense"),
			"cut":      good[:len(good)/2],
			"zeros":    append(bytes.Clone(good[:100]), make([]byte, len(good)-100)...),
		} {
			_, err := s.blobs.Put(t.Context(), key, bytes.NewReader(data))
			s.must(err)
			for _, budget := range []int{1500, 1_000_000} {
				m, err := s.Material(t.Context(), s.user, s.session, Question{Text: "When does the hydrofoil leave?"}, budget)
				s.must(err)
				found := false
				for _, p := range m.Passages {
					found = found || strings.Contains(p.Text, "Ischia leaves at nine")
				}
				if !found {
					t.Errorf("%s, budget %d: the other file is silent", name, budget)
				}
			}
		}
	})
}

func TestAFileThatCanNotBeReadIsLeftOut(t *testing.T) {
	s := newShelf(t, "", "")
	broken := s.upload("a.txt", paragraphs("Capri"))
	s.upload("b.txt", paragraphs("Ischia"))
	watched := &watchedBlobs{Store: s.blobs}
	s.blobs = watched
	for _, suffix := range []string{textSuffix, indexSuffix} {
		watched.broken = func(key string) bool { return key == broken.FileID+suffix }
		for _, budget := range []int{1500, 1_000_000} {
			question := Question{Text: "When does the hydrofoil to Ischia leave?"}
			m, err := s.Material(t.Context(), s.user, s.session, question, budget)
			s.must(err)
			found := false
			for _, p := range m.Passages {
				found = found || strings.Contains(p.Text, "Ischia leaves at nine")
			}
			if !found || !m.Omitted {
				t.Errorf("%s, budget %d: the other file is silent, or nothing is omitted", suffix, budget)
			}
		}
	}
}

func TestABlobStoreThatIsDownIsAnError(t *testing.T) {
	s := newShelf(t, "", "")
	watched := &watchedBlobs{Store: s.blobs, broken: func(string) bool { return true }}
	for i := range 20 {
		s.upload(fmt.Sprintf("%d.txt", i), paragraphs("Capri"))
		if i > 0 && i < 19 {
			continue
		}
		blobs := s.blobs
		s.blobs, watched.gets = watched, 0
		for _, budget := range []int{1500, 1_000_000} {
			question := Question{Text: "When does it leave?"}
			if _, err := s.Material(t.Context(), s.user, s.session, question, budget); !errors.Is(err, errDisk) {
				t.Errorf("%d files: %v", i+1, err)
			}
		}
		if watched.gets > 2*2*maxFailures {
			t.Errorf("with %d files the store was asked %d times", i+1, watched.gets)
		}
		s.blobs = blobs
	}
}
