package browser

import "testing"

func TestTheReferenceCallsOperations(t *testing.T) {
	w := newWorld(t)
	b := open(t, w.url+"/docs", 1440)
	b.shows("API reference")
	b.until(`document.querySelectorAll("article[id]").length > 25`)
	b.write(`form input[name="email"]`, email)
	b.write(`form input[name="password"]`, password)
	b.eval(`document.querySelector("form.bar .choice button:last-child").click()`)
	b.shows("Logged in as " + email)

	try := func(operation string) {
		t.Helper()
		b.eval(`const e = document.getElementById("` + operation + `")
			e.querySelectorAll("details").forEach(d => d.open = true)
			setTimeout(() => e.querySelector("form button.primary").click())`)
		b.until(`document.querySelector("#` + operation + ` .outcome p")?.textContent.startsWith("HTTP ")`)
	}
	try("createSession")
	b.until(`document.querySelector("#createSession .outcome pre").textContent.includes('"session_id"')`)
	try("listSessions")
	b.until(`document.querySelector("#listSessions .outcome pre").textContent.includes('"total": 1')`)

	// A stream is shown as it comes.
	b.eval(`
		const session = JSON.parse(document.querySelector("#createSession .outcome pre").textContent).body.session_id
		const body = document.querySelector("#stream textarea")
		body.value = JSON.stringify({session_id: session, content: "Hello"})
		body.dispatchEvent(new Event("input", {bubbles: true}))`)
	try("stream")
	b.until(`document.querySelector("#stream .outcome pre").textContent.includes("event: done")`)

	for name, words := range map[string]string{
		"curl":       "curl -X POST",
		"JavaScript": "await fetch",
		"Go":         "http.NewRequestWithContext",
	} {
		b.press(name)
		b.until(`document.querySelector("#login .code-sample code").textContent.includes(` + quoted(words) + `)`)
	}
	b.checkQuiet(w.url)
}
