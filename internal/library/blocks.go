package library

import (
	"errors"
	"io"
)

const (
	blockSize = 64 << 10 // what an S3 store sends for one request
	maxBlocks = 32
)

// blocks is an io.ReaderAt of one blob after the other. It keeps the blocks that were read
// last, since look-ups return to the same ones. It is not safe for concurrent use.
type blocks struct {
	r    io.ReadSeeker
	kept [maxBlocks]block
	next int // the oldest of kept
}

// block is the piece of a blob at number*blockSize.
type block struct {
	number int64 // -1 if it is unused
	data   []byte
}

// reset makes b read a blob. It reuses the memory.
func (b *blocks) reset(r io.ReadSeeker) {
	b.r, b.next = r, 0
	for i := range b.kept {
		b.kept[i].number = -1
	}
}

// ReadAt implements io.ReaderAt. It does not keep reads that are larger than a block.
func (b *blocks) ReadAt(p []byte, offset int64) (int, error) {
	if len(p) > blockSize {
		return len(p), readFullAt(b.r, p, offset)
	}
	for read := 0; read < len(p); {
		at := offset + int64(read)
		data, err := b.block(at / blockSize)
		if err != nil {
			return read, err
		}
		rest := data[min(at%blockSize, int64(len(data))):]
		if len(rest) == 0 {
			return read, io.EOF
		}
		read += copy(p[read:], rest)
	}
	return len(p), nil
}

// block returns a block. The last one of a blob is shorter than the others.
func (b *blocks) block(number int64) ([]byte, error) {
	for i := range b.kept {
		if b.kept[i].number == number {
			return b.kept[i].data, nil
		}
	}
	oldest := &b.kept[b.next]
	b.next = (b.next + 1) % maxBlocks
	oldest.number = -1
	if oldest.data == nil {
		oldest.data = make([]byte, blockSize)
	}
	if _, err := b.r.Seek(number*blockSize, io.SeekStart); err != nil {
		return nil, err
	}
	n, err := io.ReadFull(b.r, oldest.data[:blockSize])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	oldest.number, oldest.data = number, oldest.data[:n]
	return oldest.data, nil
}
