package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/minio/minio-go/v7"

	"parley/internal/id"
)

const (
	// markName is the file or object that has the mark of a move.
	markName = "moved.json"
	maxMark  = 64 << 10
)

// Place is a Store that a move can mark.
type Place interface {
	Store
	// Mark returns the mark, and false if there is none.
	Mark(ctx context.Context) (m Mark, marked bool, err error)
	// SetMark stores a mark durably, in place of one that exists.
	SetMark(ctx context.Context, m Mark) error
	// DropMark removes the mark durably. It is not an error if there is none.
	DropMark(ctx context.Context) error
}

var (
	_ Place = (*Dir)(nil)
	_ Place = (*S3)(nil)
)

// OpenPlace is Open for a place that may be marked.
func OpenPlace(ctx context.Context, dir, url string) (Place, error) {
	if url == "" {
		opened, err := OpenDir(dir)
		if err != nil {
			return nil, err
		}
		return opened, nil
	}
	opened, err := OpenS3(ctx, url, dir)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// checkMark returns an error if blobs are being moved from or to the place, or were moved from it.
func checkMark(ctx context.Context, p Place) error {
	m, marked, err := p.Mark(ctx)
	if err == nil && marked {
		err = m.Refusal("what was in the " + p.String())
	}
	return err
}

// Mark implements Place.
func (d *Dir) Mark(context.Context) (m Mark, marked bool, err error) {
	f, err := d.root.Open(markName)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("read the mark: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	return readMark(f)
}

func readMark(r io.Reader) (m Mark, marked bool, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxMark))
	if err != nil {
		return m, false, fmt.Errorf("read the mark: %w", err)
	}
	m, err = ParseMark(string(text))
	return m, true, err
}

// SetMark implements Place.
func (d *Dir) SetMark(ctx context.Context, m Mark) error {
	temporary := partial + "/" + id.New()
	_, err := d.write(ctx, temporary, strings.NewReader(m.Text()))
	if err == nil {
		err = d.root.Rename(temporary, markName)
	}
	if err == nil {
		err = d.syncFolder(".")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the mark: %w", err), d.remove(temporary))
	}
	return nil
}

// DropMark implements Place.
func (d *Dir) DropMark(context.Context) error {
	if err := errors.Join(d.remove(markName), d.syncFolder(".")); err != nil {
		return fmt.Errorf("remove the mark: %w", err)
	}
	return nil
}

// Mark implements Place.
func (s *S3) Mark(ctx context.Context) (m Mark, marked bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s3CallTimeout)
	defer cancel()
	body, _, _, err := s.client.GetObject(ctx, s.bucket, s.prefix+markName, minio.GetObjectOptions{})
	if isNotFound(err) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("read the mark: %w", err)
	}
	defer body.Close()
	return readMark(body)
}

// SetMark implements Place.
func (s *S3) SetMark(ctx context.Context, m Mark) error {
	ctx, cancel := context.WithTimeout(ctx, s3CallTimeout)
	defer cancel()
	text := []byte(m.Text())
	sum := sha256.Sum256(text)
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+markName, bytes.NewReader(text), int64(len(text)), "",
		hex.EncodeToString(sum[:]), minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		return fmt.Errorf("write the mark: %w", err)
	}
	return nil
}

// DropMark implements Place.
func (s *S3) DropMark(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s3CallTimeout)
	defer cancel()
	err := s.client.RemoveObject(ctx, s.bucket, s.prefix+markName, minio.RemoveObjectOptions{})
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("remove the mark: %w", err)
	}
	return nil
}
