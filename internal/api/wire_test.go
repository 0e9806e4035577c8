package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ai/aitest"
)

func TestTheWire(t *testing.T) {
	shared(t, []part{
		{"empty lists are not null", emptyListsAreNotNull},
		{"fields are there where they are empty", fieldsAreThereWhereTheyAreEmpty},
		{"unknown paths and methods are in the envelope", unknownPathsAndMethodsAreInTheEnvelope},
		{"every answer has its headers", everyAnswerHasItsHeaders},
		{"json bodies", jsonBodies},
		{"a name in another case is unknown", aNameInAnotherCaseIsUnknown},
		{"json is read under any content type", jsonIsReadUnderAnyContentType},
		{"bodies are bounded", bodiesAreBounded},
		{"a broken escape is not an absent parameter", aBrokenEscapeIsNotAnAbsentParameter},
		{"an empty input is not an absent one", anEmptyInputIsNotAnAbsentOne},
		{"tokens come in one authorization header", tokensComeInOneAuthorizationHeader},
		{"answers hold exactly what the contract lists", answersHoldExactlyWhatTheContractLists},
		{"times are unix seconds", timesAreUnixSeconds},
	})
}

// answersHoldExactlyWhatTheContractLists calls every operation of the contract and checks the names of all fields in
// the responses. Replies also carry their usage, which the contract does not list. The test needs an administrator:
// without one, the user would be claimable.
func answersHoldExactlyWhatTheContractLists(w *world) {
	w.admin("operator")
	const credentials = `{"email":"ada@example.com","password":"correct horse","nickname":"Ada"}`
	registered := w.request("POST", "/api/auth/register", credentials)
	wantBody(w, registered, "token", "user_id")
	loggedIn := w.request("POST", "/api/auth/login", credentials)
	wantBody(w, loggedIn, "token", "user")
	var login struct {
		Token string
		User  json.RawMessage
	}
	loggedIn.body(w, &login)
	wantNames(w, "user", login.User, "avatar", "email", "id", "nickname")
	token := "Authorization: Bearer " + login.Token

	wantBody(w, w.request("GET", "/api/user/info", "", token), "avatar", "created_at", "email", "nickname", "user_id")

	created := w.request("POST", "/api/chat/session", `{"title":"Holiday plans"}`, token)
	wantBody(w, created, "created_at", "session_id", "title")
	var session parley.CreateSessionOutput
	created.body(w, &session)

	sent := w.request("POST", "/api/chat/send",
		fmt.Sprintf(`{"session_id":%q,"content":"Which ferry goes to Capri?"}`, session.SessionID), token)
	wantBody(w, sent, "ai_response", "user_message_id")
	var send struct {
		Reply json.RawMessage `json:"ai_response"`
	}
	sent.body(w, &send)
	wantNames(w, "ai_response", send.Reply, "content", "id", "timestamp", "usage")
	var answer parley.AIResponse
	w.must(json.Unmarshal(send.Reply, &answer))

	sessions := w.request("GET", "/api/chat/sessions", "", token)
	wantBody(w, sessions, "has_more", "sessions", "total")
	wantEntries(w, sessions, "sessions", "id", "last_message_time", "message_count", "title")

	messages := w.request("GET", "/api/chat/messages?session_id="+session.SessionID, "", token)
	wantBody(w, messages, "messages", "total")
	var history struct{ Messages []json.RawMessage }
	messages.body(w, &history)
	if len(history.Messages) != 2 {
		w.Fatalf("there are %d messages", len(history.Messages))
	}
	wantNames(w, "the question", history.Messages[0], "content", "id", "is_favorited", "role", "timestamp")
	wantNames(w, "the reply", history.Messages[1], "content", "id", "is_favorited", "role", "timestamp", "usage")

	wantBody(w, w.request("POST", "/api/favorites/add",
		fmt.Sprintf(`{"session_id":%q,"message_id":%q}`, session.SessionID, answer.ID), token), "favorite_id")
	favorites := w.request("GET", "/api/favorites/list", "", token)
	wantBody(w, favorites, "favorites", "total")
	wantEntries(w, favorites, "favorites", "content", "created_at", "id", "message_id", "number", "session_id",
		"session_title")

	uploaded := w.request("POST", "/api/files/upload", form("session_id", session.SessionID, "file=notes.txt", "hello"),
		token, formType)
	wantBody(w, uploaded, "file_id", "file_size", "file_type", "filename", "upload_time")

	wantNoBody(w, w.request("DELETE", "/api/favorites/remove?message_id="+answer.ID, "", token))
	wantNoBody(w, w.request("POST", "/api/chat/session/"+session.SessionID+"/clear", "", token))
	wantNoBody(w, w.request("DELETE", "/api/chat/session/"+session.SessionID, "", token))
	wantNoBody(w, w.request("POST", "/api/auth/logout", "", token))
}

