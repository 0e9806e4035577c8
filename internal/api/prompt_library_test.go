package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

func TestPromptLibrary(t *testing.T) {
	shared(t, []part{
		{"prompts are kept to the letter", promptsAreKeptToTheLetter},
		{"prompt inputs", promptInputs},
	})
}

func TestPromptsForAll(t *testing.T) {
	t.Run("only administrators offer prompts to all", func(t *testing.T) { each(t, onlyAdministratorsOfferPromptsToAll) })
	t.Run("long prompts are sent in pieces", func(t *testing.T) { each(t, longPromptsAreSentInPieces) })
	t.Run("ones own prompts are exported", func(t *testing.T) { each(t, onesOwnPromptsAreExported) })
}

// prompt keeps a prompt and returns its id.
func (w *world) prompt(c *client.Client, in parley.PromptInput) string {
	w.Helper()
	out, err := c.CreatePrompt(w.Context(), in)
	w.must(err)
	return out.PromptID
}

func (w *world) prompts(c *client.Client) []parley.Prompt {
	w.Helper()
	out, err := c.Prompts(w.Context())
	w.must(err)
	return out.Prompts
}

func promptsAreKeptToTheLetter(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	if got := w.request("GET", "/api/prompts", "", as(ada)); !strings.Contains(got.text, `"prompts":[]`) {
		w.Errorf("without prompts: %s", got.text)
	}
	const text = "  Translate {{text}}\n\tinto {{the language}}. {{ 语言 }}\n"
	id := w.prompt(ada, parley.PromptInput{Name: "  Translate  ", Text: text})
	if got := w.prompts(ada); len(got) != 1 || got[0].PromptID != id || got[0].Name != "Translate" ||
		got[0].Text != text || !got[0].Own || got[0].Shared || got[0].CreatedAt != w.clock.now().Unix() {
		w.Errorf("the prompts are %+v", got)
	}
	second := w.prompt(ada, parley.PromptInput{Name: "Second", Text: "2"})
	w.must(ada.UpdatePrompt(ctx, id, parley.UpdatePromptInput{Name: new("First")}))
	if got := w.prompts(ada); len(got) != 2 || got[0].PromptID != second || got[1].Name != "First" || got[1].Text != text {
		w.Errorf("after a change of the name: %+v", got)
	}
	w.must(ada.UpdatePrompt(ctx, id, parley.UpdatePromptInput{Text: new("1"), Shared: new(false)}))
	if got := w.prompts(ada); got[1].Name != "First" || got[1].Text != "1" {
		w.Errorf("after a change of the text: %+v", got)
	}
	w.must(ada.DeletePrompt(ctx, second))
	w.wants(ada.DeletePrompt(ctx, second), parley.CodeNoSuchSession, 404)
	if got := w.prompts(ada); len(got) != 1 || got[0].PromptID != id {
		w.Errorf("after a deletion: %+v", got)
	}
}

func promptInputs(w *world) {
	ada := w.user("ada")
	id := w.prompt(ada, parley.PromptInput{Name: "n", Text: "t"})
	long, longest := strings.Repeat("界", parley.MaxPromptText+1), strings.Repeat("界", parley.MaxPromptText)
	for body, rule := range map[string]string{
		`{"text":"t"}`:                                           "name",
		`{"name":"n"}`:                                           "text",
		`{"name":null,"text":"t"}`:                               "name",
		`{"name":" ","text":"t"}`:                                "name must not be blank",
		`{"name":"a\nb","text":"t"}`:                             "name must not contain control characters",
		`{"name":"n","text":" \n"}`:                              "text must not be blank",
		`{"name":"n","text":"` + long + `"}`:                     "text",
		`{"name":"` + strings.Repeat("n", 101) + `","text":"t"}`: "name",
		`{"name":"n","text":"t","shared":"yes"}`:                 "shared",
	} {
		got := w.request("POST", "/api/prompts", body, as(ada))
		if got.StatusCode != http.StatusBadRequest || got.code() != parley.CodeInvalidParameter ||
			!strings.Contains(got.text, rule) {
			w.Errorf("%.60s: HTTP %d, %s", body, got.StatusCode, got.text)
		}
		if strings.Contains(body, "null") || !strings.Contains(body, `"name"`) || !strings.Contains(body, `"text"`) {
			continue // a change needs only one of them
		}
		got = w.request("PATCH", "/api/prompts/"+id, body, as(ada))
		if got.StatusCode != http.StatusBadRequest || !strings.Contains(got.text, rule) {
			w.Errorf("changed to %.60s: HTTP %d, %s", body, got.StatusCode, got.text)
		}
	}
	got := w.request("PATCH", "/api/prompts/"+id, `{}`, as(ada))
	if got.StatusCode != http.StatusBadRequest || !strings.Contains(got.text, "name, text or shared is required") {
		w.Errorf("a change of nothing: HTTP %d, %s", got.StatusCode, got.text)
	}
	if got := w.prompts(ada); len(got) != 1 || got[0].Name != "n" || got[0].Text != "t" {
		w.Errorf("the prompts are %+v", got)
	}
	w.prompt(ada, parley.PromptInput{Name: strings.Repeat("界", parley.MaxPromptName), Text: longest})
	for range parley.MaxPrompts - 2 {
		w.prompt(ada, parley.PromptInput{Name: "n", Text: "t"})
	}
	_, err := ada.CreatePrompt(w.Context(), parley.PromptInput{Name: "n", Text: "t"})
	w.wants(err, parley.CodeInvalidParameter, 400)
	w.must(ada.DeletePrompt(w.Context(), id))
	w.prompt(ada, parley.PromptInput{Name: "n", Text: "t"})
}

