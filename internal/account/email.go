package account

import (
	"net/mail"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
)

// parseEmail returns the plain address in the input, without surrounding white space.
func parseEmail(input string) (string, error) {
	email := strings.TrimSpace(input)
	if email == "" {
		return "", parley.Invalid("email is required")
	}
	if len(email) > parley.MaxEmailBytes {
		return "", parley.Invalid("email must be at most 254 bytes long")
	}
	address, err := mail.ParseAddress(email)
	// Parsing leaves only a plain address unchanged: no name, no brackets, no comment.
	if err != nil || address.Address != email || strings.ContainsFunc(email, unicode.IsControl) {
		return "", parley.Invalid("email must be one plain e-mail address, such as ada@example.com")
	}
	return email, nil
}

// defaultNickname returns the part of an address before the @, cut to the longest nickname.
func defaultNickname(email string) string {
	local := email[:strings.LastIndexByte(email, '@')]
	for utf8.RuneCountInString(local) > parley.MaxNickname {
		_, size := utf8.DecodeLastRuneInString(local)
		local = local[:len(local)-size]
	}
	return local
}

func checkNickname(nickname string) error {
	if utf8.RuneCountInString(nickname) > parley.MaxNickname {
		return parley.Invalid("nickname must be at most 64 characters long")
	}
	if strings.ContainsFunc(nickname, unicode.IsControl) {
		return parley.Invalid("nickname must not contain control characters")
	}
	return nil
}

func checkAvatar(avatar string) error {
	u, err := url.Parse(avatar)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		strings.ContainsFunc(avatar, unicode.IsControl) {
		return parley.Invalid("avatar must be an http or https address, or empty")
	}
	return nil
}
