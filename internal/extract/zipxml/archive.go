// Package zipxml reads documents that are XML in a zip archive. It bounds what an archive may unpack to.
package zipxml

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"parley/internal/extract/prose"
)

// Limits that ordinary office documents stay below.
const (
	// MaxEntries is how many entries an archive may have.
	MaxEntries = 10_000
	maxRatio   = 200
	ratioFrom  = 1 << 20 // maxRatio does not apply to smaller entries
)

// flagEncrypted is the zip flag of an encrypted entry.
const flagEncrypted = 0x1

// Archive is a zip file that was checked: its names stay inside it and its entries do not overlap. An entry is checked
// further when it is read. So an entry that is never read, such as a picture, can't refuse the document.
type Archive struct {
	entries map[string]*zip.File
	folded  map[string]*zip.File // by name in lower case, with slashes
	left    int64                // bytes that may still be unpacked
	counted map[*zip.File]bool   // entries that left has been reduced by
}

// Open opens a zip file, to unpack at most limit bytes of it.
func Open(file []byte, limit int64) (*Archive, error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, prose.ErrBroken.WithCause(err)
	}
	if len(z.File) > MaxEntries {
		return nil, prose.ErrBomb
	}
	a := &Archive{
		entries: make(map[string]*zip.File),
		folded:  make(map[string]*zip.File),
		left:    limit,
		counted: make(map[*zip.File]bool),
	}
	for _, f := range z.File {
		name := strings.ReplaceAll(f.Name, `\`, "/")
		if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") {
			return nil, prose.ErrBroken.WithCause(errors.New("an archive entry has a path outside the archive"))
		}
		if a.entries[f.Name] == nil {
			a.entries[f.Name] = f
		}
		if name = strings.ToLower(name); a.folded[name] == nil {
			a.folded[name] = f
		}
	}
	return a, checkOverlap(z.File)
}

// checkOverlap returns an error if two entries share compressed bytes.
func checkOverlap(files []*zip.File) error {
	type extent struct{ start, end int64 }
	extents := make([]extent, 0, len(files))
	for _, f := range files {
		start, err := f.DataOffset()
		if err != nil {
			continue // it can't be read either
		}
		extents = append(extents, extent{start, start + int64(min(f.CompressedSize64, 1<<62))})
	}
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(extents); i++ {
		if extents[i].start < extents[i-1].end {
			return prose.ErrBomb.WithCause(errors.New("archive entries overlap"))
		}
	}
	return nil
}

// find returns an entry by its name, or nil. Names of parts are not case-sensitive.
func (a *Archive) find(name string) *zip.File {
	if f := a.entries[name]; f != nil {
		return f
	}
	return a.folded[strings.ToLower(name)]
}

// Has reports whether there is such an entry.
func (a *Archive) Has(name string) bool { return a.find(name) != nil }

// Read unpacks an entry. Package zip fails if it is larger than it declares.
func (a *Archive) Read(name string) ([]byte, error) {
	f := a.find(name)
	if f == nil {
		return nil, prose.ErrBroken.WithCause(errors.New("a part of the document is missing"))
	}
	if err := a.admit(f); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, prose.ErrBroken.WithCause(err)
	}
	defer r.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, prose.ErrBroken.WithCause(err)
	}
	return content, nil
}

// admit checks what an entry declares before it is unpacked.
func (a *Archive) admit(f *zip.File) error {
	if f.Flags&flagEncrypted != 0 {
		return prose.ErrEncrypted
	}
	if f.UncompressedSize64 > ratioFrom && f.UncompressedSize64/maxRatio > f.CompressedSize64 {
		return prose.ErrBomb
	}
	if !a.counted[f] {
		a.counted[f] = true
		a.left -= int64(min(f.UncompressedSize64, 1<<62))
	}
	if a.left < 0 {
		return prose.ErrBomb
	}
	return nil
}

// ReadIfAny is like read, but returns nil if the entry does not exist.
func (a *Archive) ReadIfAny(name string) ([]byte, error) {
	if !a.Has(name) {
		return nil, nil
	}
	return a.Read(name)
}
