package blob

import (
	"path"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatTheURLOfAnS3StoreSays(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"s3://photos", "bucket photos at https://s3.amazonaws.com"},
		{"s3://photos/", "bucket photos at https://s3.amazonaws.com"},
		{"s3://photos?region=eu-1", "bucket photos at https://s3.amazonaws.com"},
		{"s3://photos/parley/files/", "bucket photos/parley/files at https://s3.amazonaws.com"},
		{"s3://k:hush@my.bucket/p?endpoint=http://127.0.0.1:9000", "bucket my.bucket/p at http://127.0.0.1:9000"},
		{"s3://photos?endpoint=https%3A%2F%2Fs3.example.com%2F&region=x", "bucket photos at https://s3.example.com"},
	} {
		got, err := parseTarget(test.url)
		if err != nil {
			t.Errorf("%s: %v", test.url, err)
			continue
		}
		if got.String() != test.want {
			t.Errorf("%s: got %q, want %q", test.url, got, test.want)
		}
	}
	got, err := parseTarget("s3://k:h%2Fush@photos/a/b?endpoint=http://h:1&region=eu-1")
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := got.user.Password()
	if got.prefix != "a/b/" || got.region != "eu-1" || got.user.Username() != "k" || secret != "h/ush" {
		t.Errorf("got %+v", got)
	}
}

func TestAURLThatMakesNoSenseIsRefusedWithoutItsSecret(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"", "of the form"},
		{"photos", "of the form"},
		{"https://k:hush@h/b", "of the form"},
		{"s3://k:hush@", "of the form"},
		{"s3://k:hu/sh@photos", "of the form"},
		{"s3://k:hush@photos#x", "of the form"},
		{"s3://k:hush@photos?endpoint=%zz", "of the form"},
		{"s3://k:hush@photos?zone=eu", "endpoint and region"},
		{"s3://k:hush@photos?region=a&region=b", "endpoint and region"},
		{"s3://k:hush@ph", "bucket"},
		{"s3://k:hush@Photos", "bucket"},
		{"s3://k:hush@photos:80", "bucket"},
		{"s3://k:hush@photos/a//b", "prefix"},
		{"s3://k:hush@photos/../b", "prefix"},
		{"s3://k:hush@photos/a%20b", "prefix"},
		{"s3://k:hush@photos?endpoint=host", "endpoint"},
		{"s3://k:hush@photos?endpoint=ftp://host", "endpoint"},
		{"s3://k:hush@photos?endpoint=https://host/path", "endpoint"},
		{"s3://k:hush@photos?endpoint=https://k:hush@host", "endpoint"},
		{"s3://k:hush@photos?endpoint=https://", "endpoint"},
		{"s3://hush@photos?endpoint=https://host&region=us-east-1", "secret"},
		{"s3://:hush@photos?endpoint=https://host", "secret"},
	} {
		_, err := OpenS3(t.Context(), test.url, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want a word of the %s", test.url, err, test.want)
		}
		checkLine(t, err)
	}
}

// checkLine checks that an error is one line without a secret.
func checkLine(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "\n")) {
		t.Errorf("the error says %q", err)
	}
}

func TestCredentialsOfTheEnvironmentAndOfFiles(t *testing.T) {
	const url = "s3://photos?endpoint=http://127.0.0.1:1&region=us-east-1"
	found := func() (access, secret string, err error) {
		parsed, err := parseTarget(url)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := parsed.credentials()
		if err != nil {
			return "", "", err
		}
		value, err := keys.GetWithContext(nil)
		return value.AccessKeyID, value.SecretAccessKey, err
	}
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
		"AWS_CONFIG_FILE",
	} {
		t.Setenv(name, "")
	}
	file := filepath.Join(t.TempDir(), "credentials")
	t.Setenv("HOME", filepath.Dir(file))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	if _, _, err := found(); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without any: %v", err)
	}
	write(t, file, "[default]\naws_access_key_id = file-key\naws_secret_access_key = file-hush\n")
	if access, secret, err := found(); err != nil || access != "file-key" || secret != "file-hush" {
		t.Errorf("of the file: %s, %s, %v", access, secret, err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "env-key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "env-hush")
	if access, secret, err := found(); err != nil || access != "env-key" || secret != "env-hush" {
		t.Errorf("of the environment: %s, %s, %v", access, secret, err)
	}
}

func FuzzS3URL(f *testing.F) {
	f.Add("s3://photos")
	f.Add("s3://k:s@photos/a/b?endpoint=http://127.0.0.1:9000&region=x")
	f.Add("s3://photos/../..?endpoint=")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTarget(text)
		if err != nil {
			return
		}
		if got.bucket == "" || got.endpoint.Hostname() == "" {
			t.Errorf("%q: got %+v", text, got)
		}
		if got.prefix != "" && path.Clean("/"+got.prefix)+"/" != "/"+got.prefix {
			t.Errorf("%q: the prefix is %q", text, got.prefix)
		}
	})
}
