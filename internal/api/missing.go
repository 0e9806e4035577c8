package api

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"parley/internal/language"
)

// missingPage is the page for a path that does not exist. It has no script and loads nothing but the logo, so it also
// works if the web client was not built.
//
//go:embed missing.html
var missingPage string

// serveMissing serves paths that do not exist: a page to browsers that a person has sent there, and else the error of
// the API.
func serveMissing() http.HandlerFunc {
	english := strings.NewReplacer(
		"{lang}", "en", "{title}", "Page not found",
		"{text}", "There is nothing at this address. The link may be out of date or mistyped.",
		"{start}", "Go to the start page",
	).Replace(missingPage)
	chinese := strings.NewReplacer(
		"{lang}", "zh-CN", "{title}", "找不到页面",
		"{text}", "这个地址没有内容，链接可能已失效或输入有误。",
		"{start}", "返回首页",
	).Replace(missingPage)
	policy := "default-src 'none'; img-src 'self'; style-src " + styleHash(missingPage) +
		"; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	return func(w http.ResponseWriter, r *http.Request) {
		if !wantsPage(r) {
			errNoSuchPath.write(w, r)
			return
		}
		noteCode(r.Context(), errNoSuchPath.Code)
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", policy)
		header.Set("Cache-Control", "no-store")
		header.Add("Vary", "Accept, Accept-Language")
		w.WriteHeader(http.StatusNotFound)
		page := english
		if languageOf(r) == language.Chinese {
			page = chinese
		}
		_, _ = io.WriteString(w, page) // the client may have disconnected
	}
}

// styleHash returns the source of a content security policy that allows the style in a page.
func styleHash(page string) string {
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// wantsPage reports whether a request reads a path outside of the APIs and names HTML before JSON, as browsers do.
func wantsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || isAPI(r.URL.Path+"/") {
		return false
	}
	html, asJSON := 0.0, 0.0
	for _, accepted := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(accepted, ",") {
			switch mediaType, quality := parseAccepted(part); mediaType {
			case "text/html":
				html = max(html, quality)
			case "application/json":
				asJSON = max(asJSON, quality)
			}
		}
	}
	return html > asJSON
}

// parseAccepted returns the media type of an entry of an Accept header and its quality, which is 0 if the entry is
// malformed.
func parseAccepted(entry string) (mediaType string, quality float64) {
	mediaType, parameters, err := mime.ParseMediaType(entry)
	if err != nil {
		return "", 0
	}
	q, weighted := parameters["q"]
	if !weighted {
		return mediaType, 1
	}
	quality, err = strconv.ParseFloat(q, 64)
	if err != nil || !(quality >= 0 && quality <= 1) {
		return "", 0
	}
	return mediaType, quality
}