// wantBody checks a success and the names in its body.
func wantBody(w *world, got *reply, names ...string) {
	w.Helper()
	wantSuccess(w, got, "body", "error", "message", "success")
	wantNames(w, "body", got.envelope["body"], names...)
}

// wantNoBody checks a success without a body.
func wantNoBody(w *world, got *reply) {
	w.Helper()
	wantSuccess(w, got, "error", "message", "success")
}

func wantSuccess(w *world, got *reply, names ...string) {
	w.Helper()
	if got.StatusCode != http.StatusOK || got.code() != parley.CodeOK || string(got.envelope["success"]) != "true" ||
		got.message() == "" {
		w.Fatalf("%s %s: HTTP %d, %s", got.Request.Method, got.Request.URL.Path, got.StatusCode, got.text)
	}
	if kind := got.Header.Get("Content-Type"); kind != "application/json" {
		w.Errorf("%s: Content-Type %q", got.Request.URL.Path, kind)
	}
	wantNames(w, "the envelope", json.RawMessage(got.text), names...)
}

func wantNames(w *world, what string, object json.RawMessage, names ...string) {
	w.Helper()
	if have := keys(object); !slices.Equal(have, names) {
		w.Errorf("%s has %v, want %v", what, have, names)
	}
}

// wantEntries checks the names in each entry of a list, which may not be empty.
func wantEntries(w *world, got *reply, list string, names ...string) {
	w.Helper()
	var body map[string]json.RawMessage
	got.body(w, &body)
	var entries []json.RawMessage
	w.must(json.Unmarshal(body[list], &entries))
	if len(entries) == 0 {
		w.Fatalf("%s is empty", list)
	}
	for _, entry := range entries {
		wantNames(w, list, entry, names...)
	}
}

func emptyListsAreNotNull(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	for path, want := range map[string]string{
		"/api/chat/sessions?keyword=nothing":                   `"sessions":[]`,
		"/api/chat/sessions?page=2":                            `"sessions":[]`,
		"/api/chat/messages?session_id=" + session:             `"messages":[]`,
		"/api/favorites/list":                                  `"favorites":[]`,
		"/api/favorites/list?keyword=nothing":                  `"favorites":[]`,
		"/api/chat/session/" + session + "/files":              `"files":[]`,
		"/api/chat/session/" + session + "/export?format=json": `"messages":[]`,
	} {
		if got := w.request("GET", path, "", as(ada)); !strings.Contains(got.text, want) {
			w.Errorf("%s: got %s, want %s", path, got.text, want)
		}
	}
}

// fieldsAreThereWhereTheyAreEmpty checks the fields of the contract that omitempty would leave out.
func fieldsAreThereWhereTheyAreEmpty(w *world) {
	ada := w.user("ada")
	wantBody(w, w.request("GET", "/api/chat/sessions", "", as(ada)), "has_more", "sessions", "total")
	wantBody(w, w.request("GET", "/api/favorites/list", "", as(ada)), "favorites", "total")
	session := w.session(ada, "")
	wantEntries(w, w.request("GET", "/api/chat/sessions", "", as(ada)), "sessions", "id", "last_message_time",
		"message_count", "title", "untitled")
	wantBody(w, w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)), "messages", "total")

	begun, gate := make(chan struct{}), make(chan struct{})
	w.Model.Script(aitest.Reached(begun), aitest.Wait(gate), aitest.Text("Well"), aitest.End())
	done := make(chan error, 1)
	go func() {
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "Is it?"})
		done <- err
	}()
	<-begun
	var list struct{ Messages []json.RawMessage }
	w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada)).body(w, &list)
	wantNames(w, "a reply without a word", list.Messages[1], "content", "id", "is_favorited", "role", "status",
		"timestamp")
	close(gate)
	w.must(<-done)
}

