package api_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
	"parley/internal/websearch"
)

func TestSharing(t *testing.T) {
	shared(t, []part{
		{"a share is a snapshot", aShareIsASnapshot},
		{"a share ends", aShareEnds},
		{"the inputs of a share", theInputsOfAShare},
		{"a reply in progress is not shared", aReplyInProgressIsNotShared},
		{"the page of a share", thePageOfAShare},
		{"a long share comes in pieces", aLongShareComesInPieces},
	})
}

// share shares a session and returns the id of the share.
func (w *world) share(c *client.Client, sessionID string, in parley.ShareInput) string {
	w.Helper()
	out, err := c.Share(w.Context(), sessionID, in)
	w.must(err)
	if out.URL != w.URL+"/s/"+out.ShareID || len(out.ShareID) != 43 {
		w.Errorf("the share is %+v", out)
	}
	return out.ShareID
}

// read returns a share as a stranger reads it.
func (w *world) read(shareID string) parley.SharedSession {
	w.Helper()
	out, err := w.guest().ReadShare(w.Context(), shareID)
	w.must(err)
	return out
}

func (w *world) wantsNoShare(shareID string) {
	w.Helper()
	_, err := w.guest().ReadShare(w.Context(), shareID)
	w.wants(err, parley.CodeNoSuchSession, http.StatusNotFound)
	if page := w.request("GET", "/s/"+shareID, ""); page.StatusCode != http.StatusNotFound {
		w.Errorf("the page: HTTP %d", page.StatusCode)
	}
}

func aShareIsASnapshot(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "Ferries")
	_, err := ada.Upload(w.Context(), session, "secret-name.txt", strings.NewReader("secret text"))
	w.must(err)
	first := w.say(ada, session, "A tortoise")
	w.edit(ada, session, first.UserMessageID, "A heron")
	_, err = ada.AddFavorite(w.Context(), parley.AddFavoriteInput{
		SessionID: session, MessageID: w.messages(ada, session)[1].ID,
	})
	w.must(err)
	share := w.share(ada, session, parley.ShareInput{})
	w.say(ada, session, "Something else")
	w.must(ada.RenameSession(w.Context(), session, parley.RenameSessionInput{Title: "Birds"}))
	w.must(ada.ClearSession(w.Context(), session))
	got := w.read(share)
	if got.Title != "Ferries" || got.CreatedAt == 0 || got.ExpiresAt != 0 || len(got.Messages) != 2 ||
		got.Messages[0].Content != "A heron" || got.Messages[1].Role != parley.RoleAssistant {
		w.Errorf("the share is %+v", got)
	}
	text := w.request("GET", "/api/share/"+share, "").text
	for _, private := range []string{"secret", "tortoise", "favorite", session, first.UserMessageID, "file", "ada"} {
		if strings.Contains(text, private) {
			w.Errorf("%q is in %s", private, text)
		}
	}
	list, err := ada.Shares(w.Context())
	w.must(err)
	if len(list.Shares) != 1 || list.Shares[0].ShareID != share || list.Shares[0].SessionID != session ||
		list.Shares[0].MessageCount != 2 || list.Shares[0].URL != w.URL+"/s/"+share {
		w.Errorf("the list is %+v", list)
	}
}

func aShareEnds(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "Ferries")
	w.say(ada, session, "When?")
	withdrawn, deleted := w.share(ada, session, parley.ShareInput{}), w.share(ada, session, parley.ShareInput{})
	w.must(ada.DeleteShare(w.Context(), withdrawn))
	w.wantsNoShare(withdrawn)
	w.wants(ada.DeleteShare(w.Context(), withdrawn), parley.CodeNoSuchSession, http.StatusNotFound)
	w.read(deleted)
	w.must(ada.DeleteSession(w.Context(), session))
	w.wantsNoShare(deleted)

	session = w.session(ada, "Ferries")
	w.say(ada, session, "When?")
	last := w.share(ada, session, parley.ShareInput{})
	w.must(ada.DeleteUser(w.Context(), parley.DeleteUserInput{Password: "password of ada"}))
	w.wantsNoShare(last)

	unknown := w.request("GET", "/api/share/"+strings.Repeat("A", 43), "")
	for _, id := range []string{withdrawn, deleted, last, "nonsense", strings.Repeat("A", 42) + "B", "%00", "a%2Fb"} {
		wantSame(w, id, unknown, w.request("GET", "/api/share/"+id, ""))
	}
}

