package testdb

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
)

// The environment that scripts/s3 sets.
const (
	s3Variable        = "PARLEY_TEST_S3_URL"
	s3VersionVariable = "PARLEY_TEST_S3_VERSION"
)

// S3 returns the URL of an empty place in a real S3 store: a bucket with a prefix that
// only this test has. Without a store the test is skipped.
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
