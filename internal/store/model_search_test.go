package store

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley"
	"parley/internal/casefold"
	"parley/internal/id"
	"parley/internal/search"
)

// modelFile is a document of the model.
type modelFile struct {
	id, name, text string
	at             time.Time
}

// documents reads the documents of the model.
func (m *machine) documents() Documents {
	return Documents{
		Section: func(_ context.Context, fileID string, section int64) (Section, error) {
			return ReadSection(strings.NewReader(m.texts[fileID]), section)
		},
		Anchor: func(_ context.Context, _ string, offset int64) (string, error) {
			return fmt.Sprint("at ", offset), nil
		},
	}
}

// upload adds a file, sometimes with a text of several sections and the words at its end.
func (m *machine) upload(t *rapid.T) {
	u, s := m.session(t)
	f := &modelFile{id: id.New(), name: "n" + texts().Draw(t, "name"), text: texts().Draw(t, "text"), at: m.tick()}
	if rapid.Bool().Draw(t, "long") {
		f.text = strings.Repeat("·", rapid.IntRange(30_000, 80_000).Draw(t, "length")) + f.text
	}
	m.must(m.AddFileIntent(m.ctx, u.id, f.id, f.at))
	m.must(m.AddFile(m.ctx, NewFile{
		File:   parley.File{FileID: f.id, Filename: f.name, FileType: "text/plain"},
		UserID: u.id, SessionID: s.id, Now: f.at, TextSize: int64(len(f.text)),
	}))
	s.files = append(s.files, f)
	m.texts[f.id] = f.text
}

func (m *machine) removeFile(t *rapid.T) {
	u, s := m.session(t)
	if len(s.files) == 0 {
		t.Skip("no file")
	}
	at := rapid.IntRange(0, len(s.files)-1).Draw(t, "file")
	expectError(t, m.DeleteFile(m.ctx, u.id, s.files[at].id), nil)
	s.files = slices.Delete(s.files, at, at+1)
}

func (m *machine) someSectionsIndexed(t *rapid.T) {
	_, err := m.sections.Update(m.ctx)
	expectError(t, err, nil)
}

// modelHit is a hit with its order.
type modelHit struct {
	at      time.Time
	session string // or the file
	number  int64
	hit     parley.Hit
}

func show(h parley.Hit) string {
	return fmt.Sprint(h.Kind, h.SessionID, h.SessionTitle, h.MessageID, h.Number, h.FileID, h.Filename, h.Anchor,
		h.Snippet, h.Timestamp, h.Archived)
}

// hits returns everything of a user that contains the key, newest first.
func (u *modelUser) hits(query Query) []parley.Hit {
	var all []modelHit
	contains := func(text string) bool { return strings.Contains(casefold.Key(text), query.Key) }
	for _, s := range u.sessions {
		if query.Session != "" && query.Session != s.id {
			continue
		}
		title := cmp.Or(s.title, parley.DefaultTitle)
		add := func(at time.Time, session string, number int64, hit parley.Hit) {
			hit.SessionID, hit.SessionTitle, hit.Timestamp, hit.Archived = s.id, title, at.Unix(), s.archived
			if micro := at.UnixMicro(); micro < query.From || query.To > 0 && micro > query.To {
				return
			}
			all = append(all, modelHit{at, session, number, hit})
		}
		if query.Titles && (s.title != "" && contains(s.title) || s.title == "" && query.Untitled) {
			add(s.active(), s.id, 0, parley.Hit{Kind: parley.HitTitle, Snippet: search.Snippet(title, query.Key)})
		}
		for _, m := range s.messages() {
			if query.Messages && contains(m.content) {
				snippet := search.Snippet(m.content, query.Key)
				add(m.at, s.id, m.number, parley.Hit{Kind: parley.HitMessage, MessageID: m.id, Number: m.number, Snippet: snippet})
			}
		}
		for _, f := range s.files {
			hit := parley.Hit{Kind: parley.HitFile, FileID: f.id, Filename: f.name}
			start, _, found := casefold.Find(f.text, query.Key)
			switch {
			case query.Files && contains(f.name):
				hit.Snippet = search.Snippet(f.name, query.Key)
			case query.Files && found:
				hit.Snippet, hit.Anchor = search.Snippet(f.text, query.Key), fmt.Sprint("at ", start)
			default:
				continue
			}
			add(f.at, f.id, -1, hit)
		}
	}
	slices.SortFunc(all, func(a, b modelHit) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.session, a.session), cmp.Compare(b.number, a.number))
	})
	hits := []parley.Hit{}
	for _, hit := range all {
		hits = append(hits, hit.hit)
	}
	return hits
}

func showAll(hits []parley.Hit) []string {
	shown := []string{}
	for _, hit := range hits {
		shown = append(shown, show(hit))
	}
	return shown
}