func TestASharesTime(t *testing.T) {
	each(t, func(w *world) {
		w.clock.freeze()
		ada := w.user("ada")
		session := w.session(ada, "Ferries")
		w.say(ada, session, "When?")
		share := w.share(ada, session, parley.ShareInput{ExpiresIn: parley.MinExpiresIn})
		w.clock.forward(59 * time.Minute)
		if got := w.read(share); got.ExpiresAt != got.CreatedAt+parley.MinExpiresIn {
			w.Errorf("the share is %+v", got)
		}
		w.clock.forward(time.Minute)
		w.wantsNoShare(share)
		if list, err := ada.Shares(w.Context()); err != nil || len(list.Shares) != 0 {
			w.Errorf("the list is %+v, %v", list, err)
		}
	})
}

func theInputsOfAShare(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	_, err := ada.Share(w.Context(), session, parley.ShareInput{})
	w.wants(err, parley.CodeInvalidParameter, http.StatusBadRequest) // there is nothing to share
	w.say(ada, session, "When?")
	path := "/api/chat/session/" + session + "/share"
	for body, status := range map[string]int{
		"":                               200,
		`{}`:                             200,
		`{"expires_in":null}`:            200,
		`{"expires_in":0}`:               200,
		`{"expires_in":315360000}`:       200,
		`{"expires_in":3599}`:            400,
		`{"expires_in":315360001}`:       400,
		`{"expires_in":-1}`:              400,
		`{"expires_in":"3600"}`:          400,
		`{"expires_in":3600.5}`:          400,
		`{"thinking":1}`:                 400,
		`{"thinking":true,"other":true}`: 200,
	} {
		if got := w.request("POST", path, body, as(ada)); got.StatusCode != status {
			w.Errorf("%s: HTTP %d, %s", body, got.StatusCode, got.text)
		}
	}
}

func aReplyInProgressIsNotShared(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "When?")
	g := make(gate)
	w.Model.Script(aitest.Text("So far"), aitest.Wait(g), aitest.End())
	s := w.open("POST", "/api/chat/stream", `{"session_id":"`+session+`","content":"And then?"}`, as(ada))
	s.started()
	s.next()
	got := w.read(w.share(ada, session, parley.ShareInput{}))
	if len(got.Messages) != 2 || got.Messages[0].Content != "When?" {
		w.Errorf("the share is %+v", got)
	}
	g.open()
	s.rest()
}

func thePageOfAShare(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "When?")
	share := w.share(ada, session, parley.ShareInput{})
	for _, path := range []string{"/s/" + share, "/api/share/" + share} {
		got := w.request("GET", path, "")
		for name, want := range map[string]string{
			"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
		} {
			if !strings.Contains(got.Header.Get(name), want) {
				w.Errorf("%s: %s is %q", path, name, got.Header.Get(name))
			}
		}
		if got.StatusCode != 200 || len(got.Header["Set-Cookie"]) > 0 || got.Header.Get("ETag") != "" {
			w.Errorf("%s: HTTP %d, %v", path, got.StatusCode, got.Header)
		}
	}
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	if got := w.request("GET", "/s/"+share, "").Header.Get("Content-Security-Policy"); got != policy {
		w.Errorf("the policy of the page is %q", got)
	}
	page, gone := w.request("GET", "/s/"+share, ""), w.request("GET", "/s/"+strings.Repeat("A", 43), "")
	if page.text != gone.text || strings.Contains(gone.Header.Get("Content-Security-Policy"), "unsafe") {
		w.Errorf("the page of an unknown share differs")
	}
	if strings.Contains(w.Log.String(), share) {
		w.Error("the id of a share is in the log")
	}
}

