package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// fewColors is how many colors a drawing or a screenshot may have. Photographs have more.
const fewColors = 4096

// qualities of JPEG are tried in order until the picture is small enough.
var qualities = []int{85, 70, 50, 25}

// encode encodes a picture and its thumbnail.
func encode(full *image.NRGBA) (Cleaned, error) {
	var made Cleaned
	var err error
	if made.Full, err = encodeOne(full, MaxFull); err != nil {
		return made, err
	}
	made.Thumbnail, err = encodeOne(shrink(full, ThumbnailSide), MaxThumbnail)
	return made, err
}

// encodeOne encodes a picture as PNG if it is transparent or has few colors and is not too large, else as JPEG.
func encodeOne(m *image.NRGBA, limit int) ([]byte, error) {
	var b bytes.Buffer
	if !m.Opaque() || hasFewColors(m) {
		if err := png.Encode(&b, m); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		if b.Len() <= limit {
			return b.Bytes(), nil
		}
	}
	flat := onWhite(m)
	for _, quality := range qualities {
		b.Reset()
		if err := jpeg.Encode(&b, flat, &jpeg.Options{Quality: quality}); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
		if b.Len() <= limit {
			return b.Bytes(), nil
		}
	}
	return nil, errors.New("the picture can't be made small")
}

func hasFewColors(m *image.NRGBA) bool {
	seen := make(map[[4]byte]bool)
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		seen[[4]byte(m.Pix[i:])] = true
		if len(seen) > fewColors {
			return false
		}
	}
	return true
}

func onWhite(m *image.NRGBA) image.Image {
	if m.Opaque() {
		return m
	}
	flat := image.NewRGBA(m.Rect)
	draw.Draw(flat, flat.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, m, image.Point{}, draw.Over)
	return flat
}
