package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley"
)

func TestAReplyIsRated(t *testing.T) {
	each(t, func(w *world) {
		ctx := w.Context()
		ada, admin := w.user("ada"), w.admin("admin")
		session := w.session(ada, "Ferries")
		sent := w.say(ada, session, "Which ferry?")
		reply := sent.AIResponse.ID
		path := "/api/chat/message/" + reply + "/rating"
		w.must(ada.Rate(ctx, reply, -1))
		messages := w.messages(ada, session)
		if messages[0].Rating != 0 || messages[1].Rating != -1 {
			w.Errorf("the messages are %+v", messages)
		}
		for name, text := range w.account(ada) {
			if strings.HasSuffix(name, "/session.json") && !strings.Contains(text, `"rating":-1`) {
				w.Errorf("the exported session is %s", text)
			}
		}
		exported := w.request("GET", "/api/chat/session/"+session+"/export?format=json", "", as(ada))
		if !strings.Contains(exported.text, `"rating":-1`) {
			w.Errorf("the session is exported as %s", exported.text)
		}
		share, err := ada.Share(ctx, session, parley.ShareInput{})
		w.must(err)
		if shared := w.request("GET", "/api/share/"+share.ShareID, ""); strings.Contains(shared.text, "rating") {
			w.Errorf("the share tells the rating: %s", shared.text)
		}
		total := func(by string) string {
			got := w.request("GET", "/api/admin/usage?by="+by, "", as(admin))
			return got.text
		}
		if got := total(parley.ByModel); !strings.Contains(got, `"rated_down":1`) || strings.Contains(got, "rated_up") {
			w.Errorf("administrators see %s", got)
		}
		for _, by := range []string{parley.ByDay, parley.ByUser} {
			if got := total(by); strings.Contains(got, "rated") {
				w.Errorf("administrators see by %s: %s", by, got)
			}
		}
		w.must(ada.Rate(ctx, reply, 0))
		got := w.request("GET", "/api/chat/messages?session_id="+session, "", as(ada))
		if strings.Contains(got.text, "rating") {
			w.Errorf("without a rating: %s", got.text)
		}

		for _, body := range []string{`{}`, `{"rating":null}`, `{"rating":2}`, `{"rating":0.5}`, `{"rating":"1"}`} {
			got := w.request("POST", path, body, as(ada))
			if got.StatusCode != http.StatusBadRequest || got.code() != parley.CodeInvalidParameter ||
				!strings.Contains(got.text, "rating") || !json.Valid([]byte(got.text)) {
				w.Errorf("%s: HTTP %d, %s", body, got.StatusCode, got.text)
			}
		}
		w.wants(ada.Rate(ctx, sent.UserMessageID, 1), parley.CodeInvalidParameter, 400)
		w.wants(admin.Rate(ctx, reply, 1), parley.CodeNoSuchSession, 404)
		w.wants(ada.Rate(ctx, "nonsense", 1), parley.CodeNoSuchSession, 404)
	})
}