func timesAreUnixSeconds(w *world) {
	ctx := w.Context()
	w.clock.forward(1000 * time.Hour) // to check that times come from the server's clock
	before := w.clock.now().Unix()
	ada := w.user("ada")
	session, err := ada.CreateSession(ctx, parley.CreateSessionInput{})
	w.must(err)
	sent := w.say(ada, session.SessionID, "Hello there")
	_, err = ada.AddFavorite(ctx, parley.AddFavoriteInput{MessageID: sent.AIResponse.ID, SessionID: session.SessionID})
	w.must(err)
	file, err := ada.Upload(ctx, session.SessionID, "a.txt", strings.NewReader("text"))
	w.must(err)
	user, err := ada.User(ctx)
	w.must(err)
	sessions, err := ada.Sessions(ctx, "", parley.Page{})
	w.must(err)
	favorites, err := ada.Favorites(ctx, "", parley.Page{})
	w.must(err)
	messages := w.messages(ada, session.SessionID)
	after := w.clock.now().Unix()
	for name, got := range map[string]int64{
		"created_at of the user":     user.CreatedAt,
		"created_at of the session":  session.CreatedAt,
		"timestamp of the reply":     sent.AIResponse.Timestamp,
		"timestamp of a message":     messages[0].Timestamp,
		"last_message_time":          sessions.Sessions[0].LastMessageTime,
		"created_at of the favorite": favorites.Favorites[0].CreatedAt,
		"upload_time":                file.UploadTime,
	} {
		if got < before || got > after {
			w.Errorf("%s is %d, want it between %d and %d", name, got, before, after)
		}
	}
}

func unknownPathsAndMethodsAreInTheEnvelope(w *world) {
	ada := w.user("ada")
	for _, test := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/api", 404, ""},
		{"GET", "/api/", 404, ""},
		{"GET", "/api/nothing", 404, ""},
		{"POST", "/api/chat/session/", 404, ""},
		{"GET", "/api/chat/sessions/", 404, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "/api/auth/login", 405, "POST"},
		{"PUT", "/api/user/info", 405, "GET, HEAD, PATCH"},
		{"POST", "/api/chat/sessions", 405, "GET, HEAD"},
		{"PUT", "/api/files/a%2Fb", 405, "GET, HEAD, DELETE"},
		{"PUT", "/api/chat/session/x", 405, "GET, HEAD, PATCH, DELETE"},
		{"DELETE", "/healthz", 405, "GET, HEAD"},
	} {
		for _, headers := range [][]string{nil, {as(ada)}} {
			got := w.request(test.method, test.path, "", headers...)
			if got.StatusCode != test.status || got.code() != parley.CodeInvalidParameter {
				w.Errorf("%s %s: HTTP %d, %s", test.method, test.path, got.StatusCode, got.text)
			}
			wantKeys(w, got, got.code())
			allow := got.Header.Values("Allow")
			if len(allow) > 1 || got.Header.Get("Allow") != test.allow {
				w.Errorf("%s %s: Allow is %q, want %q in one line", test.method, test.path, allow, test.allow)
			}
		}
	}
}

