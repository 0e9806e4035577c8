package browser

import (
	"fmt"
	"regexp"
	"testing"

	"parley"
)

// claimCode returns the code in the server's log that makes a user the first administrator.
func (w *world) claimCode(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`there is no administrator;.* code=(\S+)`).FindStringSubmatch(w.log)
	if found == nil {
		t.Fatalf("the log has no code:\n%s", w.log)
	}
	return found[1]
}

// registerAs creates another account and returns its token.
func (w *world) registerAs(t *testing.T, address, nickname string) string {
	t.Helper()
	in := parley.RegisterInput{Email: address, Password: password, Nickname: nickname}
	out, err := w.stranger().Register(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Token
}

// pick chooses an item of the menu of an account.
func (b *tab) pick(address, item string) {
	b.Helper()
	b.press("Actions for " + address)
	b.press(item)
}

// confirm presses a button of the open dialog, and waits until the dialog is closed.
func (b *tab) confirm(name string) {
	b.Helper()
	const dialog = `document.querySelector("dialog[open]")`
	b.until(dialog)
	b.press(name)
	b.until(`!` + dialog)
}

const bob = "bob@example.com"

// row is an expression for the text of Bob's account in the list.
const row = `[...document.querySelectorAll(".table li")].map(e => e.innerText).find(e => e.includes("` + bob + `"))`

// TestAnAdministratorRunsTheServer goes from the code in the log to the entries in the audit log.
func TestAnAdministratorRunsTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	other := signedIn(t, w, w.registerAs(t, bob, "Bob"), "#/", 1280)
	b := signedIn(t, w, token, "#/", 1280)
	b.eval(`localStorage.removeItem("parley.setUp")`)
	b.reload()

	b.shows("This server has no administrator yet.")
	b.write(`[name="claim-code"]`, "wrong")
	b.press("Become administrator")
	b.shows("This code is wrong, has expired or was used.")
	b.eval(`document.querySelector("[name=claim-code]").select()`)
	b.write(`[name="claim-code"]`, w.claimCode(t))
	b.press("Become administrator")
	b.shows("You are the administrator")
	b.shows("scripted responds.")
	b.shows("Anyone who can reach this server can create an account.")
	b.until(button("How to run a server"))
	b.press("Close this card")
	b.until(`!document.body.innerText.includes("You are the administrator")`)

	b.choose("Administration")
	b.until(button("Audit log"))
	b.shows("Errors of the last hour")
	b.manageBob(w, other)

	b.press("Settings")
	b.until(`document.querySelector("[role=switch]")?.ariaChecked === "true"`)
	b.eval(`document.querySelector("[role=switch]").click()`)
	b.until(`document.querySelector("[role=switch]").ariaChecked === "false"`)
	in := parley.RegisterInput{Email: "carl@example.com", Password: password}
	if _, err := w.stranger().Register(t.Context(), in); err == nil {
		t.Error("registration is still open")
	}

	b.write(`[name="retention"]`, "1h")
	b.enter()
	b.shows("This retention deletes 1 chat of 1 user for good.")
	b.confirm("Cancel")
	b.eval(`document.querySelector("[name=retention]").form.requestSubmit()`)
	b.confirm("Delete these chats")
	if out, err := w.api.WithToken(token).Settings(t.Context()); err != nil || out.Retention != "1h" {
		t.Errorf("the settings are %+v, %v", out, err)
	}

	b.press("Usage")
	b.shows("bob@example.com")
	b.press("Audit log")
	for _, event := range []string{
		"Became the first administrator", "Code for administrators refused", "Account disabled", "Account enabled",
		"Quota set", "Password reset", "Setting of the server changed", "Login refused",
	} {
		b.until(fmt.Sprintf(`[...document.querySelectorAll("li p")].some(e => e.innerText === %s)`, quoted(event)))
	}
	b.until(`[...document.querySelectorAll("li")].map(e => e.innerText.replace(/\s+/g, " "))
		.some(e => e.startsWith("Account disabled Account 2 · by administrator 1 · "))`)
	b.checkQuiet(w.url)
}

// manageBob does everything with an account that does not end it, while its user has another tab.
func (b *tab) manageBob(w *world, other *tab) {
	b.Helper()
	other.ask("Hello")
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)
	b.press("Users")
	b.until(row + `.includes("1 reply, ")`)

	b.pick(bob, "Disable")
	b.confirm("Disable")
	b.until(row + `.includes("Disabled")`)
	other.eval(`location.hash = "#/favorites"`)
	other.shows("You have been logged out.")
	other.tryToLogIn(bob, password)
	other.shows("this account is disabled")

	b.pick(bob, "Enable")
	b.confirm("Enable")
	b.until(`!` + row + `.includes("Disabled")`)

	b.pick(bob, "Quota…")
	b.until(`document.querySelector("dialog[open]")`)
	b.eval(`document.querySelector("dialog input[value=own]").click()`)
	b.write(`dialog [name="quota"]`, "messages=1")
	b.shows("Write limits as")
	b.write(`dialog [name="quota"]`, "/d")
	b.confirm("Save")
	b.until(row + `.includes("messages=1/d")`)
	b.pick(bob, "Quota…")
	b.until(`document.activeElement.matches("dialog[open] input[value=own]")`)
	b.confirm("Cancel")

	b.pick(bob, "Reset password")
	b.until(`document.querySelector("dialog[open]")`)
	b.press("Reset password")
	b.until(`document.querySelector("dialog input[readonly]")`)
	fresh := value[string](b, `document.querySelector("dialog input[readonly]").value`)
	b.confirm("Close")
	other.reload()
	other.tryToLogIn(bob, fresh)
	other.until(`document.querySelector("#composer") || document.querySelector("[type=search]")`)
	other.eval(`location.hash = "#/"`)
	other.until(`document.querySelector("#composer")`)
	other.ask("And now?")
	other.shows("No reply for now: your quota for today is used up")
}

// tryToLogIn fills in the page for it.
func (b *tab) tryToLogIn(address, secret string) {
	b.Helper()
	b.until(`document.querySelector("input[name=password]")`)
	b.fill(`input[name="email"]`, address)
	b.fill(`input[name="password"]`, secret)
	b.eval(`document.querySelector("form").requestSubmit()`)
}

// TestOthersFindNoAdministration opens its address without the role.
func TestOthersFindNoAdministration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	if _, err := w.api.Claim(t.Context(), parley.ClaimInput{Code: w.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, w.registerAs(t, bob, "Bob"), "#/admin/users", 1280)
	b.shows("There is nothing here.")
	if value[bool](b, `document.querySelector("a[href='#/admin']") !== null`) {
		t.Error("the sidebar has a link to the administration")
	}
	if value[bool](b, `document.body.innerText.includes("`+email+`")`) {
		t.Error("the page names another user")
	}
	b.checkQuiet(w.url)
}

// TestAnAccountIsDeletedAfterItsAddressIsTyped deletes one from the list.
func TestAnAccountIsDeletedAfterItsAddressIsTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	w.registerAs(t, bob, "Bob")
	if _, err := w.api.Claim(t.Context(), parley.ClaimInput{Code: w.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/admin/users", 390)
	b.pick(bob, "Delete…")
	b.until(`document.querySelector("dialog [type=submit]").disabled`)
	b.write(`dialog [name="confirm-email"]`, bob)
	b.confirm("Delete permanently")
	b.until(`!document.querySelector(".table").innerText.includes("` + bob + `")`)
	if _, err := w.stranger().Login(t.Context(), parley.LoginInput{Email: bob, Password: password}); err == nil {
		t.Error("the account still exists")
	}
	b.checkQuiet(w.url)
}
