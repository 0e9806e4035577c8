package api

import (
	"maps"
	"net/http"
)

const noReferrer = "no-referrer"

// permissionsPolicy denies pages the features that the web client never uses.
const permissionsPolicy = "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), " +
	"serial=(), usb=()"

// secure sets the security headers for browsers. Responses share the values: to change a header, replace its value.
func secure(next http.Handler) http.Handler {
	inAPI, elsewhere := apiHeaders(), pageHeaders()
	transport := []string{"max-age=31536000"} // without subdomains, which may belong to others
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, fixed := w.Header(), elsewhere
		if isAPI(r.URL.Path) {
			fixed = inAPI
		}
		maps.Copy(header, fixed)
		if r.TLS != nil {
			header["Strict-Transport-Security"] = transport
		}
		next.ServeHTTP(w, r)
	})
}

// apiHeaders returns the headers for JSON and downloads, which a browser does not show as a page. It leaves out
// headers that only matter for pages: more than eight entries in an http.Header make every request noticeably slower.
func apiHeaders() http.Header {
	return http.Header{
		"X-Content-Type-Options":       {"nosniff"},
		"X-Frame-Options":              {"DENY"},
		"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
		"Cross-Origin-Resource-Policy": {"same-origin"}, // does not concern requests by CORS
		"Cache-Control":                {"no-store"},
	}
}

// pageHeaders returns the headers for everything else. A page replaces the Content-Security-Policy.
func pageHeaders() http.Header {
	headers := apiHeaders()
	headers.Del("Cache-Control")
	headers.Set("Referrer-Policy", noReferrer)
	headers.Set("Cross-Origin-Opener-Policy", "same-origin")
	headers.Set("Permissions-Policy", permissionsPolicy)
	return headers
}
