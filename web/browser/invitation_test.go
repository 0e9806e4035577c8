package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
)

// TestAPersonIsInvited goes from the administration of a server with closed registration to the first chat of somebody
// who got a link.
func TestAPersonIsInvited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.register(t)
	if _, err := w.api.Claim(t.Context(), parley.ClaimInput{Code: w.claimCode(t)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.api.UpdateSettings(t.Context(), parley.SettingsInput{Registration: new(bool)}); err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, w, token, "#/admin/users", 1440)
	b.press("Add people")
	b.write(`dialog [name="emails"]`, bob+", "+email)
	b.press("Add")
	b.shows("An account with this e-mail address already exists.")
	link := value[string](b, `document.querySelector("dialog input[readonly]").value`)
	b.confirm("Close")
	b.until(row + `.includes("Invited")`)

	other := open(t, w.url, 390)
	other.shows("Registration is closed. The administrator of this server can add you.")
	if value[bool](other, `document.body.innerText.includes("Create account")`) {
		t.Error("the login page offers an account")
	}
	other.do(chromedp.Navigate(link))
	other.shows("You are invited as")
	other.shows(bob)
	other.until(`!location.hash.includes("invite")`)
	other.write(`input[name="new"]`, password)
	other.enter()
	other.until(`document.querySelector("#composer") && localStorage.getItem("parley.token")`)
	other.ask("Hello")
	other.until(`document.querySelectorAll("article[data-state=stored]").length === 2`)

	b.do(chromedp.Navigate(link))
	b.shows("This invitation was used before or has expired.")
	b.press("Back to Parley")
	b.until(`document.querySelector("#composer") && localStorage.getItem("parley.token")`)
	b.checkQuiet(w.url)
}
