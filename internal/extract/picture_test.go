package extract

import (
	"context"
	"errors"
	"image/png"
	"os"
	"strings"
	"testing"

	"parley"
	"parley/internal/extract/ocr"
	"parley/internal/extract/prose"
)

func pictureFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile("picture/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestPicturesAreTakenByTheirBytes(t *testing.T) {
	sighted := reader
	sighted.Pictures = true
	for name, want := range map[string]string{
		"turned.png": "image/png", "turned-6.jpg": "image/jpeg", "lossy.webp": "image/webp", "animated.gif": "image/gif",
	} {
		document, err := sighted.Read(t.Context(), pictureFile(t, name), "notes.txt")
		if err != nil || document.Type != want || document.Text != "" || document.Picture == nil {
			t.Errorf("%s: got %+v, %v", name, document, err)
		}
	}
}

func TestAPictureIsRefusedWithAReason(t *testing.T) {
	sighted := reader
	sighted.Pictures = true
	for _, tt := range []struct {
		name   string
		reader Reader
		file   []byte
		want   *parley.Error
	}{
		{"nobody sees it", reader, pictureFile(t, "turned.png"), prose.ErrNoSight},
		{"truncated", sighted, pictureFile(t, "turned.png")[:60], prose.ErrBroken},
		{"too large", sighted, append(pictureFile(t, "turned.png"), make([]byte, 20<<20)...), prose.ErrPictureSize},
	} {
		_, err := tt.reader.Read(t.Context(), tt.file, "a.png")
		var refused *parley.Error
		if !errors.As(err, &refused) || refused.Message != tt.want.Message || refused.Code != tt.want.Code {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

// TestTheTextOfAPictureIsRead is about the calls of Recognize. What recognizes text is tested where it is.
func TestTheTextOfAPictureIsRead(t *testing.T) {
	recognizing := func(text string, err error) func(context.Context, []byte) (string, error) {
		return func(_ context.Context, picture []byte) (string, error) {
			if _, decodeErr := png.Decode(strings.NewReader(string(picture))); decodeErr != nil {
				return "", decodeErr
			}
			return text, err
		}
	}
	failed := errors.New("as commanded")
	for _, tt := range []struct {
		name    string
		sees    bool
		text    string
		fails   error
		want    string
		wantErr error
	}{
		{"text", false, "Ferry at nine", nil, "Ferry at nine", nil},
		{"text for a model that sees", true, "Ferry at nine", nil, "", nil},
		{"no text", false, " \n", nil, "", prose.ErrNoPictureText},
		{"unreadable", false, "", ocr.ErrUnreadable, "", ocr.ErrUnreadable},
		{"failure", false, "", failed, "", failed},
	} {
		r := reader
		r.Pictures, r.Recognize = tt.sees, recognizing(tt.text, tt.fails)
		for _, name := range []string{"turned.png", "turned-1.jpg"} {
			document, err := r.Read(t.Context(), pictureFile(t, name), name)
			if !errors.Is(err, tt.wantErr) || document.Text != tt.want {
				t.Errorf("%s: got %q, %v", tt.name, document.Text, err)
			}
			if err == nil && document.Picture == nil {
				t.Errorf("%s: no picture", tt.name)
			}
		}
	}
}
