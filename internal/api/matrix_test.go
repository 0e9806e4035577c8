package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"parley"
	"parley/client"
	"parley/internal/extract/history/historytest"
)

func TestTheMatrix(t *testing.T) {
	shared(t, []part{
		{"every private route wants a token", everyPrivateRouteWantsAToken},
		{"every route has its role", everyRouteHasItsRole},
		{"a wrong method gives no route of administrators away", aWrongMethodGivesNothingAway},
		{"an administrator reads no conversations", anAdministratorReadsNoConversations},
		{"every change of an administrator is audited", everyChangeOfAnAdministratorIsAudited},
		{"what belongs to others does not exist", whatBelongsToOthersDoesNotExist},
		{"lists show ones own only", listsShowOnesOwnOnly},
	})
}

// things holds the ids of one user's objects by the name of their input.
type things map[string]string

// idNames are the inputs that are ids.
var idNames = []string{
	"session_id", "message_id", "file_id", "token_id", "replaces", "share_id", "import_id", "key_id", "prompt_id",
}

// property creates one object of each kind for a user.
func (w *world) property(c *client.Client) things {
	w.Helper()
	ctx := w.Context()
	session := w.session(c, "Private plans")
	sent := w.say(c, session, "A private question")
	file, err := c.Upload(ctx, session, "private.txt", strings.NewReader("private text"))
	w.must(err)
	_, err = c.AddFavorite(ctx, parley.AddFavoriteInput{SessionID: session, MessageID: sent.AIResponse.ID})
	w.must(err)
	tokens, err := c.Tokens(ctx)
	w.must(err)
	share, err := c.Share(ctx, session, parley.ShareInput{})
	w.must(err)
	key, _ := w.key(c, parley.ScopeRead)
	imported, _ := w.imported(c, historytest.ChatGPT(historytest.Conversation{Title: "Private but empty"}))
	return things{
		"session_id": session, "message_id": sent.AIResponse.ID, "file_id": file.FileID,
		"token_id": tokens.Tokens[0].ID, "replaces": sent.UserMessageID, "share_id": share.ShareID,
		"import_id": imported, "key_id": key,
		"prompt_id": w.prompt(c, parley.PromptInput{Name: "Private", Text: "private"}),
	}
}

// inventory returns everything that users can see of their own data.
func (w *world) inventory(c *client.Client, own things) string {
	w.Helper()
	var all []string
	for _, path := range []string{
		"/api/user/info", "/api/user/tokens", "/api/user/keys", "/api/chat/sessions", "/api/chat/sessions?archived=true",
		"/api/favorites/list", "/api/chat/session/" + own["session_id"], "/api/shares", "/api/prompts",
		"/api/chat/messages?session_id=" + own["session_id"], "/api/chat/session/" + own["session_id"] + "/files",
		"/api/files/" + own["file_id"], "/api/import/" + own["import_id"],
	} {
		got := w.request("GET", path, "", as(c))
		if got.StatusCode != http.StatusOK {
			w.Fatalf("%s: HTTP %d, %s", path, got.StatusCode, got.text)
		}
		all = append(all, strings.ReplaceAll(got.text, w.URL, "")) // links change with the port
	}
	return strings.Join(all, "\n")
}

