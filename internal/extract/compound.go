package extract

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/richardlehane/mscfb"

	"parley/internal/extract/prose"
)

// isCompound reports whether a file is a compound file, the container of old Office documents.
func isCompound(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
}

// compound is a compound file that was checked: it has not too many streams, and none is larger than the
// file.
type compound struct {
	streams map[string]*mscfb.File
	folded  map[string]*mscfb.File // by name in lower case
	size    int64
	left    int64 // bytes that may still be read
}

// errPart is the cause of errors in old documents whose parts do not fit together.
var errPart = errors.New("a part of the document is missing or too short")

// maxStreams is more than the streams and folders of ordinary documents.
const maxStreams = 10_000

func openCompound(file []byte, limit int64) (*compound, error) {
	r, err := mscfb.New(bytes.NewReader(file))
	if err != nil {
		return nil, encryptedOr(file, prose.ErrBroken.WithCause(err))
	}
	if len(r.File) > maxStreams {
		return nil, prose.ErrBomb
	}
	c := &compound{
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
func (c *compound) find(name string) *mscfb.File {
	if f := c.streams[name]; f != nil {
		return f
	}
	return c.folded[strings.ToLower(name)]
}

// kind returns the media type of a document that is a compound file.
func (c *compound) kind() (string, error) {
	switch {
	case c.has("EncryptedPackage"):
		return "", prose.ErrEncrypted
	case c.has("Workbook"), c.has("Book"):
		return typeXLS, nil
	case c.has("WordDocument"):
		return typeDOC, nil
	case c.has("PowerPoint Document"):
		return typePPT, nil
	case c.has(msgProperties):
		return typeMSG, nil
	}
	return "", prose.ErrUnsupported
}

func (c *compound) has(name string) bool { return c.find(name) != nil }

// read returns a stream. It reads in small steps, because the library takes a time that grows with the
// square of a step.
func (c *compound) read(name string) ([]byte, error) {
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

// readIfAny is like read, but returns nil if the stream does not exist or can't be read.
func (c *compound) readIfAny(name string) []byte {
	if !c.has(name) {
		return nil
	}
	content, err := c.read(name)
	if err != nil {
		return nil
	}
	return content
}

// readCompound reads an old Office document or a message of Outlook.
func (r Reader) readCompound(ctx context.Context, file []byte) (prose.Document, error) {
	c, err := openCompound(file, r.MaxUnpacked)
	if err != nil {
		return prose.Document{}, err
	}
	mediaType, err := c.kind()
	if err != nil {
		return prose.Document{}, err
	}
	out := &prose.Output{Limit: TextLimit(r.MaxText, int64(len(file)))}
	switch mediaType {
	case typeXLS:
		err = readXLS(out, c)
	case typeDOC:
		err = readDOC(out, c)
	case typePPT:
		err = readPPT(out, c)
	case typeMSG:
		err = r.readMSG(ctx, out, c, "")
	}
	if err != nil {
		return prose.Document{}, err
	}
	document, err := out.Document(prose.ErrEmpty)
	document.Type = mediaType
	return document, err
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
