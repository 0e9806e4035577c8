package blob

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// amazonEndpoint is the default endpoint.
const amazonEndpoint = "https://s3.amazonaws.com"

var errURLForm = errors.New("must be of the form s3://bucket/prefix?endpoint=https://host&region=name, " +
	"with special characters escaped")

// target is a parsed URL of an S3 store.
type target struct {
	bucket   string
	prefix   string // empty, or ending in a slash
	endpoint *url.URL
	region   string // if empty the client looks it up
	user     *url.Userinfo
}

// parseTarget parses s3://key:secret@bucket/prefix?endpoint=https://host&region=name. Only the
// bucket is required. Its errors never hold the URL, which may hold a secret.
func parseTarget(text string) (target, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.Fragment != "" {
		return target{}, errURLForm
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, errURLForm
	}
	for name, values := range query {
		if name != "endpoint" && name != "region" || len(values) > 1 {
			return target{}, errors.New("takes the parameters endpoint and region, each once, and no others")
		}
	}
	t := target{bucket: u.Host, region: query.Get("region"), user: u.User}
	if err := s3utils.CheckValidBucketNameStrict(t.bucket); err != nil {
		return target{}, errors.New("names a bucket of which the name is not allowed: " +
			"it has 3 to 63 characters, of a to z, 0 to 9, dot and hyphen")
	}
	if t.prefix, err = parsePrefix(u.Path); err != nil {
		return target{}, err
	}
	t.endpoint, err = parseEndpoint(query.Get("endpoint"))
	return t, err
}

func parsePrefix(path string) (string, error) {
	path = strings.Trim(path, "/")
	if path == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsFunc(part, isUnsafe) {
			return "", errors.New("has a prefix with an empty part, a part of dots, " +
				"or a character other than letters, digits, dot, hyphen and underscore")
		}
	}
	return path + "/", nil
}

// isUnsafe reports whether some stores or tools do not accept the character in a key.
func isUnsafe(r rune) bool {
	safe := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r)
	return !safe
}

func parseEndpoint(text string) (*url.URL, error) {
	if text == "" {
		text = amazonEndpoint
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("has an endpoint that is not of the form https://host or https://host:port")
	}
	return u, nil
}

func (t target) String() string {
	path := strings.TrimSuffix(t.bucket+"/"+t.prefix, "/")
	return fmt.Sprintf("bucket %s at %s://%s", path, t.endpoint.Scheme, t.endpoint.Host)
}

// credentials returns those of the URL, else those of the environment, else those of AWS's
// shared files.
func (t target) credentials() (*credentials.Credentials, error) {
	if t.user != nil {
		secret, _ := t.user.Password()
		if t.user.Username() == "" || secret == "" {
			return nil, errors.New("has an access key without a secret, or the other way round")
		}
		return credentials.NewStaticV4(t.user.Username(), secret, ""), nil
	}
	found := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
	})
	value, err := found.GetWithContext(nil) // neither provider makes a request
	if err != nil || value.AccessKeyID == "" || value.SecretAccessKey == "" {
		return nil, errors.New("has no credentials, and AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY " +
			"and ~/.aws/credentials have none either")
	}
	return found, nil
}
