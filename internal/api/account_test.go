package api_test

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
)

func TestAccounts(t *testing.T) {
	shared(t, []part{
		{"register gives an account and a token", registerGivesAnAccountAndAToken},
		{"emails are one without regard to case and composition", emailsAreOneWithoutRegardToCaseAndComposition},
		{"register inputs", registerInputs},
		{"login tells what is wrong", loginTellsWhatIsWrong},
		{"every login has its own token and logout ends just that", everyLoginHasItsOwnTokenAndLogoutEndsJustThat},
		{"logins are listed and ended", loginsAreListedAndEnded},
		{"profile changes what is given", profileChangesWhatIsGiven},
		{"password change ends every other token", passwordChangeEndsEveryOtherToken},
		{"passwords differ past72 bytes", passwordsDifferPast72Bytes},
		{"a forged address is not believed", aForgedAddressIsNotBelieved},
	})
}

func registerGivesAnAccountAndAToken(w *world) {
	ctx := w.Context()
	c := w.guest()
	registered, err := c.Register(ctx, parley.RegisterInput{Email: " \tAda.L@Example.COM\n", Password: "correct horse"})
	w.must(err)
	user, err := c.User(ctx)
	w.must(err)
	want := parley.UserInfo{
		UserID: registered.UserID, Nickname: "Ada.L", Email: "Ada.L@Example.COM",
		CreatedAt: user.CreatedAt, Claimable: true, // the server has no administrator
	}
	if user != want || registered.UserID <= 0 {
		w.Errorf("got %+v, want %+v", user, want)
	}
	second, err := w.guest().Register(ctx, parley.RegisterInput{
		Email: "b@example.com", Password: "correct horse",
		Nickname: " 小明 ",
	})
	w.must(err)
	if second.UserID == registered.UserID || second.Token == registered.Token {
		w.Errorf("two accounts share an id or a token: %+v, %+v", registered, second)
	}
	login, err := w.guest().Login(ctx, parley.LoginInput{Email: "b@example.com", Password: "correct horse"})
	w.must(err)
	if want := (parley.UserProfile{ID: second.UserID, Nickname: "小明", Email: "b@example.com"}); login.User != want {
		w.Errorf("got %+v, want %+v", login.User, want)
	}
}

func emailsAreOneWithoutRegardToCaseAndComposition(w *world) {
	ctx := w.Context()
	const composed, decomposed = "Jos\u00e9@Example.com", "jose\u0301@example.com"
	_, err := w.guest().Register(ctx, parley.RegisterInput{Email: composed, Password: "correct horse"})
	w.must(err)
	for _, email := range []string{composed, decomposed, "JOS\u00c9@EXAMPLE.COM", "  jos\u00e9@example.com "} {
		_, err := w.guest().Register(ctx, parley.RegisterInput{Email: email, Password: "another horse"})
		w.wants(err, parley.CodeEmailTaken, 409)
	}
	login, err := w.guest().Login(ctx, parley.LoginInput{Email: decomposed, Password: "correct horse"})
	w.must(err)
	if login.User.Email != composed {
		w.Errorf("the address is kept as %q, want it as typed", login.User.Email)
	}
}