func (m *machine) searchAll(t *rapid.T) {
	u, page := m.user(t), m.page(t)
	in := rapid.IntRange(1, 7).Draw(t, "in")
	query := Query{
		Keyword: Keyword{
			Key: casefold.Key(keywords().Draw(t, "keyword")), Untitled: rapid.Bool().Draw(t, "untitled"),
		},
		Titles: in&1 != 0, Messages: in&2 != 0, Files: in&4 != 0,
	}
	if len(u.sessions) > 0 && rapid.Bool().Draw(t, "one session") {
		query.Session = rapid.SampledFrom(u.sessions).Draw(t, "session").id
	}
	if all := u.hits(query); len(all) > 0 && rapid.Bool().Draw(t, "from") {
		query.From = rapid.SampledFrom(all).Draw(t, "first").Timestamp * 1_000_000
	}
	if all := u.hits(query); len(all) > 0 && rapid.Bool().Draw(t, "to") {
		query.To = rapid.SampledFrom(all).Draw(t, "last").Timestamp*1_000_000 + 999_999
	}
	out, err := m.Search(m.ctx, u.id, query, page, m.documents())
	expectError(t, err, nil)
	want := u.hits(query)
	expect(t, fmt.Sprintf("hits of %+v", query), showAll(out.Hits), part(showAll(want), page))
	expect(t, "hits in all", out.Total, len(want))
	expect(t, "hits by kind", cmp.Or(out.Counts, &parley.HitCounts{}), countHits(want))
	expect(t, fmt.Sprintf("pages of %+v", query), showAll(m.readOn(t, u, query, page.Size, func(out parley.SearchOutput) {
		expect(t, "hits on each page", out.Total, len(want))
	})), showAll(want))

	query.Grouped = true
	var groups []parley.HitGroup
	newest := m.readOn(t, u, query, page.Size, func(out parley.SearchOutput) {
		groups = append(groups, out.Groups...)
		expect(t, "hits on each page of sessions", out.Total, len(want))
		expect(t, "sessions on each page", out.Sessions, len(groupHits(want)))
	})
	hits, wanted := []parley.Hit{}, []parley.HitGroup{}
	for _, group := range groupHits(want) {
		hits = append(hits, group[:min(len(group), parley.HitsPerSession)]...)
		wanted = append(wanted, parley.HitGroup{SessionID: group[0].SessionID, Total: int64(len(group))})
	}
	expect(t, fmt.Sprintf("sessions of %+v", query), slices.Concat([]parley.HitGroup{}, groups), wanted)
	expect(t, fmt.Sprintf("hits of the sessions of %+v", query), showAll(newest), showAll(hits))
}

// readOn reads all pages of a search, each after the one before.
func (m *machine) readOn(
	t *rapid.T, u *modelUser, query Query, size int64, look func(parley.SearchOutput),
) (hits []parley.Hit) {
	for {
		out, err := m.Search(m.ctx, u.id, query, parley.Page{Number: 1, Size: size}, m.documents())
		expectError(t, err, nil)
		look(out)
		hits = append(hits, out.Hits...)
		if out.Next == "" {
			return hits
		}
		var ok bool
		query.After, ok = ParseSearchCursor(out.Next)
		expect(t, "is a cursor", ok, true)
	}
}

func countHits(hits []parley.Hit) *parley.HitCounts {
	var counts parley.HitCounts
	for _, hit := range hits {
		switch hit.Kind {
		case parley.HitTitle:
			counts.Titles++
		case parley.HitMessage:
			counts.Messages++
		default:
			counts.Files++
		}
	}
	return &counts
}

// groupHits groups hits by session. The session with the newest hit is first.
func groupHits(hits []parley.Hit) [][]parley.Hit {
	var list [][]parley.Hit
	at := map[string]int{}
	for _, hit := range hits {
		i, ok := at[hit.SessionID]
		if !ok {
			i = len(list)
			at[hit.SessionID], list = i, append(list, nil)
		}
		list[i] = append(list[i], hit)
	}
	return list
}

// TestASearchFindsWhatAScanOfAllTextsFinds is the test of the model with the operations that
// matter to a search.
func TestASearchFindsWhatAScanOfAllTextsFinds(t *testing.T) {
	longRuns(t)
	each(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			m := &machine{world: w, ctx: t.Context(), texts: map[string]string{}}
			m.sections = w.Indexer(m.documents(), slog.New(slog.DiscardHandler))
			m.users = []*modelUser{{id: w.user()}}
			r.Repeat(map[string]func(*rapid.T){
				"create": m.create, "begin": m.begin, "finish": m.finish, "edit": m.edit, "version": m.version,
				"clear": m.clear, "delete": m.remove, "upload": m.upload, "delete a file": m.removeFile,
				"index": m.someIndexed, "index sections": m.someSectionsIndexed, "": m.searchAll,
			})
			audit(r, w.Store)
		})
	})
}
