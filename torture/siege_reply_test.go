package torture

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley"
)

const (
	tableReply  = "Make a table."
	bulletReply = "Quote the file."
)

// TestSiegeOfATable has a user export a reply with a table of few cells in many rows and columns as a page.
func TestSiegeOfATable(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		size := siegeSize(t, 4000, 1500)
		table := "|" + strings.Repeat("a|", size) + "\n|" + strings.Repeat("-|", size) + "\n" + strings.Repeat("|\n", size)
		b := besiegeModel(t, databaseURL, map[string]greedyReply{tableReply: {text: table}})
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		session, err := ada.client.CreateSession(t.Context(), parley.CreateSessionInput{})
		must(t, err)
		_, err = ada.client.Send(t.Context(), parley.SendInput{SessionID: session.SessionID, Content: tableReply})
		must(t, err)
		check := b.watchMemory()
		together(siegeSize(t, 4, 1), func(int) {
			status, page := ada.get(t.Context(), "/api/chat/session/"+session.SessionID+"/export?format=html")
			b.serves("a table is exported", status, http.StatusOK, http.StatusServiceUnavailable)
			if most := 20*len(table) + 200_000; len(page) > most {
				t.Errorf("a table of %d bytes makes a page of %d, want at most %d", len(table), len(page), most)
			}
		})
		bob.visits()
		check("exports of a table")
		b.report()
	})
}

// TestSiegeOfQuotes has a user get a reply with hundreds of quotes in a session with a file. It comes in time.
func TestSiegeOfQuotes(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		var bullets strings.Builder
		for i := range 600 {
			fmt.Fprintf(&bullets, "- it section page chapter paper text %q\n",
				fmt.Sprintf("ferry number %d leaves at nine from quay %d", i, 1000-i))
		}
		replies := map[string]greedyReply{bulletReply: {text: bullets.String()}}
		b := besiegeModel(t, databaseURL, replies, "PARLEY_REQUEST_TIMEOUT=10s")
		ada, bob := b.visitor("ada", attackerAddress), b.visitor("bob", visitorAddress)
		session, err := ada.client.CreateSession(t.Context(), parley.CreateSessionInput{})
		must(t, err)
		_, err = ada.client.Upload(t.Context(), session.SessionID, "notes.txt", strings.NewReader(
			strings.Repeat("The ferry leaves at nine from the old quay. ", siegeSize(t, 20_000, 2_000))))
		must(t, err)
		check := b.watchMemory()
		for range siegeSize(t, 3, 1) {
			out, err := ada.client.Send(t.Context(), parley.SendInput{SessionID: session.SessionID, Content: bulletReply})
			ada.wants("a reply with quotes comes", err)
			if err == nil && strings.TrimSpace(out.AIResponse.Content) != strings.TrimSpace(bullets.String()) {
				t.Errorf("the reply is %.200s", out.AIResponse.Content)
			}
		}
		bob.visits()
		check("a reply with quotes")
		b.report()
	})
}