func everyAnswerHasItsHeaders(w *world) {
	seen := map[string]bool{}
	for _, path := range []string{"/api/user/info", "/api/nothing", "/healthz", "/openapi.json"} {
		got := w.request("GET", path, "")
		id := got.Header.Get("X-Request-Id")
		if id == "" || seen[id] {
			w.Errorf("%s: X-Request-Id %q is empty or not its own", path, id)
		}
		seen[id] = true
		onPages := func(value string) string {
			if strings.HasPrefix(path, "/api/") {
				return ""
			}
			return value
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": onPages("same-origin"),
			"Referrer-Policy": onPages("no-referrer"),
			"Permissions-Policy": onPages("camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), " +
				"payment=(), serial=(), usb=()"),
		} {
			if value := got.Header.Get(name); value != want {
				w.Errorf("%s: %s is %q, want %q", path, name, value, want)
			}
		}
		if strings.HasPrefix(path, "/api/") && got.Header.Get("Cache-Control") != "no-store" {
			w.Errorf("%s: Cache-Control is %q", path, got.Header.Get("Cache-Control"))
		}
		if !strings.Contains(w.Log.String(), id) {
			w.Errorf("%s: the log does not know request %s", path, id)
		}
	}
	// net/http adds the date and the length itself. A map holds up to eight headers in its first group.
	if got := w.request("GET", "/api/user/info", "", as(w.user("ada"))); len(got.Header) > 8+2 {
		w.Errorf("a response of the API has the headers %v", got.Header)
	}
}

func jsonBodies(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "A title")
	const create, send = "/api/chat/session", "/api/chat/send"
	content := func(literal string) string { return fmt.Sprintf(`{"session_id":%q,"content":%s}`, session, literal) }
	rename := "/api/chat/session/" + session
	w.play(ada, []scenario{
		{
			name: "unknown fields are passed over", path: create, body: `{"title":"x","colour":"red","deep":{"a":[1]}}`,
			status: 200,
		},
		{
			name: "names in another case are unknown", method: "PATCH", path: rename, body: `{"Title":"x"}`, status: 400,
			code: 1001, says: "title is required",
		},
		{
			name: "a password under another name is none", path: "/api/auth/register",
			body: `{"email":"eve@example.com","Password":"correct horse"}`, status: 400, code: 1001,
			says: "password is required",
		},
		{name: "null is absent where it is optional", path: create, body: `{"title":null}`, status: 200},
		{
			name: "null is absent among options", path: send,
			body: content(`"hi","model":null,"deep_thinking":null,"web_search":null`), status: 200,
		},
		{
			name: "null is absent where it is required", path: send, body: content(`null`), status: 400, code: 1001,
			says: "content is required",
		},
		{
			name: "null for a session", path: send, body: `{"session_id":null,"content":"hi"}`, status: 400, code: 1001,
			says: "session_id is required",
		},
		{name: "an empty object where all is optional", path: create, body: `{}`, status: 200},
		{name: "no body where all is optional", path: create, status: 200},
		{name: "null as a whole where all is optional", path: create, body: `null`, status: 200},
		{name: "no body where something is required", path: send, status: 400, code: 1001, says: "required"},
		{
			name: "null as a whole where something is required", path: send, body: `null`, status: 400, code: 1001,
			says: "required",
		},
		{
			name: "a number for a string", path: create, body: `{"title":12345}`, status: 400, code: 1001,
			says: "title must be a string",
		},
		{
			name: "a list for a string", path: create, body: `{"title":["x"]}`, status: 400, code: 1001,
			says: "title must be a string",
		},
		{
			name: "a string for a boolean", path: send, body: content(`"hi","deep_thinking":"yes"`), status: 400, code: 1001,
			says: "deep_thinking must be true or false",
		},
		{
			name: "a number for a boolean", path: send, body: content(`"hi","web_search":1`), status: 400, code: 1001,
			says: "web_search must be true or false",
		},
		{
			name: "a list for the body", path: create, body: `[]`, status: 400, code: 1001,
			says: "the body must be a JSON object",
		},
		{
			name: "a string for the body", path: create, body: `"title"`, status: 400, code: 1001,
			says: "the body must be a JSON object",
		},
		{
			name: "broken JSON", path: create, body: `{"title":`, status: 400, code: 1001,
			says: "the body is not one valid JSON document",
		},
		{
			name: "trailing data", path: create, body: `{"title":"x"} {}`, status: 400, code: 1001,
			says: "the body is not one valid JSON document",
		},
		{
			name: "invalid UTF-8", path: create, body: "{\"title\":\"\xff\"}", status: 400, code: 1001,
			says: "the body holds text that is not valid Unicode",
		},
		{
			name: "a lone high surrogate", path: create, body: `{"title":"\ud83d"}`, status: 400, code: 1001,
			says: "not valid Unicode",
		},
		{
			name: "a lone low surrogate", path: create, body: `{"title":"\ude00"}`, status: 400, code: 1001,
			says: "not valid Unicode",
		},
		{
			name: "a high surrogate and a letter", path: create, body: `{"title":"\ud83d\u0041"}`, status: 400, code: 1001,
			says: "not valid Unicode",
		},
		{
			name: "a high surrogate and what is beyond a low one", path: create, body: `{"title":"\ud83d\ue000"}`, status: 400,
			code: 1001, says: "not valid Unicode",
		},
		{
			name: "two high surrogates", path: create, body: `{"title":"\ud83d\ud83d"}`, status: 400, code: 1001,
			says: "not valid Unicode",
		},
		{name: "a pair of surrogates", path: create, body: `{"title":"\ud83d\ude00"}`, status: 200},
		{name: "an escaped backslash before u", path: create, body: `{"title":"\\ud83d"}`, status: 200},
		{name: "NUL", path: create, body: `{"title":"a\u0000b"}`, status: 400, code: 1001, says: "not valid Unicode"},
	})
}

