package api_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testdb"
)

// onS3 runs a test in a started world with its files in a real S3 store.
func onS3(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Parallel()
	w := newWorld(t, "")
	w.FilesURL = testdb.S3(t)
	w.start()
	test(w)
}

// lighthouse returns a text larger than one fetch of a blob. One fact is near its end.
func lighthouse() string {
	var b strings.Builder
	for night := range 5000 {
		if night == 4900 {
			b.WriteString("The password of the lighthouse is zanzibar.\n\n")
		}
		fmt.Fprintf(&b, "In night %d the keeper counts the ships that pass.\n\n", night)
	}
	return b.String()
}

func TestAFileOnS3IsKeptReadAndDeleted(t *testing.T) {
	onS3(t, func(w *world) {
		ada, content := w.user("ada"), lighthouse()
		session := w.session(ada, "")
		file, err := ada.Upload(w.Context(), session, "lighthouse.txt", strings.NewReader(content))
		w.must(err)
		if names := testdb.Objects(w.T, w.FilesURL); len(names) != 3 || w.blobs() != 0 {
			w.Errorf("the bucket has %v, and the disk %d files", names, w.blobs())
		}

		w.restart()
		ada = w.again(ada)
		if got := w.download(ada, file.FileID); got != content {
			w.Errorf("the download has %d bytes, or the wrong ones", len(got))
		}

		w.must(ada.DeleteFile(w.Context(), file.FileID))
		_, err = ada.Download(w.Context(), file.FileID)
		w.wants(err, parley.CodeUploadFailed, 404)
		w.eventually("the bytes are gone", func() bool { return len(testdb.Objects(w.T, w.FilesURL)) == 0 })
	})
}

// download reads all of a file.
func (w *world) download(c *client.Client, fileID string) string {
	w.Helper()
	d, err := c.Download(w.Context(), fileID)
	w.must(err)
	defer d.Close()
	text, err := io.ReadAll(d)
	w.must(err)
	return string(text)
}

func TestAFileOnS3ReachesTheModel(t *testing.T) {
	onS3(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		_, err := ada.Upload(w.Context(), session, "lighthouse.txt", strings.NewReader(lighthouse()))
		w.must(err)
		w.say(ada, session, "What is the password?")
		if !strings.Contains(w.Model.Last(w.T).System(), "The password of the lighthouse is zanzibar.") {
			w.Error("the passage did not reach the model")
		}
	})
}

func TestARefusedFileLeavesNothingOnS3(t *testing.T) {
	onS3(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		_, err := ada.Upload(w.Context(), session, "large.txt", strings.NewReader(strings.Repeat("x", int(w.MaxUpload)+1)))
		w.wants(err, parley.CodeFileTooLarge, 413)
		_, err = ada.Upload(w.Context(), session, "photo.txt", strings.NewReader("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
		w.wants(err, parley.CodeFormatUnsupported, 415)
		if names := testdb.Objects(w.T, w.FilesURL); len(names) > 0 {
			w.Errorf("the bucket has %v", names)
		}
	})
}
