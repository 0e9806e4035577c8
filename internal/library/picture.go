package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley"
	"parley/internal/ai"
	"parley/internal/blob"
	"parley/internal/extract/picture"
	"parley/internal/id"
)

// anyPicture is how the types of pictures begin.
const anyPicture = "image/"

func isPicture(file parley.File) bool { return strings.HasPrefix(file.FileType, anyPicture) }

// storePicture stores a cleaned picture and its thumbnail.
func (d *Draft) storePicture(ctx context.Context, cleaned picture.Cleaned) error {
	for _, part := range []struct {
		suffix  string
		content []byte
	}{{pictureSuffix, cleaned.Full}, {thumbnailSuffix, cleaned.Thumbnail}} {
		size, err := d.library.blobs.Put(ctx, d.file.FileID+part.suffix, bytes.NewReader(part.content))
		if err != nil {
			return fmt.Errorf("store a picture: %w", err)
		}
		d.pictureSize += size
	}
	return nil
}

// Picture is a cleaned picture or its thumbnail, in JPEG or PNG. It must be closed.
type Picture struct {
	io.ReadSeekCloser
	// Type is its media type. That of the original may be another.
	Type     string
	Filename string
}

// OpenPicture opens a user's picture, cleaned, or only its thumbnail. If the file is not a picture, it returns
// parley.ErrNoSuchPicture.
func (l *Library) OpenPicture(ctx context.Context, userID int64, fileID string, thumbnail bool) (Picture, error) {
	if !id.Valid(fileID) {
		return Picture{}, parley.ErrNoSuchFile
	}
	file, err := l.store.File(ctx, userID, fileID)
	if err != nil {
		return Picture{}, err
	}
	if !isPicture(file) {
		return Picture{}, parley.ErrNoSuchPicture
	}
	suffix := pictureSuffix
	if thumbnail {
		suffix = thumbnailSuffix
	}
	content, err := l.blobs.Get(ctx, fileID+suffix)
	if errors.Is(err, blob.ErrNotFound) { // deleted since the row was read
		return Picture{}, parley.ErrNoSuchFile
	}
	if err != nil {
		return Picture{}, err
	}
	mediaType, err := readType(content)
	if err != nil {
		return Picture{}, errors.Join(err, content.Close())
	}
	return Picture{ReadSeekCloser: content, Type: mediaType, Filename: file.Filename}, nil
}

// readType returns the media type of a picture, and goes back to its beginning.
func readType(content io.ReadSeeker) (string, error) {
	const headSize = 16
	head, err := io.ReadAll(io.LimitReader(content, headSize))
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", fmt.Errorf("read a picture: %w", err)
	}
	return picture.Type(head), nil
}

// Image returns a user's picture for a model.
func (l *Library) Image(ctx context.Context, userID int64, fileID string) (ai.Image, error) {
	p, err := l.OpenPicture(ctx, userID, fileID, false)
	if err != nil {
		return ai.Image{}, err
	}
	defer p.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(p, picture.MaxFull))
	if err != nil {
		return ai.Image{}, fmt.Errorf("read a picture: %w", err)
	}
	return ai.Image{Type: p.Type, Data: data}, nil
}

// Pictures returns the pictures among the documents of a user's session, oldest first.
func (l *Library) Pictures(ctx context.Context, userID int64, sessionID string) ([]parley.File, error) {
	files, err := l.store.Files(ctx, userID, sessionID)
	if err != nil {
		return nil, err
	}
	var pictures []parley.File
	for _, file := range files {
		if isPicture(file) {
			pictures = append(pictures, file)
		}
	}
	return pictures, nil
}
