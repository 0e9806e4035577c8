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

// Limits of one call to the store. A call is retried within its timeout after a network error
// or if the server is busy.
const (
	s3Attempts      = 3
	s3OpenTimeout   = 15 * time.Second
	s3CallTimeout   = 30 * time.Second
	s3DialTimeout   = 5 * time.Second
	s3MinUploadRate = 256 << 10 // bytes per second, extends the timeout of large uploads
	s3IdleConns     = 32
)

var errNotS3 = errors.New("it does not respond as an S3 store does")

// S3 stores blobs as objects of a bucket, under the same paths as in a Dir.
//
// An object is written by one unconditional request: it appears whole or not at all, and the
// last of two writers wins. If the response to a Put is lost, Put fails although the object
// exists. The bucket is never listed.
type S3 struct {
	target
	client    *minio.Core
	transport *http.Transport
	spool     string
}

// OpenS3 opens the bucket named by a URL of the form
// s3://key:secret@bucket/prefix?endpoint=https://host&region=name and checks that it can be
// read. Key and secret default to those of the environment or of AWS's shared files, the
// endpoint to Amazon's. Uploads are spooled in the folder spool, which is created.
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
	target, err := parseTarget(address)
	if err != nil {
		return nil, err
	}
	keys, err := target.credentials()
	if err != nil {
		return nil, err
	}
	secure := target.endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	transport.DialContext = (&net.Dialer{Timeout: s3DialTimeout}).DialContext
	transport.ResponseHeaderTimeout = s3CallTimeout
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = s3IdleConns, s3IdleConns
	client, err := minio.NewCore(target.endpoint.Host, &minio.Options{
		Creds:      keys,
		Secure:     secure,
		Region:     target.region,
		Transport:  transport,
		MaxRetries: s3Attempts,
	})
	if err != nil {
		return nil, err
	}
	return &S3{target: target, client: client, transport: transport}, nil
}

// probe requests a blob that does not exist. The response is NoSuchKey only if the store
// has the bucket and accepts the credentials.
func (s *S3) probe(ctx context.Context) error {
	loc, err := locate(id.New())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3OpenTimeout)
	defer cancel()
	body, _, _, err := s.client.GetObject(ctx, s.bucket, s.prefix+loc.path, minio.GetObjectOptions{})
	if err == nil {
		return errors.Join(errNotS3, body.Close())
	}
	return probeError(err)
}

// probeError turns the error of the probe into one for operators. It returns nil if the error
// is the expected one.
func probeError(err error) error {
	var web *url.Error
	if errors.As(err, &web) {
		err = web.Err // the caller names the address
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no response in time")
	}
	var response minio.ErrorResponse
	if !errors.As(err, &response) {
		return fmt.Errorf("it can't be reached: %w", err)
	}
	message := strings.Join(strings.Fields(response.Error()), " ")
	switch {
	case response.XMLName.Local != "Error":
		return errNotS3
	case response.Code == minio.NoSuchKey:
		return nil
	case response.Code == minio.NoSuchBucket:
		return errors.New("the bucket does not exist")
	case response.StatusCode == http.StatusForbidden:
		return fmt.Errorf("it refuses the credentials: %s (%s)", message, response.Code)
	}
	return fmt.Errorf("it responds with an error: %s (%s)", message, response.Code)
}

// Close closes the idle connections.
func (s *S3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Put implements Store. The bytes are spooled to a file: an upload of unknown length takes little memory and is sent as
// one request, which can be retried. The store checks their SHA-256.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	kept, size, err := s.Keep(ctx, key, r)
	if err != nil {
		return 0, err
	}
	_ = kept.Close() // it was only read
	return size, nil
}

// Keep implements Store. It returns the spooled file.
func (s *S3) Keep(ctx context.Context, key string, r io.Reader) (io.ReadSeekCloser, int64, error) {
	loc, err := locate(key)
	if err != nil {
		return nil, 0, err
	}
	spooled, err := s.spoolFile(ctx, r)
	if err != nil {
		return nil, 0, fmt.Errorf("put blob: %w", err)
	}
	if err := s.send(ctx, loc, spooled); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("put blob: %w", err), spooled.Close())
	}
	return spooled, spooled.size, nil
}

// send stores a spooled file, and rewinds it.
func (s *S3) send(ctx context.Context, loc location, spooled *spooledFile) error {
	size := spooled.size
	ctx, cancel := context.WithTimeout(ctx, s3CallTimeout+time.Duration(size/s3MinUploadRate)*time.Second)
	defer cancel()
	body := io.NewSectionReader(spooled, 0, size)
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+loc.path, body, size, "", spooled.sha256,
		minio.PutObjectOptions{DisableContentSha256: true})
	if err != nil {
		return err
	}
	_, err = spooled.Seek(0, io.SeekStart)
	return err
}

// spooledFile holds the bytes of an upload. It is unlinked: it vanishes when it is closed, also by a crash.
type spooledFile struct {
	*os.File
	size   int64
	sha256 string
}

// spoolFile copies r into a temporary file.
func (s *S3) spoolFile(ctx context.Context, r io.Reader) (*spooledFile, error) {
	f, err := os.CreateTemp(s.spool, "upload-*")
	if err != nil {
		return nil, err
	}
	spooled, sum := &spooledFile{File: f}, sha256.New()
	if err = os.Remove(f.Name()); err == nil {
		spooled.size, err = io.Copy(io.MultiWriter(f, sum), UntilDone(ctx, r))
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	spooled.sha256 = hex.EncodeToString(sum.Sum(nil))
	return spooled, nil
}

// Delete implements Store. A bucket with versioning keeps old versions until its own
// lifecycle rules remove them.
func (s *S3) Delete(ctx context.Context, key string) error {
	loc, err := locate(key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s3CallTimeout)
	defer cancel()
	err = s.client.RemoveObject(ctx, s.bucket, s.prefix+loc.path, minio.RemoveObjectOptions{})
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("delete blob: %w", err)
	}
	return nil
}

// Sweep implements Store. A crash leaves nothing to remove, neither in the bucket nor in the
// spool folder.
func (s *S3) Sweep(ctx context.Context, _ time.Time) error {
	return ctx.Err()
}

func isNotFound(err error) bool {
	var response minio.ErrorResponse
	return errors.As(err, &response) && response.Code == minio.NoSuchKey
}
