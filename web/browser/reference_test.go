package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley"
	"parley/internal/ai/aitest"
)

// openReference opens the reference and waits until it shows its operations.
func openReference(t *testing.T, w *world, hash string, width int64) *tab {
	t.Helper()
	b := open(t, w.url+"/docs"+hash, width)
	b.untilReference()
	return b
}

func (b *tab) untilReference() {
	b.Helper()
	b.until(`document.querySelectorAll("article[id] form").length > 25 && document.querySelector("#guide-errors")`)
}

// try presses the button of an operation and returns what the page shows about the response.
func (b *tab) try(operation string) (status, response string) {
	b.Helper()
	b.eval(`document.querySelector("#` + operation + ` form button.primary").click()`)
	b.until(`document.querySelector("#` + operation + ` form button.primary") &&
		/^HTTP|first|failed/.test(document.querySelector("#` + operation + ` [role=status]").textContent.trim())`)
	shown := value[[]string](b, `["[role=status]", ".response"].map(part =>
		document.querySelector("#`+operation+` " + part)?.textContent.trim() ?? "")`)
	return shown[0], shown[1]
}

// TestEveryOperationWorksAtTheFirstClick tries all operations as a reader without a login.
func TestEveryOperationWorksAtTheFirstClick(t *testing.T) {
	t.Parallel()
	w, _ := mailed(t, "PARLEY_AI_IMAGES=true")
	w.model.Respond(func(r aitest.Request) []aitest.Step {
		if strings.Contains(r.Question(), "every island") { // the test stops this reply, to continue it
			return []aitest.Step{aitest.Text("Capri, "), aitest.Hang()}
		}
		return aitest.Echo(r)
	})
	b := openReference(t, w, "", 1440)
	ids := value[[]string](b, `[...document.querySelectorAll("article[id]:has(form)")].map(e => e.id)`)
	// Only an app and a mailbox have these codes.
	personal := map[string]string{
		"confirmSecondFactor": "Fill in code first.", "confirmReset": "Fill in code first.",
		"checkReset": "Fill in code first.",
	}
	for _, id := range ids {
		if status, response := b.try(id); !strings.HasPrefix(status, cmp.Or(personal[id], "HTTP 200")) {
			t.Errorf("%s: %s %s", id, status, response)
		}
	}
	if status, response := b.try("stream"); !strings.Contains(response, "event: done") {
		t.Errorf("the stream is %s %s", status, response)
	}
	b.checkQuiet(w.url)
}

// TestATrialAccountIsDeletedWithThePage checks that a try leaves no account behind, and does not log in the web client.
func TestATrialAccountIsDeletedWithThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := openReference(t, w, "", 1440)
	_, response := b.try("userInfo")
	var user struct{ Body parley.UserInfo }
	if err := json.Unmarshal([]byte(response), &user); err != nil || user.Body.Email == "" {
		t.Fatalf("the user is %s: %v", response, err)
	}
	if value[bool](b, `localStorage.getItem("parley.token") !== null`) {
		t.Error("the web client is logged in with the trial account")
	}
	b.do(chromedp.Navigate("about:blank"))
	b.do(chromedp.Navigate(w.url + "/docs"))
	b.until(fmt.Sprintf(`fetch("/api/auth/login", {
			method: "POST", body: JSON.stringify({email: %q, password: "any password"})})
		.then(r => r.json()).then(({error}) => window.answer = error) && window.answer === 1002`, user.Body.Email))
}

// TestTheReferenceUsesTheReadersLogin logs in on the page, and tries operations with own and with made inputs.
func TestTheReferenceUsesTheReadersLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.register(t)
	session := w.talk(t, "Mine", "Hello")
	b := openReference(t, w, "", 1440)
	b.press("Use your own account")
	b.write(`input[name="email"]`, email)
	b.write(`input[name="password"]`, password)
	b.eval(`document.querySelector(".account form button.primary").click()`)
	b.shows("uses your account " + email)

	if _, response := b.try("listSessions"); !strings.Contains(response, session) {
		t.Errorf("the sessions are %s", response)
	}
	if _, response := b.try("listMessages"); strings.Contains(response, session) || !strings.Contains(response, "Capri") {
		t.Errorf("the messages of the session that was made are %s", response)
	}
	b.eval(`document.querySelector("#listMessages form [aria-controls]").click()`)
	b.until(`document.querySelector("#listMessages-session_id")`)
	b.fill("#listMessages-session_id", session)
	if _, response := b.try("listMessages"); !strings.Contains(response, "Hello") {
		t.Errorf("the messages of the own session are %s", response)
	}
	// Nothing deletes the reader's account or login by one click.
	for operation, status := range map[string]string{
		"deleteUser": "Fill in password first.", "endToken": "HTTP 200", "changePassword": "Fill in old_password first.",
	} {
		if got, response := b.try(operation); !strings.HasPrefix(got, status) {
			t.Errorf("%s: %s %s", operation, got, response)
		}
	}
	if got, response := b.try("userInfo"); !strings.Contains(response, email) {
		t.Errorf("the login has ended: %s", got)
	}
}

