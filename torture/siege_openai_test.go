package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"parley"
)

// The words for a reply of 900 KB, and for one that begins and does not end.
const (
	longReply    = "At length, please."
	endlessReply = "Do not stop."
)

var openAIReplies = map[string]greedyReply{
	longReply:    {text: words(900_000)},
	endlessReply: {text: "Well. ", endless: true},
}

// storedResponse is what the attackers need of a stored response.
type storedResponse struct {
	ID     string
	Output []struct{ ID string }
}

// store makes a stored response.
func (v *visitor) store(fields map[string]any) (r storedResponse) {
	v.Helper()
	fields["model"], fields["store"] = "default", true
	body, err := json.Marshal(fields)
	must(v.T, err)
	status, text := v.post(v.Context(), "/v1/responses", string(body))
	if status != http.StatusOK {
		v.Fatalf("a response is not stored: HTTP %d, %.300s", status, text)
	}
	must(v.T, json.Unmarshal([]byte(text), &r))
	if r.ID == "" || len(r.Output) == 0 {
		v.Fatalf("the stored response is %.300s", text)
	}
	return r
}

// together calls a function at once for each number.
func together(count int, do func(i int)) {
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// TestSiegeOfReferences has a user refer to one stored reply of 900 KB hundreds of times in a request of a few KB.
func TestSiegeOfReferences(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		item := ada.store(map[string]any{"input": longReply}).Output[0].ID
		check := b.watchMemory()
		references := strings.Repeat(fmt.Sprintf(`{"type":"item_reference","id":%q},`, item), siegeSize(t, 600, 100))
		status, _ := ada.post(t.Context(), "/v1/responses",
			`{"model":"default","input":[`+references+`{"role":"user","content":"Go on."}]}`)
		b.serves("many references", status, http.StatusBadRequest, http.StatusRequestEntityTooLarge)
		bob.visits()
		check("references to one reply")
		b.report()
	})
}

// TestSiegeOfLongConversations has a user continue a stored conversation of 1.8 MB in many requests at once, of about
// a hundred bytes each. Their replies do not end.
func TestSiegeOfLongConversations(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		before := ada.store(map[string]any{"input": words(900_000) + longReply})
		check := b.watchMemory()
		body := fmt.Sprintf(`{"model":"default","previous_response_id":%q,"input":%q,"stream":true}`,
			before.ID, endlessReply)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		together(siegeSize(t, 80, 30), func(int) {
			status := ada.begins(ctx, "/v1/responses", body, 1)
			b.serves("a long conversation", status, http.StatusOK, http.StatusServiceUnavailable, http.StatusTooManyRequests)
		})
		bob.visits()
		check("long conversations")
		b.report()
	})
}

// begins starts a streamed response and returns when it has received so many bytes of it. The stream stays open until
// ctx ends.
func (v *visitor) begins(ctx context.Context, path, body string, bytes int64) (status int) {
	request, err := v.request(ctx, v.client.Token(), path, body)
	if err != nil {
		return 0
	}
	response, err := v.http.Do(request)
	if err != nil {
		return 0
	}
	context.AfterFunc(ctx, func() { response.Body.Close() })
	_, _ = io.CopyN(io.Discard, response.Body, bytes) // a refusal may be shorter
	return response.StatusCode
}

// TestSiegeOfLeftResponses has a user begin stored responses and leave: with long instructions, and with an input that
// can be stored. Their replies do not end.
func TestSiegeOfLeftResponses(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		check := b.watchMemory()
		const form = `{"model":"default","store":true,"stream":true,"instructions":%q,"input":%q}`
		for _, body := range []string{
			fmt.Sprintf(form, words(6<<20), endlessReply), fmt.Sprintf(form, "", words(1_500_000)+endlessReply),
		} {
			for range siegeSize(t, 60, 8) {
				ctx, leave := context.WithCancel(t.Context())
				status := ada.begins(ctx, "/v1/responses", body, 1)
				leave()
				b.serves("a response is left", status, http.StatusOK, http.StatusBadRequest,
					http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable, http.StatusTooManyRequests)
			}
		}
		bob.visits()
		check("responses whose client has left")
		b.report()
	})
}

