// Package ole reads compound files, the container of the documents of Office before 2007: DOC, XLS and PPT.
package ole

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"maps"
	"path"
	"strings"

	"github.com/richardlehane/mscfb"

	"parley/internal/extract/prose"
)

// The media types of documents in compound files.
const (
	DOC = "application/msword"
	XLS = "application/vnd.ms-excel"
	PPT = "application/vnd.ms-powerpoint"
	MSG = "application/vnd.ms-outlook"
)

// MessageProperties is the stream with the properties of a message of Outlook that have a fixed size.
const MessageProperties = "__properties_version1.0"

// IsCompound reports whether a file is a compound file, the container of old Office documents.
func IsCompound(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
}

// Compound is a compound file that was checked: it has not too many streams, and none is larger than the
// file.
type Compound struct {
	streams map[string]*mscfb.File
	folded  map[string]*mscfb.File // by name in lower case
	size    int64
	left    int64 // bytes that may still be read
}

// errPart is the cause of errors in old documents if their parts do not fit together.
var errPart = errors.New("a part of the document is missing or too short")

// maxStreams is more than the streams and folders of ordinary documents.
const maxStreams = 10_000

// Open opens a compound file, to read at most limit bytes of it.
func Open(file []byte, limit int64) (*Compound, error) {
	r, err := mscfb.New(bytes.NewReader(file))
	if err != nil {
		return nil, encryptedOr(file, prose.ErrBroken.WithCause(err))
	}
	if len(r.File) > maxStreams {
		return nil, prose.ErrBomb
	}
	c := &Compound{
		streams: make(map[string]*mscfb.File, len(r.File)),
		folded:  make(map[string]*mscfb.File, len(r.File)),
		size:    int64(len(file)),
		left:    limit,
	}
	for _, f := range r.File {
		name := path.Join(append(f.Path, f.Name)...)
		if c.streams[name] == nil {
			c.streams[name] = f
		}
		if name = strings.ToLower(name); c.folded[name] == nil {
			c.folded[name] = f
		}
	}
	return c, nil
}

// find returns a stream by its name, or nil. Names are not case-sensitive.
func (c *Compound) find(name string) *mscfb.File {
	if f := c.streams[name]; f != nil {
		return f
	}
	return c.folded[strings.ToLower(name)]
}

// Kind returns the media type of a compound file.
func (c *Compound) Kind() (string, error) {
	switch {
	case c.Has("EncryptedPackage"):
		return "", prose.ErrEncrypted
	case c.Has("Workbook"), c.Has("Book"):
		return XLS, nil
	case c.Has("WordDocument"):
		return DOC, nil
	case c.Has("PowerPoint Document"):
		return PPT, nil
	case c.Has(MessageProperties):
		return MSG, nil
	}
	return "", prose.ErrUnsupported
}

// Has reports whether there is such a stream.
func (c *Compound) Has(name string) bool { return c.find(name) != nil }

// Names returns the names of all streams.
func (c *Compound) Names() iter.Seq[string] { return maps.Keys(c.streams) }

// Remaining returns how many bytes may still be read.
func (c *Compound) Remaining() int64 { return c.left }

// Read returns a stream. It reads in small steps, because the library takes a time that grows with the
// square of a step.
func (c *Compound) Read(name string) ([]byte, error) {
	f := c.find(name)
	switch {
	case f == nil, f.Size > c.size:
		return nil, prose.ErrBroken.WithCause(errPart)
	case f.Size > c.left:
		return nil, prose.ErrBomb
	}
	c.left -= f.Size
	content := make([]byte, f.Size)
	if _, err := f.Seek(0, io.SeekStart); err != nil && f.Size > 0 {
		return nil, prose.ErrBroken.WithCause(err)
	}
	const step = 32 << 10
	for start := 0; start < len(content); start += step {
		if _, err := io.ReadFull(f, content[start:min(start+step, len(content))]); err != nil {
			return nil, prose.ErrBroken.WithCause(err)
		}
	}
	return content, nil
}

// ReadIfAny is like read, but returns nil if the stream does not exist or can't be read.
func (c *Compound) ReadIfAny(name string) []byte {
	if !c.Has(name) {
		return nil
	}
	content, err := c.Read(name)
	if err != nil {
		return nil
	}
	return content
}

// encryptedOr returns prose.ErrEncrypted if file is an Office document with a password, which
// is wrapped in a file of the old format, and err otherwise.
func encryptedOr(file []byte, err error) error {
	const compound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	const stream = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	if bytes.HasPrefix(file, []byte(compound)) && bytes.Contains(file, []byte(stream)) {
		return prose.ErrEncrypted
	}
	return err
}
