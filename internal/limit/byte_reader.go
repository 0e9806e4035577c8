package limit

import (
	"io"

	"parley"
)

// Reader is a reader. Its bytes are held until they are released. It is not safe for concurrent use.
type Reader[K comparable] struct {
	r       io.Reader
	key     func() (key K, size int64)
	shares  *ByteShares[K]
	hold    *Hold[K]
	size    int64 // held before it is read
	read    int64
	refused bool
}

// Reader holds what is read from r. If there is not enough left, Read returns parley.ErrOverloaded from then on, and
// the bytes read so far are released. The first Read gets the key, and the size to hold before anything is read.
func (s *ByteShares[K]) Reader(r io.Reader, key func() (key K, size int64)) *Reader[K] {
	return &Reader[K]{r: r, key: key, shares: s}
}

func (r *Reader[K]) Read(p []byte) (int, error) {
	if r.refused {
		return 0, parley.ErrOverloaded
	}
	if r.hold == nil {
		key, size := r.key()
		r.hold, r.size = r.shares.Hold(key), size
		if !r.resize() {
			return 0, parley.ErrOverloaded
		}
	}
	n, err := r.r.Read(p)
	r.read += int64(n)
	if !r.resize() {
		return 0, parley.ErrOverloaded
	}
	return n, err
}

func (r *Reader[K]) resize() bool {
	if !r.hold.Resize(max(r.size, r.read)) {
		r.refused = true
		r.Release()
	}
	return !r.refused
}

// Close does nothing. The body of a request is closed by net/http, after the response. Closing it would wait for the
// rest of the body.
func (r *Reader[K]) Close() error { return nil }

// Release releases the bytes read so far.
func (r *Reader[K]) Release() { r.hold.Release() }
