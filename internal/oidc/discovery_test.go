package oidc

import "testing"

func TestEndpointsHaveTLSUnlessTheProviderIsOnThisMachine(t *testing.T) {
	for _, test := range []struct {
		issuer, endpoint string
		want             bool
	}{
		{"https://a.example", "https://a.example/token", true},
		{"https://a.example", "https://b.example/token", true}, // Google's are elsewhere
		{"https://a.example", "http://a.example/token", false},
		{"https://a.example", "http://127.0.0.1/token", false},
		{"https://a.example", "", false},
		{"https://a.example", "/token", false},
		{"https://a.example", "ftp://a.example", false},
		{"http://127.0.0.1:9000", "http://127.0.0.1:9000/token", true},
		{"http://localhost:9000", "http://[::1]/token", true},
		{"http://127.0.0.1:9000", "http://192.0.2.1/token", false},
	} {
		if got := trustworthy(test.issuer, test.endpoint); got != test.want {
			t.Errorf("%s of %s: %v", test.endpoint, test.issuer, got)
		}
	}
}
