package sandbox

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"parley/internal/extract/picture"
	"parley/internal/testtier"
)

func seeing(config *Config) {
	config.Pictures, config.PictureMemory = func() bool { return true }, 1<<30
}

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
	testtier.Rare(t)
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

// progressiveJPEG returns a progressive JPEG of one color, in RGB or CMYK. Its components have all pixels. It has a
// scan of the first coefficient of each block, but the decoder keeps the others too.
func progressiveJPEG(width, height, components int) string {
	segment := func(marker byte, content ...byte) string {
		return string(append([]byte{0xff, marker, byte((len(content) + 2) >> 8), byte(len(content) + 2)}, content...))
	}
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	scan := []byte{byte(components)}
	for i := range components {
		frame = append(frame, byte(i+1), 0x11, 0)
		scan = append(scan, byte(i+1), 0)
	}
	ones := bytes.Repeat([]byte{1}, 64)
	table := append(append([]byte{0, 1}, make([]byte, 15)...), 0) // one code of one bit: no difference
	blocks := (width + 7) / 8 * ((height + 7) / 8) * components
	return "\xff\xd8" + segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...) +
		segment(0xdb, append([]byte{0}, ones...)...) + segment(0xc2, frame...) +
		segment(0xc4, table...) + segment(0xda, append(scan, 0, 0, 0)...) + strings.Repeat("\x00", blocks/8+1) + "\xff\xd9"
}

func TestAProgressivePictureStaysInItsMemory(t *testing.T) {
	testtier.Slow(t)
	server := newPool(t, func(config *Config) {
		config.Pictures, config.PictureMemory = func() bool { return true }, 1280<<20
	})
	if got := read(t, server, progressiveJPEG(8000, 6250, 3), "a.jpg"); got.err != nil || got.Picture == nil {
		t.Errorf("in RGB: %v", got.err)
	}
	small := newPool(t, seeing)
	if got := read(t, small, progressiveJPEG(8000, 6250, 4), "a.jpg"); !errors.Is(got.err, errDied) {
		t.Errorf("in CMYK, which needs more than there is: %v", got.err)
	}
	if got := read(t, small, progressiveJPEG(100, 100, 4), "a.jpg"); got.err != nil || got.Picture == nil {
		t.Errorf("after it: %v", got.err)
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
