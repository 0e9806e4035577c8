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
)

// readPicture cleans a picture, and reads the text in it if no model sees pictures. A picture that nothing can use is
// refused.
func (r Reader) readPicture(ctx context.Context, file []byte) (Document, error) {
	if !r.Pictures && r.Recognize == nil {
		return Document{}, errNoSight
	}
	cleaned, err := picture.Clean(file)
	switch {
	case errors.Is(err, picture.ErrTooLarge):
		return Document{}, errPictureSize
	case errors.Is(err, picture.ErrTooManyPixels):
		return Document{}, errPixels
	case err != nil:
		return Document{}, errBroken.WithCause(err)
	}
	if r.Pictures {
		return Document{Picture: &cleaned}, nil
	}
	out := &output{limit: TextLimit(r.MaxText, int64(len(file)))}
	if err := r.recognize(ctx, out, cleaned.Full); errors.Is(err, ocr.ErrUnreadable) {
		return Document{}, errNoPictureText.WithCause(err)
	} else if err != nil {
		return Document{}, err
	}
	document, err := out.document(errNoPictureText)
	document.Picture = &cleaned
	return document, err
}

// recognize adds the text in a cleaned picture.
func (r Reader) recognize(ctx context.Context, out *output, cleaned []byte) error {
	content, err := asPNG(cleaned)
	if err != nil {
		return err
	}
	text, err := r.Recognize(ctx, content)
	if err != nil {
		return fmt.Errorf("recognize the text of a picture: %w", err)
	}
	out.verbatim(text)
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