// aLongShareComesInPieces checks a share of several parts, and one that is too long.
func aLongShareComesInPieces(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "")
	long := strings.Repeat("渡船 & <b> ", 8000)
	for range 3 {
		w.Model.Script(aitest.Say(long)...)
		w.say(ada, session, "When?")
	}
	got := w.read(w.share(ada, session, parley.ShareInput{}))
	if len(got.Messages) != 6 || got.Messages[5].Content != long {
		w.Errorf("%d messages", len(got.Messages))
	}
	huge := strings.Repeat("x", 1<<20)
	for range 4 {
		w.Model.Script(aitest.Say(huge)...)
		w.say(ada, session, "More?")
	}
	_, err := ada.Share(w.Context(), session, parley.ShareInput{})
	w.wants(err, parley.CodeInvalidParameter, http.StatusBadRequest)
}

func TestSourcesAndThinkingOfAShare(t *testing.T) {
	eachWith(t, func(w *world) { w.Search = &engine{} }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.Search.(*engine).finds(nil,
			websearch.Result{Title: "Wiki of the house", URL: "https://wiki.corp/plans", Text: "a"},
			websearch.Result{Title: "Ferries", URL: "https://example.com/f", Text: "b"},
			websearch.Result{Title: "Router", URL: "http://192.168.1.1/", Text: "c"})
		w.Model.Script(aitest.Thinking("A secret thought"), aitest.Text("At nine [2]."), aitest.End())
		_, err := ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "When?",
			ReplyOptions: parley.ReplyOptions{WebSearch: true, DeepThinking: true, Model: parley.ModelEnhanced},
		})
		w.must(err)
		plain := w.read(w.share(ada, session, parley.ShareInput{})).Messages[1]
		if plain.Thinking != "" || plain.ThinkingMS != 0 || len(plain.Sources) != 3 ||
			plain.Sources[0] != (parley.Source{}) || plain.Sources[1].URL != "https://example.com/f" ||
			plain.Sources[2] != (parley.Source{}) {
			w.Errorf("the reply is %+v", plain)
		}
		if full := w.read(w.share(ada, session, parley.ShareInput{Thinking: true})).Messages[1]; full.Thinking == "" {
			w.Errorf("the reply is %+v", full)
		}
	})
}

func TestSharingCanBeTurnedOff(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, "When?")
		share := w.share(ada, session, parley.ShareInput{})
		w.Settings.Sharing = false
		w.restart()
		ada = w.again(ada)
		w.wantsNoShare(share)
		_, err := ada.Share(w.Context(), "nonsense", parley.ShareInput{})
		w.wants(err, parley.CodeInvalidParameter, http.StatusForbidden)
		list, err := ada.Shares(w.Context())
		w.must(err)
		if len(list.Shares) != 1 {
			w.Errorf("the list is %+v", list)
		}
		w.must(ada.DeleteShare(w.Context(), share))
		w.Settings.Sharing = true
		w.restart()
		w.wantsNoShare(share)
	})
}

func TestALinkHasTheSchemeOfTheProxy(t *testing.T) {
	each(t, func(w *world) {
		w.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		w.restart()
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, "When?")
		got := w.request("POST", "/api/chat/session/"+session+"/share", "", as(ada), "X-Forwarded-Proto: https")
		if !strings.Contains(got.text, `"url":"https://`) {
			w.Errorf("got %s", got.text)
		}
	})
}

func TestALinkBeginsWithThePublicAddress(t *testing.T) {
	eachWith(t, func(w *world) { w.PublicURL = "https://chat.example.com" }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, "When?")
		share, err := ada.Share(w.Context(), session, parley.ShareInput{})
		w.must(err)
		list, err := ada.Shares(w.Context())
		w.must(err)
		want := "https://chat.example.com/s/" + share.ShareID
		if share.URL != want || len(list.Shares) != 1 || list.Shares[0].URL != want {
			w.Errorf("got %s and %+v, want %s", share.URL, list.Shares, want)
		}
	})
}
