package store

import "testing"

// vectors stores that a file has vectors of a size.
func (w *world) vectors(userID int64, fileID string, size int64) {
	w.t.Helper()
	found, err := w.SetVectors(w.t.Context(), FileKey{UserID: userID, FileID: fileID}, "model", size)
	w.must(err)
	if !found {
		w.t.Fatalf("there is no file %s", fileID)
	}
}

func TestTheBytesOfFilesIncludeAllThatIsCopied(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada := w.user()
		w.vectors(ada, w.file(ada, w.session(ada, "Ferries")), 640)
		used, err := w.StorageUsed(t.Context(), ada)
		w.must(err)
		upload := w.upload(ada)
		w.must(w.AddImport(t.Context(), upload))
		total, err := w.FileBytes(t.Context())
		w.must(err)
		if total != used+upload.Size || used < 640 || upload.Size == 0 {
			t.Errorf("%d bytes of files, want %d and %d", total, used, upload.Size)
		}
	})
}
