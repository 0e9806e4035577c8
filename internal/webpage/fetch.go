package webpage

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"

	"parley/internal/extract"
)

// Limits of a page. The size counts decompressed bytes.
const (
	maxPage      = 2 << 20
	maxHeader    = 64 << 10
	maxRedirects = 3
)

// The reasons why a page is not fetched, besides errForbidden.
var (
	errStatus   = errors.New("the response is not a page")
	errRedirect = errors.New("too many redirects, or one from https to http")
	errType     = errors.New("the page is neither HTML nor text nor a PDF")
	errTooLarge = errors.New("the PDF is larger than 2 MiB")
)

// fetcher fetches pages at addresses from strangers. It checks every connection when it opens it, by the address at the
// other end: a name can't resolve to another one in between. There are no cookies, no credentials, and no proxy, since
// a proxy would look up names by itself.
type fetcher struct {
	client    *http.Client
	userAgent string
}

func newFetcher(userAgent string, policy policy, resolver *net.Resolver) *fetcher {
	dialer := &net.Dialer{
		Resolver: resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return errForbidden
			}
			return policy.check(to)
		},
	}
	return &fetcher{userAgent: userAgent, client: &http.Client{
		CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeader,
		},
	}}
}

// checkRedirect also removes the address of the page before, which the client adds.
func checkRedirect(next *http.Request, via []*http.Request) error {
	next.Header.Del("Referer")
	downgrade := via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https"
	if downgrade || len(via) > maxRedirects {
		return errRedirect
	}
	return checkURL(next.URL)
}

// fetched is a page as it came.
type fetched struct {
	// contentType is the header's value.
	contentType string
	body        []byte
}

// fetch gets a page. If a text is larger than maxPage, it returns the beginning.
func (f *fetcher) fetch(ctx context.Context, address string) (fetched, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fetched{}, errForbidden
	}
	if err := checkURL(req.URL); err != nil {
		return fetched{}, err
	}
	req.Header.Set("User-Agent", f.userAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8")
	res, err := f.client.Do(req)
	if err != nil {
		return fetched{}, err
	}
	defer res.Body.Close()
	page := fetched{contentType: res.Header.Get("Content-Type")}
	if res.StatusCode != http.StatusOK {
		return fetched{}, errStatus
	}
	if !mayBePage(page.contentType) {
		return fetched{}, errType
	}
	if page.body, err = io.ReadAll(io.LimitReader(res.Body, maxPage+1)); err != nil {
		return fetched{}, err
	}
	return page, page.limit()
}

// mayBePage reports whether this package reads a type. Some servers send PDFs as mere bytes.
func mayBePage(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "application/xhtml+xml", "application/pdf", "application/octet-stream":
		return true
	}
	return strings.HasPrefix(kind, "text/")
}

// limit cuts a text if it is too large, and refuses a PDF, which can't be cut.
func (p *fetched) limit() error {
	isPDF := extract.IsPDF(p.body)
	if kind, _, _ := mime.ParseMediaType(p.contentType); kind == "application/octet-stream" && !isPDF {
		return errType
	}
	if len(p.body) <= maxPage {
		return nil
	}
	if isPDF {
		return errTooLarge
	}
	p.body = p.body[:maxPage]
	return nil
}
