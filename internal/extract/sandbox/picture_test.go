package sandbox

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"parley/internal/extract/picture"
)

func seeing(config *Config) { config.Pictures, config.PictureMemory = true, 1<<30 }

func TestAPictureIsCleanedInAChild(t *testing.T) {
	content, err := os.ReadFile("../picture/testdata/turned-6.jpg")
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, newPool(t, seeing), string(content), "a.jpg")
	if got.err != nil || got.Type != "image/jpeg" || got.text != "" || got.Picture == nil {
		t.Fatalf("got %+v", got)
	}
	header, err := png.DecodeConfig(bytes.NewReader(got.Picture.Full))
	if err != nil {
		header, err = jpeg.DecodeConfig(bytes.NewReader(got.Picture.Full))
	}
	if err != nil || header.Width != 60 || header.Height != 40 {
		t.Errorf("got %d × %d, %v", header.Width, header.Height, err)
	}
	if got := read(t, newPool(t, nil), string(content), "a.jpg"); !strings.Contains(message(got.err), "no model") {
		t.Errorf("got %v", got.err)
	}
}

// The largest pictures fit into the memory of a child: 16 bits a channel take eight bytes a pixel.
func TestTheLargestPicturesFitTheMemoryOfAChild(t *testing.T) {
	size := image.Rect(0, 0, 10_000, 5_000)
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	for name, m := range map[string]image.Image{
		"8 bits": image.NewNRGBA(size), "16 bits": image.NewNRGBA64(size), "gray": image.NewGray(size),
	} {
		var file strings.Builder
		if err := fast.Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		got := read(t, newPool(t, seeing), file.String(), "a.png")
		if got.err != nil || got.Picture == nil {
			t.Errorf("%s: %v", name, got.err)
		}
	}
}

func TestAChildCantPassOffOtherBytesAsAPicture(t *testing.T) {
	jpegHead := []byte("\xff\xd8\xff\xe0")
	for _, tt := range []struct {
		name            string
		full, thumbnail []byte
	}{
		{"HTML", []byte("<html>"), jpegHead},
		{"no thumbnail", jpegHead, nil},
		{"GIF", []byte("GIF89a......"), jpegHead},
		{"too large", append(bytes.Clone(jpegHead), make([]byte, picture.MaxFull)...), jpegHead},
		{"too large a thumbnail", jpegHead, append(bytes.Clone(jpegHead), make([]byte, picture.MaxThumbnail)...)},
	} {
		var response bytes.Buffer
		for _, frame := range []struct {
			kind    byte
			content []byte
		}{{framePicture, tt.full}, {frameThumbnail, tt.thumbnail}, {frameDone, []byte(`{"type":"image/png"}`)}} {
			if err := writeFrame(&response, frame.kind, frame.content); err != nil {
				t.Fatal(err)
			}
		}
		x := &exchange{child: &process{out: &response}}
		if summary, err := x.receive(t.Context()); err == nil || summary.Picture != nil {
			t.Errorf("%s was taken", tt.name)
		}
	}
}