// fill sets the value of a field, as if it was typed.
func (b *tab) fill(selector, text string) {
	b.Helper()
	b.eval(fmt.Sprintf(`const field = document.querySelector(%q)
		field.value = %s
		field.dispatchEvent(new Event("input", {bubbles: true}))`, selector, quoted(text)))
}

// TestTheBodyIsEditedAsFieldsAndAsJSON follows a change from the fields to the sample, to the JSON and back.
func TestTheBodyIsEditedAsFieldsAndAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := openReference(t, w, "", 1440)
	b.eval(`document.querySelector("#send form [aria-controls]").click()`)
	b.until(`document.querySelector("#send-content")`)
	b.fill("#send-content", "Is the sea calm?")
	b.eval(`document.querySelector("#send-deep_thinking").click()`)
	b.until(`document.querySelector("#send .sample").textContent.includes('"deep_thinking": true') &&
		document.querySelector("#send .sample").textContent.includes("Is the sea calm?")`)
	b.press("JSON")
	b.until(`JSON.parse(document.querySelector("#send textarea.json").value).content === "Is the sea calm?"`)
	b.fill("#send textarea.json", `{"content": `)
	b.press("Fields")
	b.shows("This is not JSON.")
	b.fill("#send textarea.json", `{"content": "And tomorrow?"}`)
	b.press("Fields")
	b.until(`document.querySelector("#send-content").value === "And tomorrow?" &&
		!document.querySelector("#send-deep_thinking").checked`)
	if status, response := b.try("send"); !strings.HasPrefix(status, "HTTP 200") {
		t.Errorf("%s %s", status, response)
	}
	if !value[bool](b, `document.querySelector("#send .sample").textContent
		.includes(document.querySelector("#send-session_id").value)`) {
		t.Error("the sample does not show the session that was made")
	}
}