func onlyAdministratorsOfferPromptsToAll(w *world) {
	ctx := w.Context()
	ada, admin := w.user("ada"), w.admin("admin")
	own := w.prompt(ada, parley.PromptInput{Name: "Own", Text: "t"})
	_, err := ada.CreatePrompt(ctx, parley.PromptInput{Name: "n", Text: "t", Shared: true})
	w.wants(err, parley.CodeInvalidParameter, 403)
	w.wants(ada.UpdatePrompt(ctx, own, parley.UpdatePromptInput{Shared: new(true)}), parley.CodeInvalidParameter, 403)
	w.prompt(admin, parley.PromptInput{Name: "Private", Text: "t"})
	forAll := w.prompt(admin, parley.PromptInput{Name: "For all", Text: "{{question}}?", Shared: true})

	got := w.prompts(ada)
	if len(got) != 2 || got[0].PromptID != own || !got[0].Own ||
		got[1].PromptID != forAll || got[1].Own || !got[1].Shared || got[1].Text != "{{question}}?" {
		w.Errorf("a user sees %+v", got)
	}
	if got := w.prompts(admin); len(got) != 2 || !got[0].Own || !got[0].Shared || !got[1].Own || got[1].Shared {
		w.Errorf("the administrator sees %+v", got)
	}
	w.wants(ada.UpdatePrompt(ctx, forAll, parley.UpdatePromptInput{Name: new("Mine")}), parley.CodeNoSuchSession, 404)
	w.wants(ada.DeletePrompt(ctx, forAll), parley.CodeNoSuchSession, 404)

	_, key := w.key(admin, parley.ScopeChat)
	if got := w.prompts(key); len(got) != 2 {
		w.Errorf("a key lists %+v", got)
	}
	w.wants(key.DeletePrompt(ctx, forAll), parley.CodeInvalidParameter, 403)
	w.must(admin.UpdatePrompt(ctx, forAll, parley.UpdatePromptInput{Shared: new(false)}))
	if got := w.prompts(ada); len(got) != 1 {
		w.Errorf("a user still sees %+v", got)
	}
}

func longPromptsAreSentInPieces(w *world) {
	ada, admin := w.user("ada"), w.admin("admin")
	const count = 24 // more than a batch
	for i := range count {
		in := parley.PromptInput{Name: fmt.Sprint(i), Text: strings.Repeat("界", parley.MaxPromptText)}
		w.prompt(ada, in)
		in.Shared = true
		w.prompt(admin, in)
	}
	for name, c := range map[string]*client.Client{"with own ones": ada, "without": w.user("bob")} {
		got := w.prompts(c)
		if name == "with own ones" {
			if len(got) != 2*count {
				w.Fatalf("%s: %d prompts", name, len(got))
			}
			got = got[count:]
		}
		for i, p := range got {
			if p.Name != fmt.Sprint(count-1-i) || p.Own || len(p.Text) != 3*parley.MaxPromptText {
				w.Errorf("%s: prompt %d is %s with %d bytes", name, i, p.Name, len(p.Text))
			}
		}
	}
}

func onesOwnPromptsAreExported(w *world) {
	ada, admin := w.user("ada"), w.admin("admin")
	w.prompt(ada, parley.PromptInput{Name: "Own", Text: "a {{blank}}"})
	w.prompt(admin, parley.PromptInput{Name: "For all", Text: "t", Shared: true})
	for c, name := range map[*client.Client]string{ada: "Own", admin: "For all"} {
		var prompts []parley.Prompt
		w.must(json.Unmarshal([]byte(w.account(c)["prompts.json"]), &prompts))
		if len(prompts) != 1 || prompts[0].Name != name {
			w.Errorf("the exported prompts are %+v", prompts)
		}
	}
}
