package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
)

// finish checks settings that depend on each other and sets what follows from them.
func (r *reader) finish(s *Settings) {
	s.Live = r.live
	r.checkTLS(s.HTTP)
	r.finishSignOn(&s.SignOn, s.HTTP.PublicURL)
	r.checkMail(s.Mail, s.HTTP.PublicURL)
	s.OCR.choose()
	r.finishModels(&s.AI)
	r.checkSearch(s.Search)
	r.checkEmbed(s.Embed)
	if s.Search.Provider != "" {
		s.Search.FixedBy = r.sources.origin("search-provider")
	}
	if s.Embed.BaseURL != "" {
		s.Embed.FixedBy = r.sources.origin("embed-base-url")
	}
}

func (r *reader) checkTLS(s HTTP) {
	switch {
	case s.TLSCert == "" && s.TLSKey != "":
		r.needs("tls-key", "tls-cert", "")
	case s.TLSCert != "" && s.TLSKey == "":
		r.needs("tls-cert", "tls-key", "")
	}
}

func (r *reader) finishSignOn(s *SignOn, publicURL string) {
	if s.Issuer == "" {
		switch {
		case s.ClientID != "":
			r.needs("oidc-client-id", "oidc-issuer", "")
		case s.ClientSecret != "":
			r.needs("oidc-client-secret", "oidc-issuer", "")
		case s.Name != "":
			r.needs("oidc-name", "oidc-issuer", "")
		case s.LinkByEmail:
			r.needs("oidc-link", "oidc-issuer", "")
		}
		return
	}
	switch {
	case s.ClientID == "":
		r.needs("oidc-issuer", "oidc-client-id", "")
	case publicURL == "":
		r.needs("oidc-issuer", "public-url", "the address that browsers use")
	case !isSecure(publicURL):
		r.fail("public-url", errors.New("must be an https address for single sign-on, unless it is of this machine"))
	}
	issuer, _ := url.Parse(s.Issuer) // parseIssuer has checked it
	s.Name = cmp.Or(s.Name, issuer.Hostname())
}

func (r *reader) checkMail(s Mail, publicURL string) {
	switch {
	case s.URL != "" && s.From == "":
		r.needs("smtp-url", "smtp-from", "")
	case s.URL != "" && publicURL == "":
		r.needs("smtp-url", "public-url", "")
	case s.URL == "" && s.From != "":
		r.needs("smtp-from", "smtp-url", "")
	}
}

// choose replaces the keywords off, model and auto by the fields that they stand for.
func (o *OCR) choose() {
	switch o.Program {
	case "off":
		o.Program = ""
	case "model":
		o.Program, o.Model = "", true
	case "auto":
		o.Program, o.Model = "tesseract", true
	default:
		o.Required = true
	}
}

func (r *reader) checkSearch(s Search) {
	switch {
	case s.Provider == "" && s.URL != "":
		r.needs("search-url", "search-provider", "")
	case s.Provider == "" && s.APIKey != "":
		r.needs("search-api-key", "search-provider", "")
	case s.Provider == "searxng" && s.URL == "":
		r.fail("search-provider", fmt.Errorf("searxng %w", needs("search-url", "")))
	case s.Provider != "" && s.Provider != "searxng" && s.APIKey == "":
		r.fail("search-provider", fmt.Errorf("%s %w", s.Provider, needs("search-api-key", "")))
	}
}

func (r *reader) checkEmbed(s Embed) {
	switch {
	case s.BaseURL != "" && s.Model == "":
		r.needs("embed-base-url", "embed-model", "the server's name of the model")
	case s.BaseURL == "" && s.Model != "":
		r.needs("embed-model", "embed-base-url", "")
	case s.BaseURL == "" && s.APIKey != "":
		r.needs("embed-api-key", "embed-base-url", "")
	}
}
