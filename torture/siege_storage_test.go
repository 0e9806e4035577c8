package torture

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testdb"
)

// TestSiegeOfPackedDocuments has a user with limited storage upload documents that unpack to a hundred times their
// size. What is stored must not exceed the limit, and another user can upload.
func TestSiegeOfPackedDocuments(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, databaseURL string) {
		limit := siegeSize(t, 20<<20, 5<<20)
		b := besiege(t, databaseURL, []string{fmt.Sprint("PARLEY_USER_STORAGE=", limit)})
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		document := packedDocument(t, 1_000_000)
		if len(document) > 10_000 {
			t.Fatalf("the document has %d bytes", len(document))
		}
		uploaded := 0
		session, err := ada.client.CreateSession(t.Context(), parley.CreateSessionInput{})
		must(t, err)
		for range siegeSize(t, 100, 10) {
			uploaded += len(document)
			_, err := ada.client.Upload(t.Context(), session.SessionID, "a.docx", bytes.NewReader(document))
			b.count("a user uploads", result(err))
			var refused *client.Error
			if err != nil && (!errors.As(err, &refused) || refused.Code != parley.CodeFileTooLarge) {
				t.Errorf("an upload: %v", err)
			}
		}
		stored := folderSize(t, filepath.Join(b.dir, "files"))
		t.Logf("%d bytes were uploaded, %d are stored", uploaded, stored)
		if stored > limit {
			t.Errorf("%d bytes are stored with a limit of %d", stored, limit)
		}
		session, err = bob.client.CreateSession(t.Context(), parley.CreateSessionInput{})
		must(t, err)
		_, err = bob.client.Upload(t.Context(), session.SessionID, "b.txt", strings.NewReader("The ferry leaves at nine."))
		bob.wants("another user uploads", err)
		b.report()
	})
}

// packedDocument returns a DOCX with a text of a size.
func packedDocument(t *testing.T, size int) []byte {
	t.Helper()
	const sentence = "The ferry leaves at nine. "
	paragraph := "<w:p><w:r><w:t>" + strings.Repeat(sentence, 40) + "</w:t></w:r></w:p>"
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, file := range [][2]string{
		{"[Content_Types].xml", `<?xml version="1.0"?>` +
			`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Override PartName="/word/document.xml" ContentType=` +
			`"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"word/document.xml", `<?xml version="1.0"?><w:document ` +
			`xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
			strings.Repeat(paragraph, size/len(sentence)/40) + `</w:body></w:document>`},
	} {
		part, err := archive.Create(file[0])
		must(t, err)
		_, err = part.Write([]byte(file[1]))
		must(t, err)
	}
	must(t, archive.Close())
	return packed.Bytes()
}

// folderSize returns the size of all files in a folder.
func folderSize(t *testing.T, dir string) (size int) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, os.ErrNotExist) {
			return nil // removed meanwhile
		}
		size += int(info.Size())
		return err
	}))
	return size
}
