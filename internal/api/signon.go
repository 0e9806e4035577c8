package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"parley"
	"parley/internal/account"
)

// signOn serves the paths that browsers follow to the provider of single sign-on and back. They always redirect to a
// page, so they are not operations of the document. A server without a provider does not have them.
func (a *API) signOn() {
	if a.signOnName == "" {
		return
	}
	a.router.Get("/api/auth/oidc/start", a.startSignIn)
	a.router.Get("/api/auth/oidc/callback", a.finishSignIn)
}

func (a *API) getSignOn(context.Context, *none) (parley.SignOn, error) {
	if a.signOnName == "" {
		return parley.SignOn{}, errNoSuchPath
	}
	return parley.SignOn{Name: a.signOnName}, nil
}

func (a *API) exchangeSignIn(ctx context.Context, in *body[parley.SignInInput]) (parley.LoginOutput, error) {
	if err := a.entries.logins.limit(ctx); err != nil {
		return parley.LoginOutput{}, err
	}
	return a.accounts.ExchangeSignIn(ctx, in.Body, caller(ctx))
}

// signInCookie is the name of the cookie that binds sign-ins to a browser.
const signInCookie = "parley-sign-in"

const (
	signInCookieAge    = 600 // seconds; as long as a sign-in may take
	signInCookieLength = 43  // of account.NewBrowser
)

// startSignIn sends a browser to the provider.
func (a *API) startSignIn(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), a.timeLimit)
	defer cancel()
	if a.entries.logins.limit(ctx) != nil {
		a.failSignIn(w, r, account.SignInTooMany)
		return
	}
	browser := a.browserOf(r)
	if browser == "" {
		browser = account.NewBrowser()
	}
	address, err := a.accounts.BeginSignIn(ctx, browser)
	if err != nil {
		a.failSignIn(w, r, err)
		return
	}
	http.SetCookie(w, a.newSignInCookie(browser))
	redirect(w, address)
}

// finishSignIn receives a browser from the provider and sends it to the page with a code to log in.
func (a *API) finishSignIn(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), a.timeLimit)
	defer cancel()
	if a.entries.logins.limit(ctx) != nil {
		a.failSignIn(w, r, account.SignInTooMany)
		return
	}
	query := r.URL.Query()
	code, link, err := a.accounts.FinishSignIn(ctx, account.SignInReturn{
		Browser: a.browserOf(r),
		State:   query.Get("state"),
		Code:    query.Get("code"),
		Issuer:  query.Get("iss"),
		Error:   query.Get("error"),
	}, caller(ctx))
	switch {
	case err != nil:
		a.failSignIn(w, r, err)
	case link:
		redirect(w, "/#link="+code)
	default:
		redirect(w, "/#login="+code)
	}
}

// failSignIn sends a browser to the page that says why it is not logged in. The cause only goes to the log.
func (a *API) failSignIn(w http.ResponseWriter, r *http.Request, err error) {
	failure, level := account.SignInFailed, slog.LevelError
	if errors.As(err, &failure) {
		level = slog.LevelInfo
	}
	if failure == account.SignInUnavailable || failure == account.SignInRefused {
		level = slog.LevelWarn
	}
	if r.Context().Err() == nil {
		a.log.Log(r.Context(), level, "sign-in failed", "reason", string(failure), "error", err,
			"request", requestID(r.Context()))
	}
	redirect(w, "/#login-error="+url.QueryEscape(string(failure)))
}

// redirect sends a browser to an address. The address of the current page has secrets, so it is not passed on as the
// referrer.
func redirect(w http.ResponseWriter, address string) {
	w.Header().Set("Referrer-Policy", noReferrer)
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusFound)
}

// secureCookies reports whether browsers reach this server over HTTPS.
func (a *API) secureCookies() bool { return strings.HasPrefix(a.publicURL, "https://") }

// newSignInCookie returns the cookie of a browser. The browser sends it when the provider sends the browser back, but
// with no other request from elsewhere. Over HTTPS no other host can set it.
func (a *API) newSignInCookie(browser string) *http.Cookie {
	return &http.Cookie{
		Name:     a.signInCookieName(),
		Value:    browser,
		Path:     "/",
		MaxAge:   signInCookieAge,
		Secure:   a.secureCookies(),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

func (a *API) signInCookieName() string {
	if a.secureCookies() {
		return "__Host-" + signInCookie
	}
	return signInCookie
}

// browserOf returns the cookie of a browser, or "". A browser keeps its cookie. Otherwise sign-ins in several tabs
// would end each other.
func (a *API) browserOf(r *http.Request) string {
	cookie, err := r.Cookie(a.signInCookieName())
	if err != nil || len(cookie.Value) != signInCookieLength {
		return ""
	}
	return cookie.Value
}