// aNameInAnotherCaseIsUnknown sends a field twice, under names that differ only in case.
func aNameInAnotherCaseIsUnknown(w *world) {
	ada := w.user("ada")
	var session parley.CreateSessionOutput
	w.request("POST", "/api/chat/session", `{"title":"Holiday plans","TITLE":"Another","Title":1}`, as(ada)).body(w,
		&session)
	if session.Title != "Holiday plans" {
		w.Errorf("got the title %q", session.Title)
	}
}

func jsonIsReadUnderAnyContentType(w *world) {
	ada := w.user("ada")
	const path, body = "/api/chat/session", `{"title":"Holiday plans"}`
	var scenarios []scenario
	for _, kind := range []string{
		"application/json", "application/json; charset=utf-8", "text/plain", "text/plain;charset=UTF-8",
		"application/x-www-form-urlencoded", "application/octet-stream", "nonsense", "",
	} {
		scenarios = append(scenarios, scenario{
			name: kind, path: path, body: body,
			headers: []string{"Content-Type: " + kind}, status: 200,
		})
	}
	scenarios = append(scenarios,
		scenario{
			name: "multipart", path: path, body: form("title", "x"), headers: []string{formType}, status: 400,
			code: 1001,
		},
		scenario{
			name: "compressed", path: path, body: body, headers: []string{"Content-Encoding: gzip"}, status: 415,
			code: 1001,
		},
		scenario{
			name: "a compressed upload", path: "/api/files/upload", body: form("session_id", "x"),
			headers: []string{formType, "Content-Encoding: gzip"}, status: 415, code: 1001,
		},
		scenario{
			name: "GET without a body", method: "GET", path: "/api/chat/sessions",
			headers: []string{"Content-Encoding: gzip"}, status: 200,
		},
		scenario{
			name: "GET with a body", method: "GET", path: "/api/chat/sessions", body: "{}",
			headers: []string{"Content-Encoding: gzip"}, status: 200,
		},
		scenario{
			name: "DELETE without a body", method: "DELETE", path: "/api/files/x",
			headers: []string{"Content-Encoding: gzip"}, status: 404, code: 2003,
		},
		scenario{
			name: "not compressed, and saying so", path: path, body: body,
			headers: []string{"Content-Encoding: Identity"}, status: 200,
		})
	w.play(ada, scenarios)
	list, err := ada.Sessions(w.Context(), "", parley.Page{})
	w.must(err)
	if list.Total != 9 {
		w.Errorf("got %d sessions, want 9", list.Total)
	}
	for _, session := range list.Sessions {
		if session.Title != "Holiday plans" {
			w.Errorf("a body was not read: %+v", session)
		}
	}
}

