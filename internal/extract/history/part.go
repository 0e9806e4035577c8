package history

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"path"
	"strings"

	"parley"
)

// Limits that ordinary archives stay below.
const (
	maxRatio  = 200
	ratioFrom = 1 << 20 // maxRatio does not apply to smaller entries
	// flagEncrypted is the zip flag of an encrypted entry.
	flagEncrypted = 0x1
)

// part is a JSON file: the file itself, or one in the archive.
type part struct {
	name  string // empty if it is the file itself
	in    *input
	total int64 // bytes of all parts
	shut  bool  // it can't be opened
}

func (p part) elements() *splitter { return newSplitter(p.in) }

// percent is how much of all parts has been read.
func (p part) percent() int {
	if p.total <= 0 {
		return 0
	}
	return int(min(100, 100*(p.in.count.read-int64(p.in.Buffered()))/p.total))
}

// broken is the entry of a part that ends in the middle of a conversation.
func (p part) broken() Entry {
	return Entry{Conversation: Conversation{Title: cleanTitle(path.Base(p.name))}, Skipped: errBrokenPart}
}

// input reads one part after the other and counts their bytes.
type input struct {
	*bufio.Reader
	count counter
}

const bufferSize = 256 << 10

func newInput(limit int64) *input {
	in := &input{count: counter{limit: limit}}
	in.Reader = bufio.NewReaderSize(&in.count, bufferSize)
	return in
}

func (in *input) open(r io.Reader) {
	in.count.source = r
	in.Reset(&in.count)
}

type counter struct {
	source io.Reader
	limit  int64
	read   int64
}

var errEnough = errors.New("no more is read")

// Read returns errEnough once the limit has been read.
func (c *counter) Read(p []byte) (int, error) {
	if c.read >= c.limit {
		return 0, errEnough
	}
	n, err := c.source.Read(p[:min(int64(len(p)), c.limit-c.read)])
	c.read += int64(n)
	return n, err
}

// parts calls do with each JSON file. At most limit bytes of them are read.
func (f File) parts(limit int64, do func(part) error) error {
	in := newInput(limit)
	magic := make([]byte, 4)
	if n, _ := f.Bytes.ReadAt(magic, 0); n < len(magic) || string(magic[:2]) != "PK" {
		in.open(io.NewSectionReader(f.Bytes, 0, f.Size))
		return do(part{in: in, total: f.Size})
	}
	archive, err := zip.NewReader(f.Bytes, f.Size)
	if err != nil {
		return ErrBroken.WithCause(err)
	}
	files, total, err := f.jsonFiles(archive)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := openPart(file, part{name: file.Name, in: in, total: total}, do); err != nil {
			return err
		}
	}
	return nil
}

func openPart(file *zip.File, p part, do func(part) error) error {
	r, err := file.Open()
	if err != nil { // the others may be good
		p.shut = true
		return do(p)
	}
	defer r.Close() //nolint:errcheck // it was only read
	p.in.open(r)
	return do(p)
}

// jsonFiles returns the JSON files of an archive and their unpacked size. It refuses an archive if entries share bytes:
// together they are larger than the archive.
func (f File) jsonFiles(archive *zip.Reader) (files []*zip.File, total int64, err error) {
	packed := int64(0)
	for _, file := range archive.File {
		if packed += int64(min(file.CompressedSize64, 1<<62)); packed > f.Size {
			return nil, 0, errBomb.WithCause(errors.New("archive entries overlap"))
		}
		name := path.Base(strings.ToLower(file.Name))
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, "._") {
			continue
		}
		size := int64(min(file.UncompressedSize64, 1<<62))
		var refused *parley.Error
		switch {
		case file.Flags&flagEncrypted != 0:
			refused = errEncrypted
		case size > ratioFrom && uint64(size)/maxRatio > file.CompressedSize64, total+size > f.MaxUnpacked:
			refused = errBomb
		}
		if refused != nil {
			return nil, 0, refused
		}
		files = append(files, file)
		total += size
	}
	return files, total, nil
}
