package testdb

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// The environment variables that scripts/s3 sets.
const (
	s3Variable        = "PARLEY_TEST_S3_URL"
	s3VersionVariable = "PARLEY_TEST_S3_VERSION"
)

// S3 returns the URL of an empty place in a real S3 store: a bucket with a prefix of the
// test's own. Without a store the test is skipped.
func S3(t testing.TB) string {
	t.Helper()
	store := os.Getenv(s3Variable)
	if store == "" {
		t.Skip("needs an S3 store: run `make test`, or `scripts/s3 run go test …` for this package alone")
	}
	address, err := url.Parse(store)
	if err != nil || address.Scheme != "s3" {
		t.Fatalf("%s must be a URL, s3://key:secret@bucket?endpoint=http://host:port&region=name", s3Variable)
	}
	address.Path = "/" + strings.ToLower(rand.Text())
	note(t, "s3", func(context.Context) (string, error) {
		return cmp.Or(os.Getenv(s3VersionVariable), "unknown"), nil
	})
	return address.String()
}

// Objects returns the names of all objects at a place in an S3 store, including incomplete
// uploads.
func Objects(t testing.TB, place string) (names []string) {
	t.Helper()
	address, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := address.User.Password()
	endpoint := strings.TrimPrefix(address.Query().Get("endpoint"), "http://")
	connections := &http.Transport{}
	defer connections.CloseIdleConnections()
	store, err := minio.New(endpoint, &minio.Options{
		Transport: connections,
		Creds:     credentials.NewStaticV4(address.User.Username(), secret, ""), Region: address.Query().Get("region"),
	})
	if err != nil {
		t.Fatal(err)
	}
	prefix := strings.TrimPrefix(address.Path, "/")
	all := minio.ListObjectsOptions{Prefix: prefix, Recursive: true}
	for object := range store.ListObjectsIter(t.Context(), address.Host, all) {
		if object.Err != nil {
			t.Fatal(object.Err)
		}
		names = append(names, object.Key)
	}
	for upload := range store.ListIncompleteUploads(t.Context(), address.Host, prefix, true) {
		if minio.ToErrorResponse(upload.Err).Code == minio.NoSuchUpload {
			break // as gofakes3 says that there are none
		}
		if upload.Err != nil {
			t.Fatal(upload.Err)
		}
		names = append(names, upload.Key+" (incomplete)")
	}
	return names
}
