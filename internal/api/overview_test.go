package api_test

import (
	"slices"
	"testing"

	"parley"
	"parley/client"
)

func TestAdministratorsObserve(t *testing.T) {
	shared(t, []part{
		{"the audit log has what was done", theAuditLogHasWhatWasDone},
		{"the audit log is read page by page", theAuditLogIsReadPageByPage},
		{"the usage of all users is summed up", theUsageOfAllUsersIsSummedUp},
		{"the overview shows the server", theOverviewShowsTheServer},
	})
}

// audited returns the entries of the audit log about a user, newest first.
func (w *world) audited(admin *client.Client, userID int64) []parley.AuditEntry {
	w.Helper()
	out, err := admin.AuditLog(w.Context(), parley.AuditInput{UserID: userID})
	w.must(err)
	return out.Entries
}

func theAuditLogHasWhatWasDone(w *world) {
	ctx := w.Context()
	admin, bob := w.admin("admin"), w.user("bob")
	id, adminID := w.id(bob), w.id(admin)
	_, err := w.guest().Login(ctx, parley.LoginInput{Email: w.address("bob"), Password: "another one"})
	w.wants(err, parley.CodeWrongPassword, 401)
	session := w.session(bob, "Ferries")
	w.must(bob.DeleteSession(ctx, session))
	w.must(admin.SetUserQuota(ctx, id, parley.QuotaInput{Quota: "messages=3/d"}))
	w.must(admin.RemoveUser(ctx, id))
	entries := w.audited(admin, id)
	want := []parley.AuditEntry{
		{Event: "operator-delete", ActorID: adminID},
		{Event: "operator-quota", ActorID: adminID, Object: "quota=messages=3/d"},
		{Event: "session-delete", Object: session},
		{Event: "login-failed", Code: parley.CodeWrongPassword},
		{Event: "register"},
	}
	if len(entries) != len(want) {
		w.Fatalf("the entries are %+v", entries)
	}
	for i, got := range entries {
		if got.UserID != id || got.Address != "127.0.0.1" || got.RequestID == "" || got.At == 0 {
			w.Errorf("entry %d is %+v", i, got)
		}
		if got.Event != want[i].Event || got.ActorID != want[i].ActorID || got.Object != want[i].Object ||
			got.Code != want[i].Code {
			w.Errorf("entry %d is %+v, want %+v", i, got, want[i])
		}
	}
	if promoted := w.audited(admin, adminID); promoted[0].Event != "operator-promote" ||
		promoted[0].ActorID != parley.ActorShell {
		w.Errorf("the promotion is %+v", promoted[0])
	}
	out, err := admin.AuditLog(ctx, parley.AuditInput{UserID: id, Event: "login-failed"})
	if err != nil || len(out.Entries) != 1 || out.Entries[0] != entries[3] || out.More {
		w.Errorf("one event of one user: %+v, %v", out, err)
	}
	_, err = admin.AuditLog(ctx, parley.AuditInput{Before: "nonsense"})
	w.wants(err, parley.CodeInvalidParameter, 400)
	_, err = bob.AuditLog(ctx, parley.AuditInput{})
	w.wants(err, parley.CodeInvalidParameter, 404)
}

func theAuditLogIsReadPageByPage(w *world) {
	admin := w.admin("admin")
	for range 5 {
		w.must(admin.DeleteSession(w.Context(), w.session(admin, "")))
	}
	all := w.audited(admin, w.id(admin))
	var read []parley.AuditEntry
	in := parley.AuditInput{UserID: w.id(admin), Limit: 2}
	for {
		page, err := admin.AuditLog(w.Context(), in)
		w.must(err)
		read = append(read, page.Entries...)
		if !page.More {
			break
		}
		in.Before = page.Entries[len(page.Entries)-1].ID
	}
	if len(all) != 7 || !slices.Equal(read, all) {
		w.Errorf("page by page there are %+v, all at once %+v", read, all)
	}
}

func theUsageOfAllUsersIsSummedUp(w *world) {
	ctx := w.Context()
	admin, bob := w.admin("admin"), w.user("bob")
	w.say(bob, w.session(bob, ""), "Hello")
	w.say(bob, w.session(bob, ""), "Hello again")
	out, err := admin.TotalUsage(ctx, parley.TotalUsageInput{By: parley.ByUser})
	w.must(err)
	place := slices.IndexFunc(out.Usage, func(u parley.TotalUsageSum) bool { return u.UserID == w.id(bob) })
	if place < 0 || out.Usage[place].Email != w.address("bob") || out.Usage[place].Messages != 2 ||
		out.Usage[place].OutputTokens == 0 || out.Usage[place].Day != "" {
		w.Errorf("by user: %+v", out.Usage)
	}
	days, err := admin.TotalUsage(ctx, parley.TotalUsageInput{})
	w.must(err)
	models, err := admin.TotalUsage(ctx, parley.TotalUsageInput{By: parley.ByModel})
	w.must(err)
	if len(days.Usage) != 1 || days.Usage[0].Day == "" || days.Usage[0].Messages < 2 || days.Usage[0].UserID != 0 ||
		len(models.Usage) == 0 || models.Usage[0].Model == "" || models.Usage[0].Email != "" {
		w.Errorf("by day: %+v, by model: %+v", days, models)
	}
	_, err = admin.TotalUsage(ctx, parley.TotalUsageInput{From: 2, To: 1})
	w.wants(err, parley.CodeInvalidParameter, 400)
}

func theOverviewShowsTheServer(w *world) {
	admin := w.admin("admin")
	session := w.session(admin, "")
	_, err := admin.Session(w.Context(), "019a5e0e-7a30-7c4e-9d55-3f6f2f8c8f10")
	w.wants(err, parley.CodeNoSuchSession, 404)
	w.say(admin, session, "Hello")
	o, err := admin.Overview(w.Context())
	w.must(err)
	if o.Version != "test" || o.StartedAt == 0 || o.Users == 0 || o.Administrators == 0 || !o.Registration || !o.Sharing ||
		o.Files.Kind != parley.FilesFolder || o.Files.Free != 1<<30 || o.Database.Version == "" || o.Database.Size == 0 {
		w.Errorf("the overview is %+v", o)
	}
	if !slices.ContainsFunc(o.Replicas, func(r parley.ReplicaState) bool { return r.Self && r.LeaseUntil > 0 }) {
		w.Errorf("the replicas are %+v", o.Replicas)
	}
	models := []parley.ModelState{
		{Name: "default", Model: "built-in", Reachable: true},
		{Name: parley.ModelBasic, Model: "small", Reason: parley.ReasonKey},
	}
	if !slices.Equal(o.Models, models) || o.Search != (parley.SearchState{}) || o.OCR.Available {
		w.Errorf("the models are %+v, the search is %+v, the recognition %+v", o.Models, o.Search, o.OCR)
	}
	missing := parley.ErrorCount{Code: parley.CodeNoSuchSession, Count: 1}
	if !slices.Contains(o.Errors, missing) {
		w.Errorf("the errors are %+v", o.Errors)
	}
}
