package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"parley/internal/id"
)

// What one call to the store may cost. A call is tried again after a fault of the
// network or a server that is busy, all within its time.
const (
	s3Attempts    = 3
	s3OpenTime    = 15 * time.Second
	s3CallTime    = 30 * time.Second
	s3DialTime    = 5 * time.Second
	s3SlowestPut  = 256 << 10 // bytes a second: the larger an upload, the longer it may take
	s3Connections = 32        // kept open between calls
)

var errNoStore = errors.New("it does not answer as an S3 store does")

// S3 keeps blobs as the objects of a bucket, under the paths that they have in a Dir.
//
// An object is written by one unconditional request: it appears whole or not at all,
// and of two writers the last wins. Only where the answer to a Put gets lost can it
// fail though the object is there. The bucket is never listed.
type S3 struct {
	target
	client    *minio.Core
	transport *http.Transport
	spool     string
}

// OpenS3 opens the bucket that a URL names,
// s3://key:secret@bucket/prefix?endpoint=https://host&region=name, after making sure
// that it is there and can be read. Without key and secret it takes those of the
// environment or of AWS's shared files; without an endpoint it is Amazon's. Uploads on
// their way to the bucket are spooled in the folder spool, which it makes.
func OpenS3(ctx context.Context, address, spool string) (*S3, error) {
	s, err := newS3(address)
	if err != nil {
		return nil, fmt.Errorf("open the S3 store: the URL %w", err)
	}
	s.spool = spool
	if err := os.MkdirAll(spool, ownerDir); err != nil {
		return nil, fmt.Errorf("open the S3 store: make the folder for uploads: %w", err)
	}
	if err := s.probe(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the S3 store: %s: %w", s, err), s.Close())
	}
	return s, nil
}

func newS3(address string) (*S3, error) {
	at, err := parseTarget(address)
	if err != nil {
		return nil, err
	}
	keys, err := at.credentials()
	if err != nil {
		return nil, err
	}
	secure := at.endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	transport.DialContext = (&net.Dialer{Timeout: s3DialTime}).DialContext
	transport.ResponseHeaderTimeout = s3CallTime
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = s3Connections, s3Connections
	client, err := minio.NewCore(at.endpoint.Host, &minio.Options{
		Creds: keys, Secure: secure, Region: at.region, Transport: transport, MaxRetries: s3Attempts,
	})
	if err != nil {
		return nil, err
	}
	return &S3{target: at, client: client, transport: transport}, nil
}

// probe asks for a blob that nobody has. Only an S3 store with that bucket, open to
// these credentials, says that there is no such key.
func (s *S3) probe(ctx context.Context) error {
	at, err := place(id.New())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3OpenTime)
	defer cancel()
	body, _, _, err := s.client.GetObject(ctx, s.bucket, s.prefix+at.path, minio.GetObjectOptions{})
	if err == nil {
		return errors.Join(errNoStore, body.Close())
	}
	return explain(err)
}

// explain turns what the probe met into words for whoever starts the server; nil
// where it is as it should be.
func explain(err error) error {
	var web *url.Error
	if errors.As(err, &web) {
		err = web.Err // without the address, which is said already
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer in time")
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return fmt.Errorf("it can't be reached: %w", err)
	}
	message := strings.Join(strings.Fields(answer.Error()), " ")
	switch {
	case answer.XMLName.Local != "Error":
		return errNoStore
	case answer.Code == minio.NoSuchKey:
		return nil
	case answer.Code == minio.NoSuchBucket:
		return errors.New("the bucket does not exist")
	case answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("it refuses the credentials: %s (%s)", message, answer.Code)
	}
	return fmt.Errorf("it answers with an error: %s (%s)", message, answer.Code)
}

// Close releases the connections.
func (s *S3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Put is Store's. The bytes go through a file, so that an upload of unknown length
// takes little memory, reaches the store as one request that can be tried again, and
// leaves nothing there when it is broken off. The store checks their SHA-256.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	at, err := place(key)
	if err != nil {
		return 0, err
	}
	received, err := s.receive(ctx, r)
	if err != nil {
		return 0, fmt.Errorf("put blob: %w", err)
	}
	defer received.file.Close() //nolint:errcheck // it has done its work
	size := received.size
	ctx, cancel := context.WithTimeout(ctx, s3CallTime+time.Duration(size/s3SlowestPut)*time.Second)
	defer cancel()
	_, err = s.client.PutObject(ctx, s.bucket, s.prefix+at.path, io.NewSectionReader(received.file, 0, size), size,
		"", received.sha256, minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		return 0, fmt.Errorf("put blob: %w", err)
	}
	return size, nil
}

// upload is bytes on their way to the store.
type upload struct {
	file   *os.File // without a name: gone when it is closed, also by a crash
	size   int64
	sha256 string
}

// receive takes all that r gives.
func (s *S3) receive(ctx context.Context, r io.Reader) (upload, error) {
	f, err := os.CreateTemp(s.spool, "upload-*")
	if err != nil {
		return upload{}, err
	}
	u, sum := upload{file: f}, sha256.New()
	if err = os.Remove(f.Name()); err == nil {
		u.size, err = io.Copy(io.MultiWriter(f, sum), UntilDone(ctx, r))
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return upload{}, errors.Join(err, f.Close())
	}
	u.sha256 = hex.EncodeToString(sum.Sum(nil))
	return u, nil
}

// Delete is Store's. A bucket with versions keeps the old ones until a rule of its own
// removes them.
func (s *S3) Delete(ctx context.Context, key string) error {
	at, err := place(key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3CallTime)
	defer cancel()
	err = s.client.RemoveObject(ctx, s.bucket, s.prefix+at.path, minio.RemoveObjectOptions{})
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}

// Sweep is Store's: a crash leaves nothing, neither in the bucket nor in the spool.
func (s *S3) Sweep(ctx context.Context, _ time.Time) error {
	return ctx.Err()
}

func isNotFound(err error) bool {
	var answer minio.ErrorResponse
	return errors.As(err, &answer) && answer.Code == minio.NoSuchKey
}
