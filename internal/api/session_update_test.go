package api_test

import (
	"slices"
	"strings"

	"parley"
	"parley/client"
	"parley/internal/ai/aitest"
)

func updateSession(w *world) {
	ada := w.user("ada")
	session := w.session(ada, "Ferries")
	long := strings.Repeat("渡", 4000)
	scenarios := []scenario{
		{name: "a pin", body: `{"pinned":true}`, status: 200},
		{name: "instructions", body: `{"instructions":"` + long + `"}`, status: 200},
		{
			name: "4,001 characters", body: `{"instructions":"` + long + `x"}`,
			status: 400, code: 1001, says: "instructions must be at most 4000 characters",
		},
		{name: "no bool", body: `{"pinned":"yes"}`, status: 400, code: 1001, says: "pinned must be"},
		{
			name: "a good field and a bad one", body: `{"archived":true,"title":" "}`,
			status: 400, code: 1001, says: "title must not be blank",
		},
		{name: "nulls alone", body: `{"title":null,"pinned":null}`, status: 400, code: 1001, says: "title is required"},
		{name: "no body", body: ``, status: 400, code: 1001},
		{name: "no such session", path: "/api/chat/session/x", body: `{"pinned":true}`, status: 404, code: 2001},
	}
	for i := range scenarios {
		scenarios[i].method = "PATCH"
		if scenarios[i].path == "" {
			scenarios[i].path = "/api/chat/session/" + session
		}
	}
	w.play(ada, scenarios)
	got, err := ada.Session(w.Context(), session)
	w.must(err)
	want := parley.Session{ID: session, Title: "Ferries", Pinned: true, Instructions: long}
	if got != want {
		w.Errorf("got %+v", got)
	}
	if got := w.only(ada); got.Instructions != "" || !got.Pinned {
		w.Errorf("the list has %+v", got)
	}
	w.must(ada.UpdateSession(w.Context(), session, parley.UpdateSessionInput{Instructions: new("")}))
	if got, err := ada.Session(w.Context(), session); err != nil || got.Instructions != "" || !got.Pinned {
		w.Errorf("got %+v, %v", got, err)
	}

	created, err := ada.CreateSession(w.Context(), parley.CreateSessionInput{
		Title: "All", Pinned: true, Archived: true, Instructions: "Be brief.",
	})
	w.must(err)
	got, err = ada.Session(w.Context(), created.SessionID)
	w.must(err)
	want = parley.Session{ID: created.SessionID, Title: "All", Pinned: true, Archived: true, Instructions: "Be brief."}
	if got != want {
		w.Errorf("created %+v", got)
	}
}

// listed returns the titles that a filter selects.
func (w *world) listed(c *client.Client, filter parley.SessionFilter) []string {
	w.Helper()
	out, err := c.FindSessions(w.Context(), filter, parley.Page{})
	w.must(err)
	titles := []string{}
	for _, s := range out.Sessions {
		titles = append(titles, s.Title)
		if filter.Archived && !s.Archived || filter.Pinned && !s.Pinned {
			w.Errorf("%+v lists %+v", filter, s)
		}
	}
	if out.Total != int64(len(titles)) || out.HasMore {
		w.Errorf("%+v: %q of %d", filter, titles, out.Total)
	}
	return titles
}

func pinnedAndArchivedSessions(w *world) {
	ctx := w.Context()
	ada, eve := w.user("ada"), w.user("eve")
	w.session(eve, "Eve's ferry")
	first, second := w.session(ada, "First ferry"), w.session(ada, "Second ferry")
	w.session(ada, "Third ferry")
	blank := w.session(ada, "")
	w.must(ada.UpdateSession(ctx, first, parley.UpdateSessionInput{Pinned: new(true)}))
	w.must(ada.UpdateSession(ctx, second, parley.UpdateSessionInput{Archived: new(true)}))
	w.must(ada.UpdateSession(ctx, blank, parley.UpdateSessionInput{Pinned: new(true), Archived: new(true)}))
	w.wants(eve.UpdateSession(ctx, first, parley.UpdateSessionInput{Archived: new(true)}), parley.CodeNoSuchSession, 404)
	for _, c := range []struct {
		filter parley.SessionFilter
		want   []string
	}{
		{parley.SessionFilter{}, []string{"Third ferry", "First ferry"}},
		{parley.SessionFilter{Pinned: true}, []string{"First ferry"}},
		{parley.SessionFilter{Archived: true}, []string{"New chat", "Second ferry"}},
		{parley.SessionFilter{Pinned: true, Archived: true}, []string{"New chat"}},
		{parley.SessionFilter{Keyword: "ferry"}, []string{"Third ferry", "Second ferry", "First ferry"}},
		{parley.SessionFilter{Keyword: "ferry", Pinned: true}, []string{"First ferry"}},
		{parley.SessionFilter{Keyword: "ferry", Archived: true}, []string{"Second ferry"}},
		{parley.SessionFilter{Keyword: "new", Archived: true}, []string{"New chat"}},
		{parley.SessionFilter{Keyword: "new"}, []string{"New chat"}},
	} {
		if got := w.listed(ada, c.filter); !slices.Equal(got, c.want) {
			w.Errorf("%+v lists %q, want %q", c.filter, got, c.want)
		}
	}
	found, err := ada.FindSessions(ctx, parley.SessionFilter{Keyword: "second"}, parley.Page{})
	w.must(err)
	if len(found.Sessions) != 1 || !found.Sessions[0].Archived {
		w.Errorf("a search does not say that a session is archived: %+v", found)
	}
	w.play(ada, []scenario{
		{
			name: "no bool", method: "GET", path: "/api/chat/sessions?archived=maybe", status: 400, code: 1001,
			says: "archived must be",
		},
		{name: "false", method: "GET", path: "/api/chat/sessions?archived=false&pinned=false", status: 200},
	})
}

func aMessageBringsASessionBack(w *world) {
	ctx := w.Context()
	ada := w.user("ada")
	session := w.session(ada, "Ferries")
	archived := func() bool {
		w.Helper()
		got, err := ada.Session(ctx, session)
		w.must(err)
		if inArchive := len(w.listed(ada, parley.SessionFilter{Archived: true})) == 1; inArchive != got.Archived {
			w.Errorf("archived is %v, the list has %v", got.Archived, inArchive)
		}
		return got.Archived
	}
	w.must(ada.UpdateSession(ctx, session, parley.UpdateSessionInput{Archived: new(true)}))
	w.Model.Script(aitest.Status(400, "no"))
	_, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "Which ferry?"})
	w.wants(err, parley.CodeAIUnavailable, 503)
	if !archived() {
		w.Error("a failed send has brought the session back")
	}
	w.say(ada, session, "Which ferry?")
	if archived() {
		w.Error("the session is still archived")
	}
}