func bodiesAreBounded(w *world) {
	ada := w.user("ada")
	body := func(size int) string {
		const frame = `{"title":"x","more":""}`
		return `{"title":"x","more":"` + strings.Repeat("a", size-len(frame)) + `"}`
	}
	w.play(ada, []scenario{
		{name: "2 MiB", path: "/api/chat/session", body: body(2 << 20), status: 200},
		{
			name: "16 KiB without a token", path: "/api/auth/login", body: body(16 << 10),
			status: 400, code: 1001, says: "email",
		},
		{
			name: "16 KiB and a byte without a token", path: "/api/auth/login", body: body(16<<10 + 1),
			status: 413, code: 1001, says: "16 KiB",
		},
		{name: "2 MiB and a byte", path: "/api/chat/session", body: body(2<<20 + 1), status: 413, code: 1001, says: "2 MiB"},
	})
}

func tokensComeInOneAuthorizationHeader(w *world) {
	ada := w.user("ada")
	token := ada.Token()
	for _, test := range []struct {
		name    string
		path    string
		headers []string
		good    bool
	}{
		{name: "Bearer", headers: []string{"Authorization: Bearer " + token}, good: true},
		{name: "bearer", headers: []string{"Authorization: bearer " + token}, good: true},
		{name: "BEARER", headers: []string{"Authorization: BEARER " + token}, good: true},
		{name: "none"},
		{name: "empty", headers: []string{"Authorization: "}},
		{name: "no scheme", headers: []string{"Authorization: " + token}},
		{name: "no token", headers: []string{"Authorization: Bearer"}},
		{name: "another scheme", headers: []string{"Authorization: Basic " + token}},
		{name: "unknown", headers: []string{"Authorization: Bearer " + strings.Repeat("A", len(token))}},
		{name: "malformed", headers: []string{"Authorization: Bearer x"}},
		{name: "cut", headers: []string{"Authorization: Bearer " + token[1:]}},
		{name: "longer", headers: []string{"Authorization: Bearer " + token + "A"}},
		{name: "twice", headers: []string{"Authorization: Bearer " + token, "Authorization: Bearer " + token}},
		{name: "in the query", path: "?token=" + token + "&access_token=" + token},
		{name: "in a cookie", headers: []string{"Cookie: token=" + token}},
	} {
		got := w.request("GET", "/api/user/info"+test.path, "", test.headers...)
		if test.good && got.StatusCode != 200 {
			w.Errorf("%s: HTTP %d, %s", test.name, got.StatusCode, got.text)
		}
		if !test.good && (got.StatusCode != 401 || got.code() != parley.CodeBadToken ||
			got.Header.Get("WWW-Authenticate") != "Bearer") {
			w.Errorf("%s: HTTP %d, %v, %s", test.name, got.StatusCode, got.Header, got.text)
		}
	}
}

func aBrokenEscapeIsNotAnAbsentParameter(w *world) {
	ada := w.user("ada")
	w.session(ada, "Ferries; 100 %")
	var scenarios []scenario
	for _, query := range []string{"page=%zz", "page_size=%", "keyword=100%", "keyword=a%2", "page=1&keyword=%u6e21"} {
		scenarios = append(scenarios, scenario{
			name: query, method: "GET", path: "/api/chat/sessions?" + query, status: 400,
			code: 1001, says: "%25",
		})
	}
	w.play(ada, append(scenarios,
		scenario{name: "favorites", method: "GET", path: "/api/favorites/list?keyword=%", status: 400, code: 1001},
		scenario{
			name: "remove a favorite", method: "DELETE", path: "/api/favorites/remove?message_id=%zz", status: 400,
			code: 1001,
		},
	))
	for _, keyword := range []string{"100+%25", "s;+1"} {
		if got := w.request("GET", "/api/chat/sessions?keyword="+keyword, "", as(ada)); !strings.Contains(got.text,
			"Ferries") {
			w.Errorf("%s finds %s", keyword, got.text)
		}
	}
	w.play(nil, []scenario{{
		name: "token first", method: "GET", path: "/api/chat/sessions?page=%zz", status: 401,
		code: 1005,
	}})
}

