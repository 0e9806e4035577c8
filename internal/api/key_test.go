package api_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/config"
)

func TestKeys(t *testing.T) {
	shared(t, []part{
		{"a key is listed, used and deleted", aKeyIsListedUsedAndDeleted},
		{"a key does what its scopes allow", aKeyDoesWhatItsScopesAllow},
		{"the input of a key is checked", theInputOfAKeyIsChecked},
		{"a stream ends with its key", aStreamEndsWithItsKey},
	})
}

// key creates a key and returns its id and a client that uses it.
func (w *world) key(c *client.Client, scopes ...parley.Scope) (string, *client.Client) {
	w.Helper()
	out, err := c.CreateKey(w.Context(), parley.KeyInput{Name: "Private script", Scopes: scopes})
	w.must(err)
	return out.KeyID, c.WithToken(out.Key)
}

func (w *world) keys(c *client.Client) []parley.Key {
	w.Helper()
	out, err := c.Keys(w.Context())
	w.must(err)
	return out.Keys
}

func aKeyIsListedUsedAndDeleted(w *world) {
	ctx := w.Context()
	ada, eve := w.user("ada"), w.user("eve")
	if keys := w.keys(ada); len(keys) != 0 {
		w.Fatalf("a new account has keys: %+v", keys)
	}
	id, key := w.key(ada, parley.ScopeFiles, parley.ScopeChat)
	if !strings.HasPrefix(key.Token(), "pk-") {
		w.Errorf("the key is %q", key.Token())
	}
	listed := w.keys(ada)
	if len(listed) != 1 || listed[0].KeyID != id || listed[0].Name != "Private script" || listed[0].LastUsed != 0 ||
		listed[0].ExpiresAt != 0 || len(listed[0].Scopes) != 2 || len(w.keys(eve)) != 0 {
		w.Errorf("the keys are %+v", listed)
	}
	mine, err := ada.User(ctx)
	w.must(err)
	if its, err := key.User(ctx); err != nil || its != mine {
		w.Errorf("the key's user is %+v, %v", its, err)
	}
	w.say(key, w.session(key, "By key"), "Hello")
	if listed = w.keys(key); listed[0].LastUsed == 0 {
		w.Errorf("after its use: %+v", listed)
	}
	for _, token := range w.tokens(key) {
		if token.Current {
			w.Errorf("a key is the login %+v", token)
		}
	}
	w.wants(eve.DeleteKey(ctx, id), parley.CodeInvalidParameter, 404)
	w.must(ada.ChangePassword(ctx, parley.PasswordInput{OldPassword: "password of ada", NewPassword: "another one"}))
	_, err = key.User(ctx)
	w.must(err)
	w.must(ada.DeleteKey(ctx, id))
	_, err = key.User(ctx)
	w.wants(err, parley.CodeBadToken, 401)
	w.wants(ada.DeleteKey(ctx, id), parley.CodeInvalidParameter, 404)
}

func (w *world) tokens(c *client.Client) []parley.Token {
	w.Helper()
	out, err := c.Tokens(w.Context())
	w.must(err)
	return out.Tokens
}

// loginOnly lists operations that keys can't call, filesOnly those that need the scope files. Reads need the scope
// read, everything else the scope chat.
var (
	loginOnly = map[string]bool{
		"logout": true, "updateProfile": true, "changePassword": true, "deleteUser": true, "endToken": true,
		"createKey": true, "deleteKey": true, "createPrompt": true, "updatePrompt": true, "deletePrompt": true,
		"setUpSecondFactor": true, "confirmSecondFactor": true, "removeSecondFactor": true,
	}
	filesOnly = map[string]bool{"uploadFile": true, "deleteFile": true}
)

// allowed reports whether a key with a scope may call an operation.
func allowed(op operation, scope parley.Scope) bool {
	name := op.Operation.OperationID
	switch {
	case loginOnly[name]:
		return false
	case op.Method == http.MethodGet:
		return true
	case filesOnly[name]:
		return scope == parley.ScopeFiles
	default:
		return scope == parley.ScopeChat
	}
}