func registerInputs(w *world) {
	const path = "/api/auth/register"
	long := strings.Repeat("a", 242)
	user := func(email, rest string) string { return `{"email":"` + email + `"` + rest + `}` }
	password := func(p string) string { return `{"email":"` + p[:1] + `x@example.com","password":"` + p + `"}` }
	nickname := func(email, n string) string {
		return user(email+"@example.com", `,"password":"correct horse","nickname":"`+n+`"`)
	}
	const good = `,"password":"correct horse"`
	w.play(nil, []scenario{
		{
			name: "no e-mail", path: path, body: `{"password":"correct horse"}`, status: 400, code: 1001,
			says: "email is required",
		},
		{name: "a blank e-mail", path: path, body: user("  ", good), status: 400, code: 1001, says: "email is required"},
		{
			name: "no address", path: path, body: user("ada", good), status: 400, code: 1001,
			says: "email must be one plain e-mail address",
		},
		{name: "no domain", path: path, body: user("nobody@", good), status: 400, code: 1001, says: "email"},
		{
			name: "a display name", path: path, body: user("Ada Lovelace <ada@example.org>", good), status: 400, code: 1001,
			says: "email",
		},
		{name: "brackets", path: path, body: user("<ada@example.org>", good), status: 400, code: 1001, says: "email"},
		{
			name: "two addresses", path: path, body: user("ada@example.org,bob@example.org", good), status: 400, code: 1001,
			says: "email",
		},
		{name: "a comment", path: path, body: user("ada@example.org (Ada)", good), status: 400, code: 1001, says: "email"},
		{
			name: "a control character", path: path, body: user(`ada\u0007@example.org`, good), status: 400, code: 1001,
			says: "email",
		},
		{name: "a line break", path: path, body: user(`ada\n@example.org`, good), status: 400, code: 1001, says: "email"},
		{
			name: "an e-mail of 255 bytes", path: path, body: user(long+"b@example.com", good), status: 400, code: 1001,
			says: "email must be at most 254 bytes",
		},
		{name: "an e-mail of 254 bytes", path: path, body: user(long+"@example.com", good), status: 200},
		{
			name: "no password", path: path, body: user("ada@example.org", ""), status: 400, code: 1001,
			says: "password is required",
		},
		{
			name: "a password of 5", path: path, body: password("a2345"), status: 400, code: 1001,
			says: "password must be at least 6 characters",
		},
		{name: "a password of 6", path: path, body: password("b23456"), status: 200},
		{
			name: "a password of 5 Chinese characters", path: path, body: user("zh@example.com", `,"password":"密码密码密"`),
			status: 400, code: 1001, says: "password",
		},
		{
			name: "a password of 6 Chinese characters", path: path, body: user("zh@example.com", `,"password":"密码密码密码"`),
			status: 200,
		},
		{name: "a password of 256", path: path, body: password("c" + strings.Repeat("x", 255)), status: 200},
		{
			name: "a password of 257", path: path, body: password("d" + strings.Repeat("x", 256)), status: 400, code: 1001,
			says: "password must be at most 256 characters",
		},
		{
			name: "a password of 16,000", path: path, body: password("j" + strings.Repeat("x", 16_000)), status: 400,
			code: 1001, says: "password must be at most 256 characters",
		},
		{
			name: "a password of a megabyte", path: path, body: password("j" + strings.Repeat("x", 1<<20)), status: 413,
			code: 1001, says: "larger than 16 KiB",
		},
		{name: "a nickname of 64", path: path, body: nickname("e", strings.Repeat("名", 64)), status: 200},
		{
			name: "a nickname of 65", path: path, body: nickname("f", strings.Repeat("名", 65)), status: 400, code: 1001,
			says: "nickname must be at most 64 characters",
		},
		{
			name: "a control character in the nickname", path: path, body: nickname("g", `A\u0007da`), status: 400, code: 1001,
			says: "nickname must not contain control characters",
		},
		{name: "a blank nickname is none", path: path, body: nickname("h", "  "), status: 200},
		{name: "SQL is plain text", path: path, body: nickname("i", `'); DROP TABLE users; --`), status: 200},
		{name: "taken", path: path, body: user("bx@example.com", good), status: 409, code: 1004},
	})
}

func loginTellsWhatIsWrong(w *world) {
	w.user("ada")
	const path = "/api/auth/login"
	w.play(nil, []scenario{
		{name: "right", path: path, body: `{"email":"` + w.address("ada") + `","password":"password of ada"}`, status: 200},
		{
			name: "no such e-mail", path: path, body: `{"email":"eve@example.com","password":"password of eve"}`, status: 404,
			code: 1002,
		},
		{
			name: "wrong password", path: path, body: `{"email":"` + w.address("ada") + `","password":"password of eve"}`,
			status: 401, code: 1003,
		},
		{
			name: "a password in another case", path: path,
			body:   `{"email":"` + w.address("ada") + `","password":"Password of ada"}`,
			status: 401, code: 1003,
		},
		{
			name: "a password too short to exist", path: path, body: `{"email":"` + w.address("ada") + `","password":"x"}`,
			status: 401, code: 1003,
		},
		{
			name: "no password", path: path, body: `{"email":"` + w.address("ada") + `"}`, status: 400, code: 1001,
			says: "password is required",
		},
		{
			name: "an empty password", path: path, body: `{"email":"` + w.address("ada") + `","password":""}`, status: 400,
			code: 1001, says: "password is required",
		},
		{name: "no e-mail", path: path, body: `{"password":"password of ada"}`, status: 400, code: 1001, says: "email"},
		{
			name: "no address", path: path, body: `{"email":"nobody","password":"password of ada"}`, status: 400, code: 1001,
			says: "email",
		},
		{
			name: "a number for the password", path: path, body: `{"email":"` + w.address("ada") + `","password":123456}`,
			status: 400, code: 1001, says: "password must be a string",
		},
	})
}

