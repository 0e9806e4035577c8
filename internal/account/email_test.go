package account

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/casefold"
)

func TestOnePlainAddressIsTaken(t *testing.T) {
	longest := strings.Repeat("a", parley.MaxEmailBytes-len("@example.com")) + "@example.com"
	for input, want := range map[string]string{
		"ada@example.com":                  "ada@example.com",
		"Ada.Lovelace+tag@Example.COM":     "Ada.Lovelace+tag@Example.COM",
		" \t\u00a0ada@example.com\r\n":     "ada@example.com",
		"o'brien!#$%&*/=?^_`{|}~@x.ie":     "o'brien!#$%&*/=?^_`{|}~@x.ie",
		"用户@例子.公司":                         "用户@例子.公司",
		"rene\u0301@example.com":           "rene\u0301@example.com",
		"root@localhost":                   "root@localhost",
		longest:                            longest,
		strings.Repeat(" ", 999) + longest: longest,
	} {
		if got, err := parseEmail(input); err != nil || got != want {
			t.Errorf("%q became %q, %v", input, got, err)
		}
	}
}

func TestAnythingElseIsNoAddress(t *testing.T) {
	for _, input := range []string{
		"", "  ", "ada", "@example.com", "ada@", "ada@@example.com", "ada@example@com", ".ada@example.com",
		"a..b@example.com",
		"Ada <ada@example.com>", "<ada@example.com>", "ada@example.com (Ada)", "(x)ada@example.com", "ada @example.com",
		"ada@ example.com",
		"ada@example.com, bob@example.com", "ada@example.com;bob@example.com", "friends: ada@example.com;",
		`"ada b"@example.com`, `"ada"@example.com`,
		"ada\x00@example.com", "ada@exam\x00ple.com", "ada\r\n@example.com", "ada@example.com\r\nBcc: bob@example.com",
		"ada\x7f@example.com",
		"ada\u0085@example.com", "ada\xff@example.com", "mailto:ada@example.com",
		strings.Repeat("a", parley.MaxEmailBytes) + "@example.com",
		strings.Repeat("é", 130) + "@example.com", // few characters, many bytes
	} {
		if got, err := parseEmail(input); !errors.Is(err, parley.ErrInvalid) {
			t.Errorf("%q became %q, %v", input, got, err)
		}
	}
	if _, err := parseEmail("my secret@"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error repeats what was typed: %v", err)
	}
}

func TestTheNicknameIsWhatStandsBeforeTheAt(t *testing.T) {
	for email, want := range map[string]string{
		"ada@example.com":                         "ada",
		strings.Repeat("é", 80) + "@e.com":        strings.Repeat("é", parley.MaxNickname),
		strings.Repeat("a", 64) + "@e.com":        strings.Repeat("a", 64),
		"用户@例子.公司":                                "用户",
		"Ada.Lovelace+tag@sub.domain.example.org": "Ada.Lovelace+tag",
	} {
		if got := defaultNickname(email); got != want {
			t.Errorf("%s is called %q", email, got)
		}
	}
}

func TestANicknameIsShortAndVisible(t *testing.T) {
	for nickname, good := range map[string]bool{
		"Ada": true, "阿达 🚢": true, strings.Repeat("é", 64): true, strings.Repeat("é", 65): false,
		"a\nb": false, "a\x00": false, "a\u0085": false, "<script>": true,
	} {
		if err := checkNickname(nickname); (err == nil) != good {
			t.Errorf("%q: %v", nickname, err)
		}
	}
}

func TestAnAvatarIsAWebAddress(t *testing.T) {
	for avatar, good := range map[string]bool{
		"https://example.com/a.png": true, "http://example.com": true, "HTTPS://example.com/a": true,
		"javascript:alert(1)": false, "data:image/png;base64,AA": false, "/a.png": false, "//example.com/a": false,
		"https://":   false,
		"https:///a": false, "https://example.com/\n": false, "ftp://example.com/a": false, "https://exa mple.com": false,
	} {
		if err := checkAvatar(avatar); (err == nil) != good {
			t.Errorf("%q: %v", avatar, err)
		}
	}
}

func FuzzEmail(f *testing.F) {
	for _, seed := range []string{
		"ada@example.com", "Ada <ada@example.com>", `"a@b"@example.com`, "=?utf-8?q?a?=@b.c", "a@[127.0.0.1]", "用户@例子.公司",
		"a@b (c)", "\t a@b\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		email, err := parseEmail(input)
		if err != nil {
			return
		}
		if !strings.Contains(input, email) || len(email) > parley.MaxEmailBytes || !utf8.ValidString(email) ||
			strings.ContainsFunc(email, unicode.IsControl) || strings.ContainsAny(email, "<>(),;\"") {
			t.Errorf("%q became %q", input, email)
		}
		local, domain, ok := strings.Cut(email, "@")
		if !ok || local == "" || domain == "" || strings.Contains(domain, "@") {
			t.Errorf("%q is not local@domain", email)
		}
		if again, err := parseEmail(email); err != nil || again != email {
			t.Errorf("%q becomes %q, %v", email, again, err)
		}
		if err := checkNickname(defaultNickname(email)); err != nil || defaultNickname(email) == "" {
			t.Errorf("the nickname of %q: %v", email, err)
		}
		if key := casefold.Key(email); casefold.Key(key) != key {
			t.Errorf("the key of %q is not stable", email)
		}
	})
}