// TestSiegeOfReadResponses has a user read one stored response over many connections at once.
func TestSiegeOfReadResponses(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		stored := ada.store(map[string]any{"input": words(900_000) + longReply})
		check := b.watchMemory()
		for range siegeSize(t, 5, 1) {
			together(200, func(int) {
				status, _ := ada.get(t.Context(), "/v1/responses/"+stored.ID)
				b.serves("a stored response is read", status, http.StatusOK, http.StatusServiceUnavailable,
					http.StatusTooManyRequests)
			})
		}
		bob.visits()
		check("readers of a stored response")
		b.report()
	})
}

// TestSiegeOfEmptyItems has a user send an input of very many empty items.
func TestSiegeOfEmptyItems(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		check := b.watchMemory()
		items := strings.TrimSuffix(strings.Repeat("{},", 2_300_000), ",")
		together(siegeSize(t, 4, 1), func(int) {
			status, _ := ada.post(t.Context(), "/v1/responses", `{"model":"default","input":[`+items+`]}`)
			b.serves("empty items", status, http.StatusBadRequest, http.StatusServiceUnavailable)
		})
		bob.visits()
		check("empty items")
		b.report()
	})
}

// TestSiegeOfDisconnects has a user leave in the middle of many streams. What the server holds for them must be free
// again: the user's own history is served.
func TestSiegeOfDisconnects(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada := b.visitor("ada", attackerAddress)
		session, err := ada.client.CreateSession(t.Context(), parley.CreateSessionInput{})
		must(t, err)
		for range 4 {
			_, err := ada.client.Send(t.Context(), parley.SendInput{SessionID: session.SessionID, Content: longReply})
			must(t, err)
		}
		check := b.watchMemory()
		body := fmt.Sprintf(`{"model":"default","stream":true,"input":%q}`, longReply)
		for range 80 {
			ctx, leave := context.WithCancel(t.Context())
			status := ada.begins(ctx, "/v1/responses", body, 100_000)
			leave()
			b.serves("a stream is left", status, http.StatusOK, http.StatusServiceUnavailable, http.StatusTooManyRequests)
		}
		for range 5 {
			_, err = ada.client.Messages(t.Context(), session.SessionID, parley.Page{})
			ada.wants("the user reads the history", err)
		}
		ada.visits()
		check("80 streams that are left")
		b.report()
	})
}

// TestSiegeOfOpenStreams has a user begin streams with long texts, one after the other, and keep them open.
func TestSiegeOfOpenStreams(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		check := b.watchMemory()
		text := words(14<<20) + endlessReply
		for path, form := range map[string]string{
			"/v1/chat/completions": `{"model":"default","stream":true,"messages":[{"role":"user","content":%q}]}`,
			"/v1/responses":        `{"model":"default","stream":true,"store":false,"input":%q}`,
		} {
			body := fmt.Sprintf(form, text)
			for range siegeSize(t, 40, 6) {
				status := ada.begins(t.Context(), path, body, 1)
				b.serves("a stream is kept open", status, http.StatusOK, http.StatusServiceUnavailable)
			}
		}
		bob.visits()
		check("open streams with long texts")
		b.report()
	})
}

// TestSiegeFindsRoomForALargeBody has nobody attack: a body of 15 MiB is passed on.
func TestSiegeFindsRoomForALargeBody(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiegeModel(t, databaseURL, openAIReplies)
		ada := b.visitor("ada", visitorAddress)
		check := b.watchMemory()
		body := fmt.Sprintf(`{"model":"default","stream":true,"messages":[{"role":"user","content":%q}]}`, words(15<<20))
		for range 3 {
			status, text := ada.post(t.Context(), "/v1/chat/completions", body)
			if b.serves("a body of 15 MiB", status, http.StatusOK); status != http.StatusOK {
				t.Logf("%.300s", text)
			}
		}
		check("bodies of 15 MiB")
		b.report()
	})
}