func everyPrivateRouteWantsAToken(w *world) {
	ada := w.user("ada")
	own := w.property(ada)
	before := w.inventory(ada, own)
	for key, op := range mustDocument(w.T).operations {
		if !op.secured() || op.isHidden() {
			continue
		}
		for _, token := range []string{"", "Authorization: Bearer garbage", "Authorization: Bearer " +
			strings.Repeat("A", 43)} {
			got := op.call(w, own, token)
			if got.StatusCode != 401 || got.code() != parley.CodeBadToken || got.Header.Get("WWW-Authenticate") != "Bearer" {
				w.Errorf("%s with %q: HTTP %d, %s", key, token, got.StatusCode, got.text)
			}
		}
	}
	if after := w.inventory(ada, own); after != before {
		w.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
}

// whatBelongsToOthersDoesNotExist tries every route with ids of another user. The responses must be the same, byte
// for byte, as for unknown ids.
func whatBelongsToOthersDoesNotExist(w *world) {
	ada, eve := w.user("ada"), w.user("eve")
	adas, eves := w.property(ada), w.property(eve)
	before := w.inventory(ada, adas)
	const unknown, malformed = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10", "nonsense"
	tried := 0
	for key, op := range mustDocument(w.T).operations {
		if !op.secured() { // anyone who knows its id can read a share
			continue
		}
		inputs, _ := op.inputs()
		for _, name := range idNames {
			if !slices.Contains(inputs, name) {
				continue
			}
			tried++
			foreign := op.call(w, eves.but(name, adas[name]), as(eve))
			if foreign.StatusCode != http.StatusNotFound || strings.Contains(foreign.text, adas[name]) {
				w.Errorf("%s with another's %s: HTTP %d, %s", key, name, foreign.StatusCode, foreign.text)
			}
			for _, id := range []string{unknown, malformed, strings.ToUpper(adas[name]), adas[name] + "0"} {
				wantSame(w, key+" "+name, foreign, op.call(w, eves.but(name, id), as(eve)))
			}
		}
		if len(inputs) > 0 { // now all ids at once are another user's
			got := op.call(w, adas, as(eve))
			if strings.Contains(got.text, "rivate") {
				w.Errorf("%s: %s", key, got.text)
			}
		}
	}
	if tried < 17 {
		w.Errorf("only %d inputs were tried", tried)
	}
	if after := w.inventory(ada, adas); after != before {
		w.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
}

// but returns a copy with one id replaced.
func (t things) but(name, id string) things {
	other := maps.Clone(t)
	other[name] = id
	return other
}

// wantSame compares two responses, except for headers that differ in every response.
func wantSame(w *world, what string, a, b *reply) {
	w.Helper()
	for _, r := range []*reply{a, b} {
		r.Header.Del("X-Request-Id")
		r.Header.Del("Date")
	}
	if a.StatusCode != b.StatusCode || a.text != b.text || !maps.EqualFunc(a.Header, b.Header, slices.Equal) {
		w.Errorf("%s: another user's id gets HTTP %d, %v\n%sand an unknown id gets HTTP %d, %v\n%s",
			what, a.StatusCode, a.Header, a.text, b.StatusCode, b.Header, b.text)
	}
}

func listsShowOnesOwnOnly(w *world) {
	ada, eve := w.user("ada"), w.user("eve")
	adas := w.property(ada)
	for key, op := range mustDocument(w.T).operations {
		inputs, _ := op.inputs()
		if op.Method != http.MethodGet || op.isHidden() || op.Operation.OperationID == "getSignOn" || // no provider is set up
			slices.ContainsFunc(idNames, func(name string) bool { return slices.Contains(inputs, name) }) {
			continue
		}
		for _, keyword := range []string{"", "?keyword=private"} {
			got := w.request(op.Method, op.Path+keyword, "", as(eve))
			for name, id := range adas {
				if got.StatusCode != 200 || strings.Contains(got.text, id) || strings.Contains(got.text, "rivate") {
					w.Errorf("%s%s shows another's %s: HTTP %d, %s", key, keyword, name, got.StatusCode, got.text)
				}
			}
		}
	}
}

// call makes a request as the document describes it. It takes ids from own and all other inputs from the examples in
// the document.
func (o operation) call(w *world, own things, headers ...string) *reply {
	w.Helper()
	body, kind := o.exampleBody(w, own)
	if kind != "" {
		headers = append(headers, kind)
	}
	headers = slices.DeleteFunc(headers, func(h string) bool { return h == "" })
	return w.request(o.Method, o.examplePath(w, own, "", ""), body, headers...)
}

func (o operation) exampleBody(w *world, own things) (text, kind string) {
	w.Helper()
	schema := o.bodySchema()
	if schema == nil {
		return "", ""
	}
	if o.Operation.RequestBody.Value.Content["multipart/form-data"] != nil {
		return form("session_id", own["session_id"], "file=a.txt", "text"), formType
	}
	fields := map[string]any{}
	for name, property := range schema.Properties {
		fields[name] = property.Value.Examples[0]
		if id, is := own[name]; is {
			fields[name] = id
		}
	}
	encoded, err := json.Marshal(fields)
	w.must(err)
	return string(encoded), "Content-Type: application/json"
}

func exampleOf(w *world, own things, name string, schema *openapi3.Schema) string {
	w.Helper()
	if id, is := own[name]; is {
		return id
	}
	if len(schema.Examples) == 0 {
		return ""
	}
	value, err := json.Marshal(schema.Examples[0])
	w.must(err)
	return strings.Trim(string(value), `"`)
}
