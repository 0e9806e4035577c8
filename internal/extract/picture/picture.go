// Package picture decodes pictures, removes their metadata and scales them down. It keeps no state.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// Limits of a picture.
const (
	// MaxBytes is the size of the largest file.
	MaxBytes = 20 << 20
	// MaxPixels is how many pixels a picture may have.
	MaxPixels = 50_000_000
	// FullSide and ThumbnailSide are the longest sides of a cleaned picture and of its thumbnail, in pixels.
	FullSide      = 2048
	ThumbnailSide = 480
	// MaxFull and MaxThumbnail are their largest sizes, in bytes.
	MaxFull      = 2 << 20
	MaxThumbnail = 256 << 10
)

// Reasons why Clean refuses a picture.
var (
	ErrTooLarge      = errors.New("the file is too large")
	ErrTooManyPixels = errors.New("the picture has too many pixels")
)

// Cleaned is a picture without metadata, upright. Both are JPEG or PNG.
type Cleaned struct {
	Full, Thumbnail []byte
}

// formats are the pictures that can be decoded. The standard library's registry of formats is global: it is not used.
var formats = []struct {
	mediaType string
	magic     string // ? is any byte
	config    func(io.Reader) (image.Config, error)
	decode    func(io.Reader) (image.Image, error)
}{
	{"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"image/gif", "GIF8?a", gif.DecodeConfig, gif.Decode}, // decodes only the first frame
	{"image/webp", "RIFF????WEBP", webp.DecodeConfig, webp.Decode},
}

// Type returns the media type of a picture from its first bytes, or "" if it can't be decoded.
func Type(head []byte) string {
	for _, f := range formats {
		if matches(head, f.magic) {
			return f.mediaType
		}
	}
	return ""
}

func matches(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// Clean decodes a picture, turns it upright, scales it and encodes it anew. It decodes no pixel unless the header is
// within the limits. An error other than those of this package means that the file is broken.
func Clean(file []byte) (Cleaned, error) {
	if len(file) > MaxBytes {
		return Cleaned{}, ErrTooLarge
	}
	for _, f := range formats {
		if !matches(file, f.magic) {
			continue
		}
		turn := orientation(file)
		if f.mediaType == "image/webp" {
			file = firstFrame(file)
		}
		header, err := f.config(bytes.NewReader(file))
		if err != nil {
			return Cleaned{}, fmt.Errorf("read the header: %w", err)
		}
		if err := checkSize(header.Width, header.Height); err != nil {
			return Cleaned{}, err
		}
		decoded, err := f.decode(bytes.NewReader(file))
		if err != nil {
			return Cleaned{}, fmt.Errorf("decode: %w", err)
		}
		return encode(upright(shrink(decoded, FullSide), turn))
	}
	return Cleaned{}, errors.New("unknown format")
}

func checkSize(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return errors.New("the picture is empty")
	case width > MaxPixels/height:
		return ErrTooManyPixels
	}
	return nil
}
