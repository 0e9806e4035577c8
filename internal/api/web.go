package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// pagePolicy allows a page to load only from this server.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'; frame-src 'self'"

// clientPolicy is for the web client. It shows a PDF in a frame of the browser's viewer, from a blob: an address of the
// server can't carry the token. A document of a blob has the policy of its page, so no script of its own runs.
const clientPolicy = pagePolicy + " blob:"

// diagramPolicy is for the page that draws diagrams in a frame of the web client. The page has its own origin and can
// reach nothing but scripts. A drawing has styles, which only apply within the frame.
const diagramPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; form-action 'none'; " +
	"base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts"

// workerPolicy allows the service worker to load only from this server.
const workerPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

// serviceWorker is the file of the service worker. Its path must never change: browsers look there for the next
// version.
const serviceWorker = "sw.js"

// compressed is the extension of files stored as gzip. All files except pages, pictures and fonts are stored only in
// this form.
const compressed = ".gz"

// fallbackPage is served if the web client has not been built.
const fallbackPage = "index.html"

// pages serves the web client and the API reference.
func (a *API) pages(files fs.FS) {
	a.readable("/", servePage(files, "app.html", clientPolicy))
	a.readable("/admin", http.RedirectHandler("/#/admin", http.StatusFound).ServeHTTP)
	a.readable("/docs", servePage(files, "docs.html", pagePolicy))
	a.readable("/diagram", frameable(servePage(files, "diagram.html", diagramPolicy)))
	a.readable("/s/{share_id}", a.serveShare(files))
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(strings.TrimSuffix(name, compressed)) != ".html" {
			name = strings.TrimSuffix(name, compressed)
			a.readable("/"+name, serveAsset(files, name))
		}
		return err
	})
}

func servePage(files fs.FS, name, policy string) http.HandlerFunc {
	if _, err := fs.Stat(files, name); err != nil {
		name = fallbackPage
	}
	serve := serveFile(files, name)
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-cache")
		serve(w, r)
	}
}

// frameable allows pages of this server to show a page in a frame.
func frameable(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		next(w, r)
	}
}

// serveAsset serves a file. It is cached forever if its name is derived from its content.
func serveAsset(files fs.FS, name string) http.HandlerFunc {
	serve, caching := serveFile(files, name), "no-cache"
	if strings.HasPrefix(name, "assets/") {
		caching = "public, max-age=31536000, immutable"
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", caching)
		// The page of diagrams has no origin, so browsers load its scripts by CORS. They are the same for everybody.
		w.Header().Set("Access-Control-Allow-Origin", "*")
		if name == serviceWorker {
			w.Header().Set("Content-Security-Policy", workerPolicy)
		}
		serve(w, r)
	}
}

// serveFile serves a file, compressed if the client accepts that. It reads nothing until the first request: the files
// are megabytes in all.
func serveFile(files fs.FS, name string) http.HandlerFunc {
	tag := sync.OnceValue(func() string { return contentTag(files, name) })
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Add("Vary", "Accept-Encoding")
		content, encoding := read(files, name, accepts(r.Header.Get("Accept-Encoding"), "gzip"))
		if encoding != "" {
			header.Set("Content-Encoding", encoding)
		}
		header.Set("Content-Type", contentType(name))
		header.Set("ETag", `"`+tag()+encoding+`"`)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	}
}

// contentTag returns a short text that changes with the content of a file.
func contentTag(files fs.FS, name string) string {
	content, _ := read(files, name, true)
	sum := sha256.Sum256(content)
	return fmt.Sprintf("%x", sum[:8])
}

// contentType returns the media type of a file. It lists the types that package mime does not know on every machine.
func contentType(name string) string {
	switch extension := path.Ext(name); extension {
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2"
	default:
		return mime.TypeByExtension(extension)
	}
}

// read returns a file and its encoding. If the client accepts gzip, this is the stored form. Other clients are rare,
// so read unpacks the file for each of their requests.
func read(files fs.FS, name string, acceptsGzip bool) (content []byte, encoding string) {
	packed, err := fs.ReadFile(files, name+compressed)
	switch {
	case err != nil:
		content, _ = fs.ReadFile(files, name) // if it is missing, an empty page is served
		return content, ""
	case acceptsGzip:
		return packed, "gzip"
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, "" // can't happen: the build has packed it
	}
	content, _ = io.ReadAll(unpacked)
	return content, ""
}

// accepts reports whether an Accept-Encoding header allows an encoding.
func accepts(header, encoding string) bool {
	for entry := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(entry), ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			return strings.TrimSpace(quality) != "q=0"
		}
	}
	return false
}
