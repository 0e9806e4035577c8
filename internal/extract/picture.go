package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"

	"parley/internal/extract/ocr"
	"parley/internal/extract/picture"
	"parley/internal/extract/prose"
)

// readPicture cleans a picture, and reads the text in it if no model sees pictures. A picture that nothing can use is
// refused.
func (r Reader) readPicture(ctx context.Context, file []byte) (prose.Document, error) {
	if !r.Pictures && r.Recognize == nil {
		return prose.Document{}, prose.ErrNoSight
	}
	cleaned, err := picture.Clean(file)
	switch {
	case errors.Is(err, picture.ErrTooLarge):
		return prose.Document{}, prose.ErrPictureSize
	case errors.Is(err, picture.ErrTooManyPixels):
		return prose.Document{}, prose.ErrPixels
	case err != nil:
		return prose.Document{}, prose.ErrBroken.WithCause(err)
	}
	if r.Pictures {
		return prose.Document{Picture: &cleaned}, nil
	}
	out := &prose.Output{Limit: TextLimit(r.MaxText, int64(len(file)))}
	if err := r.recognize(ctx, out, cleaned.Full); errors.Is(err, ocr.ErrUnreadable) {
		return prose.Document{}, prose.ErrNoPictureText.WithCause(err)
	} else if err != nil {
		return prose.Document{}, err
	}
	document, err := out.Document(prose.ErrNoPictureText)
	document.Picture = &cleaned
	return document, err
}

// recognize adds the text in a cleaned picture.
func (r Reader) recognize(ctx context.Context, out *prose.Output, cleaned []byte) error {
	content, err := asPNG(cleaned)
	if err != nil {
		return err
	}
	text, err := r.Recognize(ctx, content)
	if err != nil {
		return fmt.Errorf("recognize the text of a picture: %w", err)
	}
	out.Verbatim(text)
	return nil
}

func asPNG(cleaned []byte) ([]byte, error) {
	if picture.Type(cleaned) == "image/png" {
		return cleaned, nil
	}
	decoded, err := jpeg.Decode(bytes.NewReader(cleaned))
	if err != nil {
		return nil, fmt.Errorf("decode a cleaned picture: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, decoded); err != nil {
		return nil, fmt.Errorf("encode a cleaned picture: %w", err)
	}
	return b.Bytes(), nil
}