func everyLoginHasItsOwnTokenAndLogoutEndsJustThat(w *world) {
	ctx := w.Context()
	first := w.user("ada")
	second := w.login("ada", "password of ada")
	if first.Token() == second.Token() {
		w.Fatal("two logins share a token")
	}
	w.must(first.Logout(ctx))
	_, err := first.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	w.wants(first.Logout(ctx), parley.CodeBadToken, 401)
	_, err = second.User(ctx)
	w.must(err)
}

// login logs a user in by name.
func (w *world) login(name, password string) *client.Client {
	w.Helper()
	c := w.guest()
	_, err := c.Login(w.Context(), parley.LoginInput{Email: w.address(name), Password: password})
	w.must(err)
	return c
}

func TestTokensAreRandomAndKeptAsAHashOnly(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		const bits256 = 43 // 256 bits in base64 without padding
		if len(ada.Token()) < bits256 {
			w.Errorf("the token %q has less than 256 bits", ada.Token())
		}
		stored := w.storedBytes("tokens")
		for _, form := range []string{ada.Token(), hex.EncodeToString([]byte(ada.Token())), "password of ada"} {
			if strings.Contains(stored, form) {
				w.Errorf("the database holds %q", form)
			}
		}
	})
}

// storedBytes returns all data of a table. With SQLite it returns the whole database.
func (w *world) storedBytes(table string) string {
	w.Helper()
	if w.DatabaseURL != "" {
		var rows string
		w.must(w.database().QueryRowContext(w.Context(),
			"SELECT string_agg(CAST(t AS TEXT), ' ') FROM "+table+" t").Scan(&rows))
		return rows
	}
	files, err := filepath.Glob(filepath.Join(w.Dir, "parley.db*"))
	w.must(err)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		w.must(err)
		all.Write(text)
	}
	return all.String()
}

func TestTokensExpire(t *testing.T) {
	settings := func(w *world) {
		w.TokenTTL = time.Hour
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		w.clock.forward(59 * time.Minute)
		_, err := ada.User(ctx)
		w.must(err)
		late := w.login("ada", "password of ada")
		w.clock.forward(2 * time.Minute)
		_, err = ada.User(ctx)
		w.wants(err, parley.CodeBadToken, 401)
		tokens, err := late.Tokens(ctx)
		w.must(err)
		if len(tokens.Tokens) != 1 {
			w.Errorf("expired logins are listed: %+v", tokens)
		}
	})
}

func loginsAreListedAndEnded(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	w.clock.forward(time.Minute)
	phone := w.login("ada", "password of ada")
	list, err := phone.Tokens(ctx)
	w.must(err)
	if len(list.Tokens) != 2 || !list.Tokens[0].Current || list.Tokens[1].Current ||
		list.Tokens[0].CreatedAt <= list.Tokens[1].CreatedAt {
		w.Fatalf("got %+v, want the newest first, and that current", list)
	}
	for _, token := range list.Tokens {
		if token.ID == "" || !strings.HasPrefix(token.Client, "parley-go/") || token.ExpiresAt-token.CreatedAt != 720*3600 {
			w.Errorf("got %+v", token)
		}
	}
	w.must(phone.EndToken(ctx, list.Tokens[1].ID))
	_, err = ada.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	w.wants(phone.EndToken(ctx, list.Tokens[1].ID), parley.CodeInvalidParameter, 404)
	w.must(phone.EndToken(ctx, list.Tokens[0].ID))
	_, err = phone.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
}

