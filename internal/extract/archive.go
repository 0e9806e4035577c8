package extract

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// Limits that ordinary office documents stay below.
const (
	maxEntries = 10_000
	maxRatio   = 200
	ratioFrom  = 1 << 20 // maxRatio does not apply to smaller entries
)

// flagEncrypted is the zip flag of an encrypted entry.
const flagEncrypted = 0x1

// archive is a zip file that was checked: its names stay inside it, its entries do not
// overlap, and their unpacked size is within the limit.
type archive struct {
	entries map[string]*zip.File
}

func openArchive(file []byte, limit int64) (*archive, error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, errBroken.WithCause(err)
	}
	if len(z.File) > maxEntries {
		return nil, errBomb
	}
	a := &archive{entries: make(map[string]*zip.File, len(z.File))}
	for _, f := range z.File {
		if err := checkEntry(f); err != nil {
			return nil, err
		}
		if limit -= int64(min(f.UncompressedSize64, 1<<62)); limit < 0 {
			return nil, errBomb
		}
		if _, ok := a.entries[f.Name]; !ok {
			a.entries[f.Name] = f
		}
	}
	return a, checkOverlap(z.File)
}

func checkEntry(f *zip.File) error {
	name := strings.ReplaceAll(f.Name, `\`, "/")
	if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
		return errBroken.WithCause(errors.New("an archive entry has a path outside the archive"))
	}
	if f.Flags&flagEncrypted != 0 {
		return errEncrypted
	}
	if f.UncompressedSize64 > ratioFrom && f.UncompressedSize64/maxRatio > f.CompressedSize64 {
		return errBomb
	}
	return nil
}

// checkOverlap returns an error if two entries share compressed bytes.
func checkOverlap(files []*zip.File) error {
	type extent struct{ start, end int64 }
	extents := make([]extent, 0, len(files))
	for _, f := range files {
		start, err := f.DataOffset()
		if err != nil {
			return errBroken.WithCause(err)
		}
		extents = append(extents, extent{start, start + int64(min(f.CompressedSize64, 1<<62))})
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(extents); i++ {
		if extents[i].start < extents[i-1].end {
			return errBomb.WithCause(errors.New("archive entries overlap"))
		}
	}
	return nil
}

func (a *archive) has(name string) bool { return a.entries[name] != nil }

// read unpacks an entry. Package zip fails if it is larger than it declares.
func (a *archive) read(name string) ([]byte, error) {
	f := a.entries[name]
	if f == nil {
		return nil, errBroken.WithCause(errors.New("a part of the document is missing"))
	}
	r, err := f.Open()
	if err != nil {
		return nil, errBroken.WithCause(err)
	}
	defer r.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, errBroken.WithCause(err)
	}
	return content, nil
}

// readIfAny is like read, but returns nil if the entry does not exist.
func (a *archive) readIfAny(name string) ([]byte, error) {
	if !a.has(name) {
		return nil, nil
	}
	return a.read(name)
}