// TestTheReferenceIsSearchedAndFollowed searches the contents, goes to a result and reads on.
func TestTheReferenceIsSearchedAndFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := openReference(t, w, "#follow", 1440)
	b.until(`document.querySelector("nav a[aria-current]")?.hash === "#follow"`)
	b.eval(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))`)
	b.until(`document.activeElement.id === "docs-search"`)
	b.fill("#docs-search", "keyword favorites")
	b.until(`document.querySelectorAll("nav a").length < 5 && document.querySelector('nav a[href="#listFavorites"]')`)
	b.fill("#docs-search", "token_id")
	b.until(`document.querySelector('nav a[href="#endToken"]')`)
	b.enter()
	b.until(`location.hash === "#endToken" &&
		Math.abs(document.querySelector("#endToken").getBoundingClientRect().top) < 100`)
	b.fill("#docs-search", "nowhere to be found")
	b.shows("Nothing matches")
	b.fill("#docs-search", "")
	b.until(`document.querySelector("nav a[aria-current]")?.hash === "#endToken"`)
	b.eval(`document.querySelector("#uploadFile").scrollIntoView()`)
	b.until(`document.querySelector("nav a[aria-current]")?.hash === "#uploadFile"`)
	if !value[bool](b, `(() => {
		const { top, bottom } = document.querySelector("nav a[aria-current]").getBoundingClientRect()
		return top >= 0 && bottom <= innerHeight
	})()`) {
		t.Error("the current entry is not in view")
	}
}

// TestTheReferenceOnAPhone uses the contents in their sheet. Nothing is wider than the screen.
func TestTheReferenceOnAPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := openReference(t, w, "", 390)
	b.eval(`document.querySelectorAll("details").forEach(d => d.open = true)
		document.querySelectorAll("form [aria-controls]").forEach(e => e.click())`)
	b.until(`document.querySelector("#send-content")`)
	if wide := value[[]string](b, `[...document.querySelectorAll("main *")]
		.filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("pre, .tabs"))
		.map(e => e.outerHTML.slice(0, 120))`); len(wide) > 0 ||
		!value[bool](b, `document.documentElement.scrollWidth <= innerWidth`) {
		t.Errorf("wider than the screen: %s", strings.Join(wide, "\n"))
	}
	b.eval(`document.querySelector("button.current").click()`)
	b.until(`document.querySelector("dialog[open] nav a")`)
	b.fill("#docs-search", "export")
	b.until(`document.querySelectorAll("dialog nav a").length < 8`)
	b.eval(`document.querySelector('dialog nav a[href="#exportSession"]').click()`)
	b.until(`!document.querySelector("dialog[open]") &&
		document.querySelector("button.current").textContent.includes("Export a session")`)
	if top := value[float64](b, `document.querySelector("#exportSession-name").getBoundingClientRect().top`); top < 56 {
		t.Errorf("the heading is at %v, under the bar", top)
	}
}

// TestTheReferenceIsInChinese checks that all names, descriptions and guides are Chinese.
func TestTheReferenceIsInChinese(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := openReference(t, w, "", 1440)
	b.prefer(look{"light", "zh", 1440})
	b.do(chromedp.Reload())
	b.untilReference()
	b.shows("快速开始")
	b.until(`document.documentElement.lang === "zh-CN" && document.title === "Parley API 文档"`)
	b.eval(`document.querySelectorAll("details").forEach(d => d.open = true)`)
	english := value[[]string](b, `[...document.querySelectorAll(
			"h1, h2, h3, h4, nav a span, article p, .group p, .guide td:last-child, summary, .account p")]
		.filter(e => !e.closest(".address") && e.innerText.trim() && !/[\u4e00-\u9fff]/.test(e.innerText) &&
			!/^(Parley|GET|false)/.test(e.innerText))
		.map(e => e.innerText)`)
	if len(english) > 0 {
		t.Errorf("not in Chinese: %q", english)
	}
	if status, _ := b.try("send"); !strings.HasPrefix(status, "HTTP 200，用时") {
		t.Errorf("the status is %q", status)
	}
	b.checkQuiet(w.url)
}

// TestTheSamplesOfOperationsAreWellFormed parses the samples of all operations in each language.
func TestTheSamplesOfOperationsAreWellFormed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := openReference(t, w, "", 1440)
	for name, check := range map[string]func(samples []string) error{
		"curl": func(samples []string) error {
			return piped(t.Context(), "bash", strings.Join(samples, "\n"), "-n")
		},
		"JavaScript": func(samples []string) error {
			return piped(t.Context(), "node", "{"+strings.Join(samples, "}\n{")+"}", "--check", "--input-type=module", "-")
		},
		"TypeScript": func(samples []string) error { // without types it is JavaScript
			code := strings.ReplaceAll("{"+strings.Join(samples, "}\n{")+"}", `import { Client } from "@parley/client";`, "")
			return piped(t.Context(), "node", code, "--check", "--input-type=module", "-")
		},
		"Python": func(samples []string) error {
			return piped(t.Context(), "python3", strings.Join(samples, "\n"),
				"-c", "import ast, sys; ast.parse(sys.stdin.read())")
		},
		"Go": func(samples []string) error {
			code := "package p\nfunc f() error {\n{" + strings.Join(samples, "}\n{") + "}\nreturn nil\n}"
			_, err := parser.ParseFile(token.NewFileSet(), "", code, 0)
			return err
		},
	} {
		b.eval(`[...document.querySelectorAll("#login .tabs button")]
			.find(e => e.textContent.trim() === "` + name + `").click()`)
		b.until(`document.querySelector("#login .tabs [aria-pressed=true]").textContent.trim() === "` + name + `"`)
		samples := value[[]string](b, `[...document.querySelectorAll("article:has(form) .sample code")]
			.map(e => e.textContent)`)
		if len(samples) < 25 {
			t.Fatalf("%s: only %d samples", name, len(samples))
		}
		if err := check(samples); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// piped runs a program with an input.
func piped(ctx context.Context, program, input string, arguments ...string) error {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Stdin = strings.NewReader(input)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