func profileChangesWhatIsGiven(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	const path = "/api/user/info"
	w.play(ada, []scenario{
		{
			name: "both", method: "PATCH", path: path, body: `{"nickname":" Ada L. ","avatar":"https://example.com/ada.png"}`,
			status: 200,
		},
		{name: "nothing", method: "PATCH", path: path, body: `{}`, status: 200},
		{name: "null", method: "PATCH", path: path, body: `{"nickname":null,"avatar":null}`, status: 200},
		{
			name: "a blank nickname", method: "PATCH", path: path, body: `{"nickname":"  "}`, status: 400, code: 1001,
			says: "nickname must not be blank",
		},
		{
			name: "a long nickname", method: "PATCH", path: path, body: `{"nickname":"` + strings.Repeat("x", 65) + `"}`,
			status: 400, code: 1001, says: "nickname must be at most 64",
		},
		{
			name: "a control character", method: "PATCH", path: path, body: `{"nickname":"a\tb"}`, status: 400, code: 1001,
			says: "nickname must not contain control",
		},
		{
			name: "a script for an avatar", method: "PATCH", path: path, body: `{"avatar":"javascript:alert(1)"}`, status: 400,
			code: 1001, says: "avatar must be an http or https address",
		},
		{
			name: "another scheme for an avatar", method: "PATCH", path: path, body: `{"avatar":"ftp://example.com/ada.png"}`,
			status: 400, code: 1001, says: "avatar",
		},
		{
			name: "no scheme for an avatar", method: "PATCH", path: path, body: `{"avatar":"//example.com/ada.png"}`,
			status: 400, code: 1001, says: "avatar",
		},
		{
			name: "no address for an avatar", method: "PATCH", path: path, body: `{"avatar":"ada.png"}`, status: 400,
			code: 1001, says: "avatar",
		},
	})
	user, err := ada.User(ctx)
	w.must(err)
	if user.Nickname != "Ada L." || user.Avatar != "https://example.com/ada.png" {
		w.Errorf("got %+v", user)
	}
	none := ""
	changed, err := ada.UpdateProfile(ctx, parley.ProfileInput{Avatar: &none})
	w.must(err)
	if user, _ = ada.User(ctx); user.Avatar != "" || user.Nickname != "Ada L." || changed != user {
		w.Errorf("got %+v after %+v, want no avatar", user, changed)
	}
}

func passwordChangeEndsEveryOtherToken(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	other := w.login("ada", "password of ada")
	change := func(old, new string) error {
		return ada.ChangePassword(ctx, parley.PasswordInput{OldPassword: old, NewPassword: new})
	}
	w.wants(change("password of eve", "a new password"), parley.CodeWrongPassword, 401)
	w.wants(change("x", "a new password"), parley.CodeWrongPassword, 401) // too short for any password
	w.wants(change("password of ada", "short"), parley.CodeInvalidParameter, 400)
	w.wants(change("password of ada", strings.Repeat("x", 257)), parley.CodeInvalidParameter, 400)
	_, err := other.User(ctx)
	w.must(err) // a failed change ends nothing
	w.must(change("password of ada", "a new password"))
	_, err = other.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	_, err = ada.User(ctx)
	w.must(err)
	_, err = w.guest().Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: "password of ada"})
	w.wants(err, parley.CodeWrongPassword, 401)
	w.login("ada", "a new password")
}

func passwordsDifferPast72Bytes(w *world) {
	ctx := w.Context()
	same := strings.Repeat("x", 72)
	_, err := w.guest().Register(ctx, parley.RegisterInput{Email: w.address("ada"), Password: same + "one"})
	w.must(err)
	_, err = w.guest().Login(ctx, parley.LoginInput{Email: w.address("ada"), Password: same + "two"})
	w.wants(err, parley.CodeWrongPassword, 401)
}

func TestDeletingAnAccountRemovesAllItOwns(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada, eve := w.user("ada"), w.user("eve")
		adas, eves := w.property(ada), w.property(eve)
		other := w.login("ada", "password of ada")
		w.wants(ada.DeleteUser(ctx, parley.DeleteUserInput{Password: "password of eve"}), parley.CodeWrongPassword, 401)
		// This is too short for any password.
		w.wants(ada.DeleteUser(ctx, parley.DeleteUserInput{Password: "x"}), parley.CodeWrongPassword, 401)
		before := w.inventory(eve, eves)
		w.inventory(ada, adas) // nothing was deleted

		w.must(ada.DeleteUser(ctx, parley.DeleteUserInput{Password: "password of ada"}))
		for _, c := range []*client.Client{ada, other} {
			_, err := c.User(ctx)
			w.wants(err, parley.CodeBadToken, 401)
		}
		_, err := w.guest().Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: "password of ada"})
		w.wants(err, parley.CodeNoSuchUser, 404)
		w.eventually("the bytes of the file are gone", func() bool { return !w.onDisk(adas["file_id"]) })
		for _, table := range []string{"tokens", "api_keys", "sessions", "messages", "files", "turns"} {
			if n := w.count(table, eves["session_id"]); n != 0 {
				w.Errorf("%d rows are left in %s", n, table)
			}
		}
		w.eventually("the index has forgotten the account", func() bool {
			return w.count("search_queue", eves["session_id"]) == 0 // this covers the other account's file too
		})
		if w.inventory(eve, eves) != before {
			w.Error("another account changed")
		}

		again := w.user("ada")
		if list, err := again.Sessions(ctx, "", parley.Page{}); err != nil || list.Total != 0 {
			w.Errorf("a new account of the same address has sessions: %+v, %v", list, err)
		}
	})
}

