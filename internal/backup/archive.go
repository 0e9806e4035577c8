// Package backup writes a data folder into an archive and restores it.
//
// An archive is a plain tar file. Its entries, in this order, are: parley-backup.json
// (what it is), parley.db (the database at one moment), files/… (the blobs of its
// documents, by key), and SHA256SUMS (a line for each entry before it, as sha256sum writes
// and checks them), which also shows that nothing is missing.
package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"
)

const (
	aboutName = "parley-backup.json"
	sumsName  = "SHA256SUMS"
	filesDir  = "files"

	// format is the version of the archive format.
	format = 1
	// maxAbout is the maximum size of the first entry.
	maxAbout = 64 << 10
)

// About describes an archive.
type About struct {
	Format  int       `json:"format"`
	Parley  string    `json:"parley"`
	Schema  int64     `json:"schema"`
	Created time.Time `json:"created"`
	// Documents is the number of documents in the database.
	Documents int64 `json:"documents"`
}

type writer struct {
	tar  *tar.Writer
	sums *os.File // the lines so far: the size of the last entry must be known before its bytes
	now  time.Time
}

// add writes an entry of exactly size bytes.
func (w *writer) add(name string, size int64, r io.Reader) error {
	digest := sha256.New()
	if err := w.entry(name, size, io.TeeReader(r, digest)); err != nil {
		return err
	}
	_, err := w.sums.WriteString(sumLine(digest, name))
	return err
}

func (w *writer) entry(name string, size int64, r io.Reader) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600,
		ModTime: w.now.Truncate(time.Second), Format: tar.FormatPAX,
	}
	if err := w.tar.WriteHeader(header); err != nil {
		return err
	}
	n, err := io.Copy(w.tar, io.LimitReader(r, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// addAbout writes the first entry.
func (w *writer) addAbout(about About) error {
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	return w.add(aboutName, int64(len(text)), bytes.NewReader(text))
}

// finish writes the last entry.
func (w *writer) finish() error {
	size, err := w.sums.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := w.sums.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.entry(sumsName, size, w.sums); err != nil {
		return err
	}
	return w.tar.Close()
}

func sumLine(digest hash.Hash, name string) string {
	return fmt.Sprintf("%x  %s\n", digest.Sum(nil), name)
}

// reader reads an archive entry by entry. The archive is not trusted: names, kinds and
// sizes are checked before they are used.
type reader struct {
	tar  *tar.Reader
	left int64     // bytes that entries may still have, given the size of the archive
	ours hash.Hash // of the expected content of SHA256SUMS

	begun bool // an entry was read, so it is a tar file
}

func newReader(r io.Reader, size int64) *reader {
	return &reader{tar: tar.NewReader(r), left: size, ours: sha256.New()}
}

// The errors for files that are not archives, and for archives that are incomplete or
// damaged.
var (
	errNotAnArchive = errors.New("this is not an archive that parley backup has written")
	errCutOff       = errors.New("the archive is cut off: copy it again, or take another")
	errDamaged      = errors.New("the archive is damaged: copy it again, or take another")
)

// next returns the next entry's name and size.
func (r *reader) next() (name string, size int64, err error) {
	header, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("%w; its list of checksums is missing", errCutOff)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "", 0, errCutOff
	}
	if errors.Is(err, context.Canceled) {
		return "", 0, err
	}
	if err != nil && r.begun {
		return "", 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err != nil {
		return "", 0, fmt.Errorf("%w: %w", errNotAnArchive, err)
	}
	r.begun = true
	if header.Typeflag != tar.TypeReg {
		return "", 0, fmt.Errorf("%w: %q is not a plain file", errNotAnArchive, header.Name)
	}
	// A sparse entry can claim more than the archive has.
	if r.left -= header.Size; r.left < 0 {
		return "", 0, fmt.Errorf("%w (or it claims files that are larger than itself)", errCutOff)
	}
	return header.Name, header.Size, nil
}

// copyTo writes the entry to w and records its checksum.
func (r *reader) copyTo(w io.Writer, name string) error {
	digest := sha256.New()
	_, err := io.Copy(io.MultiWriter(w, digest), r.tar)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutOff
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	_, _ = io.WriteString(r.ours, sumLine(digest, name)) // a hash returns no error
	return nil
}

// about reads the first entry.
func (r *reader) about() (About, error) {
	var about About
	name, size, err := r.next()
	if err != nil {
		return about, err
	}
	if name != aboutName || size > maxAbout {
		return about, errNotAnArchive
	}
	var text bytes.Buffer
	if err := r.copyTo(&text, name); err != nil {
		return about, err
	}
	if err := json.Unmarshal(text.Bytes(), &about); err != nil {
		return about, fmt.Errorf("%w: %w", errNotAnArchive, err)
	}
	if about.Format < 1 || about.Schema < 1 || about.Documents < 0 {
		return about, fmt.Errorf("%w: it claims format %d, schema %d and %d documents",
			errNotAnArchive, about.Format, about.Schema, about.Documents)
	}
	return about, nil
}

// checkSums compares the last entry with the entries that were read. It returns an error if
// something follows it.
func (r *reader) checkSums() error {
	theirs := sha256.New()
	if _, err := io.Copy(theirs, r.tar); err != nil {
		return errCutOff
	}
	if !bytes.Equal(theirs.Sum(nil), r.ours.Sum(nil)) {
		return fmt.Errorf("%w; its checksums do not agree with its files", errDamaged)
	}
	if _, err := r.tar.Next(); errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutOff
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something follows its checksums", errNotAnArchive)
	}
	return nil
}