// aKeyDoesWhatItsScopesAllow calls every route with a key of each scope. A key that may not call the route must get
// the same response for any id.
func aKeyDoesWhatItsScopesAllow(w *world) {
	ada := w.user("ada")
	own := w.property(ada)
	keys := map[parley.Scope]*client.Client{}
	for _, scope := range parley.Scopes() {
		_, keys[scope] = w.key(ada, scope)
		w.keys(keys[scope]) // from now on the key counts as used
	}
	before := w.inventory(ada, own)
	unknown, malformed := things{}, things{}
	for name := range own {
		unknown[name], malformed[name] = "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10", "nonsense"
	}
	refused := 0
	for path, op := range mustDocument(w.T).operations {
		for scope, key := range keys {
			switch {
			case !op.secured():
			case op.isAdmins(): // they have their own test
			case allowed(op, scope):
				if op.Method != http.MethodGet || strings.HasSuffix(path, "/picture") { // the file is not a picture
					continue
				}
				if got := op.call(w, own, as(key)); got.StatusCode != http.StatusOK {
					w.Errorf("%s with the scope %s: HTTP %d, %s", path, scope, got.StatusCode, got.text)
				}
			default:
				refused++
				got := op.call(w, own, as(key))
				if got.StatusCode != http.StatusForbidden || got.code() != parley.CodeInvalidParameter {
					w.Errorf("%s with the scope %s: HTTP %d, %s", path, scope, got.StatusCode, got.text)
				}
				wantSame(w, path+" unknown", got, op.call(w, unknown, as(key)))
				wantSame(w, path+" malformed", got, op.call(w, malformed, as(key)))
			}
		}
	}
	if refused < 50 {
		w.Errorf("only %d calls were refused", refused)
	}
	if after := w.inventory(ada, own); after != before {
		w.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
	for path, op := range mustDocument(w.T).operations { // now the operations that change something
		for scope, key := range keys {
			if !op.secured() || op.isAdmins() || !allowed(op, scope) || op.Method == http.MethodGet {
				continue
			}
			if got := op.call(w, unknown, as(key)); got.StatusCode == http.StatusForbidden || got.StatusCode == 401 {
				w.Errorf("%s with the scope %s: HTTP %d, %s", path, scope, got.StatusCode, got.text)
			}
		}
	}
}

func theInputOfAKeyIsChecked(w *world) {
	ada := w.user("ada")
	const badExpiry = "expires_in must be 0, or from 60 to 315,360,000 seconds"
	for body, want := range map[string]string{
		`"scopes":["read"]`:                                          "name is required",
		`"name":"a"`:                                                 "scopes is required",
		`"name":" ","scopes":["read"]`:                               "name must not be blank",
		`"name":"a","scopes":[]`:                                     "scopes must have at least 1 entries",
		`"name":"a","scopes":"read"`:                                 "scopes must be a list",
		`"name":"a","scopes":["read","all"]`:                         "scopes[1] must be one of read, chat, files",
		`"name":"a","scopes":["read"],"expires_in":59`:               badExpiry,
		`"name":"a","scopes":["read"],"expires_in":315360001`:        badExpiry,
		`"name":"a","scopes":["read"],"expires_in":-1`:               "expires_in must be at least 0",
		`"name":"a\u0007b","scopes":["read"]`:                        "name must not contain control characters",
		`"scopes":["read"],"name":"` + strings.Repeat("n", 65) + `"`: "name must be at most 64 characters long",
	} {
		got := w.request("POST", "/api/user/keys", "{"+body+"}", as(ada), "Content-Type: application/json")
		if got.StatusCode != 400 || got.code() != parley.CodeInvalidParameter || !strings.Contains(got.text, want) {
			w.Errorf("%s: HTTP %d, %s; want %q", body, got.StatusCode, got.text, want)
		}
	}
	for range parley.MaxKeys {
		w.key(ada, parley.ScopeRead)
	}
	_, err := ada.CreateKey(w.Context(), parley.KeyInput{Name: "51st", Scopes: parley.Scopes()})
	w.wants(err, parley.CodeInvalidParameter, 400)
}

func aStreamEndsWithItsKey(w *world) {
	ada := w.user("ada")
	id, key := w.key(ada, parley.ScopeChat)
	session := w.session(ada, "")
	g := make(gate)
	w.Model.Script(aitest.Text("Half"), aitest.Wait(g), aitest.Text(" and half"), aitest.End())
	events := w.ask(key, session, "Is it?")
	replyID := events.started()
	w.must(ada.DeleteKey(w.Context(), id))
	if rest := events.rest(); len(rest) > 0 && rest[len(rest)-1].Name == "done" {
		w.Errorf("the stream went on: %v", rest)
	}
	other := w.follow(ada, replyID, "")
	g.open()
	if rest := other.rest(); rest[len(rest)-1].Name != "done" {
		w.Errorf("the reply was lost: %v", rest)
	}
}

func TestKeysAreKeptAsAHashOnly(t *testing.T) {
	each(t, func(w *world) {
		_, key := w.key(w.user("ada"), parley.ScopeRead)
		_, secret, _ := strings.Cut(key.Token(), ".")
		const bits256 = 43 // 256 bits in base64 without padding
		if len(secret) != bits256 {
			w.Errorf("the key %q does not have 256 bits", key.Token())
		}
		stored := w.storedBytes("api_keys")
		for _, form := range []string{secret, hex.EncodeToString([]byte(secret))} {
			if strings.Contains(stored, form) {
				w.Errorf("the database holds %q", form)
			}
		}
	})
}

func TestKeysExpire(t *testing.T) {
	eachWith(t, func(w *world) { w.clock.freeze() }, func(w *world) {
		ctx := w.Context()
		ada := w.user("ada")
		out, err := ada.CreateKey(ctx, parley.KeyInput{Name: "short", Scopes: parley.Scopes(), ExpiresIn: 60})
		w.must(err)
		key := ada.WithToken(out.Key)
		listed := w.keys(key)
		if len(listed) != 1 || listed[0].ExpiresAt != listed[0].CreatedAt+60 {
			w.Errorf("the keys are %+v", listed)
		}
		w.clock.forward(time.Minute)
		_, err = key.User(ctx)
		w.wants(err, parley.CodeBadToken, 401)
		if listed = w.keys(ada); len(listed) != 0 {
			w.Errorf("expired keys are listed: %+v", listed)
		}
	})
}

func TestAKeySharesTheRateOfItsUser(t *testing.T) {
	settings := func(w *world) {
		w.RateLimit.User = config.Rate{Requests: 4, Per: time.Minute}
		w.clock.freeze()
	}
	eachWith(t, settings, func(w *world) {
		ada := w.user("ada")
		_, key := w.key(ada, parley.ScopeRead)
		for i, c := range []*client.Client{ada, key, key, ada, key} {
			if _, err := c.User(w.Context()); (err == nil) != (i < 3) {
				w.Errorf("request %d: %v", i+2, err)
			}
		}
	})
}

func TestAnExportListsKeysWithoutSecrets(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		id, key := w.key(ada, parley.ScopeRead)
		var keys []parley.Key
		all := w.account(key)
		w.must(json.Unmarshal([]byte(all["keys.json"]), &keys))
		if len(keys) != 1 || keys[0].KeyID != id {
			w.Errorf("the keys are %s", all["keys.json"])
		}
		_, secret, _ := strings.Cut(key.Token(), ".")
		for name, text := range all {
			if strings.Contains(text, secret) {
				w.Errorf("%s holds the key", name)
			}
		}
	})
}

// TestAKeyEndsOnEveryReplica deletes a key on one replica while another replica serves a stream with it.
func TestAKeyEndsOnEveryReplica(t *testing.T) {
	a, b := replicas(t)
	ada := a.user("ada")
	id, key := a.key(ada, parley.ScopeChat)
	session := a.session(ada, "")
	g := make(gate)
	defer g.open()
	a.Model.Script(aitest.Text("Half"), aitest.Wait(g), aitest.End())
	events := a.ask(key, session, "Is it?")
	events.started()
	b.must(b.again(ada).DeleteKey(context.Background(), id))
	if rest := events.rest(); len(rest) > 0 && rest[len(rest)-1].Name == "done" {
		a.Errorf("the stream went on: %v", rest)
	}
	for _, w := range []*world{a, b} {
		_, err := w.again(key).User(w.Context())
		w.wants(err, parley.CodeBadToken, 401)
	}
}