func TestRegistrationCanBeClosed(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		w.user("ada")
		w.Settings.Registration = false
		w.restart()
		_, err := w.guest().Register(ctx, parley.RegisterInput{Email: "eve@example.com", Password: "password of eve"})
		w.wants(err, parley.CodeInvalidParameter, 403)
		w.login("ada", "password of ada")
	})
}

func TestGuessingIsSlowed(t *testing.T) {
	settings := func(w *world) {
		w.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		w.user("ada")
		w.user("eve")
		attempt := func(name, password, address string) *reply {
			return w.request("POST", "/api/auth/login", `{"email":"`+name+`@example.com","password":"`+password+`"}`,
				"X-Forwarded-For: "+address)
		}
		const right, wrong, here, there = "password of ada", "password of nobody", "192.0.2.1", "192.0.2.2"
		for i := range 10 {
			if got := attempt("ada", wrong, here); got.StatusCode != 401 || got.code() != parley.CodeWrongPassword {
				w.Fatalf("wrong password %d: HTTP %d, %s", i+1, got.StatusCode, got.text)
			}
			w.clock.forward(time.Second)
		}
		for _, password := range []string{wrong, right} {
			got := attempt("ada", password, here)
			if got.StatusCode != 429 || got.code() != parley.CodeTooManyAttempts {
				w.Fatalf("the eleventh: HTTP %d, %s", got.StatusCode, got.text)
			}
			if wait, err := strconv.Atoi(got.Header.Get("Retry-After")); err != nil || wait < 400 || wait > 590 {
				w.Errorf("Retry-After is %q, want the rest of ten minutes", got.Header.Get("Retry-After"))
			}
		}
		// The address that the client wrote comes before the one that the proxy added.
		if got := attempt("ada", right, "198.51.100.1, "+here); got.StatusCode != 429 {
			w.Errorf("with a forged address: HTTP %d, %s", got.StatusCode, got.text)
		}
		if got := attempt("ada", right, here+", "+there); got.StatusCode != 200 {
			w.Errorf("from another address that names this one: HTTP %d, %s", got.StatusCode, got.text)
		}
		if got := attempt("ada", right, here+", 127.0.0.9"); got.StatusCode != 429 {
			w.Errorf("through two proxies: HTTP %d, %s", got.StatusCode, got.text)
		}
		if got := attempt("ada", right, there); got.StatusCode != 200 {
			w.Errorf("from another address: HTTP %d, %s", got.StatusCode, got.text)
		}
		if got := attempt("eve", "password of eve", here); got.StatusCode != 200 {
			w.Errorf("another account: HTTP %d, %s", got.StatusCode, got.text)
		}
		w.clock.forward(600 * time.Second)
		if got := attempt("ada", right, here); got.StatusCode != 200 {
			w.Errorf("after the window: HTTP %d, %s", got.StatusCode, got.text)
		}
		for i := range 18 { // the right password in between resets the count
			if i == 9 {
				attempt("ada", right, here)
			}
			if got := attempt("ada", wrong, here); got.code() != parley.CodeWrongPassword {
				w.Fatalf("wrong password %d: HTTP %d, %s", i+1, got.StatusCode, got.text)
			}
		}
	})
}

func aForgedAddressIsNotBelieved(w *world) { // no proxy is trusted
	ada := w.user("ada")
	for i := range 11 {
		got := w.request("POST", "/api/auth/login", `{"email":"`+w.address("ada")+`","password":"password of nobody"}`,
			"X-Forwarded-For: 192.0.2."+string(rune('0'+i%10)))
		if i == 10 && got.StatusCode != 429 {
			w.Errorf("another address each time: HTTP %d", got.StatusCode)
		}
	}
	if n := strings.Count(w.Log.String(), "X-Forwarded-For is ignored"); n != 1 {
		w.Errorf("the log warns %d times", n)
	}
	err := ada.ChangePassword(w.Context(), parley.PasswordInput{
		OldPassword: "password of ada",
		NewPassword: "a new password",
	})
	w.wants(err, parley.CodeTooManyAttempts, 429)
	var limited *client.Error
	if !errors.As(err, &limited) || limited.RetryAfter <= 0 {
		w.Errorf("no Retry-After: %v", err)
	}
}
