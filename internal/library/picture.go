package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley"
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

// Picture is a cleaned picture of a user, which is JPEG or PNG.
type Picture struct {
	File parley.File
	// Type is its media type. That of File is the one of the original.
	Type string
	Data []byte
}

// Picture returns a user's picture, cleaned, or only its thumbnail. If the file is none, it returns
// parley.ErrNoSuchPicture.
func (l *Library) Picture(ctx context.Context, userID int64, fileID string, thumbnail bool) (Picture, error) {
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
	suffix, limit := pictureSuffix, int64(picture.MaxFull)
	if thumbnail {
		suffix, limit = thumbnailSuffix, picture.MaxThumbnail
	}
	r, err := l.blobs.Get(ctx, fileID+suffix)
	if errors.Is(err, blob.ErrNotFound) { // deleted since the row was read
		return Picture{}, parley.ErrNoSuchFile
	}
	if err != nil {
		return Picture{}, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return Picture{}, fmt.Errorf("read a picture: %w", err)
	}
	return Picture{File: file, Type: picture.Type(data), Data: data}, nil
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
