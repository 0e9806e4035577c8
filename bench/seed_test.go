package main

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store/storetest"
	"parley/internal/testdb"
)

func TestWhatIsSownIsWhatAServerStores(t *testing.T) {
	testdb.Each(t, func(t *testing.T, url string) {
		d := &database{dir: t.TempDir(), url: url}
		s := storetest.Open(t, d.dir, url)
		user := storetest.User(t, s, time.Now())
		db, err := d.open()
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		sown, err := sow(t.Context(), db, user, plan{sessions: 5, growth: []int{130}, searchable: 200})
		if err != nil {
			t.Fatal(err)
		}

		sessions, total, err := s.Sessions(t.Context(), user, parley.Page{Number: 1, Size: 20})
		if err != nil || total != 6 || len(sessions) != 6 || sessions[0].ID != sown.grown[130] || sessions[0].MessageCount != 130 {
			t.Errorf("%d sessions, %+v, %v", total, sessions, err)
		}
		messages, total, err := s.Messages(t.Context(), user, sown.grown[130], parley.Page{Number: 3, Size: 50})
		if err != nil || total != 130 || len(messages) != 30 {
			t.Fatalf("%d messages on the last page of %d, %v", len(messages), total, err)
		}
		last := messages[29]
		if last.Role != parley.RoleAssistant || len(last.Content) < messageSize-20 || len(last.Content) > messageSize {
			t.Errorf("the last message has role %s and %d bytes", last.Role, len(last.Content))
		}
		waiting := 0
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM search_queue`).Scan(&waiting); err != nil || waiting != 200 {
			t.Errorf("%d texts wait for the index, %v", waiting, err)
		}
	})
}

func TestTextsAreTheSameInEveryRunAndHoldTheKeywords(t *testing.T) {
	one, two := newVocabulary(), newVocabulary()
	var texts strings.Builder
	for range 400 {
		text := one.text()
		if text != two.text() {
			t.Fatal("two vocabularies differ")
		}
		texts.WriteString(text)
	}
	for _, chinese := range []bool{false, true} {
		found := 0
		for _, word := range one.keywords(chinese) {
			if strings.Contains(texts.String(), word) {
				found++
			}
		}
		if found == 0 {
			t.Errorf("no keyword is in the texts (Chinese: %v)", chinese)
		}
	}
}