// TestChecksComeInOrder breaks several rules at once. The errors must come in this order: token, inputs, session,
// search, size, format, content.
func TestChecksComeInOrder(t *testing.T) {
	eachWith(t, func(w *world) { w.MaxUpload = 100 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		const send, upload, nowhere = "/api/chat/send", "/api/files/upload", "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10"
		large, image := strings.Repeat("\x00", 101), "\x89PNG\r\n\x1a\n0000"
		multipart := []string{formType}
		w.play(nil, []scenario{
			{name: "token before inputs", path: send, body: `{"content":1}`, status: 401, code: 1005},
			{name: "token before a broken body", path: send, body: `{`, status: 401, code: 1005},
			{
				name: "token before a compressed body", path: send, body: `{}`, headers: []string{"Content-Encoding: gzip"},
				status: 401, code: 1005,
			},
			{
				name: "path before a compressed body", path: "/api/nowhere", body: `{}`,
				headers: []string{"Content-Encoding: gzip"}, status: 404, code: 1001,
			},
			{name: "token before an upload", path: upload, body: form("x", "y"), headers: multipart, status: 401, code: 1005},
		})
		w.play(ada, []scenario{
			{
				name: "inputs before the session", path: send, body: `{"session_id":"` + nowhere + `","content":" "}`,
				status: 400, code: 1001, says: "content",
			},
			{name: "the model before the session", path: send, body: `{"session_id":"` + nowhere +
				`","content":"hi","model":"x"}`, status: 400, code: 1001, says: "model"},
			{
				name: "a blank title before the session", method: "PATCH", path: "/api/chat/session/" + nowhere,
				body: `{"title":" "}`, status: 400, code: 1001, says: "title",
			},
			{
				name: "the page before the session", method: "GET", path: "/api/chat/messages?page=0&session_id=" + nowhere,
				status: 400, code: 1001, says: "page",
			},
			{name: "the session before search", path: send, body: `{"session_id":"` + nowhere +
				`","content":"hi","web_search":true}`, status: 404, code: 2001},
			{
				name: "search", path: send, body: `{"session_id":"` + session + `","content":"hi","web_search":true}`,
				status: 503, code: 5002,
			},
			{
				name: "a missing session before the format", path: upload, body: form("file=a.png", image), headers: multipart,
				status: 400, code: 1001, says: "session_id",
			},
			{
				name: "a missing file", path: upload, body: form("session_id", session), headers: multipart, status: 400,
				code: 1001, says: "file",
			},
			{
				name: "a missing file before the session", path: upload, body: form("session_id", nowhere), headers: multipart,
				status: 400, code: 1001, says: "file",
			},
			{
				name: "a nameless file before the session", path: upload, body: form("session_id", nowhere, "file", "text"),
				headers: multipart, status: 400, code: 1001, says: "file",
			},
			{
				name: "two sessions before either", path: upload, body: form("session_id", nowhere, "session_id", nowhere),
				headers: multipart, status: 400, code: 1001, says: "each once",
			},
			{
				name: "the session before the size", path: upload, body: form("session_id", nowhere, "file=a.png", large),
				headers: multipart, status: 404, code: 2001,
			},
			{
				name: "the session before the format", path: upload, body: form("file=a.png", image, "session_id", nowhere),
				headers: multipart, status: 404, code: 2001,
			},
			{
				name: "the size before the format", path: upload, body: form("session_id", session, "file=a.png", large),
				headers: multipart, status: 413, code: 2005,
			},
			{
				name: "the format", path: upload, body: form("session_id", session, "file=a.txt", image), headers: multipart,
				status: 415, code: 2004,
			},
			{
				name: "the content", path: upload, body: form("session_id", session, "file=a.txt", " \n"), headers: multipart,
				status: 422, code: 2003,
			},
		})
	})
}
